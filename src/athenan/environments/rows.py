"""What compiled code does with the rows of a batch: one state each, with all that learning code reads of it.

Every kernel takes the rows to work on as a list. `claimed` has the number of them that threads have claimed so far, and
which share of the others a thread claims next: several threads may call a kernel at once, until no rows are left. What
happens in a row depends only on that row and its own random streams, so the number of threads changes nothing.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.arrays import ACTION_LISTS, FLOAT_ROWS, NUMBERS, PLANES, STATE, STATES, array_of
from athenan.rules.atomics import load, replace
from athenan.rules.compiler import helper, kernel
from athenan.rules.kernels import RULES
from athenan.rules.randomness import random_below, random_bits, random_outcome
from athenan.rules.state import CHANCE, ONGOING, copy_state

SHOW_MASKS, SHOW_PLANES, DRAWS, RESETS, BY_SCORE = 1, 2, 4, 8, 16
"""What is done in each row: masks and planes are written, chance is drawn, a finished match is followed by a new one,
the reward is the score of a single player."""
WRONG = 2
"""The place in `claimed` of what `check_rows` finds."""
LEAST = 16
"""Rows that a thread claims at once, at least, if as many are left."""
ROOM_BETWEEN = 64
"""Bytes of a line of the cache: several threads that write the same line would wait for each other."""
_SAMPLES = 1
"""The stream of sampled actions; chance has the first one."""


class Rows(NamedTuple):
    """The buffers of a batch of n states."""

    states: NDArray[np.int8]
    """int8[n, state size]"""
    rooms: NDArray[np.int8]
    """int8[n / `LEAST`, state size and `ROOM_BETWEEN`]: room for the next state, one for each piece of work, so that
    it stays in the processor's cache"""
    final_states: NDArray[np.int8]
    """int8[n, state size]: the last state of the match that each row finished last"""
    legal: NDArray[np.int32]
    """int32[n, max_actions]: the legal actions of each state"""
    counts: NDArray[np.int64]
    """int64[n]: how many these are; 0 after the end of a match"""
    masks: NDArray[np.int8]
    """int8[n, actions]: 1 for legal actions"""
    planes: NDArray[np.int8]
    """int8[n, planes * rows * columns]"""
    final_planes: NDArray[np.int8]
    """int8[n, planes * rows * columns]: the planes of the final states"""
    rewards: NDArray[np.float32]
    """float32[n, players]"""
    ends: NDArray[np.int8]
    """int8[n]: 1 if the last step ended the match"""
    players: NDArray[np.int8]
    """int8[n]: the side to move"""
    random: NDArray[np.uint64]
    """uint64[n, 2]: the streams of chance and of sampled actions"""


ROWS = types.NamedTuple(
    [
        STATES, STATES, STATES, ACTION_LISTS, NUMBERS, PLANES, PLANES, PLANES, FLOAT_ROWS, STATE, STATE,
        array_of(np.uint64, 2),
    ],
    Rows,
)  # fmt: skip


@helper
def claim(claimed, count):
    """The first of the next positions below `count` that this thread has claimed, and the one behind them.

    Claims are a share of what is left, so that threads write far from each other at first, and end at the same time.
    """
    while True:
        begin = load(claimed, 0)
        if begin >= count:
            return count, count
        end = min(count, begin + max(LEAST, (count - begin) // load(claimed, 1)))
        if replace(claimed, 0, begin, end):
            return begin, end


@helper
def _is_legal(rows, row, action):
    """Whether an action is legal in a row; in a row whose match is over, any is."""
    count, found = rows.counts[row], False
    for number in range(count):
        found |= rows.legal[row, number] == action
    return found or not count


@kernel(types.void(ROWS, NUMBERS, NUMBERS, NUMBERS))
def check_rows(rows, claimed, selected, actions):
    """Lowers claimed[`WRONG`] to the first position of an action that is not legal in its row."""
    begin, end = claim(claimed, len(selected))
    while begin < end:
        for position in range(begin, end):
            if not _is_legal(rows, selected[position], actions[position]):
                first = load(claimed, WRONG)
                while position < first and not replace(claimed, WRONG, first, position):
                    first = load(claimed, WRONG)
        begin, end = claim(claimed, len(selected))


@helper
def _draw_chance(rules, rows, row, room, outcome):
    """Draws in a row while chance is to move; returns the outcome of the state, which may be final."""
    state = rows.states[row]
    while outcome == ONGOING and state[0] == CHANCE:
        count = calls.actions(rules, state, rows.legal[row])
        drawn = random_outcome(rules, state, count, rows.random[row])
        calls.play(rules, state, np.int64(rows.legal[row, drawn]), room)
        copy_state(room, state)
        outcome = calls.outcome(rules, state)
    return outcome


@helper
def _begin(rules, rows, row, room, options):
    """Puts an initial state into a row; returns its outcome."""
    state = rows.states[row]
    calls.initial(rules, state)
    outcome = calls.outcome(rules, state)
    return _draw_chance(rules, rows, row, room, outcome) if options & DRAWS else outcome


@helper
def _show(rules, rows, row, outcome, options):
    """Writes what is seen of a row's state."""
    state = rows.states[row]
    count = calls.actions(rules, state, rows.legal[row]) if outcome == ONGOING else 0
    rows.counts[row], rows.players[row] = count, state[0]
    if options & SHOW_MASKS:
        mask, legal = rows.masks[row], rows.legal[row]
        for action in range(len(mask)):
            mask[action] = 0
        for number in range(count):
            mask[legal[number]] = 1
    if options & SHOW_PLANES:
        calls.encode(rules, state, rows.planes[row])


@helper
def _end(rules, rows, row, outcome, options):
    """Keeps the last state of a match and writes the rewards."""
    state = rows.states[row]
    copy_state(state, rows.final_states[row])
    if options & BY_SCORE:
        rows.rewards[row, 0] = np.float32(calls.score(rules, state))
    else:
        rows.rewards[row, 0], rows.rewards[row, 1] = np.float32(outcome), np.float32(-outcome)
    rows.ends[row] = 1
    if options & SHOW_PLANES:
        calls.encode(rules, state, rows.final_planes[row])


@kernel(types.void(RULES, ROWS, types.int64, NUMBERS, NUMBERS, NUMBERS))
def step_rows(rules, rows, options, claimed, selected, actions):
    """Plays a legal action in each of the selected rows; a row whose match is over stays as it is."""
    begin, end = claim(claimed, len(selected))
    while begin < end:
        room = rows.rooms[begin // LEAST][: rows.states.shape[1]]
        for position in range(begin, end):
            row = selected[position]
            for player in range(rows.rewards.shape[1]):
                rows.rewards[row, player] = np.float32(0)
            if rows.counts[row] == 0:
                continue
            rows.ends[row] = 0
            state = rows.states[row]
            calls.play(rules, state, actions[position], room)
            copy_state(room, state)
            outcome = calls.outcome(rules, state)
            if options & DRAWS:
                outcome = _draw_chance(rules, rows, row, room, outcome)
            if outcome != ONGOING:
                _end(rules, rows, row, outcome, options)
                if options & RESETS:
                    outcome = _begin(rules, rows, row, room, options)
            _show(rules, rows, row, outcome, options)
        begin, end = claim(claimed, len(selected))


@kernel(types.void(RULES, ROWS, types.int64, NUMBERS, NUMBERS))
def reset_rows(rules, rows, options, claimed, selected):
    """Begins a match in each of the selected rows."""
    begin, end = claim(claimed, len(selected))
    while begin < end:
        room = rows.rooms[begin // LEAST][: rows.states.shape[1]]
        for position in range(begin, end):
            row = selected[position]
            _clear(rows, row)
            _show(rules, rows, row, _begin(rules, rows, row, room, options), options)
        begin, end = claim(claimed, len(selected))


@kernel(types.void(RULES, ROWS, types.int64, NUMBERS, NUMBERS, STATES))
def put_rows(rules, rows, options, claimed, selected, states):
    """Puts states into the selected rows, one after the other; a final state ends the match of its row."""
    begin, end = claim(claimed, len(selected))
    while begin < end:
        room = rows.rooms[begin // LEAST][: rows.states.shape[1]]
        for position in range(begin, end):
            row = selected[position]
            _clear(rows, row)
            copy_state(states[position], rows.states[row])
            outcome = calls.outcome(rules, rows.states[row])
            if options & DRAWS:
                outcome = _draw_chance(rules, rows, row, room, outcome)
            if outcome != ONGOING:
                _end(rules, rows, row, outcome, options)
            _show(rules, rows, row, outcome, options)
        begin, end = claim(claimed, len(selected))


@helper
def _clear(rows, row):
    """Forgets the result of the last step of a row."""
    rows.ends[row] = 0
    for player in range(rows.rewards.shape[1]):
        rows.rewards[row, player] = np.float32(0)


@kernel(types.void(RULES, ROWS, NUMBERS, NUMBERS, NUMBERS))
def sample_rows(rules, rows, claimed, selected, actions):
    """Draws a legal action in each of the selected rows: each equally likely, outcomes of chance by their probability.

    The action is 0 in a row whose match is over.
    """
    begin, end = claim(claimed, len(selected))
    while begin < end:
        for position in range(begin, end):
            row = selected[position]
            count, number = rows.counts[row], np.int64(0)
            if count and rows.players[row] == CHANCE:
                number = random_outcome(rules, rows.states[row], count, rows.random[row][_SAMPLES:])
            elif count:
                number = random_below(rows.random[row], _SAMPLES, count)
            actions[position] = rows.legal[row, number] if count else 0
        begin, end = claim(claimed, len(selected))


@kernel(types.void(ROWS, NUMBERS, array_of(np.uint64)))
def seed_rows(rows, selected, seeds):
    """Begins the random streams of each selected row anew, by its own seed."""
    for position in range(len(selected)):
        for stream in range(rows.random.shape[1]):
            rows.random[selected[position], stream] = random_bits(seeds[position], stream)


@kernel(types.void(STATES, NUMBERS, STATES))
def take_states(states, selected, taken):
    """Copies the states of the selected rows."""
    for position in range(len(selected)):
        copy_state(states[selected[position]], taken[position])
