"""Positions and whole turns, for programs that take a turn as one move."""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from athenan.games.backgammon import turn
from athenan.games.backgammon.board import BAR, OFF, PLACES
from athenan.games.backgammon.notation import counts, set_counts
from athenan.rules import CHANCE, Game, GameError, State

Checkers = tuple[int, ...]
"""The number of a player's checkers at each place, from 0 (borne off) to 25 (bar) in that player's numbering."""
Position = tuple[Checkers, Checkers]
"""The checkers of the player whose turn it is, or was, and of the other player."""


def position_of(state: State, player: int) -> Position:
    """The position seen by a player: the player's checkers, then the other's."""
    first, second = (tuple(map(int, counts(state, side))) for side in (player, 1 - player))
    return first, second


def placed(game: Game, position: tuple[Sequence[int], Sequence[int]], player: int) -> State:
    """An initial state with other checkers, first the checkers of `player`, whose turn it is.

    Raises GameError if no match can have the position: wrong numbers of checkers, or both players on one point.
    """
    own, other = (np.asarray(one, np.int64) for one in position)
    state = game.initial()
    total = int(counts(state, 0).sum())
    if own.shape != (PLACES,) or other.shape != (PLACES,):
        raise GameError(f"a position has {PLACES} numbers of checkers for each player")
    if own.min() < 0 or other.min() < 0 or not own.sum() == other.sum() == total:
        raise GameError(f"each player has {total} checkers, not {own.sum()} and {other.sum()}")
    if (own[1:BAR] * other[1:BAR][::-1]).any():
        raise GameError("both players have checkers on one point")
    set_counts(state, player, own)
    set_counts(state, 1 - player, other)
    state[turn.TURN] = player
    return state


def before_roll(game: Game, position: tuple[Sequence[int], Sequence[int]], player: int = 0) -> State:
    """The state in which `player`, the owner of the position's first checkers, is about to roll, within a match.

    Raises GameError if no match can have the position (`placed`), or if a player has no checkers left.
    """
    state = placed(game, position, player)
    if not all(sum(one[1:]) for one in position):
        raise GameError("the match is over: a player has no checkers left")
    state[2] = 1  # the number of actions played
    return state


def roll(game: Game, state: State, dice: tuple[int, int]) -> State:
    """The state after a roll. Raises GameError if it is not possible."""
    return game.play(state, turn.roll_of(max(dice), min(dice)))


def plays(game: Game, state: State) -> dict[Position, tuple[int, ...]]:
    """The positions at the end of the current turn, seen by its player, and the actions that lead to each."""
    player, found = int(state[turn.TURN]), {}
    unfinished: list[tuple[State, tuple[int, ...]]] = [(state, ())]
    while unfinished:
        where, played = unfinished.pop()
        if game.player(where) == CHANCE or game.outcome(where) is not None:
            found[position_of(where, player)] = played
            continue
        unfinished += [(game.play(where, int(action)), (*played, int(action))) for action in game.actions(where)]
    return found


def after_move(position: Position, text: str) -> Position:
    """The position after a move in the players' notation: `8/5 6/5`, `bar/24*/22 13/10(2)`, `5/off`.

    The move need not be legal. Raises GameError if the text is not a move or moves a checker that is not there.
    """
    own, other = map(list, position)
    for part in text.lower().split():
        found = re.fullmatch(r"((?:bar|off|\d+)\*?(?:/(?:bar|off|\d+)\*?)+)(?:\((\d)\))?", part)
        if found is None:
            raise GameError(f"{part!r} is not the move of a checker, such as 13/7, bar/20 or 6/off")
        places = [_place(name.rstrip("*")) for name in found[1].split("/")]
        for _ in range(int(found[2] or 1)):
            for start, end in pairwise(places):
                _move(own, other, start, end)
    return tuple(own), tuple(other)


def _place(name: str) -> int:
    place = {"bar": BAR, "off": OFF}.get(name) if name.isalpha() else int(name)
    if place is None or place not in range(PLACES):
        raise GameError(f"there is no point {name}")
    return place


def _move(own: list[int], other: list[int], start: int, end: int) -> None:
    if not own[start] or start <= end:
        raise GameError(f"no checker moves from {start} to {end}")
    own[start] -= 1
    own[end] += 1
    if end != OFF and other[BAR - end]:
        other[BAR] += other[BAR - end]
        other[BAR - end] = 0


def read_play(game: Game, state: State, text: str) -> tuple[int, ...]:
    """The actions of a whole turn, or the rest of it, in the players' notation; `pass` or nothing is no move.

    Raises GameError if the turn cannot be played in this way.
    """
    position = position_of(state, int(state[turn.TURN]))
    wanted = after_move(position, "" if text.strip().lower() == "pass" else text)
    actions = plays(game, state).get(wanted)
    if actions is None:
        raise GameError(f"{text!r} cannot be played here")
    return actions
