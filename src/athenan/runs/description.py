"""What a run says of itself: its configuration and its progress, read from its checkpoint; and the runs of a folder.

>>> flat({"run": {"game": "hex:7", "minutes": None}, "search": "uct:exploration=1.4"})
{'run.game': 'hex:7', 'run.minutes': 'none', 'search': 'uct:exploration=1.4'}
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from athenan.games.catalogue import known
from athenan.rules.game import GameError
from athenan.runs.checkpoint import CHECKPOINT, CheckpointError, checkpoint_file, load_document
from athenan.runs.run import RunSettings, settings_of
from athenan.settings import written


@dataclass(frozen=True)
class Description:
    """A run as its checkpoint describes it; no code of its game is run."""

    path: Path
    """The run directory or the checkpoint file."""
    settings: RunSettings
    configuration: Mapping[str, Any]
    """The configuration of the training, as JSON: an object for each component, and the text of the search."""
    progress: Any
    """The progress of the training, as JSON; `learning.progress.restored_progress` checks it."""
    saved: float
    """When the checkpoint was written, in seconds since 1970."""

    @property
    def game(self) -> str:
        """The name of the game. Raises CheckpointError if there is no such game, or as `game_name`."""
        try:
            return known(self.settings.game).name
        except GameError as error:
            raise CheckpointError(f"{self.path}: {error}") from None


def runs_in(folder: str | Path) -> list[Path]:
    """The run directories in a folder and its subfolders, by name. Raises CheckpointError if there is no such folder.

    A folder that is itself a run is also found.
    """
    if not Path(folder).is_dir():
        raise CheckpointError(f"there is no folder {folder}: name the one that holds the runs")
    found = list[Path]()
    for path, folders, files in os.walk(folder):
        if CHECKPOINT in files:
            found.append(Path(path))
            folders.clear()  # a run has many files, and no runs in it
    return sorted(found)


def describe(path: str | Path, whole: bool = True) -> Description:
    """Reads the description of a run directory or checkpoint. Raises CheckpointError if it is damaged.

    Without `whole` nothing else is read, as `load_document` says: for whoever reads the checkpoint afterwards.
    """
    document = load_document(path, whole)
    configuration = document.get("configuration")
    if not isinstance(configuration, Mapping):
        raise CheckpointError(f"{path} holds no configuration: give the run directory of a training")
    try:
        settings = settings_of(configuration)
    except ValueError as error:
        raise CheckpointError(f"{path} has no valid configuration: {error}") from None
    saved = checkpoint_file(path).stat().st_mtime
    return Description(Path(path), settings, configuration, document.get("progress"), saved)


def game_name(path: str | Path) -> str:
    """The name of the game of a run directory or checkpoint.

    Raises CheckpointError if it has no game, or a user's game that was not named in this process: reading a run never
    runs code. Nothing else of the run is read, and damage in the rest is found by whoever reads its network.
    """
    return describe(path, whole=False).game


def flat(configuration: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Nested settings as text, by their names with dots."""
    found = dict[str, str]()
    for name, value in configuration.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = written(tuple(value) if isinstance(value, list) else value)
    return found


def differences(configurations: list[dict[str, str]]) -> dict[str, list[str]]:
    """The settings in which flat configurations differ, each with its values in order; "" if a configuration lacks it.

    >>> differences([{"run.game": "hex:7", "run.seed": "0"}, {"run.game": "hex:7", "run.seed": "1"}])
    {'run.seed': ['0', '1']}
    """
    names = dict.fromkeys(name for one in configurations for name in one)
    values = {name: [one.get(name, "") for one in configurations] for name in names}
    return {name: found for name, found in values.items() if len(set(found)) > 1}
