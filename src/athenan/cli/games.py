"""`athenan games`: the games and their options."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from athenan.cli.options import parse, print_json
from athenan.games.catalogue import GAMES, make, module_of


@dataclass(frozen=True)
class Games:
    """Lists the games with their options and defaults.

    A game is written NAME, NAME:VALUE or NAME:VALUE,OPTION=VALUE,... such as hex:11 or hex:11,swap=false; VALUE is that
    of the first option; WIDTHxHEIGHT is columns by rows.
    """

    json: bool = False
    """Print JSON."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Games, "games", arguments)
    games = [_describe(name) for name in GAMES]
    if options.json:
        print_json(games)
        return
    table = Table("game", "options and their defaults", "what it is", box=box.SIMPLE, pad_edge=False)
    for game in games:
        shown = ", ".join(f"{key}={value}" for key, value in game["options"].items())
        table.add_row(game["name"], shown, game["summary"])
    Console().print(table)


def _describe(name: str) -> dict[str, Any]:
    module = module_of(name)
    options = {key: _text(option.default) for key, option in inspect.signature(module.make).parameters.items()}
    summary = " ".join((inspect.getdoc(module) or "").split("\n\n")[0].split())
    return {"name": name, "default": make(name).name, "options": options, "summary": summary}


def _text(value: Any) -> str:
    """A default as it is written in a specification."""
    if isinstance(value, bool):
        return str(value).lower()
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)
