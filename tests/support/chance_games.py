"""A family of small games of chance for tests: random graphs of states, small enough to be enumerated.

A state is a position and the number of actions that led there. Hashes of these and of `seed` decide who is to move
(either player, again and again, or chance, never twice in succession), the number of actions, where they lead, how
likely outcomes are, and which states end the match, with a gain of 1, 0 or -1 and scores of its sign.
Several actions lead to one state, and chance may begin or end a match.

Options: `seed`; `length`, the actions after which every match is over; `width`, the number of positions; `players`;
`chance`, without which a player is always to move.

Actions: 0 to 5, one to three of them legal, or two to four outcomes. Bytes of the board: the position, 0 or 2 + gain,
the score. Planes 5 x 3 x 3, each of one number: the position, the actions played, and which side is to move.
"""

from typing import Annotated

import numpy as np

from athenan import rules
from athenan.rules import Game, State
from athenan.rules.layout import Layout
from athenan.rules.ruleset import Ruleset
from athenan.settings import Between

_POSITION, _ENDED, _SCORE = rules.HEADER, rules.HEADER + 1, rules.HEADER + 2
_SEED, _LENGTH, _WIDTH, _PLAYERS, _CHANCE = 0, 1, 2, 3, 4
_CELLS, _ACTIONS = 9, 6
_SIDE, _END, _GAIN, _WORTH, _FIRST, _COUNT, _WEIGHT, _WHERE = 1, 2, 3, 4, 5, 6, 16, 32


@rules.helper
def _mixed(bits, number):
    bits = (bits ^ np.uint64(number)) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(32))


@rules.helper
def _hash(params, place, position, what):
    """A random number of 31 bits, the same for the same arguments."""
    bits = _mixed(np.uint64(params[_SEED]) * np.uint64(0x9E3779B97F4A7C15), place)
    return np.int64(_mixed(_mixed(bits, position), what) >> np.uint64(33))


@rules.helper
def _enter(params, state, position, place, by_chance):
    """Writes a state."""
    ended = place >= params[_LENGTH] or (place > 2 and _hash(params, place, position, _END) % 5 == 0)
    side = _hash(params, place, position, _SIDE) % (2 + params[_CHANCE])
    if side == rules.CHANCE and (by_chance or ended):
        side = 0
    if params[_PLAYERS] == 1 and side == 1:
        side = 0
    state[:] = 0
    state[0], state[2] = side, place
    state[_POSITION] = position
    if ended:
        gain = _hash(params, place, position, _GAIN) % 3 - 1
        score = gain * (1 + _hash(params, place, position, _WORTH) % 3)
        state[_SCORE] = score
        state[_ENDED] = 2 + (gain if params[_PLAYERS] == 2 else 0)


@rules.kernel(rules.INITIAL)
def initial(params, state):
    _enter(params, state, 0, 0, False)


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    return state[_ENDED] - 2 if state[_ENDED] else rules.ONGOING


@rules.kernel(rules.SCORE)
def score(params, state):
    return state[_SCORE]


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    if state[_ENDED]:
        return 0
    place, position = rules.length(state), state[_POSITION]
    first, by_chance = _hash(params, place, position, _FIRST) % 3, state[0] == rules.CHANCE
    count = by_chance + 1 + _hash(params, place, position, _COUNT) % 3
    for number in range(count):
        actions[number] = first + number
    return count


@rules.helper
def _weight(params, state, number):
    return 1 + _hash(params, rules.length(state), state[_POSITION], _WEIGHT + number) % 9


@rules.kernel(rules.PROBABILITIES)
def probabilities(params, state, probabilities):
    count = 2 + _hash(params, rules.length(state), state[_POSITION], _COUNT) % 3
    total = 0.0
    for number in range(count):
        total += _weight(params, state, number)
    for number in range(count):
        probabilities[number] = _weight(params, state, number) / total


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    place, by_chance = rules.length(state), state[0] == rules.CHANCE
    position = _hash(params, place, state[_POSITION], _WHERE + action) % params[_WIDTH]
    _enter(params, following, position, place + 1, by_chance)


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    for cell in range(_CELLS):
        planes[cell] = state[_POSITION]
        planes[_CELLS + cell] = rules.length(state)
        for side in range(3):
            planes[(2 + side) * _CELLS + cell] = state[0] == side


def _text(state: State) -> str:
    side = ("first player", "second player", "chance")[state[0]]
    return f"position {state[_POSITION]} after {state[2]} actions, {side} to move"


def make(
    seed: Annotated[int, Between(0, 1 << 30)] = 0,
    length: Annotated[int, Between(1, 100)] = 8,
    width: Annotated[int, Between(1, 100)] = 12,
    players: Annotated[int, Between(1, 2)] = 2,
    chance: bool = True,
) -> Game:
    """One of the games."""
    with_chance = {"probabilities": probabilities} if chance else {}
    return Game(
        ruleset=Ruleset(
            table=rules.table(
                initial=initial, actions=actions, play=play, outcome=outcome, encode=encode, score=score, **with_chance
            ),
            params=np.array([seed, length, width, players, chance], np.int64),
            state_size=rules.HEADER + 8,
            max_actions=4,
            max_length=length,
            typical_length=length,
            max_score=3,
            players=players,
        ),
        layout=Layout(
            action_count=_ACTIONS,
            planes=(5, 3, 3),
            action_name=lambda state, action: f"{'r' if state[0] == rules.CHANCE else 'm'}{action}",
            text=_text,
            plane_symmetries=np.arange(5 * _CELLS, dtype=np.int32)[None, :],
            action_symmetries=np.arange(_ACTIONS, dtype=np.int32)[None, :],
        ),
    )  # fmt: skip
