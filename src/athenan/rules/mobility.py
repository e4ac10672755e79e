"""Cumulative mobility (003, section 6.2.3): a heuristic that depends on the course of a match, not only on its end.

A win of the first player is worth M1 / M2, a loss -M2 / M1, where M1 and M2 are the means of the number of legal
actions at the first and at the second player's actions since the match began. A final state of the rules does not tell
these means, and matches of different mobility may reach equal states. So a search under this heuristic gets another
game with the same rules, in which 16 more bytes follow each state: for each player the sum of these numbers and their
count. States with different sums are different states, which keeps them sound as nodes and as proofs.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from athenan.rules.colours import ColourSymmetry, exchange
from athenan.rules.compiler import Kernel, helper, kernel
from athenan.rules.game import Game, State
from athenan.rules.kernels import SIGNATURES, TERMINAL_VALUE, KernelTable, by_address
from athenan.rules.memory import load64, scratch, store64

MOST_ACTIONS = 4096
"""Most actions of a state that can be counted: kernels have room for no more."""

_SIZE = len(SIGNATURES)
"""The index in the parameters of the size of a state without sums. Before it are the addresses of the rules' kernels,
as in `SIGNATURES`. After it are the kernels' parameters."""
_RULES = _SIZE + 1
_SUMS = 16  # bytes
_TURN = np.uint64(1 << 40)  # above the sum
_initial, _actions, _play, _outcome, _encode, _score, _pieces, _sample, _probabilities = map(
    by_address, SIGNATURES.values()
)


@kernel(SIGNATURES["initial"])
def initial(params, state):
    _initial(params[0], (params[_RULES:], state[: params[_SIZE]]))
    for player in range(2):
        store64(state, params[_SIZE] + 8 * player, np.uint64(0))


@kernel(SIGNATURES["actions"])
def actions(params, state, actions):
    return _actions(params[1], (params[_RULES:], state[: params[_SIZE]], actions))


@kernel(SIGNATURES["play"])
def play(params, state, action, following):
    count = _actions(params[1], (params[_RULES:], state[: params[_SIZE]], scratch(MOST_ACTIONS, np.int32)))
    _play(params[2], (params[_RULES:], state[: params[_SIZE]], action, following[: params[_SIZE]]))
    for player in range(2):
        place = params[_SIZE] + 8 * player
        turn = _TURN + np.uint64(count) if player == state[0] else np.uint64(0)
        store64(following, place, load64(state, place) + turn)


@kernel(SIGNATURES["outcome"])
def outcome(params, state):
    return _outcome(params[3], (params[_RULES:], state[: params[_SIZE]]))


@kernel(SIGNATURES["encode"])
def encode(params, state, planes):
    _encode(params[4], (params[_RULES:], state[: params[_SIZE]], planes))


@kernel(SIGNATURES["score"])
def score(params, state):
    return _score(params[5], (params[_RULES:], state[: params[_SIZE]]))


@kernel(SIGNATURES["pieces"])
def pieces(params, state, player):
    return _pieces(params[6], (params[_RULES:], state[: params[_SIZE]], player))


@kernel(SIGNATURES["sample"])
def sample(params, state, random):
    return _sample(params[7], (params[_RULES:], state[: params[_SIZE]], random))


@kernel(SIGNATURES["probabilities"])
def probabilities(params, state, probabilities):
    _probabilities(params[8], (params[_RULES:], state[: params[_SIZE]], probabilities))


_KERNELS: dict[str, Kernel] = {
    "initial": initial, "actions": actions, "play": play, "outcome": outcome,
    "encode": encode, "score": score, "pieces": pieces, "sample": sample,
    "probabilities": probabilities,
}  # fmt: skip


def with_mobility(game: Game) -> Game:
    """The game with states that hold the cumulative mobility; `state[:game.state_size]` is the state of the rules."""
    size, addresses = game.state_size, game.table.addresses
    return replace(
        game,
        table=KernelTable({name: _KERNELS[name] for name in game.table.kernels}),
        params=np.array([*(addresses[name] for name in SIGNATURES), size, *game.params], np.int64),
        state_size=size + _SUMS,
        action_name=lambda state, action: game.action_name(state[:size], action),
        text=lambda state: game.text(state[:size]),
        heuristics={},
        evaluations={},
        colour_symmetry=_exchanging(game.colour_symmetry, size),
        maker=partial(_made, game.maker) if game.maker else None,
    )


def _exchanging(colours: ColourSymmetry | None, size: int) -> ColourSymmetry | None:
    """The symmetry of a game, extended to exchange the players' sums."""
    if colours is None:
        return None
    of_rules = colours.state

    def image(state: State) -> State:
        sums = state[size:].copy()
        exchange(sums, _SUMS // 2, start=0)
        return np.concatenate([of_rules(state[:size]), sums])

    return replace(colours, state=image)


def _made(maker: Any, name: str) -> Game:
    return with_mobility(maker(name))


@helper
def _mean(state, place):
    """The mean number of actions stored at a place; 0 if the player has not played."""
    word = load64(state, place)
    return np.float64(word & (_TURN - np.uint64(1))) / max(1.0, np.float64(word >> np.uint64(40)))


@kernel(TERMINAL_VALUE)
def cumulative_mobility(rules, state, outcome, constants):
    """`constants` hold the size of a state without sums. Such a state is worth its gain, as if M1 were M2."""
    size = np.int64(constants[0])
    if outcome == 0 or len(state) == size:
        return np.float64(outcome)
    first, second = _mean(state, size), _mean(state, size + 8)
    if first == 0 or second == 0:  # a player has not played
        return np.float64(outcome)
    return first / second if outcome > 0 else -second / first
