"""Which game a file of SGF has: by its number, its size and its rules, or as the user says."""

from typing import Any

from athenan.files.notes import number
from athenan.files.sgf.notation import NOTATIONS
from athenan.files.sgf.rules import SgfRules, is_own, read_rules, start
from athenan.files.sgf.tree import SgfError, SgfGameError, SgfNode
from athenan.games.catalogue import make, settings_of
from athenan.rules.game import Game, GameError
from athenan.settings import split

LITTLE_GOLEM = "littlegolem"
"""What the source of Little Golem's files contains."""
_LEAST_HUNDREDTHS = 200
"""The least number of KM that is read as hundredths of a komi: more than any komi, less than 275 and the like."""


def game_of(root: SgfNode, wanted: Game | None = None) -> tuple[Game, str]:
    """The game of a tree, and what has to be said of its rules, or "".

    Raises SgfError if the game or its rules are unknown, SgfGameError if it is not `wanted`.
    """
    rules = SgfRules(_kind(root, wanted))
    written = (root.first("RU") or "").strip()
    told: str | dict[str, Any] = written
    if not is_own(written, rules.game) and (wanted is None or written != wanted.name):
        rules = read_rules(rules.game, written)
        told = {**rules.settings, **_told(root, rules.game)}
    try:
        if wanted is None:
            usual = NOTATIONS[rules.game].usual
            return make(told) if isinstance(told, str) else _made(rules.game, {**usual, **told}), rules.notice
        same = told == wanted.name if isinstance(told, str) else wanted.forms.sgf == rules.game and all(
            settings_of(wanted).get(key) == value for key, value in told.items()
        )  # fmt: skip
        found = wanted.name if same else told if isinstance(told, str) else _made(rules.game, told).name
    except GameError as error:
        raise SgfError(str(error)) from None
    if not same:
        raise SgfGameError(f"it is a match of {found}, not of {wanted.name}")
    return wanted, rules.notice


def _made(name: str, settings: dict[str, Any]) -> Game:
    """The game with settings. Raises GameError if it cannot have them."""
    return make(f"{name}:" + ",".join(f"{key}={_text(value)}" for key, value in settings.items()) if settings else name)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _kind(root: SgfNode, wanted: Game | None) -> str:
    """The name of the game without settings. Raises SgfError if it is unknown."""
    text = root.fact("GM")
    if text is None:
        return _without_number(root, wanted)
    for name, notation in NOTATIONS.items():
        if notation.number is not None and text.strip() == str(notation.number):
            return name
    known = ", ".join(f"{notation.number} {name}" for name, notation in NOTATIONS.items() if notation.number)
    raise SgfError(f"its game, GM[{start(text)}], is unknown: expected {known}")


def _without_number(root: SgfNode, wanted: Game | None) -> str:
    """The name of the game of a file without GM: its event on Little Golem, its rules, `wanted`, or else Go."""
    event = (root.first("EV") or "").strip().lower()
    named = [name for name in NOTATIONS if event.startswith(f"{name}.")]
    told = split(root.first("RU") or "")[0]
    usual = wanted.forms.sgf if wanted else ""
    if not named and not wanted and event and LITTLE_GOLEM in (root.first("SO") or ""):
        raise SgfError(f"its game on Little Golem, {start(event.partition('.')[0])}, is unknown")
    return (named or [told if told in NOTATIONS else usual if usual in NOTATIONS else "go"])[0]


def _told(root: SgfNode, name: str) -> dict[str, Any]:
    """The settings that the file states besides its rules: the size and the komi. Raises SgfError for bad ones."""
    notation, told = NOTATIONS[name], dict[str, Any]()
    size = root.fact("SZ")
    if size is not None and notation.size:
        columns, _, rows = size.strip().partition(":")
        if not columns.isdecimal() or rows not in ("", columns) or len(columns) > 3:
            raise SgfError(f"unknown board size SZ[{start(size)}]: expected one number (a square board)")
        told[notation.size] = int(columns)
    if notation.komi and (komi := root.fact("KM")) is not None:
        told[notation.komi] = _komi(komi)
    return told


def _komi(text: str) -> float:
    """The points of a komi.

    Fox and others write hundredths: 650 for 6.5. A komi with a quarter counts Chinese stones, which are worth two
    points each: 3.75 (or 375) means 7.5. Raises SgfError if the text is not a number.
    """
    value = number(text.replace(",", "."))
    if value is None:
        raise SgfError(f"its komi, KM[{start(text)}], must be a number")
    if value >= _LEAST_HUNDREDTHS and not value % 25:
        value /= 100
    return 2 * value if value % 0.5 == 0.25 else value
