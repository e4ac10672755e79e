"""Pig: a race with one die, small enough to enumerate all states.

Goal: collect the target, such as 100 points, with the die before the opponent does.

Play: Blue begins. Roll the die as often as you like: the numbers add up, but a 1 ends your turn and loses all that you
rolled in it. Hold in time to add the sum to your total.

Holding ends the turn, and whoever then has a total of the target or more has won. A player may hold before the first
roll of a turn. A match without a winner is drawn after `length` actions, rolls and their numbers included; a roll that
is the last of them still gets its number. Source: J. Scarne, "Scarne on Dice" (1945), who has 100 as the target.

Actions: 0 to roll, 1 to hold; the outcome 2 + n is the number n + 1 on the die.

State: byte 1 is the player whose turn it is. Bytes of the board: the totals of both, the sum of the turn, and 1 when
the match is won, by the player whose turn it was.

Planes 3 x 3, each of one number: the total of the first player, the total of the second, the sum of the turn, 1 if it
is the first player's turn, 1 if the die is being rolled.
"""

from typing import Annotated

import numpy as np

from athenan import rules
from athenan.rules import Advice, Area, Board, ColourSymmetry, Game, Label, Layout, Ruleset, Scene, Solving, State
from athenan.rules.board import Awaited
from athenan.rules.colours import exchange, other_side
from athenan.rules.geometry.boards import rectangle
from athenan.settings import Between

_ROLL, _HOLD, _NUMBERS = 0, 1, 2
_TOTALS, _SUM, _WON = rules.HEADER, rules.HEADER + 2, rules.HEADER + 3
_TURN = 1
_TARGET, _SIDES, _LENGTH = 0, 1, 2
_CELLS = 9
_WIDTH = 8
"""The width of the picture."""


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0


@rules.helper
def _too_long(params, state):
    return rules.length(state) >= params[_LENGTH] and state[0] != rules.CHANCE


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if state[_WON]:
        return 1 - 2 * state[_TURN]
    return 0 if _too_long(params, state) else rules.ONGOING


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    if state[_WON] or _too_long(params, state):
        return 0
    if state[0] != rules.CHANCE:
        actions[0], actions[1] = _ROLL, _HOLD
        return 2
    for number in range(params[_SIDES]):
        actions[number] = _NUMBERS + number
    return params[_SIDES]


@rules.kernel(rules.PROBABILITIES)
def probabilities(params, state, probabilities):
    for number in range(params[_SIDES]):
        probabilities[number] = 1.0 / params[_SIDES]


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    rules.copy_state(state, following)
    player = state[_TURN]
    if action == _ROLL:
        rules.advance_header(state, following, rules.CHANCE)
        following[_TURN] = player
        return
    turn = player
    if action == _HOLD:
        total = np.int64(state[_TOTALS + player]) + state[_SUM]
        following[_TOTALS + player] = min(total, params[_TARGET])
        following[_WON] = total >= params[_TARGET]
    if action in (_HOLD, _NUMBERS):
        following[_SUM] = 0
        turn = player if following[_WON] else 1 - player
    else:
        following[_SUM] = min(np.int64(state[_SUM]) + action - _NUMBERS + 1, params[_TARGET])
    rules.advance_header(state, following, turn)
    following[_TURN] = turn


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    for cell in range(_CELLS):
        for number in range(3):
            planes[_CELLS * number + cell] = state[_TOTALS + number]
        planes[3 * _CELLS + cell] = 1 - state[_TURN]
        planes[4 * _CELLS + cell] = state[0] == rules.CHANCE


KERNELS = rules.table(initial, actions, play, outcome, encode, probabilities)


def _image(state: State) -> State:
    image = other_side(state)
    exchange(image, 1)
    image[_TURN] = 1 - state[_TURN]
    return image


def _text(state: State) -> str:
    first, second, turn = (int(number) for number in state[_TOTALS : _TOTALS + 3])
    return (
        f"first player {first}, second player {second}; {'second' if state[_TURN] else 'first'} player's turn: {turn}"
    )


def _scene(state: State, target: int) -> Scene:
    """Each player's way to the target, and ahead of the player whose turn it is the points of this turn."""
    totals, turn = [int(number) for number in state[_TOTALS : _TOTALS + 2]], int(state[_TURN])
    reached = min(target, totals[turn] + int(state[_SUM]))
    ends = [_WIDTH * number / target for number in totals]
    areas = [
        Area(rectangle(ends[turn], turn, _WIDTH * reached / target, turn + 0.8), "plain"),
        Area(rectangle(0, 0, ends[0], 0.8), "first"),
        Area(rectangle(0, 1, ends[1], 1.8), "second"),
    ]
    labels = [Label(-0.6, player + 0.4, str(total), 0.5) for player, total in enumerate(totals)]
    return Scene(areas=tuple(areas), labels=(*labels, Label(_WIDTH + 0.7, turn + 0.4, f"+{state[_SUM]}", 0.4)))


def make(
    target: Annotated[int, Between(2, 100)] = 100,
    *,
    sides: Annotated[int, Between(2, 12)] = 6,
    length: Annotated[int, Between(2, 10_000)] = 1000,
) -> Game:
    """Pig, to a total of `target`, with a die of `sides`."""
    order = np.arange(5 * _CELLS, dtype=np.int32).reshape(5, _CELLS)[[1, 0, 2, 3, 4]]
    return Game(
        Ruleset(
            KERNELS,
            np.array([target, sides, length], np.int64),
            state_size=rules.HEADER + 8,
            max_actions=max(2, sides),
            max_length=length + 1,
            typical_length=min(length, 4 + 12 * target // sides),
            carries_over=("length",),
        ),
        Layout(
            action_count=_NUMBERS + sides,
            planes=(5, 3, 3),
            action_name=lambda state, action: (
                ("roll", "hold")[action] if action < _NUMBERS else str(action - _NUMBERS + 1)
            ),
            text=_text,
            marks=("", ""),
            board=Board(
                places=(),
                scene=lambda state: _scene(state, target),
                ground=Scene(areas=tuple(Area(rectangle(0, row, _WIDTH, row + 0.8), "light") for row in range(2))),
                colours=("blue", "red"),
                dice_at=(_WIDTH + 1.9, 0.9),
                rolled=lambda _, outcome: outcome - _NUMBERS + 1,
                awaited=lambda state: Awaited("die") if state[0] == rules.CHANCE else None,
            ),
            colour_symmetry=ColourSymmetry(
                _image, order.reshape(-1).copy(), np.arange(_NUMBERS + sides, dtype=np.int32), side=3
            ),
        ),
        advice=Advice(
            shallow_rate=0.0003,
            perfect="equations",
            solving=Solving(
                (10, 120) if (target, sides, length) == (100, 6, 1000) else None, rollouts=100, solver="equations"
            ),
        ),
    )
