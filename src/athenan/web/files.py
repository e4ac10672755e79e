"""Matches of files in the page: the browser reads and saves the file, the server knows its format."""

from athenan.games.catalogue import known
from athenan.play.files.formats import FORMATS, as_text, format_of, matches_in
from athenan.play.files.transcript import Entry, Transcript
from athenan.rules.game import Game
from athenan.web.messages import MessageError
from athenan.web.position import Position


def read_file(name: str, text: str, game: Game) -> tuple[str, str]:
    """The game and the moves of the first match of a file; `game` is that of a file that does not tell it.

    Only the end of the file's name is looked at. Raises ValueError if there is no match, or one that the rules do not
    allow.
    """
    data = text.encode()
    kind = format_of(name, data)
    try:
        first = next(matches_in(data, kind, game), None)
    except ValueError as error:
        try:
            first = next(matches_in(data, kind), None)  # of another game
        except ValueError:
            raise error from None
    if first is None:
        raise MessageError("the file has no match")
    return first.game, known(first.game).moves(first.actions) if first.actions else ""


def write_file(suffix: str, position: Position) -> str:
    """The match up to a position as a file with this suffix. Raises ValueError if its format has no place for it."""
    if suffix not in FORMATS:
        raise MessageError(f"a file of a match ends with {', '.join(FORMATS)}")
    if position.fen:
        raise MessageError("a match from a FEN is saved as JSON alone")
    game = position.game
    outcome = game.outcome(position.state)
    line = tuple(Entry(action) for action in position.actions)
    return as_text([Transcript(game.name, ("",) * game.players, line, outcome)], suffix)
