"""`athenan check`: checks that the rules of a game keep their promises."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated

from athenan.cli.options import GameName, parse, print_json, read_game
from athenan.cli.progress import showing
from athenan.rules.conformance import check_game
from athenan.settings import Between, Seed, counted


@dataclass(frozen=True)
class Check:
    """Checks that the kernels and tables of a game agree with each other, in random matches.

    A fault is an error that names the game and the kernel, also if a kernel would end the process or never returns.
    Other commands check a game of your own for about a second before its first use.
    """

    game: GameName
    """The game, such as ./nim.py or ./nim.py:4,misere=true."""
    matches: Annotated[int, Between(1, 1_000_000)] = 20
    """The number of random matches."""
    seconds: Annotated[float, Between(0.1, 86_400)] = 20.0
    """The most seconds that a call of a kernel may take."""
    seed: Seed = 0
    json: bool = False
    """Print JSON: `game`, `matches`, `calls` of its kernels, `seconds`."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Check, "check", arguments)
    game, began, calls, last = read_game(options.game), perf_counter(), 0, "its kernels"

    def note(number: int, name: str) -> None:
        nonlocal calls, last
        calls, last = number, name

    with showing(lambda: f"{counted(calls, 'call')} of the kernels of {game.name}, now {last}"):
        check_game(game, options.matches, options.seed, options.seconds, note)
    seconds = perf_counter() - began
    if options.json:
        print_json({"game": game.name, "matches": options.matches, "calls": calls, "seconds": round(seconds, 3)})
        return
    matches = counted(options.matches, "random match")
    print(f"{game.name}: no fault in {matches}, {counted(calls, 'call')} of its kernels, {seconds:.1f} s")
