"""Perft: the numbers of action sequences from a position, the usual check of a game's rules.

>>> from athenan import make, perft
>>> perft(make("tictactoe"), 4)
[9, 72, 504, 3024]
"""

from collections.abc import Callable

import numpy as np
from numba import types

from athenan.rules import calls
from athenan.rules.arrays import ACTION_LISTS, NUMBERS, STATES
from athenan.rules.compiler import kernel
from athenan.rules.fitting import require_whole
from athenan.rules.game import Game, GameError, State, require_game
from athenan.rules.kernels import RULES
from athenan.rules.state import ONGOING

_STEPS = 1 << 16


def perft(
    game: Game, depth: int, state: State | str | None = None, report: Callable[[int, list[int]], None] | None = None
) -> list[int]:
    """The numbers of action sequences of lengths 1 to `depth` from a state (default: the initial state).

    A finished match counts only at its own length. The state may be given as the moves that lead to it. `report` is
    called many times a second with the number of first actions that have begun, and the counts so far.
    """
    require_game(game)
    require_whole("depth", depth)
    if depth < 1:
        raise GameError(f"the depth of perft must be at least 1, not {depth}")
    states = np.zeros((depth + 1, game.state_size), np.int8)
    states[0] = game.position(state)
    actions = np.empty((depth, game.max_actions), np.int32)
    number, position, counts = np.zeros((3, depth), np.int64)
    legal = game.actions(states[0])
    actions[0, : len(legal)] = legal
    number[0] = counts[0] = len(legal)
    level = 0 if depth > 1 else -1
    while level >= 0:  # Python handles Ctrl-C between the calls
        level = _perft(game.rules, states, actions, number, position, counts, level, _STEPS)
        if report:
            report(int(position[0]), counts.tolist())
    return [int(count) for count in counts]


@kernel(types.int64(RULES, STATES, ACTION_LISTS, NUMBERS, NUMBERS, NUMBERS, types.int64, types.int64))
def _perft(rules, states, actions, number, position, counts, level, steps):
    """Counts at most `steps` states without recursion; returns the depth at which to continue, or -1 at the end.

    `states[d]` is the current state at depth d, `number[d]` the number of its legal actions, `position[d]` the position
    of the next one to play.
    """
    depth = counts.shape[0]
    for _ in range(steps):
        if level < 0:
            break
        if position[level] == number[level]:
            level -= 1
            continue
        action = actions[level, position[level]]
        position[level] += 1
        calls.play(rules, states[level], action, states[level + 1])
        if calls.outcome(rules, states[level + 1]) != ONGOING:
            continue
        level += 1
        number[level] = calls.actions(rules, states[level], actions[level])
        position[level] = 0
        counts[level] += number[level]
        if level == depth - 1:
            level -= 1
    return level
