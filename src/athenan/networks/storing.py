"""Writes a network as finely as a number of bytes allows.

Entries of one weight share one step, and so do the entries of a policy. Entries that are vectors are the finer, the
more their numbers count and the more often states read them (`evaluation.patterns.rounding`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.reads import entries_read
from athenan.evaluation.patterns.rounding import powers_of, steps_of, whole_entries
from athenan.evaluation.patterns.slopes import slopes_of
from athenan.evaluation.patterns.vectors import GRID
from athenan.evaluation.patterns.vectors import largest as largest_entry
from athenan.rules.game import Game
from athenan.rules.playouts import encoded_states, random_successors
from athenan.runs.checkpoint import CheckpointError, Tensors, save_packed
from athenan.runs.learnt import SavedNetwork

LEVELS = tuple(round(7 * 1.1**power) for power in range(89))
"""The whole number that the largest weight becomes, from coarse to fine, up to 30,736. Fine steps matter if a state
reads thousands of entries."""
_FINER = 2.0 ** (1 / 8)
"""How many times as fine the next choice is, if entries are vectors."""
_LARGEST = 2**30
"""The largest whole number that is stored."""
MOST_STATES, _MOST_READS = 50_000, 20_000_000
"""The most states whose entries are looked up, and the most such entries; and as many for their successors."""
_ERROR_BYTES = 16  # the most that the card grows by when the error of the stored network is known


@dataclass(frozen=True)
class Reading:
    """What decides how finely the numbers of entries that are vectors are stored."""

    slopes: NDArray[np.float64]
    """float64[vector]: how much each number of an entry counts."""
    read: NDArray[np.int32]
    """int32[states, tuples]: the entries that some states read."""
    powers: NDArray[np.int64]
    """int64[entries]: the power of two by which an entry is coarser than the one that is read most."""


def some(states: NDArray[np.int8], most: int) -> NDArray[np.int8]:
    """Every k-th state, so that at most `most` remain."""
    return states[:: -(-len(states) // most)]


def ongoing(game: Game, states: NDArray[np.int8]) -> NDArray[np.int8]:
    """Those of the states that are not terminal."""
    return states[[game.outcome(state) is None for state in states]]


def planes_of(game: Game, states: NDArray[np.int8]) -> NDArray[np.int8]:
    """The encoded states, int8[n, planes, rows, columns]."""
    return encoded_states(game, states).reshape(len(states), *game.planes)


def reading_of(saved: SavedNetwork, states: NDArray[np.int8], planes: NDArray[np.int8]) -> Reading | None:
    """How a network reads its entries in these states and their successors; None without entries of several numbers.

    A search evaluates the successors of states like those that were learnt.
    """
    network, game = saved.network, saved.game
    if not isinstance(network, PatternNetwork) or network.settings.vector == 1:
        return None
    states = some(states, _MOST_READS // len(network.tuples.cells))
    states = np.concatenate([states, ongoing(game, random_successors(game, states))])
    np.random.default_rng(0).shuffle(states)
    read = entries_read(network, planes_of(game, states))
    return Reading(slopes_of(network, planes), read, powers_of(read, len(network.entries)))


def store(
    file: Path,
    arrays: Tensors,
    document: dict[str, Any],
    most_bytes: int,
    reading: Reading | None,
    report: Callable[[str], None],
) -> None:
    """Writes a network by the finest of some choices that fits into `most_bytes`.

    Raises CheckpointError if even the coarsest is too large.
    """

    def write(choice: tuple[int, float]) -> None:
        levels, step = choice
        if reading is None:
            save_packed(file, arrays, document, levels, {})
        else:
            steps = steps_of(reading.slopes, step)
            whole = whole_entries(arrays["weights"], steps, reading.powers, reading.read)
            save_packed(file, {**arrays, "weights": whole.astype(np.int32)}, document, levels, {"weights": steps})
        report(f"{file.stat().st_size:,} bytes of {most_bytes:,}")

    choices = _choices(arrays, reading)
    coarse, fine = 0, len(choices)  # choices[:coarse] are known to fit, choices[fine:] not to
    while coarse < fine:
        middle = (coarse + fine) // 2
        write(choices[middle])
        fits = file.stat().st_size + _ERROR_BYTES <= most_bytes
        coarse, fine = (middle + 1, fine) if fits else (coarse, middle)
    if not coarse:
        raise CheckpointError(
            f"the network takes more than {most_bytes:,} bytes however coarsely its weights are stored: train one with "
            "fewer entries or phases"
        )
    write(choices[coarse - 1])


def _choices(arrays: Tensors, reading: Reading | None) -> list[tuple[int, float]]:
    """The levels of arrays, and the steps of the most read entry for a slope of 1, from coarse to fine.

    The coarsest step rounds all vectors to 0. The finest keeps them exactly.
    """
    if reading is None:
        return [(levels, 0.0) for levels in LEVELS]
    largest = min(float(np.abs(arrays["weights"]).max()), largest_entry(reading.read.shape[1])) or GRID
    coarsest = 4 * largest * reading.slopes.max()
    finest = max(GRID / 2 * reading.slopes.min() / 2.0 ** reading.powers.max(), coarsest / _LARGEST)
    count = 1 + int(np.log(coarsest / finest) / np.log(_FINER))
    return [(LEVELS[place * len(LEVELS) // count], coarsest / _FINER**place) for place in range(count)]
