"""Writes a network as finely as a number of bytes allows.

Entries of one weight share one step. Entries that are vectors are the finer, the more their numbers count and the more
often states read them (`evaluation.patterns.rounding`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.reads import entries_read
from athenan.evaluation.patterns.rounding import powers_of, rounded_entries
from athenan.evaluation.patterns.slopes import slopes_of
from athenan.evaluation.patterns.vectors import GRID
from athenan.rules.game import Game
from athenan.rules.playouts import encoded_states, random_successors
from athenan.runs.checkpoint import CheckpointError, Tensors, save_packed
from athenan.runs.learnt import SavedNetwork

LEVELS = tuple(round(7 * 1.1**power) for power in range(89))
"""The whole number that the largest weight becomes, from coarse to fine, up to 30,736. Fine steps matter if a state
reads thousands of entries."""
STEPS = tuple(GRID * 2.0 ** (power / 8) for power in range(64, -97, -1))
"""The steps of the entry that is read most, if entries are vectors, from coarse to fine."""
_POLICY_LEVELS = 127
"""The whole number that the largest weight of such a network's policy becomes."""
_MOST_MULTIPLE = 2**22
"""The most steps in a number: float32 tells twice as many whole numbers apart."""
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
    """At most so many of the states, at equal distances."""
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
    """Writes a network as finely as `most_bytes` allow. Raises CheckpointError if even the coarsest is too large."""

    def write(step: float) -> None:
        if reading is None:
            save_packed(file, arrays, document, round(step), {})
        else:
            steps = step / reading.slopes
            entries = rounded_entries(arrays["weights"], steps, reading.powers, reading.read)
            save_packed(file, {**arrays, "weights": entries}, document, _POLICY_LEVELS, {"weights": steps})
        report(f"{file.stat().st_size:,} bytes of {most_bytes:,}")

    choices = LEVELS if reading is None else _steps(arrays["weights"])
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


def _steps(weights: NDArray[np.float32]) -> Sequence[float]:
    """The steps among which weights may be stored."""
    least = float(np.abs(weights).max()) / _MOST_MULTIPLE
    return [step for step in STEPS if step >= least]
