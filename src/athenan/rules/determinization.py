"""Determinization: a stochastic game as deterministic games whose dice are known beforehand (001, 3.1.1).

A function d gives each state where chance is to move one of its outcomes. In the deterministic game of d (001,
Definition 3.3) an action that leads to such a state c leads on to d(c) at once: c is *jumped*. Each match has one d.

d is never written down. A match has a seed of 64 bits. A hash of the seed and c draws d(c) with the probabilities of
the outcomes of c. So d(c) is the same whenever any search of the match meets c, it costs nothing before, and over the
seeds it has the probabilities of the game. The seed is a part of the states: a state of the deterministic games is a
state of the stochastic game with 8 bytes more. All deterministic games have the same rules.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import NUMBERS, PARAMS, STATE, STATES
from athenan.rules.compiler import helper, kernel
from athenan.rules.extension import (
    FIRST,
    OWN,
    SIZE,
    actions_by_rules,
    extended,
    initial_by_rules,
    outcome_by_rules,
    play_by_rules,
    probabilities_by_rules,
)
from athenan.rules.game import Game, GameError, State
from athenan.rules.kernels import SIGNATURES, TERMINAL_VALUE, Rules, by_address
from athenan.rules.memory import load64, scratch, store64
from athenan.rules.randomness import MOST_OUTCOMES, draw
from athenan.rules.state import CHANCE, ONGOING, copy_state, hash_state, same_state
from athenan.rules.terminal import Gain, TerminalValue

MOST_ACTIONS = 4096
"""Most actions in a state of a game that can be determinized: kernels have room for no more."""
MOST_BYTES = 4096
"""Most bytes of a state of such a game."""

_HEURISTIC = OWN
"""The index in the parameters of the address of the terminal evaluation."""
_SEED = 8  # bytes
_ROOM = MOST_BYTES + _SEED
_terminal_value = by_address(TERMINAL_VALUE)


@helper
def _is_jumped(params, state):
    """Whether chance is to move in a state of the stochastic game."""
    return state[0] == CHANCE and outcome_by_rules(params, state) == ONGOING


@helper
def _drawn(params, state, seed):
    """d(c) as an action of the state c."""
    actions, probabilities = scratch(MOST_ACTIONS, np.int32), scratch(MOST_OUTCOMES, np.float64)
    count = actions_by_rules(params, state, actions)
    probabilities_by_rules(params, state, probabilities)
    random = scratch(1, np.uint64)
    random[0] = hash_state(state, seed)
    return np.int64(actions[draw(probabilities, count, random)])


@helper
def _jump(params, state):
    """Moves on to d(c) from a state c, in place; leaves other states alone."""
    size = params[SIZE]
    if _is_jumped(params, state[:size]):
        before = scratch(MOST_BYTES, np.int8)[:size]
        copy_state(state[:size], before)
        play_by_rules(params, before, _drawn(params, before, load64(state, size)), state)


@kernel(types.void(PARAMS, types.uint64, STATE))
def _begin(params, seed, state):
    """Writes the initial state of the game of a seed."""
    initial_by_rules(params, state)
    store64(state, params[SIZE], seed)
    _jump(params, state)


@kernel(SIGNATURES["initial"])
def initial(params, state):
    _begin(params, np.uint64(0), state)


@kernel(SIGNATURES["play"])
def play(params, state, action, following):
    play_by_rules(params, state, action, following)
    store64(following, params[SIZE], load64(state, params[SIZE]))
    _jump(params, following)


@kernel(TERMINAL_VALUE)
def _value(rules, state, outcome, constants):
    """The terminal evaluation of the stochastic game, given that game's rules and states."""
    params = rules.params
    stochastic = Rules(
        params[0], params[1], params[2], params[3], params[4], params[5], params[6], params[7], params[8],
        params[9], params[10], params[FIRST:],
    )  # fmt: skip
    return _terminal_value(params[_HEURISTIC], (stochastic, state[: params[SIZE]], outcome, constants))


@dataclass(frozen=True, eq=False)
class _Stripped:
    """A terminal evaluation of the stochastic game for states of the deterministic ones."""

    constants: NDArray[np.float64]
    scale: float

    @property
    def address(self) -> int:
        return _value.address


@dataclass(frozen=True, eq=False)
class Determinization:
    """The deterministic games of a stochastic game.

    >>> from athenan import make
    >>> pig = Determinization(make("pig:10,length=20"))
    >>> state = pig.begin(seed=3)
    >>> pig.game.stochastic, np.array_equal(pig.game.play(state, 0), pig.game.play(state, 0))
    (False, True)
    """

    stochastic: Game
    terminal: TerminalValue = field(default_factory=Gain)
    """A terminal evaluation of the stochastic game."""

    def __post_init__(self) -> None:
        """Raises GameError if the game has no chance, one player, states that are too large, or too many actions."""
        game = self.stochastic
        if not game.stochastic:
            raise GameError(f"{game.name} cannot be determinized: it has no chance")
        if game.players != 2:
            raise GameError(f"determinization is for two players, and {game.name} has one")
        if game.max_actions > MOST_ACTIONS or game.state_size > MOST_BYTES:
            raise GameError(f"{game.name} is too large to be determinized")

    @cached_property
    def game(self) -> Game:
        """The rules of all deterministic games. `initial` gives the initial state of seed 0, `begin` of any seed."""
        kernels = {"initial": initial, "play": play, "probabilities": None}
        return extended(self.stochastic, _SEED, kernels, self.terminal.address)

    @cached_property
    def value(self) -> TerminalValue:
        """The terminal evaluation for the deterministic games."""
        return _Stripped(self.terminal.constants, self.terminal.scale)

    def begin(self, seed: int) -> State:
        """The initial state of the game of a seed in [0, 2^64)."""
        state = np.zeros(self.game.state_size, np.int8)
        _begin(self.game.params, np.uint64(seed), state)
        return state

    def seed(self, state: State) -> int:
        """The seed of a state's game."""
        return int(state[self.stochastic.state_size :].view(np.uint64)[0])

    def strip(self, states: State) -> State:
        """The states of the stochastic game; int8[..., bytes]."""
        return np.ascontiguousarray(states[..., : self.stochastic.state_size])

    def outcome(self, seed: int, state: State) -> int:
        """d(c) in the game of a seed, as an action; c is a state of the stochastic game where chance is to move."""
        return int(_drawn_outcome(self.game.params, state, np.uint64(seed)))

    def replayed(self, seed: int, actions: list[int]) -> list[int]:
        """The actions of a match in the game of a seed, including the jumped outcomes."""
        game = self.stochastic
        state, left, played = game.initial(), list(actions), list[int]()
        while left or (game.player(state) == CHANCE and game.outcome(state) is None):
            jumped = game.player(state) == CHANCE
            played.append(self.outcome(seed, state) if jumped else left.pop(0))
            state = game.play(state, played[-1])
        return played

    def jumped(self, states: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
        """The chance states c between states s and s' of one match (001: C_d), and the index of s' in `states`.

        If d(c) of an initial state c is among the states, that c is included (D_d^i). `states` is int8[n, bytes] of the
        deterministic game. The result is int8[m, bytes] of the stochastic game, each state once, and int64[m].
        """
        room, index = max(16, len(states)), np.full(_places(len(states)), -1)
        if not len(states):
            return np.zeros((0, self.stochastic.state_size), np.int8), np.zeros(0, np.int64)
        _enter_all(states, index)
        while True:
            chances, children = np.empty((room, states.shape[1]), np.int8), np.empty(room, np.int64)
            found = np.full(_places(room), -1)
            count = _jumps(self.game.params, states, index, chances, children, found)
            if count >= 0:
                return self.strip(chances[:count]), children[:count]
            room *= 2


@kernel(types.int64(PARAMS, STATE, types.uint64))
def _drawn_outcome(params, state, seed):
    return _drawn(params, state, seed)


def _places(count: int) -> int:
    """The number of places of an index of `count` states: a power of two, at least twice the count."""
    return 1 << max(1, 2 * count).bit_length()


@helper
def _place(states, index, state):
    """The place of a state in an index: the place of an equal state, or else the free place for it."""
    mask = len(index) - 1
    place = np.int64(hash_state(state, np.uint64(0))) & mask
    while index[place] >= 0 and not same_state(states[index[place]], state):
        place = (place + 1) & mask
    return place


@kernel(types.void(STATES, NUMBERS))
def _enter_all(states, index):
    """Enters states into an empty index, keeping the last of equal states."""
    for number in range(len(states)):
        index[_place(states, index, states[number])] = number


@helper
def _note(params, states, index, chances, children, found, count, state):
    """Notes the state at chances[count], with the seed, if it is jumped to one of `states`; returns the new count.

    The state is a state of the stochastic game.
    """
    size = params[SIZE]
    if not _is_jumped(params, state[:size]):
        return count
    following = scratch(_ROOM, np.int8)[: size + _SEED]
    copy_state(state, following)
    _jump(params, following)
    child, place = index[_place(states, index, following)], _place(chances, found, state)
    if child < 0 or found[place] >= 0:
        return count
    found[place] = count
    children[count] = child
    return count + 1


@kernel(types.int64(PARAMS, STATES, NUMBERS, STATES, NUMBERS, NUMBERS))
def _jumps(params, states, index, chances, children, found):
    """Writes the chance states between `states` and at the beginning, with their children; -1 if there are too many."""
    size, count, actions = params[SIZE], 0, scratch(MOST_ACTIONS, np.int32)
    seed = load64(states[0], size)
    initial_by_rules(params, chances[0])
    store64(chances[0], size, seed)
    count = _note(params, states, index, chances, children, found, count, chances[0])
    for number in range(len(states)):
        state = states[number]
        for position in range(actions_by_rules(params, state, actions)):
            if count == len(chances):
                return -1
            play_by_rules(params, state, np.int64(actions[position]), chances[count])
            store64(chances[count], size, seed)
            count = _note(params, states, index, chances, children, found, count, chances[count])
    return count
