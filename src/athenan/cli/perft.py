"""`athenan perft`: counts the action sequences from a position."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated

import tyro
from rich.console import Console

from athenan.cli.options import GameName, Moves, parse, print_json, read_game
from athenan.rules.perft import perft
from athenan.settings import Between, counted


@dataclass(frozen=True)
class Perft:
    """Counts the action sequences of each length from a position, the usual check of a game's rules.

    A finished match counts at its own length only.
    """

    game: GameName
    """The game, such as hex:5 or othello:8."""
    depth: Annotated[int, Between(1, 1000), tyro.conf.arg(aliases=["-d"], metavar="N")] = 4
    """The greatest length."""
    moves: Moves = ""
    """The actions that lead to the position, such as "d3 c5"."""
    json: bool = False
    """Print JSON: `counts` has one number per length."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Perft, "perft", arguments)
    game = read_game(options.game)
    state = game.after(options.moves)
    began = perf_counter()
    with Console(stderr=True).status(f"counting in {game.name}") as status:
        report = (lambda begun, counts: status.update(_progress(begun, counts))) if sys.stderr.isatty() else None
        counts = perft(game, options.depth, state, report)
    seconds = perf_counter() - began
    if options.json:
        print_json({"game": game.name, "moves": options.moves, "counts": counts, "seconds": round(seconds, 6)})
        return
    for length, count in enumerate(counts, 1):
        print(f"{length:3} {count:18,}")
    print(f"{seconds:.3f} s, {counts[-1] / max(seconds, 1e-9):,.0f}/s")


def _progress(begun: int, counts: Sequence[int]) -> str:
    return f"first action {begun} of {counts[0]}: {counted(counts[-1], 'sequence')} of {counted(len(counts), 'action')}"
