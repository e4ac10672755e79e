"""`athenan perft`: counts the action sequences from a position."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated

from athenan.cli.arguments import Argument
from athenan.cli.options import GameName, Moves, parse, print_json, read_game
from athenan.cli.progress import showing
from athenan.rules.game import Game, State
from athenan.rules.perft import perft
from athenan.settings import Between, counted


@dataclass(frozen=True)
class Perft:
    """Counts the action sequences of each length from a position, the usual check of a game's rules.

    A finished match counts at its own length only.
    """

    game: GameName
    """The game, such as hex:5 or othello:8."""
    depth: Annotated[int, Between(1, 1000), Argument(short="-d", metavar="N")] = 4
    """The greatest length."""
    moves: Moves = ""
    """The actions that lead to the position, such as "d3 c5"."""
    json: bool = False
    """Print JSON: `counts` has one number per length, after Ctrl-C (`partial`) only per finished length."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Perft, "perft", arguments)
    game = read_game(options.game)
    found = Found()
    try:
        with showing(lambda: found.so_far or f"counting in {game.name}"):
            _count(game, game.after(options.moves), options.depth, found)
    except KeyboardInterrupt:
        if found.counts:
            _show(options, game, found)
        raise
    _show(options, game, found)


@dataclass
class Found:
    """The counts of the finished lengths."""

    counts: Sequence[int] = ()
    seconds: float = 0.0
    """The time of the last count, which covers all these lengths."""
    so_far: str = ""
    """How far the count of the next length is."""


def _count(game: Game, state: State, depth: int, found: Found) -> None:
    """Counts up to each length in turn, so that an interruption loses only the last one."""

    def report(begun: int, counts: Sequence[int]) -> None:
        number, length = counted(counts[-1], "sequence"), counted(len(counts), "action")
        found.so_far = f"first action {begun} of {counts[0]}: {number} of {length}"

    while len(found.counts) < depth:
        if found.counts and not found.counts[-1]:  # no match is longer
            found.counts = [*found.counts, *[0] * (depth - len(found.counts))]
            return
        began = perf_counter()
        found.counts = perft(game, len(found.counts) + 1, state, report)
        found.seconds = perf_counter() - began


def _show(options: Perft, game: Game, found: Found) -> None:
    counts, seconds = found.counts, found.seconds
    if options.json:
        print_json({
            "game": game.name, "moves": options.moves, "counts": counts, "seconds": round(seconds, 6),
            "partial": len(counts) < options.depth,
        })  # fmt: skip
        return
    for length, count in enumerate(counts, 1):
        print(f"{length:3} {count:18,}")
    print(f"{seconds:.3f} s, {counts[-1] / max(seconds, 1e-9):,.0f}/s")
