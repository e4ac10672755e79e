"""Makes the file of a network for the package from a run. `scripts/networks.py` is the command for it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.native import NativeNetwork
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.storing import slopes_of, steps_of
from athenan.networks.card import CARD, Card, read_card
from athenan.networks.catalogue import SHIPPED, file_name
from athenan.networks.fingerprint import fingerprint
from athenan.rules.playouts import encoded_states, random_states
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
reads thousands of entries, as in Connect6."""
_STATES = 2000
_ERROR_BYTES = 16  # the most that the card grows by when the error of the stored network is known


def ship(
    run: str | Path,
    command: str,
    commit: str,
    processor: str,
    weaknesses: str = "",
    most_bytes: int = MOST_BYTES,
    folder: Path = SHIPPED,
) -> Path:
    """Writes the file of a run's network as finely as `most_bytes` allow, in place of the game's former one.

    Returns the file. Raises CheckpointError if the run is damaged or its network too large; the former file remains.
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
    planes = _planes(run, network)
    try:
        _store(written, saved.tensors, {**kept, CARD: card.as_json()}, most_bytes, _slopes(network, planes))
        change_card(written, error=_error(network, written, planes))
        written.replace(file)
    finally:
        written.unlink(missing_ok=True)
    return file


def _planes(run: str | Path, network: SavedNetwork) -> NDArray[np.int8]:
    """Encoded non-terminal states that the run's last matches have learnt, or of random play without such states."""
    game = network.game
    learnt = [arrays["states"] for arrays in load(run).matches.values() if len(arrays.get("states", ()))]
    if learnt:
        states = np.concatenate(learnt)
        states = states[:: -(-len(states) // _STATES)]
        states = states[[game.outcome(state) is None for state in states]]
    if not learnt or not len(states):
        states = random_states(game, _STATES)
    return encoded_states(game, states).reshape(len(states), *game.planes)


def _slopes(saved: SavedNetwork, planes: NDArray[np.int8]) -> NDArray[np.float64] | None:
    """How much the numbers of entries count in the values of states; None without entries of several numbers."""
    network = saved.network
    if isinstance(network, PatternNetwork) and network.settings.vector > 1:
        return slopes_of(network, planes)
    return None


def _store(
    file: Path, arrays: Tensors, document: dict[str, Any], most_bytes: int, slopes: NDArray[np.float64] | None
) -> None:
    """Writes a network as finely as `most_bytes` allow. Raises CheckpointError if even the coarsest is too large."""

    def write(levels: int) -> None:
        steps = {}
        if slopes is not None:
            steps["weights"] = steps_of(slopes, float(np.abs(arrays["weights"]).max()) / levels)
        save_packed(file, arrays, document, levels, steps)

    coarse, fine = 0, len(LEVELS)  # LEVELS[:coarse] are known to fit, LEVELS[fine:] not to
    while coarse < fine:
        middle = (coarse + fine) // 2
        write(LEVELS[middle])
        fits = file.stat().st_size + _ERROR_BYTES <= most_bytes
        coarse, fine = (middle + 1, fine) if fits else (coarse, middle)
    if not coarse:
        raise CheckpointError(
            f"the network takes more than {most_bytes:,} bytes however coarsely its weights are stored: train one with "
            "fewer entries or phases"
        )
    write(LEVELS[coarse - 1])


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
