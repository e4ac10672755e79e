"""A small network in a folder of its own, as if the package had it."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from athenan.evaluation.architectures import NativeArchitecture, parse_architecture
from athenan.evaluation.heuristics import make_heuristic
from athenan.evaluation.native import native_network
from athenan.games.catalogue import make
from athenan.learning.config import TrainingConfig
from athenan.networks import catalogue
from athenan.networks.shipping import ship
from athenan.rules.heads import VALUES
from athenan.runs.checkpoint import RunDirectory
from athenan.runs.run import RunSettings

GAME = "connect_four:5x4"
NETWORK = "patterns:walks=6,entries=6561"


def saved(
    path: Path,
    game_name: str = GAME,
    seed: int = 0,
    network_name: str = NETWORK,
    version: str = "0.1.0+0123456789ab",
    heads: tuple[str, ...] = VALUES,
    initial: str | None = None,
) -> Path:
    """Saves a random network as if a run had learnt it."""
    game = make(game_name)
    heuristic = make_heuristic("classic", game)
    architecture = parse_architecture(network_name)
    assert isinstance(architecture, NativeArchitecture)
    network = native_network(game, architecture, heuristic.scale, heuristic.bounded, heads=heads)
    arrays, random = network.as_arrays(), np.random.default_rng(seed)
    for name in network.learns:
        if name in arrays:
            arrays[name] = random.normal(0, 0.1, arrays[name].shape).astype(np.float32)
    run = RunSettings(game.name, network=network_name, minutes=1.0, initial=initial)
    document = {
        "configuration": TrainingConfig(run=run).as_json(), "heuristic": heuristic.as_json(),
        "progress": {"seconds": 60.0, "matches": 7, "versions": ["0.1.0", version]},
    }  # fmt: skip
    with RunDirectory(path) as directory:
        directory.save({f"network.{name}": array for name, array in arrays.items()}, document, {})
    return path


def shipped(folder: Path, monkeypatch: pytest.MonkeyPatch, game_name: str = GAME) -> Path:
    """The file of a random network, which is all that the package has."""
    monkeypatch.setattr(catalogue, "SHIPPED", folder)
    contents = _contents(game_name)
    for name, content in contents.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return next(folder / name for name in contents if "/" not in name)


@cache
def _contents(game_name: str) -> dict[str, bytes]:
    """The files of a folder with a random network in the package, and of its run in `run`: packing takes a while."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        run = saved(folder / "run", game_name)
        ship(run, f"athenan train {game_name} --minutes 1", "abc123", "a processor", "random", folder=folder)
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
