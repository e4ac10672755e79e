"""Which game a file of SGF has: by its number, its size and its rules, or as the user says."""

from collections.abc import Iterable
from typing import Any

from athenan.files.notes import number
from athenan.files.sgf.rules import SgfRules, is_own, known_games, read_rules, sgf_of, start
from athenan.files.sgf.tree import SgfError, SgfGameError, SgfNode
from athenan.games.catalogue import known, make, settings_of
from athenan.loading import is_file
from athenan.rules.game import Game, GameError
from athenan.rules.sgf import Sgf
from athenan.settings import split

LITTLE_GOLEM = "littlegolem"
"""What the source of Little Golem's files contains."""
_USUAL = "1"
"""The value of GM where a file has none (red-bean.com/sgf)."""
_LEAST_HUNDREDTHS = 200
"""The least number of KM that is read as hundredths of a komi: more than any komi, less than 275 and the like."""


def game_of(root: SgfNode, wanted: Game | None = None) -> tuple[Game, str]:
    """The game of a tree, and what has to be said of its rules, or "".

    Raises SgfError if the game or its rules are unknown, SgfGameError if it is not `wanted`.
    """
    written = (root.first("RU") or "").strip()
    if wanted is None and (own := _of_user(written)):
        return own, ""
    rules = SgfRules(_kind(root, wanted))
    told: str | dict[str, Any] = written
    if not is_own(written, rules.game) and (wanted is None or written != wanted.name):
        rules = read_rules(rules.game, written)
        told = {**rules.settings, **_told(root, sgf_of(rules.game))}
    sgf = sgf_of(rules.game)
    try:
        if wanted is None:
            return make(told) if isinstance(told, str) else _made(rules.game, {**sgf.usual, **told}), rules.notice
        same = told == wanted.name if isinstance(told, str) else _is_called(wanted, sgf.name) and all(
            settings_of(wanted).get(key) == value for key, value in told.items()
        )  # fmt: skip
        found = wanted.name if same else told if isinstance(told, str) else _made(rules.game, told).name
    except GameError as error:
        raise SgfError(str(error)) from None
    if not same:
        raise SgfGameError(f"it is a match of {found}, not of {wanted.name}")
    return wanted, rules.notice


def _of_user(name: str) -> Game | None:
    """The game in a file that the user has named before; None for any other name."""
    if not is_file(split(name)[0]):
        return None
    try:
        game = known(name)
    except GameError:
        return None
    return game if game.forms.sgf else None


def _is_called(game: Game, name: str) -> bool:
    return game.forms.sgf is not None and game.forms.sgf.name == name


def _made(game: Game, settings: dict[str, Any]) -> Game:
    """The game with these settings only. Raises GameError if it cannot have them."""
    values = ",".join(f"{key}={_text(value)}" for key, value in settings.items())
    return make(f"{game.family}:{values}" if settings else game.family)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _kind(root: SgfNode, wanted: Game | None) -> Game:
    """The game of the file with any settings. Raises SgfError if it is unknown."""
    text = root.fact("GM")
    if text is None:
        return _without_number(root, wanted)
    games = list(known_games().values())
    if wanted and wanted.forms.sgf:
        games.insert(0, wanted)
    return _numbered(games, text)


def _numbered(games: Iterable[Game], number: str) -> Game:
    """The first of some games whose own number this is. Raises SgfError without one."""
    for game in games:
        sgf = sgf_of(game)
        if sgf.number is not None and not sgf.borrowed and number.strip() == str(sgf.number):
            return game
    expected = ", ".join(f"{sgf_of(game).number} {name}" for name, game in known_games().items() if sgf_of(game).number)
    raise SgfError(f"its game, GM[{start(number)}], is unknown: expected {expected}")


def _without_number(root: SgfNode, wanted: Game | None) -> Game:
    """The game of a file without GM: its event on Little Golem, its rules, `wanted`, or else SGF's usual game."""
    games = known_games()
    event = (root.first("EV") or "").strip().lower()
    named = [game for name, game in games.items() if event.startswith(f"{name}.")]
    if not named and not wanted and event and LITTLE_GOLEM in (root.first("SO") or ""):
        raise SgfError(f"its game on Little Golem, {start(event.partition('.')[0])}, is unknown")
    if named:
        return named[0]
    told = games.get(split(root.first("RU") or "")[0])
    return told or (wanted if wanted and wanted.forms.sgf else _numbered(games.values(), _USUAL))


def _told(root: SgfNode, sgf: Sgf) -> dict[str, Any]:
    """The settings that the file states besides its rules: the size and the komi. Raises SgfError for bad ones."""
    told = dict[str, Any]()
    size = root.fact("SZ")
    if size is not None and sgf.size:
        columns, _, rows = size.strip().partition(":")
        if not columns.isdecimal() or rows not in ("", columns) or len(columns) > 3:
            raise SgfError(f"unknown board size SZ[{start(size)}]: expected one number (a square board)")
        told[sgf.size] = int(columns)
    if sgf.komi and (komi := root.fact("KM")) is not None:
        told[sgf.komi] = _komi(komi)
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
