"""Backgammon in SGF (red-bean.com/sgf/backgammon.html): two dice, then where checkers leave and arrive, as letters."""

import re
from collections.abc import Mapping, Sequence

from athenan.games.backgammon.positions import read_play
from athenan.rules.game import Game, GameError, State
from athenan.rules.sgf import LETTERS, Sgf, SgfTurns
from athenan.rules.state import CHANCE

_RULES = {"", "backgammon", "standard", "cube", "nocube", "jacoby", "crawford", "crawfordgame", "none"}


def _read_rules(text: str) -> Mapping[str, object] | None:
    """Several words, separated by colons."""
    words = [re.sub("[^a-z]", "", word) for word in text.lower().split(":")]
    return {} if set(words) <= _RULES else None


def _letter(place: str, side: int) -> str:
    """The letter of a place in the player's numbering; `a` is point 24 of the first player, black."""
    if place in ("bar", "off"):
        return "y" if place == "bar" else "z"
    return LETTERS[int(place) - 1 if side else 24 - int(place)]


def _place(letter: str, side: int) -> str:
    if letter in "yz":
        return "bar" if letter == "y" else "off"
    return str(LETTERS.index(letter) + 1 if side else 24 - LETTERS.index(letter))


def _write(game: Game, state: State, actions: Sequence[int]) -> str:
    text = game.action_name(state, actions[0]).replace("-", "")
    state = game.play(state, actions[0])
    for action in actions[1:]:
        name, side = game.action_name(state, action), game.player(state)
        if name != "pass":
            text += "".join(_letter(place, side) for place in name.rstrip("*").split("/"))
        state = game.play(state, action)
    return text


def _read(game: Game, state: State, text: str) -> list[int]:
    found = re.fullmatch(r"([1-6])([1-6])((?:[a-y][a-xz]){0,4})", text.lower())
    if not found or game.player(state) != CHANCE:
        raise GameError(f"{text[:20]!r} is not a turn: it needs two dice, and where checkers leave and arrive")
    high, low = sorted((found[1], found[2]), reverse=True)
    roll = game.parse_action(state, f"{high}-{low}")
    state = game.play(state, roll)
    places = [_place(letter, game.player(state)) for letter in found[3]]
    moves = [f"{start}/{end}" for start, end in zip(places[::2], places[1::2], strict=True)]
    return [roll, *read_play(game, state, " ".join(moves))]


def _from_other_side(text: str) -> str:
    return re.sub("[a-x]", lambda letter: LETTERS[23 - LETTERS.index(letter[0])], text.lower())


SGF = Sgf("backgammon", 6, SgfTurns(_write, _read), size="", rules=_read_rules, exchanged=_from_other_side)
