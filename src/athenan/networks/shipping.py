"""Makes the file of a network for the package from a run. `scripts/networks.py` is the command for it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.native import NativeNetwork
from athenan.networks.card import CARD, Card, read_card
from athenan.networks.catalogue import SHIPPED, file_name, named
from athenan.networks.fingerprint import fingerprint
from athenan.networks.storing import MOST_STATES, ongoing, planes_of, reading_of, some, store
from athenan.replacing import replacing
from athenan.rules.game import Game
from athenan.rules.playouts import random_states
from athenan.runs.checkpoint import (
    CheckpointError,
    amend,
    directory_of,
    load,
    load_document,
    load_network,
    load_progress,
)
from athenan.runs.learnt import SavedNetwork, saved_network
from athenan.runs.run import RunSettings, settings_of

MOST_BYTES = 400_000
"""Bytes that a network of the package may take; all together may take 30 MB."""
_STATES = 2000
"""States by which the slopes and the error of a network are found."""


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
    network too large, and NoNetworkError if the run went on with a network of the package that has been replaced. The
    former file remains.
    """
    saved, network = load_network(run), saved_network(run)
    settings, progress, document = settings_of(saved.configuration), load_progress(run), load_document(run)
    card = Card(
        network.game.name, fingerprint(network.game), command, commit,
        round(float(progress.get("seconds", 0)) / 60, 2), settings.clock, int(progress.get("matches", 0)), processor,
        0.0, weaknesses, earlier_minutes=_earlier_minutes(settings, network.game),
    )  # fmt: skip
    file = folder / file_name(network.game.name)
    kept: dict[str, Any] = {name: document[name] for name in ("configuration", "heuristic") if name in document}
    if "chances" in progress:
        kept["progress"] = {"chances": progress["chances"]}
    states = _learnt_states(run, network.game)
    planes = planes_of(network.game, some(states, _STATES))
    reading = reading_of(network, states, planes)
    with replacing(file) as written:
        store(written, saved.tensors, {**kept, CARD: card.as_json()}, most_bytes, reading, report)
        change_card(written, error=_error(network, written, planes))
    return file


def _earlier_minutes(settings: RunSettings, game: Game) -> float:
    """See `Card.earlier_minutes`. Raises NoNetworkError if the run went on with a network that has been replaced."""
    before = named(settings.initial, game) if settings.initial else None
    return before.card.total_minutes if before else 0.0


def _learnt_states(run: str | Path, game: Game) -> NDArray[np.int8]:
    """The non-terminal states that the run's last matches have learnt, also for a network that the run has kept.

    Without such states they are of random play.
    Raises CheckpointError if the matches are of other states. A heuristic may keep counts behind the game's state.
    """
    learnt = [arrays["states"] for arrays in load(directory_of(run)).matches.values() if len(arrays.get("states", ()))]
    if any(one.dtype != np.int8 or one.ndim != 2 or one.shape[1] < game.state_size for one in learnt):
        raise CheckpointError(f"the matches of {run} do not hold states of {game.name}: restore the run from a copy")
    if learnt:
        states = ongoing(game, some(np.concatenate([one[:, : game.state_size] for one in learnt]), MOST_STATES))
        if len(states):
            return states
    return random_states(game, _STATES)


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
    amend(file, lambda document: {CARD: card.as_json()})
