"""A plain alpha-beta over the rules alone, which shares nothing with the searches of the package.

It is the second opinion on solved positions: moves that win at once, then all in their order, and a table of the states
that were seen. It has no evaluation, and goes deeper until it knows.
"""

import numpy as np
from numba import types

from athenan.rules import calls
from athenan.rules.arrays import ACTION_LISTS, NUMBERS, STATES
from athenan.rules.compiler import helper, kernel
from athenan.rules.game import Game, State
from athenan.rules.kernels import RULES
from athenan.rules.state import ONGOING, hash_state

_STEPS = 1 << 16
_SLOTS = 1 << 22


class PlainSolver:
    """Solves positions of one game of two players without chance."""

    def __init__(self, game: Game) -> None:
        depth = game.max_length + 1
        self._game, self._searches = game, 0
        self._states = np.zeros((depth + 1, game.state_size), np.int8)
        self._actions = np.empty((depth, game.max_actions), np.int32)
        self._frames = np.zeros((7, depth), np.int64)
        self._seen = np.zeros((3, _SLOTS), np.int64)

    def gains(self, state: State) -> dict[int, int]:
        """Each legal action with what it leads to for the side to move: 1, 0 or -1."""
        mover = 1 - 2 * self._game.player(state)
        return {int(a): mover * self.gain(self._game.play(state, int(a))) for a in self._game.actions(state)}

    def gain(self, state: State) -> int:
        """The first player's gain under perfect play."""
        if (over := self._game.outcome(state)) is not None:
            return over
        for depth in range(2, len(self._actions) + 2, 2):
            value, whole = self._searched(state, depth)
            if value or whole:
                return value
        raise AssertionError("a match is longer than the longest")

    def _searched(self, state: State, depth: int) -> tuple[int, bool]:
        """The gain if what is deeper counts 0, and whether nothing is deeper."""
        self._states[0] = state
        number, position, low, high, best, *_ = self._frames
        legal = self._game.actions(state)
        self._actions[0, : len(legal)] = legal
        number[0], position[0], low[0], high[0] = len(legal), 0, -1, 1
        best[0] = -2 if self._game.player(state) == 0 else 2
        self._frames[5:, 0] = -1, 1
        self._searches += 1  # each has its own keys: a value of another may come from its depth
        limit, level = np.array([depth, self._searches, 0]), 0
        while level >= 0:
            level = _search(
                self._game.rules, self._states, self._actions, *self._frames, *self._seen, limit, level, _STEPS
            )  # fmt: skip
        return int(best[0]), not limit[2]


@helper
def _winning(rules, states, actions, number, level):
    """The place of an action that wins at once, -1 without one. It uses the room of the next level."""
    for place in range(number):
        calls.play(rules, states[level], actions[place], states[level + 1])
        if calls.outcome(rules, states[level + 1]) == 1 - 2 * states[level, 0]:
            return place
    return -1


@kernel(
    types.int64(RULES, STATES, ACTION_LISTS, *[NUMBERS] * 11, types.int64, types.int64)
)  # fmt: skip
def _search(
    rules,
    states,
    actions,
    number,
    position,
    low,
    high,
    best,
    given_low,
    given_high,
    keys,
    least,
    most,
    limit,
    level,
    steps,
):
    """Searches for some steps; returns the level at which to go on, -1 at the end, when best[0] is the value.

    `limit` has the greatest depth, the seed of the table's keys and, when it is reached, 1.
    """
    seed = np.uint64(limit[1])
    for _ in range(steps):
        if level < 0:
            break
        if position[level] == number[level] or low[level] >= high[level]:
            value, key = best[level], np.int64(hash_state(states[level], seed))
            slot = key & (keys.shape[0] - 1)
            keys[slot] = key
            least[slot] = -1 if value <= given_low[level] else value
            most[slot] = 1 if value >= given_high[level] else value
            level -= 1
            if level < 0:
                break
        else:
            action = actions[level, position[level]]
            position[level] += 1
            calls.play(rules, states[level], action, states[level + 1])
            value = np.int64(calls.outcome(rules, states[level + 1]))
            if value == ONGOING:
                key = np.int64(hash_state(states[level + 1], seed))
                slot = key & (keys.shape[0] - 1)
                known = keys[slot] == key
                if known and (least[slot] >= high[level] or least[slot] == most[slot]):
                    value = least[slot]
                elif known and most[slot] <= low[level]:
                    value = most[slot]
                elif level + 1 == limit[0]:
                    value = 0
                    limit[2] = 1
                else:
                    level += 1
                    number[level] = calls.actions(rules, states[level], actions[level])
                    position[level] = max(0, _winning(rules, states, actions[level], number[level], level))
                    low[level] = given_low[level] = low[level - 1]
                    high[level] = given_high[level] = high[level - 1]
                    best[level] = -2 if states[level, 0] == 0 else 2
                    continue
        if states[level, 0] == 0:
            best[level] = max(best[level], value)
            low[level] = max(low[level], value)
        else:
            best[level] = min(best[level], value)
            high[level] = min(high[level], value)
    return level
