"""Kernels: how the rules of a game are given to generic compiled code.

A game is a table of compiled functions with fixed signatures, made by `kernel(SIGNATURE)`. Generic code calls them by
their addresses, taken from an int64 array, so that the search is compiled once for all games and its compiled form is
found on disk at the next start (module `compiler`).

A state is a contiguous int8 vector whose length is a multiple of 8: a header of `HEADER` bytes, then the board.

| bytes | meaning |
| --- | --- |
| 0 | side to move: 0 first player, 1 second player |
| 1 | free for the game |
| 2-3 | number of actions played since the initial state, little-endian |
| 4-7 | free for the game |

A state holds everything that its rules and heuristics depend on; equal vectors are equal states; every action
increases the number of actions played by one, so that no state can come back.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from athenan.games.compiler import Kernel, helper, kernel  # authors of games need nothing but this module

HEADER = 8
"""Bytes of a state before its board."""
ONGOING = 2
"""What `outcome` returns for a state in which the match goes on; -1, 0, 1 are the first player's gains."""
PASS_NAME = "pass"

_state = types.Array(types.int8, 1, "C")
_params = types.Array(types.int64, 1, "C")
_action_list = types.Array(types.int32, 1, "C")

INITIAL = types.void(_params, _state)
"""initial(params, state): writes the initial state into `state`, whatever it held."""
ACTIONS = types.int64(_params, _state, _action_list)
"""actions(params, state, actions) -> count: writes the legal actions, ascending; 0 when the match is over.

`actions` has room for `max_actions`; what it holds behind the legal ones does not matter.
"""
PLAY = types.void(_params, _state, types.int64, _state)
"""play(params, state, action, following): writes the state after a legal action; `following` is not `state`."""
OUTCOME = types.int64(_params, _state)
"""outcome(params, state) -> ONGOING, or the first player's gain: 1, 0 or -1."""
ENCODE = types.void(_params, _state, _state)
"""encode(params, state, planes): writes the int8 planes, flattened [plane, row, column], whatever they held."""
SCORE = types.int64(_params, _state)
"""score(params, state) -> the score of a finished match from the first player's point of view."""
PIECES = types.int64(_params, _state, types.int64)
"""pieces(params, state, player) -> the number of the player's pieces on the board."""
SAMPLE = types.int64(_params, _state, types.Array(types.uint64, 1, "C"))
"""sample(params, state, random) -> a legal action, each equally likely, while the match goes on; `random` moves on.

For games in which one action can be drawn faster than all are listed; see `randomness.random_action`.
"""

SLOTS = {
    "initial": INITIAL, "actions": ACTIONS, "play": PLAY, "outcome": OUTCOME,
    "encode": ENCODE, "score": SCORE, "pieces": PIECES, "sample": SAMPLE,
}  # fmt: skip
"""The columns of the kernel table, in the order of the address array; the last three may be absent."""


@dataclass(frozen=True, eq=False)
class Table:
    """The kernels of a game by their names in `SLOTS`; nothing is compiled before the addresses are asked for."""

    kernels: Mapping[str, Kernel]

    def __contains__(self, name: str) -> bool:
        return name in self.kernels

    @cached_property
    def addresses(self) -> NDArray[np.int64]:
        """Of the compiled kernels: int64[len(SLOTS)], 0 where the game has no such kernel."""
        return np.array([self.kernels[name].address if name in self else 0 for name in SLOTS], np.int64)


def table(**kernels: Kernel) -> Table:
    """The kernels of a game, named as in `SLOTS`."""
    return Table(kernels)


def by_address(signature: Any) -> Any:
    """An intrinsic `call(address, arguments)` for native functions of one signature; `arguments` is a tuple."""

    @intrinsic
    def call(typing_context: Any, where: Any, arguments: Any) -> Any:
        def generate(context: Any, builder: Any, call_signature: Any, values: Any) -> Any:
            function_type = context.call_conv.get_function_type(signature.return_type, signature.args)
            pointer = builder.inttoptr(values[0], function_type.as_pointer())
            given = [
                context.cast(builder, value, have, want)
                for value, have, want in zip(
                    cgutils.unpack_tuple(builder, values[1]), call_signature.args[1], signature.args, strict=True
                )
            ]
            status, result = context.call_conv.call_function(
                builder, pointer, signature.return_type, signature.args, given
            )
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return result

        return signature.return_type(types.int64, arguments), generate

    return call


_initial, _actions, _play, _outcome, _encode, _score, _pieces, _sample = map(by_address, SLOTS.values())
_addresses = types.Array(types.int64, 1, "C")


@kernel(types.void(_addresses, *INITIAL.args))
def initial(kernels, params, state):
    """Calls the game's kernel `INITIAL`; `kernels` is its address table. Likewise below."""
    _initial(kernels[0], (params, state))


@kernel(types.int64(_addresses, *ACTIONS.args))
def actions(kernels, params, state, actions):
    return _actions(kernels[1], (params, state, actions))


@kernel(types.void(_addresses, *PLAY.args))
def play(kernels, params, state, action, following):
    _play(kernels[2], (params, state, action, following))


@kernel(types.int64(_addresses, *OUTCOME.args))
def outcome(kernels, params, state):
    return _outcome(kernels[3], (params, state))


@kernel(types.void(_addresses, *ENCODE.args))
def encode(kernels, params, state, planes):
    _encode(kernels[4], (params, state, planes))


@kernel(types.int64(_addresses, *SCORE.args))
def score(kernels, params, state):
    return _score(kernels[5], (params, state))


@kernel(types.int64(_addresses, *PIECES.args))
def pieces(kernels, params, state, player):
    return _pieces(kernels[6], (params, state, player))


@helper
def has_sample(kernels):
    """Whether the game has the kernel `SAMPLE`."""
    return kernels[7] != 0


@kernel(types.int64(_addresses, *SAMPLE.args))
def sample(kernels, params, state, random):
    return _sample(kernels[7], (params, state, random))


@helper
def length(state):
    """The number of actions played since the initial state."""
    return np.int64(np.uint8(state[2])) | (np.int64(np.uint8(state[3])) << 8)


@helper
def mover_lost(state):
    """The outcome when the player who is not to move has won."""
    return 2 * state[0] - 1


@helper
def advance_header(state, following, player):
    """Writes the header of the state after an action: the side to move, one action more, the rest zero."""
    store64(following, 0, np.uint64(player) | (np.uint64(length(state) + 1) << np.uint64(16)))


@intrinsic
def load64(typing_context: Any, state: Any, offset: Any) -> Any:
    """load64(state, offset): the uint64 at bytes offset .. offset + 7 of an int8 vector, little-endian, unchecked."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, values[0])
        word = builder.bitcast(builder.gep(array.data, [values[1]]), ir.IntType(64).as_pointer())
        return builder.load(word, align=1)

    return types.uint64(state, types.int64), generate


@intrinsic
def store64(typing_context: Any, state: Any, offset: Any, word: Any) -> Any:
    """store64(state, offset, word): writes a uint64 where `load64` reads it, unchecked."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, values[0])
        target = builder.bitcast(builder.gep(array.data, [values[1]]), ir.IntType(64).as_pointer())
        builder.store(values[2], target, align=1)
        return context.get_dummy_value()

    return types.void(state, types.int64, types.uint64), generate


@intrinsic(prefer_literal=True)
def scratch(typing_context: Any, count: Any, dtype: Any) -> Any:
    """scratch(count, dtype): an uninitialised vector of constant length on the machine's stack, valid until the
    function that asks for it returns; `np.empty` takes as long as a short kernel.
    """
    array_type = types.Array(dtype.dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        from numba.np.arrayobj import populate_array  # takes long to load, and compiling loads it anyway

        item = context.get_data_type(dtype.dtype)
        data = cgutils.alloca_once(builder, ir.ArrayType(item, count.literal_value))
        size = context.get_constant(types.intp, context.get_abi_sizeof(item))
        array = context.make_array(array_type)(context, builder)
        length = context.get_constant(types.intp, count.literal_value)
        populate_array(
            array, builder.bitcast(data, item.as_pointer()), shape=[length], strides=[size], itemsize=size, meminfo=None
        )
        return array._getvalue()

    return array_type(count, dtype), generate


@helper
def copy_state(state, following):
    """Copies a state; ten times as fast as `following[:] = state`, which first asks whether the two overlap."""
    for offset in range(0, len(state), 8):
        store64(following, offset, load64(state, offset))
