"""Files of matches in the page: the browser reads and saves the file, the server knows its format."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from athenan.files.file_match import FileMatch
from athenan.files.formats import FORMATS, as_text, format_of
from athenan.files.turns import turns
from athenan.games.catalogue import known
from athenan.play.records import plies_of
from athenan.rules.game import Game
from athenan.settings import one_line
from athenan.web.messages import MessageError
from athenan.web.position import Position
from athenan.web.refusals import Refusal


def read_file(name: str, text: str, game: Game, make_game: Callable[[str], Game]) -> tuple[str, str]:
    """The game and the moves of the first match of a file; `game` is used if the file does not name one.

    Another game must be one of `make_game`, as for a page. Only the suffix of the file's name is used. Raises
    Refusal if there is no match, if its game is refused, or if the rules do not allow it.
    """
    kind = format_of(name, text.encode())
    try:
        written = FORMATS[kind].split(text)
        first = _replayed(kind, written[0], game, make_game) if written else None
    except ValueError as error:
        raise Refusal("file.unread", message=one_line(error)) from None
    if first is None:
        raise Refusal("file.none")
    return first.game, known(first.game).moves(first.actions) if first.actions else ""


def _replayed(kind: str, written: Any, game: Game, make_game: Callable[[str], Game]) -> FileMatch:
    """A match as written, of `game` or of another one. Raises ValueError like `read_file`."""
    try:
        return FORMATS[kind].replayed(written, game)
    except ValueError as error:
        try:
            _require_game(kind, written, make_game)
            return FORMATS[kind].replayed(written, None)
        except (ValueError, LookupError, TypeError, RecursionError):
            raise error from None


def _require_game(kind: str, written: Any, make_game: Callable[[str], Game]) -> None:
    """Raises an error unless the game named in a match as written is one of `make_game`.

    SGF and PDN can name only games of the table.
    """
    if kind not in (".sgf", ".pdn"):
        make_game(str(written[0] if kind == ".txt" else json.loads(written[1])["game"]))


def formats_of(game: Game, fen: str) -> list[str]:
    """The suffixes with which `write_file` can write matches of a game, if they end after a whole turn."""
    if fen:
        return []
    found = []
    for suffix in FORMATS:
        with suppress(ValueError):
            as_text([FileMatch(game.name, ("",) * game.players, ())], suffix)
            found.append(suffix)
    return found


def write_file(suffix: str, game: Game, fen: str, moves: str) -> str:
    """The match of these moves as a file with this suffix. Raises Refusal if its format cannot hold it.

    `fen` is empty if the match begins with the initial position.
    """
    if suffix not in FORMATS:
        raise MessageError(f"a file of a match ends with {', '.join(FORMATS)}")
    if fen:
        raise Refusal("file.fen")
    position = Position(game)
    position.go(moves)
    outcome = game.outcome(position.state)
    plies = plies_of(game, position.actions)
    try:
        return as_text([FileMatch(game.name, ("",) * game.players, plies, outcome)], suffix)
    except ValueError as error:
        if plies and not list(turns(game, plies, position.states[0]))[-1].whole:
            raise Refusal("file.turn") from None
        raise Refusal("file.unwritten", message=one_line(error)) from None
