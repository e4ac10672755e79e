"""GGF, the Generic Game Format, for Othello and games like it, as the servers of the Generic Game Server wrote it.

A match is `(;GM[Othello]PB[Ann]PW[Ben]TY[8]RE[+2.00]BO[8 -------- ... *]B[f5//3.2]W[f6/-1.5]...;)`: Black is `*`,
White is `O`, rows are from the top. A move may have the player's estimate and the seconds that it took; PA is a pass.
The result is Black's lead in discs, with `:r` after a resignation, `:t` on time and `:s` for a score that was agreed.
Source: M. Buro, The Generic Game Format, https://skatgame.net/mburo/ggsa/ggf.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from athenan.files.file_match import Ending, FileMatch
from athenan.files.notes import line_of
from athenan.games.catalogue import GAMES, known
from athenan.play.records import Plies, Ply, plies_of
from athenan.rules.board import FIRST
from athenan.rules.game import Game, GameError, State
from athenan.rules.state import PASS_NAME
from athenan.settings import shown
from athenan.settings import split as split_name

_MATCH = re.compile(r"\(;((?:\s*[A-Za-z]{1,2}\[[^\]]{0,4096}\])*)\s*;?\s*\)")
_FIELD = re.compile(r"([A-Za-z]{1,2})\[([^\]]*)\]")
_PASSES = ("pa", "pas", "pass")
_RESULT = re.compile(r"([+-]?\d{1,3}(?:\.\d{1,9})?)(?::([rts]))?")
_ENDINGS: dict[str, Ending] = {"r": "resigned", "t": "time", "s": "adjudicated"}
_FACTS = {"DT": "date", "PC": "place"}
_SQUARES = {"*": 1, "o": -1, "-": 0}


class GgfError(ValueError):
    """A text is not a match in GGF that is read here."""


class GgfGameError(GgfError):
    """A match is of another board than the one that was expected."""


def split(text: str) -> list[str | GgfError]:
    """The matches of a text, without the text between them. Raises GgfError if there is no match."""
    starts = [found.start() for found in re.finditer(r"\(;", text)]
    if not starts:
        raise GgfError("there is no match in the Generic Game Format, such as (;GM[Othello]...;)")
    matches = [_MATCH.match(text, start) for start in starts]
    return [one[1] if one else GgfError("the match is damaged: its fields are not NAME[TEXT]") for one in matches]


def replayed(part: str, game: Game | None = None) -> FileMatch:
    """A match by the rules of its board. Raises GgfError, and GameError for an illegal move."""
    fields = _FIELD.findall(part)
    facts = {name.upper(): line_of(value) for name, value in reversed(fields)}
    board = next((value for name, value in fields if name.upper() == "BO"), "")
    found = _game_of(facts.get("GM", ""), board, game)
    outcome, ending = _result(facts.get("RE", ""))
    told = {name: facts[tag] for tag, name in _FACTS.items() if facts.get(tag)}
    moves = [(tag.upper(), value) for tag, value in fields if tag.upper() in ("B", "W")]
    plies = _plies(found, moves)
    names = facts.get("PB", ""), facts.get("PW", "")
    return FileMatch(found.name, names, plies, outcome, ending if outcome is not None else "", about=told)


def _game_of(called: str, board: str, wanted: Game | None) -> Game:
    """The game with this name and first position. Raises GgfError if it is not the usual position of a board."""
    family = _family_of(called, wanted)
    size, _, rest = board.strip().partition(" ")
    cells, side = "".join(rest.split())[:-1].lower(), "".join(rest.split())[-1:]
    if not size.isdecimal() or len(size) > 2 or int(size) ** 2 != len(cells) or side not in ("*", "O", "o"):
        raise GgfError(f"BO must be the first position, such as 8 --------...---*O--- *, not {shown(board)}")
    try:
        game = wanted if wanted and wanted.name == f"{family}:{size}" else known(f"{family}:{size}")
    except GameError:
        raise GgfError(f"there is no {called} on a board of size {size} here") from None
    if side != "*" or [_SQUARES.get(cell) for cell in cells] != _discs(game, game.initial()):
        raise GgfError("the match does not begin from the usual position, and only those are read")
    if wanted and wanted.name != game.name:
        raise GgfGameError(f"it is a match of {game.name}, not of {wanted.name}")
    return game


def _family_of(called: str, wanted: Game | None) -> str:
    """The family of games that GGF calls by this name. Raises GgfError if none is called so."""
    games = [*filter(None, [wanted]), *map(known, GAMES)]
    names = {game.forms.ggf: split_name(game.name)[0] for game in reversed(games) if game.forms.ggf}
    found = next((family for name, family in names.items() if name.lower() == called.lower()), None)
    if found is None:
        raise GgfError(f"GGF is read for {' and '.join(names)}, not for {shown(called)}")
    return found


def _discs(game: Game, state: State) -> list[int]:
    """The discs by the names of their squares, row by row: 1 black, -1 white, 0 none."""
    assert game.board is not None
    places, discs = game.board.places, dict[str, int]()
    for piece in game.board.scene(state).pieces:
        discs[places[piece.place].name] = 1 if piece.owner == FIRST else -1
    rows = sorted(places, key=lambda place: (place.y, place.x))
    return [discs.get(place.name, 0) for place in rows]


def _result(text: str) -> tuple[int | None, Ending]:
    """The outcome for the first player and how the match ended; None if the text does not say it."""
    found = _RESULT.fullmatch(text.strip())
    if not found:
        return None, ""
    lead = float(found[1])
    return (lead > 0) - (lead < 0), _ENDINGS[found[2]] if found[2] else ""


def _plies(game: Game, moves: Sequence[tuple[str, str]]) -> Plies:
    """The plies of moves `B[f5//3.2]`; a pass that a file leaves out is added, as it is the only legal action."""
    state, plies = game.initial(), list[Ply]()
    for number, (tag, text) in enumerate(moves, 1):
        side = "BW".index(tag)
        if game.outcome(state) is None and game.player(state) != side and game.must_pass(state):
            state = _play(game, state, plies, PASS_NAME, number)
        if game.outcome(state) is None and game.player(state) != side:
            raise GgfError(f"move {number}: it is not the turn of {('Black', 'White')[side]}")
        move, *numbers = text.split("/")
        name = PASS_NAME if move.strip().lower() in _PASSES else move
        state = _play(game, state, plies, name, number)
        plies[-1] = replace(plies[-1], seconds=_seconds(numbers))
    return tuple(plies)


def _play(game: Game, state: State, plies: list[Ply], name: str, number: int) -> State:
    """Plays an action and notes it; returns the next state."""
    try:
        action = game.parse_action(state, name)
    except GameError as error:
        raise GgfError(f"move {number}: {error}") from None
    plies.extend(plies_of(game, [action], state))
    return game.play(state, action)


def _seconds(numbers: Sequence[str]) -> float | None:
    """The time of a move, the second number after it."""
    text = numbers[1].strip() if len(numbers) > 1 else ""
    return float(text) if re.fullmatch(r"\d{1,6}(\.\d{1,9})?", text) else None


def write(matches: Sequence[tuple[FileMatch, Game]]) -> str:
    """Matches as lines. Raises GgfError for a game that GGF does not know."""
    return "".join(_written(match, game) for match, game in matches)


def _written(match: FileMatch, game: Game) -> str:
    size, state = game.planes[1], game.initial()
    if not game.forms.ggf or game.name != f"{split_name(game.name)[0]}:{size}":
        raise GgfError(f"GGF is for Othello with its usual rules, not for {game.name}")
    discs = "".join("-*O"[disc] for disc in _discs(game, state))
    rows = [discs[row * size : (row + 1) * size] for row in range(size)]
    fields = [("GM", game.forms.ggf), *((tag, match.about.get(name, "")) for tag, name in _FACTS.items())]
    fields += [("PB", match.players[0]), ("PW", match.players[1]), ("TY", str(size))]
    moves = list[tuple[str, str]]()
    for ply in match.plies:
        name = game.action_name(state, ply.action)
        seconds = "" if ply.seconds is None else f"//{ply.seconds:.2f}"
        moves.append(("BW"[ply.side], ("PA" if name == PASS_NAME else name) + seconds))
        state = game.play(state, ply.action)
    fields += [("RE", _lead(match, game, state)), ("BO", f"{size} {' '.join(rows)} *"), *moves]
    return "(;" + "".join(f"{tag}[{_plain(text)}]" for tag, text in fields if text) + ";)\n"


def _lead(match: FileMatch, game: Game, state: State) -> str:
    """Black's lead at the end, or the whole board for whom the match was won otherwise."""
    if match.outcome is None:
        return ""
    if game.outcome(state) is not None and not match.ending:
        return f"{sum(_discs(game, state)):+.2f}"
    how = next((f":{letter}" for letter, ending in _ENDINGS.items() if ending == match.ending), "")
    return f"{match.outcome * game.planes[1] ** 2:+.2f}{how}"


def _plain(text: str) -> str:
    """A text without the brackets that GGF cannot hold."""
    return line_of(text).replace("[", "(").replace("]", ")")
