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
from athenan.rules.compiler import helper, kernel
from athenan.rules.extension import SIZE, actions_by_rules, extended, initial_by_rules, play_by_rules
from athenan.rules.facts import altered
from athenan.rules.game import Game, State
from athenan.rules.kernels import SIGNATURES, TERMINAL_VALUE
from athenan.rules.memory import load64, scratch, store64

MOST_ACTIONS = 4096
"""Most actions of a state that can be counted: kernels have room for no more."""

_SUMS = 16  # bytes
_TURN = np.uint64(1 << 40)  # above the sum


@kernel(SIGNATURES["initial"])
def initial(params, state):
    initial_by_rules(params, state)
    for player in range(2):
        store64(state, params[SIZE] + 8 * player, np.uint64(0))


@kernel(SIGNATURES["play"])
def play(params, state, action, following):
    count = actions_by_rules(params, state, scratch(MOST_ACTIONS, np.int32))
    play_by_rules(params, state, action, following)
    for player in range(2):
        place = params[SIZE] + 8 * player
        turn = _TURN + np.uint64(count) if player == state[0] else np.uint64(0)
        store64(following, place, load64(state, place) + turn)


def with_mobility(game: Game) -> Game:
    """The game with states that hold the cumulative mobility; `state[:game.state_size]` is the state of the rules."""
    return altered(
        extended(game, _SUMS, {"initial": initial, "play": play}),
        colour_symmetry=_exchanging(game.colour_symmetry, game.state_size),
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
    """`constants` hold the size of a state without sums. Such a state is worth its gain, as if M1 equalled M2."""
    size = np.int64(constants[0])
    if outcome == 0 or len(state) == size:
        return np.float64(outcome)
    first, second = _mean(state, size), _mean(state, size + 8)
    if first == 0 or second == 0:  # a player has not played
        return np.float64(outcome)
    return first / second if outcome > 0 else -second / first
