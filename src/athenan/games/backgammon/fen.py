"""Positions on one line: position IDs of GNU Backgammon, with what these leave out; XGIDs are read as well.

`4HPwATDgc/ABMA x 3-1` is the position ID for the player whose turn it is, then that player (x, the first player, or o)
and the roll. Without a roll the player is about to roll; without a player it is the first. In the middle of a turn
there are numbers instead of a roll, those of the dice still to be played: `x 3 3`.

`XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10` is a position as eXtreme Gammon writes it: a letter for each
number of checkers on the top player's bar, on the bottom player's points 1 to 24 and on the bottom player's bar,
capitals for the bottom player, who is our first player; then the cube and its owner, the side to move (1 for the bottom
player, -1 for the top player) and the dice, 00 before a roll. A state has neither a cube nor the score of a match: they
are left out.
"""

import re
from typing import NamedTuple

from athenan.games.backgammon import turn
from athenan.games.backgammon.board import IN_PLAY, OFF, PLACES, load, worth
from athenan.games.backgammon.gnubg import position_id, position_of_id
from athenan.games.backgammon.moves import MOST_OF_A_DOUBLE, against, count_moves, of_double
from athenan.games.backgammon.positions import Position, before_roll, placed, position_of, roll
from athenan.rules import CHANCE, Game, GameError, State, sign
from athenan.settings import shown

_SIDES = "xo"
_XGID = "XGID="
_TO_MOVE = {"1": 0, "-1": 1}


class _Turn(NamedTuple):
    """What a text says. Before a roll it has neither `dice` nor a rest."""

    position: Position
    player: int
    dice: tuple[int, int] | None = None
    rest: tuple[int, ...] = ()
    """The numbers still to be played in the middle of a turn, which are equal."""


def write_fen(game: Game, state: State) -> str:
    """The position ID for the player whose turn it is, the player, and what is to be played."""
    fields = [position_id(state), _SIDES[state[turn.TURN]]]
    first, second, left = state[turn.FIRST_DIE : turn.LEFT + 1].tolist()
    if state[0] != CHANCE and not state[turn.OVER]:
        is_roll = second or left in (0, MOST_OF_A_DOUBLE)
        fields += [f"{first}-{second or first}"] if is_roll else [str(first)] * left
    return " ".join(fields)


def read_fen(game: Game, text: str) -> State:
    """The state of a position ID, with or without a turn, or of an XGID.

    The state before a roll counts as one action played, unless it is the start: only an opening roll cannot be a
    double. Raises GameError if the text is no position of the game.
    """
    start = position_of(game.initial(), 0)
    is_xgid = text.strip()[: len(_XGID)].upper() == _XGID
    found = (_of_xgid if is_xgid else _of_id)(text.strip(), sum(start[0]))
    empty = [number for number, side in enumerate(found.position) if not any(side[1:])]
    if len(empty) == 1:
        return _finished(game, found, empty[0])
    state = before_roll(game, found.position, found.player)
    if found.dice:
        state = roll(game, state, found.dice)
    elif found.rest:
        _allow_rest(state, found.player, found.rest)
    else:
        return game.initial() if (found.position, found.player) == (start, 0) else state
    state[2:4] = 0
    return state


def _of_id(text: str, checkers: int) -> _Turn:
    found = re.fullmatch(rf"(\S+)(?:\s+([{_SIDES}]))?(?:\s+([1-6])-?([1-6])|((?:\s+[1-6]){{1,4}}))?", text)
    if found is None or len(set((rest := found[5] or "").split())) > 1:
        raise GameError(f"{shown(text)} is not a position ID with a turn, such as 4HPwATDgc/ABMA x 3-1")
    dice = (int(found[3]), int(found[4])) if found[3] else None
    player = _SIDES.index(found[2] or _SIDES[0])
    return _Turn(position_of_id(found[1], checkers), player, dice, tuple(map(int, rest.split())))


def _of_xgid(text: str, checkers: int) -> _Turn:
    fields = text[len(_XGID) :].split(":")
    if len(fields) < 5 or not re.fullmatch(f"[-a-oA-O]{{{PLACES}}}", fields[0]) or fields[3] not in _TO_MOVE:
        raise GameError(f"{shown(text)} is not an XGID, such as {_XGID}-b----E-C---eE---c-e----B-:0:0:1:31")
    if not re.fullmatch("00|[1-6][1-6]", fields[4]):
        raise GameError(f"{shown(fields[4])} is not a roll, such as 31, nor 00 for none, as in an XGID about a move")
    sides = [[_number(letter, one) for letter in fields[0]] for one in "Aa"]
    sides[1].reverse()
    for side in sides:
        if side[OFF]:
            raise GameError("the XGID has a checker on the bar of the other player")
        if sum(side) > checkers:
            raise GameError(f"the XGID has more than {checkers} checkers of a player")
        side[OFF] = checkers - sum(side)
    player, (high, low) = _TO_MOVE[fields[3]], map(int, fields[4])
    return _Turn((tuple(sides[player]), tuple(sides[1 - player])), player, (high, low) if high else None)


def _number(letter: str, first: str) -> int:
    """The number of checkers that a letter stands for in the alphabet that begins with `first`; 0 for others."""
    return ord(letter) - ord(first) + 1 if letter.isalpha() and letter.isupper() == first.isupper() else 0


def _finished(game: Game, found: _Turn, first: int) -> State:
    """The state at the end of a match; `first` is the number, in the position, of the side that has won it."""
    winner, state = found.player ^ first, placed(game, found.position, found.player)
    state[0] = state[turn.TURN] = winner
    state[turn.OVER] = turn.DRAWN + sign(winner) * worth(state, winner)
    return state


def _allow_rest(state: State, player: int, rest: tuple[int, ...]) -> None:
    """Lets the player play equal numbers, as many of them as can be played."""
    sets, die = load(state, player), rest[0]
    blocked, _ = against(state, player)
    left = count_moves(sets, blocked, die, IN_PLAY, len(rest))
    state[0] = player
    turn.allow(state, of_double(sets, blocked, die, IN_PLAY, left), die, 0, 0, left)
