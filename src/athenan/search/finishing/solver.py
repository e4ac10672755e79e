"""Exact solving in compiled code: compares the value of a state under perfect play with a threshold.

This is alpha-beta with a window of one point, so a frame of the stack needs no window of its own. A state ends as soon
as it is known on which side of the threshold its value is. The table keeps the bound that was found, fail-soft. The
actions after which the opponent has few actions come first, and with a network those that it likes. The best action
that the table knows comes before all. `go_on` pauses after some states, so that the caller may watch the time.
"""

import numpy as np
from numba import types

from athenan.rules import calls
from athenan.rules.arrays import STATE
from athenan.rules.compiler import helper, kernel
from athenan.rules.endings import ENDING, REMAINING
from athenan.rules.kernels import RULES, by_address
from athenan.rules.leaf import call_leaf, keep_finite
from athenan.rules.state import ONGOING, copy_state, length, same_state, sign
from athenan.search.finishing.stack import HEIGHT, LEAST, MOST, NODES, RESULT, STACK, THRESHOLD
from athenan.search.trees.forest import state_key

_KNOWN, _OVER = 2e6, 1e6
"""The ranks of the best action by the table, and of actions that end the match."""
_remaining, _ending = by_address(REMAINING), by_address(ENDING)


@kernel(types.int64(types.int64, types.int64, RULES, STATE))
def most_remaining(address, longest, rules, state):
    """The most actions that remain, by the `REMAINING` kernel at this address, or else by the longest match."""
    return _remaining(address, (rules.params, state)) if address else longest - length(state)


@helper
def _points(stack, state, outcome):
    """The value of a finished match."""
    return calls.score(stack.rules, state) if stack.by_score else outcome


@helper
def _find(stack, state, key):
    """The place of a state in the table, and whether the table has it."""
    place = np.int64(key & np.uint64(len(stack.bounds) - 1))
    return place, stack.bounds[place].used != 0 and same_state(stack.bounded[place], state)


@helper
def _decides(stack, bound):
    """Whether a bound shows on which side of the threshold a value is; if so, that is the result."""
    threshold = stack.counts[THRESHOLD]
    if bound.lower > threshold:
        stack.counts[RESULT] = bound.lower
        return True
    if bound.upper <= threshold:
        stack.counts[RESULT] = bound.upper
        return True
    return False


@helper
def _solve_at_once(stack, state):
    """Gives the result to the game's own kernel."""
    threshold = stack.counts[THRESHOLD]
    params = stack.rules.params
    found = _ending(stack.ending, (params, state, threshold, threshold + 1, stack.addresses, stack.room, stack.counts))
    stack.counts[RESULT] = found if stack.by_score else (found > 0) - (found < 0)


@helper
def _list_actions(stack, height):
    """Lists the actions of a frame with their ranks; returns whether an action already decides by the table."""
    rules, leaf, frame = stack.rules, stack.leaf, stack.frames[height]
    state, following = stack.states[height], stack.states[height + 1]
    actions, ranks, side = stack.actions[height], stack.ranks[height], sign(state[0])
    frame.actions = calls.actions(rules, state, actions)
    asked = 0
    for number in range(frame.actions):
        calls.play(rules, state, actions[number], following)
        outcome = calls.outcome(rules, following)
        if outcome != ONGOING:
            ranks[number] = _OVER + side * _points(stack, following, outcome)
            continue
        place, known = _find(stack, following, state_key(following))
        if known and _decides(stack, stack.bounds[place]):
            found = stack.counts[RESULT]
            if (found > stack.counts[THRESHOLD]) == (side > 0):
                frame.best, frame.action = found, actions[number]
                return True
        ranks[number] = 0.0
        if following[0] != state[0]:
            ranks[number] = -stack.reply * calls.actions(rules, following, stack.actions[height + 1])
        if leaf.address:
            copy_state(following, leaf.states[asked])
            asked += 1
    if asked:
        values = leaf.values[:asked]
        call_leaf(leaf.address, (rules, state, leaf.states[:asked], leaf.numbers, leaf.weights, values))
        keep_finite(values, leaf.counts)
        asked = 0
        for number in range(frame.actions):
            if ranks[number] < _OVER / 2:
                ranks[number] += side * values[asked]
                asked += 1
    return False


@helper
def _begin(stack, height):
    """Begins the state of the top frame; returns whether its result is known at once."""
    state, frame = stack.states[height], stack.frames[height]
    stack.counts[NODES] += 1
    if stack.ending and height > 0 and _remaining(stack.remaining, (stack.rules.params, state)) <= stack.from_remaining:
        _solve_at_once(stack, state)
        return True
    frame.key = state_key(state)
    frame.position, frame.best, frame.action = 0, LEAST * sign(state[0]), -1
    place, known = _find(stack, state, frame.key)
    if known and height > 0 and _decides(stack, stack.bounds[place]):
        return True
    first = stack.bounds[place].action if known else -1
    if _list_actions(stack, height):
        return False
    for number in range(frame.actions):
        if stack.actions[height, number] == first:
            stack.ranks[height, number] = _KNOWN
    return False


@helper
def _keep(stack, height):
    """Keeps the bound that was found for the state of the top frame, which is the result."""
    frame, threshold = stack.frames[height], stack.counts[THRESHOLD]
    place, known = _find(stack, stack.states[height], frame.key)
    bound = stack.bounds[place]
    if not known:
        copy_state(stack.states[height], stack.bounded[place])
        bound.lower, bound.upper, bound.used = LEAST, MOST, 1
    if frame.best > threshold:
        bound.lower = max(bound.lower, frame.best)
    else:
        bound.upper = min(bound.upper, frame.best)
    bound.action = frame.action
    stack.counts[RESULT] = frame.best


@helper
def _is_decided(stack, height):
    """Whether the top frame's actions were all searched, or one of them is good enough for the side to move."""
    frame = stack.frames[height]
    if frame.position == frame.actions:
        return True
    above = frame.best > stack.counts[THRESHOLD]
    return frame.action >= 0 and above == (sign(stack.states[height, 0]) > 0)


@helper
def _offer(stack, height, action, found):
    """Gives a frame the value of an action."""
    frame, side = stack.frames[height], sign(stack.states[height, 0])
    if side * found > side * frame.best:
        frame.best, frame.action = found, action


@helper
def _take_next(stack, height):
    """The most promising action of a frame that was not yet searched."""
    frame, actions, ranks = stack.frames[height], stack.actions[height], stack.ranks[height]
    best, place = frame.position, frame.position
    for number in range(place + 1, frame.actions):
        if ranks[number] > ranks[best]:
            best = number
    actions[place], actions[best] = actions[best], actions[place]
    ranks[place], ranks[best] = ranks[best], ranks[place]
    frame.position += 1
    return np.int64(actions[place])


@helper
def _step(stack, height):
    """Searches the next action of a frame: a finished match has its value, another state becomes the top frame."""
    action, following = _take_next(stack, height), stack.states[height + 1]
    calls.play(stack.rules, stack.states[height], action, following)
    outcome = calls.outcome(stack.rules, following)
    if outcome != ONGOING:
        _offer(stack, height, action, _points(stack, following, outcome))
        return
    stack.counts[HEIGHT] = height + 1
    stack.frames[height + 1].actions = 0


@kernel(types.int64(STACK, types.int64))
def go_on(stack, states):
    """Searches on; returns 1 when the value of the root is known to be above the threshold or not, 0 to pause.

    It pauses after about this number of states.
    """
    counts = stack.counts
    limit = counts[NODES] + states
    while counts[NODES] < limit:
        height = counts[HEIGHT]
        known = stack.frames[height].actions == 0 and _begin(stack, height)
        if not known:
            if not _is_decided(stack, height):
                _step(stack, height)
                continue
            _keep(stack, height)
        if height == 0:
            return 1
        counts[HEIGHT] = height - 1
        below = stack.actions[height - 1, stack.frames[height - 1].position - 1]
        _offer(stack, height - 1, below, counts[RESULT])
    return 0
