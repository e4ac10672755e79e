"""A game of chance for tests, with certain wins and losses, draws, and actions with and without a roll.

From a heap the players take in turn; who takes the last token wins. Action 0 takes one token, 1 rolls a light die and 2
a heavy one, which say how many to take, or all if there are fewer; but a four that takes the last one draws. Rolls are
the actions 3 to 6. A player who rolls a one moves again. Bytes of the board: the heap, the die, whose turn it is, and
1 + the gain when the heap is empty.
"""

from typing import Annotated

import numpy as np

from athenan import rules
from athenan.rules import Game
from athenan.rules.layout import Layout
from athenan.rules.ruleset import Ruleset
from athenan.settings import Between

_HEAP, _DIE, _TURN, _RESULT = (rules.HEADER + number for number in range(4))
_ROLLS = 3


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0
    state[_HEAP] = params[0]


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    return rules.ONGOING if state[_HEAP] else state[_RESULT] - 1


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    if state[_HEAP] == 0:
        return 0
    first, count = (_ROLLS, 2 * state[_DIE]) if state[_DIE] else (0, 3)
    for number in range(count):
        actions[number] = first + number
    return count


@rules.kernel(rules.PROBABILITIES)
def probabilities(params, state, probabilities):
    if state[_DIE] == 1:
        probabilities[0], probabilities[1] = 0.7, 0.3
    else:
        for number in range(4):
            probabilities[number] = 0.1 * (number + 1)


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    rules.copy_state(state, following)
    turn = state[_TURN]
    if action in (1, 2):
        rules.advance_header(state, following, rules.CHANCE)
        following[_DIE] = action
        return
    taken = action - _ROLLS + 1 if action >= _ROLLS else 1
    following[_HEAP] = max(0, state[_HEAP] - taken)
    following[_DIE] = 0
    following[_TURN] = turn if action == _ROLLS else 1 - turn
    if following[_HEAP] == 0:
        following[_RESULT] = 1 if taken == 4 else 2 - 2 * turn
    rules.advance_header(state, following, following[_TURN])


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    for number in range(4):
        planes[number] = state[_HEAP + number]


KERNELS = rules.table(initial, actions, play, outcome, encode, probabilities)


def make(heap: Annotated[int, Between(1, 100)] = 6) -> Game:
    """The game with so many tokens."""
    return Game(
        ruleset=Ruleset(
            table=KERNELS,
            params=np.array([heap], np.int64),
            state_size=rules.HEADER + 8,
            max_actions=4,
            max_length=2 * heap,
            typical_length=heap,
        ),
        layout=Layout(
            action_count=_ROLLS + 4,
            planes=(4, 1, 1),
            action_name=lambda state, action: ("take", "light", "heavy", "1", "2", "3", "4")[action],
            text=str,
            plane_symmetries=np.arange(4, dtype=np.int32)[None, :],
            action_symmetries=np.arange(_ROLLS + 4, dtype=np.int32)[None, :],
        ),
    )
