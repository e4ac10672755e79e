"""Files of matches in the page: the browser reads and saves the file, the server knows its format."""

import json
from collections.abc import Callable
from typing import Any

from athenan.files.file_match import FileMatch
from athenan.files.formats import FORMATS, as_text, format_of
from athenan.games.catalogue import known
from athenan.play.records import plies_of
from athenan.rules.game import Game
from athenan.web.messages import MessageError
from athenan.web.position import Position


def read_file(name: str, text: str, game: Game, make_game: Callable[[str], Game]) -> tuple[str, str]:
    """The game and the moves of the first match of a file; `game` is used if the file does not name one.

    Another game must be one of `make_game`, as for a page. Only the suffix of the file's name is used. Raises
    ValueError if there is no match, if its game is refused, or if the rules do not allow it.
    """
    kind = format_of(name, text.encode())
    written = FORMATS[kind].split(text)
    if not written:
        raise MessageError("the file has no match")
    try:
        first = FORMATS[kind].replayed(written[0], game)
    except ValueError as error:
        try:
            _require_game(kind, written[0], make_game)
            first = FORMATS[kind].replayed(written[0], None)
        except (ValueError, LookupError, TypeError, RecursionError):
            raise error from None
    return first.game, known(first.game).moves(first.actions) if first.actions else ""


def _require_game(kind: str, written: Any, make_game: Callable[[str], Game]) -> None:
    """Raises an error unless the game named in a match as written is one of `make_game`.

    SGF and PDN can name only games of the table.
    """
    if kind not in (".sgf", ".pdn"):
        make_game(str(written[0] if kind == ".txt" else json.loads(written[1])["game"]))


def write_file(suffix: str, game: Game, fen: str, moves: str) -> str:
    """The match of these moves as a file with this suffix. Raises ValueError if its format cannot hold it.

    `fen` is empty if the match begins with the initial position.
    """
    if suffix not in FORMATS:
        raise MessageError(f"a file of a match ends with {', '.join(FORMATS)}")
    if fen:
        raise MessageError("a match from a FEN can only be saved as JSON")
    position = Position(game)
    position.go(moves)
    outcome = game.outcome(position.state)
    plies = plies_of(game, position.actions)
    return as_text([FileMatch(game.name, ("",) * game.players, plies, outcome)], suffix)
