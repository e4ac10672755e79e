"""What is compiled for a page, for what a person reads meanwhile."""

from typing import Literal, NamedTuple

from athenan.web.choices import LEVEL

_SEARCHED, _ROLLED_OUT = 18, 2
"""About how many functions a search compiles until its first answer: with a network or for a proof; by random play."""
_BY_RANDOM_PLAY = ("mcts", "rave", "random", "rollouts")


class Prepared(NamedTuple):
    """What is compiled."""

    what: Literal["game", "opponent", "analysis"]
    functions: int | None = None
    """About how many functions, if that is known."""


GAME = Prepared("game")


def prepared_search(what: Literal["opponent", "analysis"], name: str) -> Prepared:
    """The preparation of a player or of a search, by its name."""
    plain = name.partition(LEVEL)[0]
    return Prepared(what, _ROLLED_OUT if plain in _BY_RANDOM_PLAY else _SEARCHED)
