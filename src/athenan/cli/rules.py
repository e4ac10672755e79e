"""`athenan rules`: how a game is played, for somebody who does not know it."""

from collections.abc import Sequence
from dataclasses import dataclass

from athenan.cli.options import GameName, parse, read_game
from athenan.cli.streams import width
from athenan.play import words


@dataclass(frozen=True)
class RulesOptions:
    """Prints how a game is played, in a few sentences. `athenan games GAME` prints the exact rules and the options."""

    game: GameName
    """The game, such as hex:7."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    print(words.rules(read_game(parse(RulesOptions, "rules", arguments).game), width(words.WIDTH)))
