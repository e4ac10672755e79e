"""Descriptions of experiments in TOML files, and settings written as text.

```toml
title = "Does completion help?"
games = ["hex:5", "othello:6"]
repetitions = 4
minutes = 3
common.playing.selection = "epsilon_greedy"

[combinations.with]
[combinations.without]
search.completion = false
```
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

from athenan.arena.roster import is_command
from athenan.experiments.description import DEPTH_1, Combination, Experiment, ExperimentError, Procedure
from athenan.learning.config import TrainingConfig
from athenan.loading import command_allowed
from athenan.reading import WRONG_SHAPE, read_text, reason
from athenan.settings import check_value, from_json, shown, spread, value_of

_VALUES = {
    "name": str, "title": str, "source": str, "notes": str, "family": str, "baseline": str, "differences": bool,
    "average": int,
}  # fmt: skip
_TABLES = ("common", "by_game", "players", "groups", "published", "combinations")
_OF_COMBINATIONS = [item.name for item in fields(Combination) if item.name != "train"]
_PROCEDURE = [item.name for item in fields(Procedure)]


def read_file(path: Path) -> Experiment:
    """Reads a description. Raises ExperimentError, in one sentence, if the file is not one."""
    try:
        data = tomllib.loads(read_text(path))
    except WRONG_SHAPE as error:
        raise ExperimentError(f"{path} is not a TOML file: {reason(error)}") from None
    try:
        return from_data({"name": path.stem, **data})
    except WRONG_SHAPE as error:
        raise ExperimentError(f"{path}: {reason(error)}") from None


def from_data(data: Mapping[str, Any]) -> Experiment:
    """The experiment that the data of a TOML file describes. Raises ValueError if it does not describe one."""
    known = (*_VALUES, *_TABLES, *_PROCEDURE)
    for name in data:
        if name not in known:
            raise ExperimentError(f"there is no setting {shown(name)}; there are {', '.join(sorted(known))}")
    for name, kind in _VALUES.items():
        if name in data:
            check_value(name, kind, data[name])
    tables = {name: _table(name, data.get(name, {})) for name in _TABLES}
    given: dict[str, Any] = {name: data[name] for name in _VALUES if name in data}
    numbers = {name: data[name] for name in _PROCEDURE if name in data}
    if "games" in numbers:
        numbers["games"] = _names("games", numbers["games"])
    if is_command(opponents := _text("opponents", numbers.get("opponents", ""))) and not command_allowed(opponents):
        raise ExperimentError(f"{opponents!r} is a command, which runs only if a command line names it")
    players = {name: _text(f"players.{name}", text) for name, text in tables["players"].items()}
    return Experiment(
        combinations={name: _combination(name, one) for name, one in tables["combinations"].items()},
        procedure=from_json(Procedure, numbers),
        common=tables["common"],
        groups={name: _names(f"groups.{name}", members) for name, members in tables["groups"].items()},
        by_game={name: _table(f"by_game.{name}", settings) for name, settings in tables["by_game"].items()},
        published={name: _printed(f"published.{name}", rows) for name, rows in tables["published"].items()},
        players=players or {"": DEPTH_1},
        **given,
    )


def _combination(name: str, data: Any) -> Combination:
    settings = dict(_table(f"combinations.{name}", data))
    own = {key: settings.pop(key) for key in _OF_COMBINATIONS if key in settings}
    if "player" in own:
        _text(f"combinations.{name}.player", own["player"])
    if "games" in own:
        own["games"] = _names(f"combinations.{name}.games", own["games"])
    if "apart" in own:
        check_value("apart", bool, own["apart"])
    return Combination(settings, **own)


def _table(name: str, data: Any) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise ExperimentError(f"{name} must be a table, not {shown(data)}")
    return data


def _text(name: str, data: Any) -> str:
    if not isinstance(data, str):
        raise ExperimentError(f"{name} must be a text, not {shown(data)}")
    return data


def _names(name: str, data: Any) -> tuple[str, ...]:
    if not isinstance(data, list) or not all(isinstance(one, str) for one in data):
        raise ExperimentError(f"{name} must be a list of names, not {shown(data)}")
    return tuple(data)


def _printed(name: str, data: Any) -> Mapping[str, Mapping[str, float]]:
    rows = {game: _table(f"{name}.{game}", row) for game, row in _table(name, data).items()}
    if not all(type(value) in (int, float) for row in rows.values() for value in row.values()):
        raise ExperimentError(f"{name} must be a table of tables of numbers")
    return rows


def read_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Settings of a training written as COMPONENT.SETTING=VALUE or search=SEARCH.

    Raises ExperimentError for any other text.

    >>> read_settings(["replay.batch_size=256", "run.network=r1", "learning.learner=adam:rate=0.5"])
    {'replay': {'batch_size': 256}, 'run': {'network': 'r1'}, 'learning': {'learner': 'adam', 'learning_rate': 0.5}}
    """
    found: dict[str, Any] = {}
    components = get_type_hints(TrainingConfig)
    del components["search"]
    for text in texts:
        name, equals, value = text.partition("=")
        if name == "search" and value:
            found["search"] = value
            continue
        component, _, setting = name.replace("-", "_").partition(".")
        hints = get_type_hints(components[component], include_extras=True) if component in components else {}
        if not equals or setting not in hints:
            known = ", ".join(components)
            raise ExperimentError(
                f"--set needs COMPONENT.SETTING=VALUE, such as replay.batch_size=256, or search=SEARCH, not {text!r}; "
                f"components are {known}; `athenan train --help-all` lists their settings"
            )
        inside = spread(components[component], setting, value)  # the text of a part
        found.setdefault(component, {}).update(inside or {setting: value_of(name, hints[setting], value)})
    return found
