"""Matches of draughts in PDN, read and written by the rules.

An illegal move among the played ones is an error. A variation is read as far as it is legal.
"""

from collections.abc import Mapping, Sequence

from athenan.files.file_match import Ending, FileMatch
from athenan.files.notes import line_of, tagged, text_of, untagged
from athenan.files.pdn.squares import corner, fen_here, move_here, numbered
from athenan.files.pdn.text import RESULTS, PdnError, PdnGameError, PdnMatch, PdnMove
from athenan.files.turns import Turn, noted, require_depth, turns
from athenan.games.catalogue import make
from athenan.games.draughts.notation import read_move, write_move
from athenan.play.records import Plies, Ply, plies_of
from athenan.rules.game import Game, GameError, State
from athenan.settings import split

_TYPES = {"20": "draughts:international", "26": "draughts:brazilian", "27": "draughts:canadian"}
"""GameTypes in which white begins -> our games."""
_FACTS = {"event": "Event", "place": "Site", "date": "Date", "round": "Round"}
_TERMINATIONS: dict[str, Ending] = {
    "resignation": "resigned", "time forfeit": "time", "rules infraction": "forfeit", "adjudication": "adjudicated",
}  # fmt: skip


def replayed(match: PdnMatch, wanted: Game | None = None) -> FileMatch:
    """A match by the rules. If the file does not name its game, it is `wanted`, or else international draughts.

    Raises PdnError if the game is unknown or not `wanted`, and for moves that the rules do not allow.
    """
    game = _game(match, wanted)
    squares = _squares(match, game)
    _require_start(match, game, squares)
    told = match.result if match.result not in ("", "*") else match.tags.get("Result", "")  # * only ends a match
    outcome = RESULTS.get(told)
    facts = {fact: line_of(match.tags.get(name, "")) for fact, name in _FACTS.items()}
    about = {fact: text for fact, text in facts.items() if text not in ("", "?")}
    white, black = (line_of(match.tags.get(colour, "")) for colour in ("White", "Black"))
    players = "" if white == "?" else white, "" if black == "?" else black
    ending = _TERMINATIONS.get(match.tags.get("Termination", "").lower(), "")
    line = _line(game, match.moves, squares, game.initial(), 0)
    return FileMatch(game.name, players, line, outcome, ending, text_of(match.comment), about)


def _game(match: PdnMatch, wanted: Game | None) -> Game:
    """The game of a match. Raises PdnError if it is unknown or not `wanted`."""
    told = match.tags.get("GameType", "").partition(",")[0].strip()
    if wanted and split(wanted.name)[0] != "draughts":
        raise PdnGameError(f"it is a match of draughts, not of {wanted.name}")
    if not told:
        return wanted or make(_TYPES["20"])
    if told not in _TYPES:
        known = ", ".join(f"{number} {name}" for number, name in _TYPES.items())
        raise PdnError(f"its game, GameType {told[:20]}, is unknown: expected {known}")
    if wanted and wanted.name != _TYPES[told]:
        raise PdnGameError(f"it is a match of {_TYPES[told]}, not of {wanted.name}")
    return make(_TYPES[told])


def _squares(match: PdnMatch, game: Game) -> dict[int, str]:
    """The names of the squares that the file writes as numbers."""
    _, *fields = match.tags.get("GameType", "").split(",")
    notation = fields[3].strip().upper() if len(fields) > 3 else ""
    return numbered(game, corner(game, notation, match.moves[0].text if match.moves else ""))


def _require_start(match: PdnMatch, game: Game, squares: Mapping[int, str]) -> None:
    """Raises PdnError unless the match begins from the game's initial position."""
    fen = match.tags.get("FEN", "")
    try:
        same = not fen or game.read_fen(fen_here(fen, squares)).tobytes() == game.initial().tobytes()
    except GameError as error:
        raise PdnError(str(error)) from None
    if not same:
        raise PdnError(f"the match is not a whole one: it begins with the position {line_of(fen)}")


def _line(game: Game, moves: Sequence[PdnMove], squares: Mapping[int, str], state: State, depth: int) -> Plies:
    """The line that moves play from a state; `depth` is 0 for the played match."""
    require_depth(depth)
    line = list[Ply]()
    for number, move in enumerate(moves, 1):
        variations = [found for other in move.variations if (found := _line(game, other, squares, state, depth + 1))]
        try:
            actions = read_move(game, state, move_here(move.text.replace(":", "x"), squares))
        except GameError as error:
            if depth:
                break
            raise PdnError(f"move {number}: {error}") from None
        line += noted(plies_of(game, actions, state), untagged(text_of(move.comment)), 0, variations)
        state = game.replay(actions, state)
    return tuple(line)


def written(match: FileMatch, game: Game) -> PdnMatch:
    """A match as PDN. Raises PdnError if PDN lacks the game or the match ends within a move."""
    number = next((number for number, name in _TYPES.items() if name == game.name), None)
    if number is None:
        raise PdnError(f"PDN is for draughts, not for {game.name}")
    final = game.outcome(game.replay(match.actions))
    outcome = final if match.outcome is None else match.outcome
    results = [word for word, gain in RESULTS.items() if gain == outcome]
    result = "*" if outcome is None else results[number == "26"]
    tags = {tag: match.about.get(fact, "?") for fact, tag in _FACTS.items()}
    tags |= {"White": match.players[0] or "?", "Black": match.players[1] or "?", "Result": result}
    for word, ending in _TERMINATIONS.items():
        if ending == match.ending:
            tags["Termination"] = word
    tags["GameType"] = number
    comment = " ".join(match.comment.split())
    return PdnMatch(tags, comment, _moves(game, match.plies, game.initial(), 0), result)


def _moves(game: Game, line: Sequence[Ply], state: State, depth: int) -> list[PdnMove]:
    """The moves of a line from a state on; a variation ends with its last whole move."""
    require_depth(depth)
    return [_move(game, turn, depth) for turn in turns(game, line, state) if turn.whole or not depth]


def _move(game: Game, turn: Turn, depth: int) -> PdnMove:
    if not turn.whole:
        raise PdnError("the match ends within a move, but PDN has only whole moves")
    lines = [_moves(game, line, turn.state, depth + 1) for line in turn.alternatives]
    comment = " ".join(tagged(turn.notes).split())
    return PdnMove(write_move(game, turn.state, turn.actions), comment, list(filter(None, lines)))
