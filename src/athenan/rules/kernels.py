"""Kernels: the interface between the rules of a game and generic compiled code.

A game is a table of compiled functions with fixed signatures, made by `kernel(SIGNATURE)`. Generic code receives one
value, `Rules`, which holds their addresses and the game's parameters, and calls them by address (module `calls`). So
the search is compiled once for all games, and the next start finds its compiled code on disk (module `compiler`).

Rules use no random numbers: where chance is to move, `probabilities` gives its outcomes. Only `sample` draws, for games
in which listing all actions takes most of the time of random play, and `rollout`, which is no rule.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from athenan.rules.arrays import ACTION_LIST, CONSTANTS, PARAMS, RANDOM, STATE
from athenan.rules.compiler import Kernel
from athenan.rules.errors import GameError
from athenan.rules.numba_parts import cgutils

INITIAL = types.void(PARAMS, STATE)
"""initial(params, state): writes the initial state into `state`, which may hold anything."""
ACTIONS = types.int64(PARAMS, STATE, ACTION_LIST)
"""actions(params, state, actions) -> count: writes the legal actions, ascending; 0 when the match is over.

`actions` has room for `max_actions`; its contents behind the legal ones do not matter.
"""
PLAY = types.void(PARAMS, STATE, types.int64, STATE)
"""play(params, state, action, following): writes the state after a legal action; `following` is not `state`."""
OUTCOME = types.int64(PARAMS, STATE)
"""outcome(params, state) -> ONGOING, or the first player's gain: 1, 0 or -1."""
ENCODE = types.void(PARAMS, STATE, STATE)
"""encode(params, state, planes): writes all int8 planes, flattened [plane, row, column]; they may hold anything."""
SCORE = types.int64(PARAMS, STATE)
"""score(params, state) -> the score of a finished match from the first player's point of view."""
PIECES = types.int64(PARAMS, STATE, types.int64)
"""pieces(params, state, player) -> the number of the player's pieces on the board."""
SAMPLE = types.int64(PARAMS, STATE, RANDOM)
"""sample(params, state, random) -> a legal action, each equally likely, of a state that is not terminal.

If chance is to move, it returns an outcome by its probability.

Games define it if drawing one action is faster than listing all; see `randomness.random_action`. `random` is a stream,
which advances.
"""

PROBABILITIES = types.void(PARAMS, STATE, CONSTANTS)
"""probabilities(params, state, probabilities): writes the probability of each outcome if chance is to move.

The outcomes, such as the rolls of a die, are the ones that `actions` lists, in the same order. Each is possible and
their probabilities sum to 1. `probabilities` has room for `max_actions`.
"""

FEATURES = types.void(PARAMS, STATE, STATE)
"""features(params, planes, features): writes int8 planes about an encoded state, of 0 and 1 for pattern networks.

They tell what single cells do not, such as who is nearer to the goal (`Game.features`). Both are flattened
[plane, row, column]; `features` may hold anything. The features follow from `planes` alone.
"""

ROLLOUT = types.int64(PARAMS, STATE, types.int64, RANDOM)
"""rollout(params, state, last, random) -> a legal action, drawn as a sensible player would play in a hurry.

Searches by rollouts that are *informed* draw actions with it instead of uniformly. A player is to move in the state,
which is not terminal. `last` is the action before, or -1 if that is not known. `random` is a stream, which advances.
"""

SIGNATURES = {
    "initial": INITIAL, "actions": ACTIONS, "play": PLAY, "outcome": OUTCOME, "encode": ENCODE,
    "score": SCORE, "pieces": PIECES, "sample": SAMPLE, "probabilities": PROBABILITIES, "features": FEATURES,
    "rollout": ROLLOUT,
}  # fmt: skip
"""The kernels of a game by name; the last six may be absent."""


class Rules(NamedTuple):
    """The rules of a game for compiled code: the addresses of its kernels, 0 for a missing one."""

    initial: int
    actions: int
    play: int
    outcome: int
    encode: int
    score: int
    pieces: int
    sample: int
    probabilities: int
    features: int
    rollout: int
    params: NDArray[np.int64]
    """The size and the options, for the kernels."""


RULES = types.NamedTuple([types.int64] * len(SIGNATURES) + [PARAMS], Rules)
"""The numba type of every `Rules`."""

FORCED = types.int64(RULES, STATE, ACTION_LIST)
"""forced(rules, state, actions) -> count: writes the legal actions among which the mover's best gain certainly lies.

They are ascending, at least one if there is a legal one, and leave out only actions that provably are no better than
one that is kept: because they lose, or because that one wins. A search that proves gains may expand no others.
"""

TERMINAL_VALUE = types.float64(RULES, STATE, types.int64, CONSTANTS)
"""value(rules, state, outcome, constants) -> f_t of a finished match, first player's point of view.

`rules` are the game's, `outcome` is its gain (1, 0, -1), `constants` are the heuristic's own.
"""
LARGEST_VALUE = 1e15
"""The largest absolute value that can be learnt: the square of a much larger one is not finite in float32."""

STATE_VALUE = types.float64(RULES, STATE)
"""value(rules, state) -> an estimate of a state that is not terminal, first player's point of view.

It estimates the expected gain for two players, between -1 and 1, so that it mixes with the gains of finished matches,
and the final score in a one-player game. Chance may be to move in the state.
"""


@dataclass(frozen=True, eq=False)
class KernelTable:
    """The kernels of a game by their names in `SIGNATURES`; nothing is compiled before `addresses` is read."""

    kernels: Mapping[str, Kernel]

    def __contains__(self, name: str) -> bool:
        return name in self.kernels

    @cached_property
    def addresses(self) -> dict[str, int]:
        """The addresses of the compiled kernels, by name; 0 if the game has no such kernel."""
        return {name: self.kernels[name].address if name in self else 0 for name in SIGNATURES}


def table(*kernels: Kernel, **others: Kernel) -> KernelTable:
    """The kernels of a game: functions that are called as in `SIGNATURES`, and others by the names there.

    Raises GameError if two kernels have one name.
    """
    named = dict(others)
    for one in kernels:
        if one.__name__ in named:
            raise GameError(f"a game has one kernel of a name, and two are called {one.__name__}")
        named[one.__name__] = one
    return KernelTable(named)


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
