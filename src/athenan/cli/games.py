"""`athenan games`: the games and their options."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from athenan import settings
from athenan.cli.options import GameName, parse, print_json, read_game
from athenan.evaluation.handwritten import described
from athenan.evaluation.heuristics import default_heuristic, heuristics_of
from athenan.games.about import about
from athenan.games.catalogue import GAMES, make, module_of


@dataclass(frozen=True)
class Games:
    """Lists the games with their options and defaults, or prints the rules and options of one game.

    A game is written NAME, NAME:VALUE or NAME:VALUE,OPTION=VALUE,... such as hex:11 or hex:11,swap=false. VALUE is the
    value of the first option. WIDTHxHEIGHT is columns by rows. NAME may be a file with a game of your own, such as
    ./nim.py, or a module, such as package.module.
    """

    game: GameName = ""
    """The game whose rules to print."""
    encoding: bool = False
    """Also show how programs see the game: action numbers, bytes of a state, planes of a network's input."""
    json: bool = False
    """Print JSON."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Games, "games", arguments)
    if options.game:
        _tell(options.game, options.encoding, as_json=options.json)
        return
    games = [describe(name) for name in GAMES]
    if options.json:
        keys = ("name", "default", "summary")
        print_json([{**{key: game[key] for key in keys}, "options": _defaults(game)} for game in games])
        return
    table = Table(box=box.SIMPLE, pad_edge=False)
    for title in ("game", "options and their defaults", "what it is"):
        table.add_column(title, overflow="fold")
    for name, game in zip(GAMES, games, strict=True):
        shown = ", ".join(f"{option}={default}" for option, default in _defaults(game).items())
        table.add_row(name, shown, game["summary"])
    Console().print(table)


def _tell(specification: str, encoding: bool, *, as_json: bool) -> None:
    """Prints the rules, the options, the heuristics and the evaluations of one game."""
    game = read_game(specification)
    found = describe(settings.split(specification)[0])
    if as_json:
        heuristics = {"heuristics": heuristics_of(game), "default_heuristic": default_heuristic(game)}
        print_json({**found, "specification": game.name, **heuristics, "evaluations": described(game)})
        return
    print(game.name, found["rules"] or "It has no docstring.", sep="\n\n")
    if encoding and found["encoding"]:
        print(f"\n{found['encoding']}")
    print("\nOptions:" if found["options"] else "\nIt has no options.")
    for option, one in found["options"].items():
        print(f"  {option}: {one['values']} (default {one['default']})")
    print(f"\nHeuristics: {', '.join(heuristics_of(game))} (default of Descent: {default_heuristic(game)})")
    if game.evaluations:
        print("\nEvaluations, for --evaluation NAME and as players, evaluation:NAME:")
        for evaluation, counts in described(game).items():
            print(f"  {evaluation}: {counts}")


def _defaults(game: dict[str, Any]) -> dict[str, str]:
    return {option: found["default"] for option, found in game["options"].items()}


def describe(name: str) -> dict[str, Any]:
    """The rules and options of a game, named without settings."""
    module = module_of(name)
    default, words = make(name).name, about(name)
    hints = settings.annotations(module.make)
    options = {
        option: {"default": settings.written(parameter.default), "values": str(settings.allowed(hints[option]))}
        for option, parameter in inspect.signature(module.make).parameters.items()
    }
    told = {one: getattr(words, one) for one in ("title", "summary", "goal", "play", "rules", "encoding")}
    return {"name": name, "default": default, "options": options, **told}
