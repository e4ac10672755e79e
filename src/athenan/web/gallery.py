"""The start page's gallery of the games, and what a page shows of one game before it is played."""

from dataclasses import dataclass
from functools import cache
from html import escape
from inspect import signature
from typing import Annotated, Any, Literal, get_args, get_origin
from urllib.parse import quote

from athenan import settings
from athenan.drawing.svg import draw
from athenan.games.catalogue import GAMES, known, module_of, settings_of
from athenan.networks.catalogue import first_choice, similar
from athenan.rules.game import Game
from athenan.settings import Between
from athenan.web.pages import STATIC
from athenan.web.texts import DEFAULT
from athenan.web.texts.games import words_of

_PICTURES = "boards"
_MOST_LISTED = 30
"""Most whole numbers that an option offers as a list."""


@dataclass(frozen=True)
class GameCard:
    """A game in the gallery."""

    title: str
    line: str
    start: str
    """The game of a first match."""
    picture: str
    """The address of the picture of its board; empty without a picture."""


@cache
def _cards_of_package(language: str) -> tuple[GameCard, ...]:
    found = []
    for name in GAMES:
        if known(name).family != name:  # a second name of a game
            continue
        words = words_of(name, language)
        picture = f"/static/{_PICTURES}/{name}.svg" if (STATIC / _PICTURES / f"{name}.svg").is_file() else ""
        found.append(GameCard(words.title, words.goal, first_choice(known(name)).name, picture))
    return tuple(sorted(found, key=lambda card: card.title.lower()))


def cards(own: Game, language: str = DEFAULT) -> list[GameCard]:
    """The games of the package by their titles, after `own` if that is a game of a user."""
    name = settings.split(own.name)[0]
    if name in GAMES:
        return list(_cards_of_package(language))
    words = words_of(name, language)
    picture = f"data:image/svg+xml,{quote(draw(own).svg)}"
    return [GameCard(words.title, words.goal, own.name, picture), *_cards_of_package(language)]


def gallery(shown: list[GameCard], play: str, choose: str) -> str:
    """The HTML of the gallery; `play` and `choose` are the texts of each card's link and button."""
    return "".join(
        f'<li class="card"><a href="/play#game={quote(card.start)}">'
        f'{f"""<img src="{card.picture}" alt="" loading="lazy">""" if card.picture else ""}'
        f"<h2>{escape(card.title)}</h2><p>{escape(card.line)}</p></a>"
        f'<div class="row"><a class="button" href="/play#game={quote(card.start)}" tabindex="-1" aria-hidden="true">'
        f'{escape(play)}</a><button type="button" data-game="{escape(card.start)}" '
        f'aria-label="{escape(card.title)}: {escape(choose)}">{escape(choose)}</button></div></li>'
        for card in shown
    )


def told(game: Game, language: str = DEFAULT) -> dict[str, Any]:
    """A game in words, its options as controls, and with which options the package has learnt it."""
    name = settings.split(game.name)[0]
    words, chosen, build = words_of(name, language), settings_of(game), module_of(name).make
    hints = settings.annotations(build)
    return {
        "name": name, "game": game.name, **words._asdict(),
        "cube": game.ruleset.cube, "players": game.players, "sides": game.board.colours if game.board else None,
        "options": [
            {"name": option, "default": _value(parameter.default), "value": _value(chosen[option]),
             **_control(hints[option])}
            for option, parameter in signature(build).parameters.items()
        ],
        "learnt": [
            {"text": learnt.partition(":")[2], "game": learnt,
             "values": {option: _value(value) for option, value in settings_of(known(learnt)).items()}}
            for learnt in similar(game)
        ],
    }  # fmt: skip


def _value(value: Any) -> Any:
    """A setting's value for the page's controls."""
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, bool | int | float) else settings.written(value)


def _control(hint: Any, bounds: Between | None = None) -> dict[str, Any]:
    """The control of an option, by its annotation: a switch, a choice, one or two numbers, or a text."""
    if get_origin(hint) is Annotated:
        kind, *notes = get_args(hint)
        return _control(kind, next((note for note in notes if isinstance(note, Between)), None))
    if get_origin(hint) is Literal:
        return {"kind": "choice", "values": [settings.written(value) for value in get_args(hint)]}
    if hint is int and bounds and bounds.most - bounds.least < _MOST_LISTED:
        return {"kind": "choice", "values": list(range(int(bounds.least), int(bounds.most) + 1))}
    limits = {"least": bounds and bounds.least, "most": bounds and bounds.most}
    kind = {bool: "switch", int: "number", float: "number", tuple: "pair"}.get(get_origin(hint) or hint, "text")
    return {"kind": kind, "whole": hint is not float, **limits}
