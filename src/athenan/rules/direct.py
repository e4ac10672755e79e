"""Calls of one game's kernels from Python, in less than a microsecond.

The kernels of module `calls` take `Rules`, whose eleven members numba converts at each call, which takes longer than
most calls. The kernels here take the addresses as one vector, and check the length of a state and whether its bytes lie
together. Their callers check its type: the call itself does not tell int8 from uint8.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import numba_parts
from athenan.rules.arrays import ACTION_LIST, NUMBERS, PARAMS, STATE
from athenan.rules.compiler import kernel
from athenan.rules.intrinsics import emits
from athenan.rules.kernels import ACTIONS, OUTCOME, PLAY, Rules, by_address
from athenan.rules.memory import scratch
from athenan.rules.numba_parts import cgutils

NO_STATE = -2
"""The answer to an array that cannot be a state of the game."""
PLAYED, ILLEGAL = 1, 0
_ANY_STATE = types.Array(types.int8, 1, "A")
"""A vector whose bytes may lie apart."""
_actions, _play, _outcome = map(by_address, (ACTIONS, PLAY, OUTCOME))
_SIZE = len(Rules._fields) - 1
"""The place of the size of a state in a table of addresses, behind all of them."""
_ACTIONS, _PLAY, _OUTCOME = map(Rules._fields.index, ("actions", "play", "outcome"))
_ON_STACK = 1024
"""Most legal actions for which a call takes the room from the stack."""


@emits(lambda state: STATE(state))  # noqa: PLW0108  # numba reads its parameters
def _together(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """_together(state): the vector as one whose bytes lie together, which the caller has checked."""
    given = context.make_array(signature.args[0])(context, builder, values[0])
    array = context.make_array(STATE)(context, builder)
    size = context.get_constant(types.intp, 1)
    (length,) = cgutils.unpack_tuple(builder, given.shape)
    numba_parts.populate_array()(array, given.data, shape=[length], strides=[size], itemsize=size, meminfo=None)
    return array._getvalue()


@kernel(types.int64(NUMBERS, PARAMS, _ANY_STATE, ACTION_LIST))
def _list_actions(addresses, params, state, actions):
    if len(state) != addresses[_SIZE] or state.strides[0] != 1:
        return NO_STATE
    return _actions(addresses[_ACTIONS], (params, _together(state), actions))


@kernel(types.int64(NUMBERS, PARAMS, _ANY_STATE))
def _read_outcome(addresses, params, state):
    if len(state) != addresses[_SIZE] or state.strides[0] != 1:
        return NO_STATE
    return _outcome(addresses[_OUTCOME], (params, _together(state)))


@kernel(types.int64(NUMBERS, PARAMS, ACTION_LIST, _ANY_STATE, types.int64, STATE))
def _play_if_legal(addresses, params, room, state, action, following):
    """Plays an action if it is legal. If `room` has no room for all actions, the stack has."""
    if len(state) != addresses[_SIZE] or state.strides[0] != 1:
        return NO_STATE
    now, actions = _together(state), room if len(room) else scratch(_ON_STACK, np.int32)
    for number in range(_actions(addresses[_ACTIONS], (params, now, actions))):
        if actions[number] == action:
            _play(addresses[_PLAY], (params, now, action, following))
            return PLAYED
    return ILLEGAL


class DirectCalls:
    """The kernels of one game, ready to be called from Python. Several threads may call them at once.

    Each answers NO_STATE to a vector of another size.
    """

    def __init__(self, rules: Rules, state_size: int, max_actions: int) -> None:
        table = np.array([*rules[:-1], state_size], np.int64)
        self.actions: Callable[[NDArray[np.int8], NDArray[np.int32]], int]
        """actions(state, actions) -> count, as the kernel `ACTIONS`."""
        self.actions = _list_actions.bound(table, rules.params)
        self.outcome: Callable[[NDArray[np.int8]], int] = _read_outcome.bound(table, rules.params)
        """outcome(state), as the kernel `OUTCOME`."""
        self.play: Callable[[NDArray[np.int8], int, NDArray[np.int8]], int]
        """play(state, action, following) -> PLAYED, or ILLEGAL: writes the state after a legal action."""
        if max_actions <= _ON_STACK:
            self.play = _play_if_legal.bound(table, rules.params, np.empty(0, np.int32))
        else:
            play = _play_if_legal.bound(table, rules.params)
            self.play = lambda *given: play(np.empty(max_actions, np.int32), *given)
