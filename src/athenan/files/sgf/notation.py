"""The games that SGF knows, and its notation of their turns (red-bean.com/sgf, the pages of the games).

Go, Gomoku and Amazons have points of two letters, column and row from the upper left. The other games have letters and
numbers, as here. Forms of other programs are also read: two letters for Othello and Hex, as on Little Golem. Havannah
has no number in SGF; its form comes from Little Golem, where a letter names a line of cells and the number counts
within the line. Connect6 has no number either: programs write it as Gomoku with rules, and each stone in a node.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from athenan.games.backgammon.positions import read_play
from athenan.games.catalogue import settings_of
from athenan.rules.game import Game, GameError, State
from athenan.rules.state import CHANCE

WriteTurn = Callable[[Game, State, Sequence[int]], str]
ReadTurn = Callable[[Game, State, str], list[int]]
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_GO_LETTERS = _LETTERS.replace("i", "")
_PASSES = ("", "tt", "pass")


@dataclass(frozen=True)
class Notation:
    """SGF's notation of one game."""

    number: int | None
    """The value of GM; None for a game without one."""
    write: WriteTurn
    """Writes a whole turn."""
    read: ReadTurn
    """Reads the actions of a turn. Raises GameError if it is not legal."""
    size: str = "size"
    """The setting that SZ gives; "" without one."""
    usual: Mapping[str, Any] = field(default_factory=dict)
    """Settings for files that give no others."""
    point: Callable[[Game, str], str] = lambda game, cell: cell
    """Writes a cell on which stones are put."""
    exchanged: Callable[[str], str] | None = None
    """For games in which white may also begin: what black would write for white's text."""
    by_action: bool = False
    """Whether each action of a turn has a node of its own."""
    komi: str = ""
    """The setting that KM gives; "" without one."""
    swap: bool = False
    """Whether players may swap sides, which is read as a swap of pieces."""


def _two_letters(letters: str, size: int, name: str) -> str:
    """The point of a cell such as `c3`, with rows from the bottom."""
    return _LETTERS[letters.index(name[0])] + _LETTERS[size - int(name[1:])]


def _cell(letters: str, size: int, point: str) -> str:
    """The cell of a point. Raises GameError if the board has no such point."""
    column, row = (_LETTERS.find(letter) for letter in point) if len(point) == 2 else (-1, -1)
    if not (0 <= column < size and 0 <= row < size):
        raise GameError(f"a board of {size} has no point {point[:20]!r}")
    return f"{letters[column]}{size - row}"


def points(text: str) -> list[str]:
    """The points of a value of AB, AW or AE: one, or a rectangle such as `aa:cb`, which FF[4] allows."""
    found = re.fullmatch(r"([a-z])([a-z]):([a-z])([a-z])", text.strip())
    if not found:
        return [text]
    left, top, right, bottom = (_LETTERS.index(letter) for letter in found.groups())
    return [_LETTERS[x] + _LETTERS[y] for x in range(left, right + 1) for y in range(top, bottom + 1)]


def _size(game: Game) -> int:
    return int(settings_of(game)["size"])


def _point(letters: str, game: Game, cell: str) -> str:
    return _two_letters(letters, _size(game), cell)


def _name(game: Game, state: State, actions: Sequence[int]) -> str:
    return game.action_name(state, actions[0])


def _points(letters: str) -> tuple[WriteTurn, ReadTurn]:
    """Writer and reader for games whose actions are points or passes."""

    def write(game: Game, state: State, actions: Sequence[int]) -> str:
        name = _name(game, state, actions)
        return "" if name == "pass" else _two_letters(letters, _size(game), name)

    def read(game: Game, state: State, text: str) -> list[int]:
        text = text.lower()
        passes = text in ("", "pass") or (text == "tt" and _size(game) <= 19)
        return [game.parse_action(state, "pass" if passes else _cell(letters, _size(game), text))]

    return write, read


def _from_top(game: Game, text: str) -> str:
    """The cell of a point of two letters, with rows from the top; other texts stay as they are."""
    if re.fullmatch(r"[a-z]{2}", text) and max(text) < _LETTERS[_size(game)]:
        return f"{text[0]}{_LETTERS.index(text[1]) + 1}"
    return text


def _read_othello(game: Game, state: State, text: str) -> list[int]:
    text = text.lower()
    passes = text in _PASSES or (text == "pa" and _size(game) < 16)  # a point of larger boards
    return [game.parse_action(state, "pass" if passes else _from_top(game, text))]


def _write_hex(game: Game, state: State, actions: Sequence[int]) -> str:
    return "swap-pieces" if (name := _name(game, state, actions)) == "swap" else name


def _read_hex(game: Game, state: State, text: str) -> list[int]:
    """Reads a cell, or a swap of pieces: `sgf.swapping` has made every swap one."""
    text = text.lower()
    return [game.parse_action(state, "swap" if text in ("swap-pieces", "swap-sides") else _from_top(game, text))]


def _write_havannah(game: Game, state: State, actions: Sequence[int]) -> str:
    """Little Golem's name of a cell: the letter of its line and its number within the line, from 1."""
    found = re.fullmatch(r"([a-z])(\d{1,2})", name := _name(game, state, actions))
    return f"{found[1].upper()}{int(found[2]) - _before(game, found[1])}" if found else name


def _read_havannah(game: Game, state: State, text: str) -> list[int]:
    found = re.fullmatch(r"([a-z])(\d{1,2})", plain := text.lower())
    if not found:
        return [game.parse_action(state, plain)]
    side, line, number = int(settings_of(game)["side"]), _LETTERS.index(found[1]), int(found[2])
    length = min(side + line, 3 * side - 2 - line)
    if line > 2 * side - 2 or not 1 <= number <= length:
        last = _LETTERS[2 * side - 2].upper()
        cells = f"lines A to {last}" if line > 2 * side - 2 else f"1 to {length} in line {found[1].upper()}"
        raise GameError(f"{text[:20]!r} is not on a board with {side} cells a side: expected {cells}")
    return [game.parse_action(state, f"{found[1]}{number + _before(game, found[1])}")]


def _before(game: Game, letter: str) -> int:
    """The numbers of a line here that come before its first cell."""
    return max(0, _LETTERS.index(letter) + 1 - int(settings_of(game)["side"]))


def _write_lines_of_action(game: Game, state: State, actions: Sequence[int]) -> str:
    return _name(game, state, actions).replace("x", ":")


def _read_lines_of_action(game: Game, state: State, text: str) -> list[int]:
    """Reads `b1-b3`, `b1:b3`, `b1b3`, and remarks after a move."""
    found = re.match(r"([a-h][1-8])[-:x]?([a-h][1-8])", text.lower())
    if not found:
        return [game.parse_action(state, text)]
    names = {game.action_name(state, int(action)): int(action) for action in game.actions(state)}
    actions = [names[name] for sign in "-x" if (name := f"{found[1]}{sign}{found[2]}") in names]
    return actions or [game.parse_action(state, text)]


def _write_amazons(game: Game, state: State, actions: Sequence[int]) -> str:
    move, arrow = game.action_name(state, actions[0]), game.action_name(game.play(state, actions[0]), actions[1])
    return "".join(_two_letters(_LETTERS, _size(game), cell) for cell in (*move.split("-"), arrow))


def _read_amazons(game: Game, state: State, text: str) -> list[int]:
    start, end, arrow = (_cell(_LETTERS, _size(game), text[place : place + 2]) for place in (0, 2, 4))
    action = game.parse_action(state, f"{start}-{end}")
    if len(text) != 6:
        raise GameError(f"{text[:20]!r} is not a turn: it needs the points of the start, the end and the arrow")
    return [action, game.parse_action(game.play(state, action), arrow)]


def _letter(place: str, side: int) -> str:
    """The letter of a place in the player's numbering; `a` is point 24 of the first player, black."""
    if place in ("bar", "off"):
        return "y" if place == "bar" else "z"
    return _LETTERS[int(place) - 1 if side else 24 - int(place)]


def _place(letter: str, side: int) -> str:
    if letter in "yz":
        return "bar" if letter == "y" else "off"
    return str(_LETTERS.index(letter) + 1 if side else 24 - _LETTERS.index(letter))


def _write_backgammon(game: Game, state: State, actions: Sequence[int]) -> str:
    text = game.action_name(state, actions[0]).replace("-", "")
    state = game.play(state, actions[0])
    for action in actions[1:]:
        name, side = game.action_name(state, action), game.player(state)
        if name != "pass":
            text += "".join(_letter(place, side) for place in name.rstrip("*").split("/"))
        state = game.play(state, action)
    return text


def _read_backgammon(game: Game, state: State, text: str) -> list[int]:
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
    return re.sub("[a-x]", lambda letter: _LETTERS[23 - _LETTERS.index(letter[0])], text.lower())


NOTATIONS = {
    "go": Notation(
        1, *_points(_GO_LETTERS), usual={"size": 19, "komi": 0.0, "superko": "simple"}, komi="komi",
        point=partial(_point, _GO_LETTERS),
    ),
    "othello": Notation(2, _name, _read_othello),
    "gomoku": Notation(4, *_points(_LETTERS), usual={"opening": "free"}, point=partial(_point, _LETTERS)),
    "connect6": Notation(4, *_points(_LETTERS), point=partial(_point, _LETTERS), by_action=True),
    "backgammon": Notation(6, _write_backgammon, _read_backgammon, size="", exchanged=_from_other_side),
    "lines_of_action": Notation(9, _write_lines_of_action, _read_lines_of_action, size=""),
    "hex": Notation(11, _write_hex, _read_hex, swap=True),
    "amazons": Notation(18, _write_amazons, _read_amazons, point=partial(_point, _LETTERS)),
    "havannah": Notation(None, _write_havannah, _read_havannah, size="side"),
}  # fmt: skip
"""Game, as `Forms.sgf` names it -> its notation. The first player is black; in backgammon files of others, the player
who begins."""
