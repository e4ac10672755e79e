"""A game for tests of searches: every state has the same number of actions, no two paths meet, and nothing ends soon.

The bytes of a board are a hash of the actions that led to it. All matches are drawn.
"""

import numpy as np

from athenan import rules
from athenan.rules import Game
from athenan.rules.layout import Layout
from athenan.rules.randomness import random_bits
from athenan.rules.ruleset import Ruleset

_BYTES = 8
LENGTH = 120


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    return 0 if rules.length(state) >= LENGTH else rules.ONGOING


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    for number in range(params[0]):
        actions[number] = number
    return params[0]


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    rules.advance_header(state, following, 1 - state[0])
    rules.store64(following, rules.HEADER, random_bits(rules.load64(state, rules.HEADER), action))


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    for number in range(_BYTES):
        planes[number] = state[rules.HEADER + number]


def make(count: int) -> Game:
    """The game with so many actions in each state."""
    return Game(
        ruleset=Ruleset(
            table=rules.table(initial, actions, play, outcome, encode),
            params=np.array([count], np.int64),
            state_size=rules.HEADER + _BYTES,
            max_actions=count,
            max_length=LENGTH,
            typical_length=LENGTH,
        ),
        layout=Layout(
            action_count=count,
            planes=(1, 1, _BYTES),
            action_name=lambda state, action: str(action),
            text=str,
            plane_symmetries=np.arange(_BYTES, dtype=np.int32)[None],
            action_symmetries=np.arange(count, dtype=np.int32)[None],
        ),
        name=f"bush:{count}",
    )  # fmt: skip
