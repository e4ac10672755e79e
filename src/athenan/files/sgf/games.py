"""Which game a file of SGF has: by its number, its size and its rules, or as the user says."""

from typing import Any

from athenan.files.notes import number
from athenan.files.sgf.notation import NOTATIONS
from athenan.files.sgf.tree import SgfError, SgfGameError, SgfNode
from athenan.games.catalogue import make, settings_of
from athenan.rules.game import Game, GameError
from athenan.settings import split

_LEAST_HUNDREDTHS = 200
"""The least number of KM that is read as hundredths of a komi: more than any komi, less than 275 and the like."""


def game_of(root: SgfNode, wanted: Game | None = None) -> Game:
    """The game of a tree. Raises SgfError if it is unknown or not `wanted`."""
    name = _kind(root, wanted)
    told = _told(root, name)
    try:
        if wanted is None:
            return make(told) if isinstance(told, str) else _made(name, {**NOTATIONS[name].usual, **told})
        same = told == wanted.name if isinstance(told, str) else split(wanted.name)[0] == name and all(
            settings_of(wanted).get(key) == value for key, value in told.items()
        )  # fmt: skip
        found = wanted.name if same else told if isinstance(told, str) else _made(name, told).name
    except GameError as error:
        raise SgfError(str(error)) from None
    if not same:
        raise SgfGameError(f"it is a match of {found}, not of {wanted.name}")
    return wanted


def _made(name: str, settings: dict[str, Any]) -> Game:
    """The game with settings. Raises GameError if it cannot have them."""
    return make(f"{name}:" + ",".join(f"{key}={_text(value)}" for key, value in settings.items()) if settings else name)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _kind(root: SgfNode, wanted: Game | None) -> str:
    """The name of the game without settings. Raises SgfError if it is unknown."""
    text = root.fact("GM")
    if text is None:
        event = (root.first("EV") or "").lower()
        names = [name for name in NOTATIONS if event.startswith(f"{name}.")]  # Little Golem's form
        told = split(root.first("RU") or "")[0]
        usual = split(wanted.name)[0] if wanted else "go"
        return (names or [told if told in NOTATIONS else usual if usual in NOTATIONS else "go"])[0]
    for name, notation in NOTATIONS.items():
        if notation.number is not None and text.strip() == str(notation.number):
            return name
    known = ", ".join(f"{notation.number} {name}" for name, notation in NOTATIONS.items() if notation.number)
    raise SgfError(f"its game, GM[{_start(text)}], is unknown: expected {known}")


def _told(root: SgfNode, name: str) -> str | dict[str, Any]:
    """What the file says about its game: the game itself (in RU), or some settings. Raises SgfError for bad ones."""
    notation, rules = NOTATIONS[name], (root.first("RU") or "").strip()
    if split(rules)[0] == name and ":" in rules:
        return rules
    told = dict[str, Any]()
    size = root.fact("SZ")
    if size is not None and notation.size:
        columns, _, rows = size.strip().partition(":")
        if not columns.isdecimal() or rows not in ("", columns) or len(columns) > 3:
            raise SgfError(f"unknown board size SZ[{_start(size)}]: expected one number (a square board)")
        told[notation.size] = int(columns)
    if name == "go" and (komi := root.fact("KM")) is not None:
        told["komi"] = _komi(komi)
    return told


def _komi(text: str) -> float:
    """The points of a komi.

    Fox and others write hundredths: 650 for 6.5. A komi with a quarter counts Chinese stones, which are worth two
    points each: 3.75 (or 375) means 7.5. Raises SgfError if the text is not a number.
    """
    value = number(text.replace(",", "."))
    if value is None:
        raise SgfError(f"its komi, KM[{_start(text)}], must be a number")
    if value >= _LEAST_HUNDREDTHS and not value % 25:
        value /= 100
    return 2 * value if value % 0.5 == 0.25 else value


def _start(value: str) -> str:
    """The first signs of a value for a message, without those that could control a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in value[:20])
