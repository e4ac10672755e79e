"""Games in words: what the docstring of a game's module says to people who play it.

The docstring has paragraphs: what the game is, `Goal: ...`, `Play: ...` (how it is played, in a few sentences), the
exact rules, and what programs need to know.

>>> about("hex").title, about("hex").goal
('Hex', 'join your two sides of the board with an unbroken chain of your stones.')
"""

import inspect
from dataclasses import dataclass
from functools import cache

from athenan.games.catalogue import known, module_of, settings_of
from athenan.rules.game import Game

_GOAL, _PLAY = "Goal: ", "Play: "
_FOR_PROGRAMS = ("Actions", "State", "Planes")
"""How the first paragraph for programs begins."""


@dataclass(frozen=True)
class About:
    """A game in words. A text is empty if the docstring of a user's own game lacks it."""

    name: str
    title: str
    summary: str
    """What it is, in one sentence."""
    goal: str
    play: str
    """How it is played, in a few sentences."""
    rules: str
    """The exact rules for players, with everything above."""
    encoding: str
    """What programs need to know: action numbers, bytes of a state, planes of a network's input."""


def titled(game: Game) -> str:
    """A game's title with its options, if any is not the default: for people, who do not write specifications.

    >>> titled(known("othello:8")), titled(known("hex:7,swap=false"))
    ('Othello', 'Hex 7, swap=false')
    """
    family, _, options = game.name.partition(":")
    usual = settings_of(game) == settings_of(known(family))
    return game.title if usual or not options else f"{game.title} {options.replace(',', ', ')}"


@cache
def about(name: str) -> About:
    """A game in words, named without settings. Raises GameError if there is no such game."""
    text = inspect.getdoc(module_of(name)) or ""
    paragraphs = text.split("\n\n")
    starts = (number for number, one in enumerate(paragraphs) if one.startswith(_FOR_PROGRAMS))
    first = next(starts, len(paragraphs))
    game = known(name)
    return About(
        name,
        game.title,
        " ".join(paragraphs[0].split()) if first else "",
        _paragraph(paragraphs[:first], _GOAL),
        _paragraph(paragraphs[:first], _PLAY),
        "\n\n".join(paragraphs[:first]),
        "\n\n".join(paragraphs[first:]),
    )


def _paragraph(paragraphs: list[str], begin: str) -> str:
    """The paragraph with this beginning, without the beginning and the line breaks; empty without such a paragraph."""
    return next((" ".join(one.removeprefix(begin).split()) for one in paragraphs if one.startswith(begin)), "")
