"""Matches of draughts in PDN, read and written by the rules.

An illegal move among the played ones is an error. What is played after the match is over is left out, and a variation
is read as far as it is legal: the notices of the match say so.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from athenan.files.file_match import Ending, FileMatch
from athenan.files.notes import joined, line_of, tagged, text_of, untagged
from athenan.files.pdn.squares import corner, fen_here, move_here, numbered
from athenan.files.pdn.text import RESULTS, PdnError, PdnGameError, PdnMatch, PdnMove, plain_result
from athenan.files.turns import Turn, noted, require_depth, turns
from athenan.games.catalogue import make
from athenan.games.draughts.notation import GAMES, read_move, write_move
from athenan.play.records import Plies, Ply, plies_of
from athenan.rules.game import Game, GameError, State
from athenan.settings import counted

_FACTS = {"event": "Event", "place": "Site", "date": "Date", "round": "Round"}
_TERMINATIONS: dict[str, Ending] = {
    "resignation": "resigned", "time forfeit": "time", "rules infraction": "forfeit", "adjudication": "adjudicated",
}  # fmt: skip


def replayed(match: PdnMatch, wanted: Game | None = None) -> FileMatch:
    """A match by the rules. If the file does not name its game, it is `wanted`, or else international draughts.

    Raises PdnError if the game is unknown or not `wanted`, and for moves that the rules do not allow.
    """
    game = _game(match, wanted)
    told, moves, notices = _result(match)
    line, more, fen = _played(match, game, moves)
    notices += more
    facts = {fact: line_of(match.tags.get(name, "")) for fact, name in _FACTS.items()}
    about = {fact: text for fact, text in facts.items() if text not in ("", "?")}
    white, black = (line_of(match.tags.get(colour, "")) for colour in ("White", "Black"))
    players = "" if white == "?" else white, "" if black == "?" else black
    ending = _TERMINATIONS.get(match.tags.get("Termination", "").lower(), "")
    return FileMatch(
        game.name, players, line, told, ending, text_of(match.comment), about, notices=tuple(notices), fen=fen
    )


def _result(match: PdnMatch) -> tuple[int | None, Sequence[PdnMove], list[str]]:
    """The gain of the first player, the moves without a result that was taken for one, and what has to be said of it.

    Mini-matches have their points as a result, such as 4-6, also after the moves, where it looks like one.
    """
    tag, moves = plain_result(match.tags.get("Result", "")), match.moves
    if moves and match.result in ("", "*") and tag not in RESULTS and moves[-1].text == tag:
        moves = moves[:-1]
    told = tag if match.result in ("", "*") else match.result  # * only ends a match
    if told in RESULTS:
        return RESULTS[told], moves, []
    if found := re.fullmatch(r"(\d{1,3}(?:\.5)?)-(\d{1,3}(?:\.5)?)", told):
        white, black = float(found[1]), float(found[2])
        gain = (white > black) - (white < black)
        return gain, moves, [f"its result, {line_of(told)}, is in points: only who has more is kept"]
    return None, moves, [f"its result, {line_of(told, 20)}, is not known"] if told not in ("", "?") else []


def _game(match: PdnMatch, wanted: Game | None) -> Game:
    """The game of a match. Raises PdnError if it is unknown or not `wanted`."""
    told = match.tags.get("GameType", "").partition(",")[0].strip()
    if wanted and wanted.forms.pdn is None:
        raise PdnGameError(f"it is a match of draughts, not of {wanted.name}")
    if not told:
        if wanted is None and match.moves and match.moves[0].text[0].isalpha():
            raise PdnError("its game is not named, and its squares have letters: name it, such as draughts:brazilian")
        return wanted or make(GAMES["20"])
    if told not in GAMES:
        known = ", ".join(f"{number} {name}" for number, name in GAMES.items())
        raise PdnError(f"its game, GameType {told[:20]}, is unknown: expected {known}")
    if wanted and str(wanted.forms.pdn) != told:
        raise PdnGameError(f"it is a match of {GAMES[told]}, not of {wanted.name}")
    return wanted or make(GAMES[told])


def _played(match: PdnMatch, game: Game, moves: Sequence[PdnMove]) -> tuple[Plies, list[str], str]:
    """What a match plays, what has to be said of it, and the FEN of its first position if it is not the initial one.

    If no match has its numbers from the corner that it names, they are from the usual one: servers name wrong ones.
    """
    _, *fields = match.tags.get("GameType", "").split(",")
    notation, first = fields[3].strip().upper() if len(fields) > 3 else "", moves[0].text if moves else ""
    stated, usual = corner(game, notation, first), corner(game, "", first)
    failure: PdnError | None = None
    for number in dict.fromkeys((stated, usual)):
        reader = _Reader(game, squares := numbered(game, number))
        try:
            start, fen = _start(match, game, squares)
            line = reader.line(moves, start, 0)
        except PdnError as error:
            failure = failure or error
            continue
        wrong = f"its squares are not numbered from the corner of its GameType, {line_of(notation, 10)}"
        return line, [wrong] * (failure is not None) + reader.notices(len(line)), fen
    raise failure or PdnError("it has no moves")


def _start(match: PdnMatch, game: Game, squares: Mapping[int, str]) -> tuple[State, str]:
    """The first state of a match, and its FEN if it is not the initial one. Raises PdnError for a wrong FEN."""
    written = match.tags.get("FEN", "")
    try:
        state = game.read_fen(fen_here(written, squares)) if written else game.initial()
    except GameError as error:
        raise PdnError(str(error)) from None
    return state, "" if state.tobytes() == game.initial().tobytes() else game.write_fen(state)


class _Reader:
    """Follows the moves of a match."""

    def __init__(self, game: Game, squares: Mapping[int, str]) -> None:
        self._game, self._squares = game, squares
        self._late, self._cut = 0, list[str]()
        """The moves after the end, and why variations were cut short."""

    def line(self, moves: Sequence[PdnMove], state: State, depth: int) -> Plies:
        """The line that moves play from a state; `depth` is 0 for the played match."""
        require_depth(depth)
        line = list[Ply]()
        for number, move in enumerate(moves, 1):
            if not depth and self._game.outcome(state) is not None:
                self._late = len(moves) - number + 1
                comments = [text_of(move.comment) for move in moves[number - 1 :]]
                line[-1:] = [replace(ply, comment=joined(ply.comment, *comments)) for ply in line[-1:]]
                break
            variations = [found for other in move.variations if (found := self.line(other, state, depth + 1))]
            try:
                actions = played_by(self._game, state, move_here(move.text, self._squares))
            except GameError as error:
                if depth:
                    self._cut.append(f"move {number}: {error}")
                    break
                raise PdnError(f"move {number}: {error}") from None
            line += noted(plies_of(self._game, actions, state), untagged(text_of(move.comment)), 0, variations)
            state = self._game.replay(actions, state)
        return tuple(line)

    def notices(self, count: int) -> list[str]:
        """What the match lacks."""
        late = f"{counted(self._late, 'move')} left out: the match is over after action {count}"
        cut = f"{counted(len(self._cut), 'variation')} cut short or left out: {(*self._cut, '')[0]}"
        return [late] * bool(self._late) + [cut] * bool(self._cut)


def played_by(game: Game, state: State, move: str) -> list[int]:
    """The actions of a move, also with the dash of a step in a capture or the cross of a capture in a step: either all
    legal moves are captures, or none is.

    Raises GameError if it is not legal.
    """
    names = game.named_actions(state)
    start, *_, end = re.split("[-x]", move)
    if move.count("-") + move.count("x") == 1 and move not in names:
        other = f"{start}-{end}" if "x" in move else f"{start}x{end}"
        move = other if other in names else move
    return read_move(game, state, move.replace("-", "x") if move.count("-") > 1 else move)


def written(match: FileMatch, game: Game) -> PdnMatch:
    """A match as PDN. Raises PdnError if PDN lacks the game or the match ends within a move."""
    if game.forms.pdn is None:
        raise PdnError(f"PDN is for draughts, not for {game.name}")
    start = game.position(match.start(game))
    number, final = str(game.forms.pdn), game.outcome(game.replay(match.actions, start))
    outcome = final if match.outcome is None else match.outcome
    results = [word for word, gain in RESULTS.items() if gain == outcome]
    result = "*" if outcome is None else results[number == "26"]
    tags = {tag: match.about.get(fact, "?") for fact, tag in _FACTS.items()}
    tags |= {"White": match.players[0] or "?", "Black": match.players[1] or "?", "Result": result}
    for word, ending in _TERMINATIONS.items():
        if ending == match.ending:
            tags["Termination"] = word
    tags["GameType"] = number
    if match.fen:
        tags |= {"SetUp": "1", "FEN": match.fen}
    comment = " ".join(match.comment.split())
    return PdnMatch(tags, comment, _moves(game, match.plies, start, 0), result, black_begins=bool(game.player(start)))


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
