"""The rules that a file of SGF names in RU: of its game, of another game on the same board, or unknown ones.

>>> read_rules(known_games()["gomoku"], "Connect6").game.name
'connect6:19'
>>> read_rules(known_games()["gomoku"], "Standard").settings
{'exact': True}
>>> read_rules(known_games()["gomoku"], "Renju")
Traceback (most recent call last):
athenan.files.sgf.tree.SgfError: its rules, RU[Renju], are not known here for Gomoku
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from athenan.files.sgf.tree import SgfError
from athenan.games.catalogue import GAMES, known
from athenan.rules.game import Game
from athenan.rules.sgf import Sgf, plain
from athenan.settings import split


@cache
def known_games() -> dict[str, Game]:
    """The games of this package that SGF knows, by their names in files and in the order of their numbers."""
    made = [game for name in GAMES if (game := known(name)).forms.sgf]
    numbers = {game.name: (sgf_of(game).number or float("inf"), sgf_of(game).borrowed) for game in made}
    return {sgf_of(game).name: game for game in sorted(made, key=lambda game: numbers[game.name])}


def sgf_of(game: Game) -> Sgf:
    """How SGF writes a game. Raises SgfError if SGF does not know it."""
    if game.forms.sgf is None:
        raise SgfError(f"SGF does not know {game.name}; it knows {', '.join(known_games())}")
    return game.forms.sgf


@dataclass(frozen=True)
class SgfRules:
    """The game of a file."""

    game: Game
    """The game with any settings."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the rules state about it."""
    notice: str = ""
    """What has to be said: rules that were left out."""


def is_own(text: str, game: Game) -> bool:
    """Whether RU has a game as this package writes it, such as `go:9,komi=7`, on the board of `game`."""
    return ":" in text and split(text)[0] in [sgf_of(one).name for one in _on_its_board(game)]


def _on_its_board(game: Game) -> Iterator[Game]:
    """A game and those that programs confuse with it: Gomoku is often written as Go, Connect6 as Gomoku."""
    yield game
    number = sgf_of(game).number
    for other in known_games().values():
        sgf = sgf_of(other)
        if number is not None and number in (sgf.number, *sgf.confused) and sgf.name != sgf_of(game).name:
            yield other


def read_rules(game: Game, text: str) -> SgfRules:
    """The rules that RU names in a file whose GM names a game. Raises SgfError if they are not known."""
    own = sgf_of(game)
    if plain(text) in ("", "lg", plain(own.name)):
        return SgfRules(game)
    for one in _on_its_board(game):
        sgf = sgf_of(one)
        if (one is game or not sgf.written_anywhere) and (settings := sgf.rules(text)) is not None:
            return SgfRules(one, settings)
    for other in known_games().values():
        if sgf_of(other).written_anywhere and sgf_of(other).rules(text) is not None:
            return SgfRules(
                game, notice=f"its rules, RU[{start(text)}], are rules of {other.title}: they were left out"
            )
    if own.foreign and not any(word in plain(text) for word in own.foreign):
        return SgfRules(game, notice=f"its rules, RU[{start(text)}], are not known: it was read as {game.title}")
    raise SgfError(f"its rules, RU[{start(text)}], are not known here for {game.title}")


def start(value: str) -> str:
    """The first signs of a value for a message, without those that could control a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in value[:20])
