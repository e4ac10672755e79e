"""Files of matches in the page: the browser reads and saves the file, the server knows its format."""

import re
from base64 import b64decode
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from athenan.files.encoding import decoded
from athenan.files.file_match import Ending, FileMatch
from athenan.files.formats import FORMATS, as_text, format_of, replayed
from athenan.files.ggf import GgfGameError
from athenan.files.mat.matches import MatGameError
from athenan.files.pdn.text import PdnGameError
from athenan.files.sgf.tree import SgfGameError
from athenan.files.turns import turns
from athenan.games.catalogue import known
from athenan.play.cube import CubeRecord, require_cube
from athenan.play.records import plies_of
from athenan.reading import WRONG_SHAPE, parsed
from athenan.rules.game import Game
from athenan.rules.state import sign
from athenan.settings import one_line
from athenan.web.cube import held_cube, read_cube
from athenan.web.messages import MessageError
from athenan.web.position import Position
from athenan.web.refusals import Refusal

_DATA_URL = re.compile(r"data:[\w/.+-]*;base64,")
_MOST_TRIED = 100
"""Matches of a file that are tried until one can be read."""
_DROPS = "drops"
"""How a match ends whose last double is dropped, which its cube also says."""
_ENDINGS: dict[str, Ending] = {"resigns": "resigned", "time": "time"}
"""How a match ends before the rules end it, in the words of the page."""


class ReadMatch(NamedTuple):
    """A match of a file, for the page."""

    game: str
    moves: str
    ended: str
    """How it ended, if not by the rules, and the side that lost, as in "resigns-0"; else empty."""
    notices: str = ""
    """What was left out of the file, in English; else empty."""
    fen: str = ""
    """The first position if it is not the initial one; else empty."""
    cube: str = ""
    """The doubling cube and its doubles (`web.cube`); empty without a cube."""


def read_file(name: str, text: str, game: Game, make_game: Callable[[str], Game]) -> ReadMatch:
    """The first match of a file that can be read; `game` is used if the file does not name one.

    The text is the file's, or its bytes as a data URL of the browser if they are not UTF-8. Another game must be one of
    `make_game`, as for a page. Only the suffix of the file's name is used. Raises Refusal if there is no match, if its
    game is refused, or if the rules do not allow it.
    """
    try:
        text, notice = _decoded(text)
        kind = format_of(name, text.encode())
        written = FORMATS[kind].split(text)
        if not written:
            raise Refusal("file.none")
        first, notices = _first(kind, written, game, make_game)
    except Refusal:
        raise
    except ValueError as error:
        raise Refusal("file.unread", message=one_line(error)) from None
    notices = [*filter(None, [notice]), *notices]
    found = known(first.game)
    how = next((word for word, ending in _ENDINGS.items() if ending == first.ending and first.outcome), None)
    return ReadMatch(
        first.game,
        found.moves(first.actions, first.start(found)) if first.actions else "",
        _dropped(first.cube) or (f"{how}-{int(first.outcome == 1)}" if how else ""),
        "; ".join(one_line(ValueError(one)) for one in notices),
        first.fen,
        held_cube(first.cube),
    )


def _dropped(cube: CubeRecord | None) -> str:
    """How a match ended whose last double was dropped; else empty."""
    return f"{_DROPS}-{1 - cube.offers[-1].side}" if cube and cube.dropped else ""


def _decoded(text: str) -> tuple[str, str]:
    """The text of a file, also of one that the browser could not decode, and what has to be said of its encoding.

    Raises ValueError if bytes are not base64, or no text.
    """
    if found := _DATA_URL.match(text):
        return decoded(b64decode(text[found.end() :], validate=True))
    return text, ""


def _first(
    kind: str, written: Sequence[Any], game: Game, make_game: Callable[[str], Game]
) -> tuple[FileMatch, list[str]]:
    """The first match that can be read, and what was left out. Raises the ValueError of the first one if none can."""
    failure: ValueError | None = None
    for number, part in enumerate(written[:_MOST_TRIED], 1):
        try:
            match = _replayed(kind, part, game, make_game)
        except ValueError as error:
            failure = failure or error
            continue
        before = [f"match {number} is shown, because the first cannot be read: {failure}"] if failure else []
        others = [f"the file has {len(written)} matches: number {number} is shown"] if len(written) > 1 else []
        return match, [*(before or others), *match.notices]
    raise failure or ValueError("the file has no match")


def _replayed(kind: str, written: Any, game: Game, make_game: Callable[[str], Game]) -> FileMatch:
    """A match as written, of `game` or of another one that it names. Raises ValueError like `read_file`."""
    try:
        return replayed(FORMATS[kind], written, game)
    except ValueError as error:
        try:
            named = _names_another(kind, written, error, make_game)
        except WRONG_SHAPE:
            named = False
        if not named:
            raise
    return replayed(FORMATS[kind], written, None)


def _names_another(kind: str, written: Any, error: ValueError, make_game: Callable[[str], Game]) -> bool:
    """Whether a match as written, refused with this error, is of another game, which it names.

    Raises an error unless that game is one of `make_game`. SGF, PDN, GGF and .mat can name only games of the table.
    """
    if kind in (".sgf", ".pdn", ".ggf", ".mat"):
        return isinstance(error, (SgfGameError, PdnGameError, GgfGameError, MatGameError))
    make_game(str(written[0] if kind == ".txt" else parsed(written[1])["game"]))
    return True


def formats_of(game: Game, fen: str) -> list[str]:
    """The suffixes with which `write_file` can write matches of a game, if they end after a whole turn."""
    found = []
    for suffix in FORMATS:
        with suppress(ValueError):
            as_text([FileMatch(game.name, ("",) * game.players, (), fen=fen)], suffix)
            found.append(suffix)
    return found


def write_file(suffix: str, game: Game, fen: str, moves: str, ended: str = "", cube: str = "") -> str:
    """The match of these moves as a file with this suffix. Raises Refusal if its format cannot hold it.

    `fen` is empty if the match begins with the initial position; a `ReadMatch` explains `ended` and `cube`.
    """
    if suffix not in FORMATS:
        raise MessageError(f"a file of a match ends with {', '.join(FORMATS)}")
    position = Position(game, fen)
    position.go(moves)
    doubles = read_cube(cube)
    if doubles:
        try:
            require_cube(game)
            doubles.check_offers(game, position.states)
        except ValueError as error:
            raise Refusal("file.unwritten", message=one_line(error)) from None
    outcome, ending = _outcome(position, ended, doubles)
    plies = plies_of(game, position.actions, position.states[0])
    first = game.write_fen(position.states[0]) if fen else ""
    try:
        match = FileMatch(game.name, ("",) * game.players, plies, outcome, ending, cube=doubles, fen=first)
        return as_text([match], suffix)
    except ValueError as error:
        if plies and not list(turns(game, plies, position.states[0]))[-1].whole:
            raise Refusal("file.turn") from None
        raise Refusal("file.unwritten", message=one_line(error)) from None


def _outcome(position: Position, ended: str, cube: CubeRecord | None) -> tuple[int | None, Ending]:
    """The outcome of a match that has come to a position, and its end if the rules have not ended it."""
    if cube and cube.dropped:
        return sign(cube.offers[-1].side), ""
    outcome = position.game.outcome(position.state)
    if not ended or outcome is not None or position.game.players == 1:
        return outcome, ""
    how, _, loser = ended.partition("-")
    if how not in _ENDINGS or loser not in ("0", "1"):
        raise MessageError(f"a match ends with {' or '.join(_ENDINGS)}, and the side that lost: -0 or -1")
    return (1 if loser == "1" else -1), _ENDINGS[how]
