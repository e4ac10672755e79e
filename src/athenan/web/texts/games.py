"""The games in the words of a page's language: title, goal and how they are played.

English texts come from the games' docstrings (`athenan.games.about`). Every other language has a file
games.LANGUAGE.json beside this one, with the same texts for every game of the package. A game of a user declares its
own words (`Forms.words`); otherwise it is in the language of its docstring.

>>> words_of("hex", "de").goal
'Verbinde deine beiden Seiten des Bretts durch eine lückenlose Kette deiner Steine.'
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from athenan.games.about import about
from athenan.games.catalogue import GAMES, known
from athenan.web.texts import DEFAULT

_FOLDER = Path(__file__).parent


class GameWords(NamedTuple):
    """What a page says about a game."""

    title: str
    goal: str
    """What wins, from a capital letter to a full stop; for a user's game without a goal, its summary."""
    play: str
    """How it is played, in a few sentences; empty if a user's game does not say it."""
    language: str


def words_of(name: str, language: str) -> GameWords:
    """What a page in this language says about a game, named without settings. Raises GameError for an unknown game."""
    if language != DEFAULT and name in GAMES:
        return GameWords(**translated(language)[known(name).family], language=language)
    if own := known(name).forms.words.get(language):
        return GameWords(*own, language)
    words = about(name)
    goal = words.goal or words.summary
    return GameWords(words.title, goal[:1].upper() + goal[1:], words.play, DEFAULT)


@cache
def translated(language: str) -> dict[str, dict[str, str]]:
    """The texts of the games in a language other than English, by the families of the games."""
    found: dict[str, dict[str, str]] = json.loads((_FOLDER / f"games.{language}.json").read_text(encoding="utf-8"))
    return found
