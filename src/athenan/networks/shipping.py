"""Makes the file of a network for the package from a run. `scripts/networks.py` is the command for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.native import NativeNetwork
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.reads import entries_read
from athenan.evaluation.patterns.rounding import powers_of, rounded_entries
from athenan.evaluation.patterns.slopes import slopes_of
from athenan.evaluation.patterns.vectors import GRID
from athenan.networks.card import CARD, Card, read_card
from athenan.networks.catalogue import SHIPPED, file_name
from athenan.networks.fingerprint import fingerprint
from athenan.rules.game import Game
from athenan.rules.playouts import encoded_states, random_states, random_successors
from athenan.runs.checkpoint import (
    CheckpointError,
    Tensors,
    amend,
    load,
    load_document,
    load_network,
    load_progress,
    save_packed,
)
from athenan.runs.learnt import SavedNetwork, saved_network
from athenan.runs.run import settings_of

MOST_BYTES = 400_000
"""Bytes that a network of the package may take; all together may take 12 MB."""
LEVELS = tuple(round(7 * 1.1**power) for power in range(89))
"""The whole number that the largest weight becomes, from coarse to fine, up to 30,736. Fine steps matter if a state
reads thousands of entries."""
STEPS = tuple(GRID * 2.0 ** (power / 8) for power in range(64, -97, -1))
"""The steps of the entry that is read most, if entries are vectors, from coarse to fine."""
_POLICY_LEVELS = 127
"""The whole number that the largest weight of such a network's policy becomes."""
_MOST_MULTIPLE = 2**22
"""The most steps in a number: float32 tells twice as many whole numbers apart."""
_STATES = 2000
"""States by which the slopes and the error of a network are found."""
_READING, _READS = 50_000, 20_000_000
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


def ship(
    run: str | Path,
    command: str,
    commit: str,
    processor: str,
    weaknesses: str = "",
    most_bytes: int = MOST_BYTES,
    folder: Path = SHIPPED,
    report: Callable[[str], None] = lambda line: None,
) -> Path:
    """Writes the file of a run's network as finely as `most_bytes` allow, in place of the game's former one.

    Returns the file. `report` is told each size that was tried. Raises CheckpointError if the run is damaged or its
    network too large; the former file remains.
    """
    saved, network = load_network(run), saved_network(run)
    settings, progress, document = settings_of(saved.configuration), load_progress(run), load_document(run)
    card = Card(
        network.game.name, fingerprint(network.game), command, commit,
        round(float(progress.get("seconds", 0)) / 60, 2), settings.clock, int(progress.get("matches", 0)), processor,
        0.0, weaknesses,
    )  # fmt: skip
    file = folder / file_name(network.game.name)
    written = file.with_suffix(".new")
    kept: dict[str, Any] = {name: document[name] for name in ("configuration", "heuristic") if name in document}
    if "chances" in progress:
        kept["progress"] = {"chances": progress["chances"]}
    states = _learnt_states(run, network.game)
    planes = _planes(network.game, _some(states, _STATES))
    try:
        _store(
            written,
            saved.tensors,
            {**kept, CARD: card.as_json()},
            most_bytes,
            _reading(network, states, planes),
            report,
        )
        change_card(written, error=_error(network, written, planes))
        written.replace(file)
    finally:
        written.unlink(missing_ok=True)
    return file


def _learnt_states(run: str | Path, game: Game) -> NDArray[np.int8]:
    """The non-terminal states that the run's last matches have learnt, or of random play without such states."""
    learnt = [arrays["states"] for arrays in load(run).matches.values() if len(arrays.get("states", ()))]
    states = (
        _ongoing(game, _some(np.concatenate(learnt), _READING)) if learnt else np.zeros((0, game.state_size), np.int8)
    )
    return states if len(states) else random_states(game, _STATES)


def _some(states: NDArray[np.int8], most: int) -> NDArray[np.int8]:
    """At most so many of the states, at equal distances."""
    return states[:: -(-len(states) // most)]


def _ongoing(game: Game, states: NDArray[np.int8]) -> NDArray[np.int8]:
    return states[[game.outcome(state) is None for state in states]]


def _planes(game: Game, states: NDArray[np.int8]) -> NDArray[np.int8]:
    return encoded_states(game, states).reshape(len(states), *game.planes)


def _reading(saved: SavedNetwork, states: NDArray[np.int8], planes: NDArray[np.int8]) -> Reading | None:
    """How a network reads its entries in these states and their successors; None without entries of several numbers.

    A search evaluates the successors of states like those that were learnt.
    """
    network, game = saved.network, saved.game
    if not isinstance(network, PatternNetwork) or network.settings.vector == 1:
        return None
    states = _some(states, _READS // len(network.tuples.cells))
    states = np.concatenate([states, _ongoing(game, random_successors(game, states))])
    np.random.default_rng(0).shuffle(states)
    read = entries_read(network, _planes(game, states))
    return Reading(slopes_of(network, planes), read, powers_of(read, len(network.entries)))


def _store(
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


def _error(before: SavedNetwork, file: Path, planes: NDArray[np.int8]) -> float:
    """See `Card.error`."""
    values = [_values(one, planes) for one in (before, saved_network(file))]
    return round(float(np.sqrt(np.mean((values[1] - values[0]) ** 2))) / before.heuristic.scale, 6)


def _values(saved: SavedNetwork, planes: NDArray[np.int8]) -> NDArray[np.float32]:
    if isinstance(saved.network, NativeNetwork):
        return saved.network(planes).values
    from athenan.evaluation.evaluator import Evaluator

    return Evaluator(saved.network, "cpu", "float32")(planes).values


def change_card(file: Path, **changes: Any) -> None:
    """Changes the card of a network of the package, such as its `ratings`, and nothing else."""
    card = replace(read_card(load_document(file).get(CARD)), **changes)
    amend(file, **{CARD: card.as_json()})
