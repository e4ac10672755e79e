"""Matches of uniformly random actions."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.arrays import ACTION_LIST, RANDOM, STATE, STATES
from athenan.rules.compiler import helper, kernel
from athenan.rules.game import Game, State
from athenan.rules.kernels import RULES
from athenan.rules.randomness import random_action, streams
from athenan.rules.state import CHANCE, ONGOING, copy_state


@helper
def play_out(rules, states, actions, random):
    """Plays uniformly random actions from states[0] to the end of the match; returns which of the two states is final.

    `actions` is room for `max_actions`.
    """
    now = 0
    while calls.outcome(rules, states[now]) == ONGOING:
        calls.play(rules, states[now], random_action(rules, states[now], actions, random), states[1 - now])
        now = 1 - now
    return now


def random_play(game: Game, random: NDArray[np.uint64], steps: int) -> int:
    """Plays uniformly random matches for `steps` actions; returns the number of finished matches.

    `random` is uint64[1] and advances. This is the loop that `athenan bench` times.
    """
    states, actions = np.zeros((2, game.state_size), np.int8), np.empty(game.max_actions, np.int32)
    return int(_random_play(game.rules, random, steps, states, actions))


@kernel(types.int64(RULES, RANDOM, types.int64, STATES, ACTION_LIST))
def _random_play(rules, random, steps, states, actions):
    """Plays in the two `states`, the current one and the following one; `actions` is room for `max_actions`."""
    state, following, matches = states[0], states[1], 0
    calls.initial(rules, state)
    for _ in range(steps):
        calls.play(rules, state, random_action(rules, state, actions, random), following)
        state, following = following, state
        if calls.outcome(rules, state) != ONGOING:
            matches += 1
            calls.initial(rules, state)
    return matches


def random_ends(game: Game, matches: int, seed: int = 0) -> NDArray[np.int8]:
    """The final states of uniformly random matches; shape [matches, state_size]."""
    ends, following = np.zeros((matches, game.state_size), np.int8), np.zeros(game.state_size, np.int8)
    actions = np.empty(game.max_actions, np.int32)
    _random_ends(game.rules, streams(seed, 1), ends, following, actions)
    return ends


@kernel(types.void(RULES, RANDOM, STATES, STATE, ACTION_LIST))
def _random_ends(rules, random, ends, following, actions):
    for match in range(len(ends)):
        state, other = ends[match], following
        calls.initial(rules, state)
        while calls.outcome(rules, state) == ONGOING:
            calls.play(rules, state, random_action(rules, state, actions, random), other)
            state, other = other, state
        copy_state(state, ends[match])


def random_states(game: Game, count: int, seed: int = 0) -> NDArray[np.int8]:
    """The states that are not terminal of uniformly random matches, one after the other; int8[count, state_size]."""
    states, actions = np.zeros((count + 1, game.state_size), np.int8), np.empty(game.max_actions, np.int32)
    _random_states(game.rules, streams(seed, 1), states, actions)
    return states[:count]


@kernel(types.void(RULES, RANDOM, STATES, ACTION_LIST))
def _random_states(rules, random, states, actions):
    calls.initial(rules, states[0])
    for number in range(states.shape[0] - 1):
        state, following = states[number], states[number + 1]
        calls.play(rules, state, random_action(rules, state, actions, random), following)
        if calls.outcome(rules, following) != ONGOING:
            calls.initial(rules, following)


def random_successors(game: Game, states: NDArray[np.int8], seed: int = 0) -> NDArray[np.int8]:
    """The state after a uniformly random action of each state, none of which is terminal; int8[n, state_size]."""
    successors = np.zeros_like(states)
    _random_successors(
        game.rules, streams(seed, 1), np.ascontiguousarray(states), successors, np.empty(game.max_actions, np.int32)
    )
    return successors


@kernel(types.void(RULES, RANDOM, STATES, STATES, ACTION_LIST))
def _random_successors(rules, random, states, successors, actions):
    for row in range(states.shape[0]):
        calls.play(rules, states[row], random_action(rules, states[row], actions, random), successors[row])


def encoded_states(game: Game, states: NDArray[np.int8]) -> NDArray[np.int8]:
    """The planes of states; int8[n, planes * rows * columns]."""
    planes = np.empty((len(states), int(np.prod(game.planes))), np.int8)
    encode_states(game.rules, np.ascontiguousarray(states), planes)
    return planes


@kernel(types.void(RULES, STATES, STATES))
def encode_states(rules, states, planes):
    for row in range(states.shape[0]):
        calls.encode(rules, states[row], planes[row])


def random_match(game: Game, seed: int) -> list[int]:
    """The actions of a uniformly random match, including the outcomes of chance."""
    random, state, played = np.random.default_rng(seed), game.initial(), []
    while game.outcome(state) is None:
        played.append(game.draw(state, random))
        state = game.play(state, played[-1])
    return played


def drawn_action(game: Game, state: State, random: NDArray[np.uint64]) -> int:
    """A random action of a non-terminal state, as by `randomness.random_action`; `random`, uint64[1], advances."""
    return int(_drawn_action(game.rules, state, np.empty(game.max_actions, np.int32), random))


@kernel(types.int64(RULES, STATE, ACTION_LIST, RANDOM))
def _drawn_action(rules, state, actions, random):
    return random_action(rules, state, actions, random)


@lru_cache(maxsize=64)
def mean_actions(game: Game) -> float:
    """The mean number of legal actions over the states of random matches."""
    return float(np.mean([len(game.actions(state)) for state in _states_of_matches(game)]))


@lru_cache(maxsize=64)
def decision_share(game: Game) -> float:
    """The share of actions in random matches that players choose; chance draws the others."""
    if not game.stochastic:
        return 1.0
    return float(np.mean([game.player(state) != CHANCE for state in _states_of_matches(game)]))


def _states_of_matches(game: Game) -> Iterator[State]:
    """The non-terminal states of 20 random matches."""
    for stream in streams(0, 20):
        state = game.initial()
        for action in random_match(game, int(stream)):
            yield state
            state = game.play(state, action)
