"""The compiled part of the policies of pattern networks: logits of actions, and learning steps.

`policies` says which entries an action reads. A state's codes are laid out once on boards with margins, so that the
cells around a place are found by adding numbers to its position.
"""

import numpy as np
from numba import types

from athenan.evaluation.patterns.header import HEADER, POLICY, SHAPE
from athenan.evaluation.patterns.indices import MIXING, MOST_CELLS, MOST_PLANES, code_of, read
from athenan.evaluation.patterns.inputs import inputs_of
from athenan.evaluation.patterns.policies import MOST_BOARD, MOST_ENTRIES, MOST_SHAPE
from athenan.rules.arrays import ACTION_LIST, FLOAT_ROWS, FLOATS, NUMBERS, PLANES, array_of
from athenan.rules.compiler import helper, kernel
from athenan.rules.kernels import RULES
from athenan.rules.memory import record_at, scratch

_SHAPE_SIZE = SHAPE.itemsize // 8
WEIGHT, NET, TOTAL, WAITING = range(4)
"""What learning keeps for each entry: the weight, the sums of its changes and of their sizes, and the change that the
state just learnt asks for, 0 between states."""
LEGAL, ENTRY_ROWS = array_of(np.bool_, 2), array_of(np.int64, 2)


@helper
def _policy_of(numbers):
    return record_at(numbers, record_at(numbers, 0, HEADER).policy, POLICY)


@helper
def lay_out(numbers, view, masks, boards):
    """Writes the codes of all cells, from 1 on, on boards with margins of 0."""
    policy, cells = _policy_of(numbers), record_at(numbers, 0, HEADER).cells
    for place in range(policy.board):
        boards[place] = 0
    where = numbers[policy.boards_at : policy.boards_at + cells]
    begin = policy.sources_at + view * cells
    sources = numbers[begin : begin + cells]
    for cell in range(cells):
        if where[cell] >= 0:
            boards[np.uint64(where[cell])] = code_of(numbers, view, masks[np.uint64(sources[cell])]) + 1


@helper
def _place(numbers, view, masks, action):
    """The place of an action; for an action without a place, -1 - its entry."""
    header, policy = record_at(numbers, 0, HEADER), _policy_of(numbers)
    place = numbers[policy.actions_at + view * policy.actions + action]
    if place < 0 or policy.above_at == 0:
        return place
    filled = np.uint32((1 << header.local) - 1)
    cell = place % policy.places
    first, above = cell, numbers[policy.above_at + cell]
    sources = policy.sources_at + view * header.cells
    while above >= 0 and masks[numbers[sources + cell]] & filled != 0:
        cell, above = above, numbers[policy.above_at + above]
    return place - first + cell


@helper
def write_entries(numbers, place, boards, codes, entries):
    """Writes the entries that an action with this place reads; returns how many there are.

    `codes` is room for the codes of a shape.
    """
    policy = _policy_of(numbers)
    if place < 0:
        entries[0] = -1 - place
        return 1
    plane, cell = place // policy.places, place % policy.places
    entries[0] = numbers[policy.own_at + place]
    centre = numbers[policy.centres_at + cell]
    kinds = policy.kinds_at + 2 * plane
    first, last = numbers[kinds], numbers[kinds + 1]
    for number in range(first, last):
        shape = record_at(numbers, policy.shapes_at + _SHAPE_SIZE * number, SHAPE)
        size = shape.size
        cells = numbers[shape.cells_at : shape.cells_at + size]
        for at in range(size):
            codes[at] = boards[np.uint64(centre + cells[at])]
        least = np.int64(0x7FFFFFFFFFFFFFFF)
        for order in range(shape.orders):
            factors = numbers[shape.factors_at + order * size : shape.factors_at + (order + 1) * size]
            index = np.int64(0)
            for at in range(size):
                index += factors[at] * codes[at]
            least = min(least, index)
        mixed = (np.uint64(least) * MIXING) >> np.uint64(policy.shift)
        entries[1 + number - first] = shape.first + np.int64(mixed)
    return 1 + last - first


@helper
def _logit(weights, begin, entries, count):
    total = np.float32(0)
    for number in range(count):
        total += weights[np.uint64(begin + entries[number])]
    return total


@helper
def write_logits(numbers, weights, table, view, masks, actions, logits):
    """Writes the logit of each of these actions of a state at its number."""
    boards, codes = scratch(MOST_BOARD, np.int64), scratch(MOST_SHAPE, np.int64)
    entries, policy = scratch(MOST_ENTRIES, np.int64), _policy_of(numbers)
    lay_out(numbers, view, masks, boards)
    begin = policy.rows_at + table * policy.stride
    for number in range(len(actions)):
        action = actions[number]
        count = write_entries(numbers, _place(numbers, view, masks, action), boards, codes, entries)
        logits[action] = _logit(weights, begin, entries, count)


@kernel(types.void(RULES, PLANES, NUMBERS, FLOATS, ACTION_LIST, FLOAT_ROWS))
def logits_of_planes(rules, batch, numbers, weights, actions, logits):
    """The logits of these actions in encoded states, int8[n, planes * rows * columns], legal or not."""
    masks, inputs = scratch(MOST_CELLS, np.uint32), scratch(MOST_PLANES, np.int8)
    for row in range(batch.shape[0]):
        table, view = read(inputs_of(rules, numbers, batch[row], inputs), numbers, masks)
        write_logits(numbers, weights, table, view, masks, actions, logits[row])


@helper
def _write_shares(logits, count):
    """Turns logits into their softmax; returns the logarithm of the sum of their exponentials."""
    most, total = np.float32(-np.inf), np.float32(0)
    for number in range(count):
        most = max(most, logits[number])
    for number in range(count):
        logits[number] = np.exp(logits[number] - most)
        total += logits[number]
    for number in range(count):
        logits[number] /= total
    return np.float64(most) + np.log(np.float64(total))


@kernel(types.float64(RULES, PLANES, LEGAL, FLOAT_ROWS, NUMBERS, FLOAT_ROWS, ENTRY_ROWS, FLOATS, types.float64))
def policy_steps(rules, batch, legal, targets, numbers, learnt, entries, shares, rate):
    """Learns the policies of encoded states one by one, by cross-entropy; returns the sum of cross-entropies before.

    `legal` (bool[n, actions]) are the legal actions, `targets` (float32[n, actions]) their probabilities; a state
    without any is left out. `entries` and `shares` are room for the entries and the logits of all legal actions. Each
    action moves each of the entries that it reads by `rate` times the difference between its probability and its share,
    divided by their number. An entry that several actions read takes the sum of what they ask for, once. Its own rate
    follows from temporal coherence, as for the weights of values (`kernels.pattern_steps`).
    """
    masks, inputs = scratch(MOST_CELLS, np.uint32), scratch(MOST_PLANES, np.int8)
    boards, codes = scratch(MOST_BOARD, np.int64), scratch(MOST_SHAPE, np.int64)
    policy, entropy = _policy_of(numbers), 0.0
    for row in range(batch.shape[0]):
        wanted, whole = targets[row], np.float32(0)
        for action in range(len(wanted)):
            whole += wanted[action]
        if whole <= 0:
            continue
        table, view = read(inputs_of(rules, numbers, batch[row], inputs), numbers, masks)
        lay_out(numbers, view, masks, boards)
        begin, count = table * policy.stride, 0
        for action in range(len(wanted)):
            if legal[row, action]:
                own, total = entries[count], np.float32(0)
                own[0] = write_entries(numbers, _place(numbers, view, masks, action), boards, codes, own[1:])
                for number in range(1, own[0] + 1):
                    own[number] += begin
                    total += learnt[np.uint64(own[number]), WEIGHT]
                shares[count] = total
                entropy -= wanted[action] * np.float64(total)
                count += 1
        entropy += whole * _write_shares(shares, count)
        count = 0
        for action in range(len(wanted)):
            if legal[row, action]:
                own = entries[count]
                change = np.float32(rate * (wanted[action] / whole - shares[count]) / own[0])
                for number in range(1, own[0] + 1):
                    learnt[np.uint64(own[number]), WAITING] += change
                count += 1
        for place in range(count):
            own = entries[place]
            for number in range(1, own[0] + 1):
                _learn(learnt[np.uint64(own[number])])
    return entropy


@helper
def _learn(entry):
    """Changes an entry by what waits for it, as far as its changes agree."""
    change = entry[WAITING]
    if change != 0:
        net, sizes = entry[NET], entry[TOTAL]
        coherence = np.sqrt(abs(net) / sizes) if sizes > 0 else np.float32(1)
        entry[WEIGHT] += coherence * change
        entry[NET] = net + change
        entry[TOTAL] = sizes + abs(change)
        entry[WAITING] = 0


@kernel(types.int64(FLOAT_ROWS, FLOATS, types.float64))
def publish_policy(learnt, weights, share):
    """Moves the entries that play towards those that are learnt by this share of the way.

    Returns how many are not finite.
    """
    wrong = 0
    for number in range(len(learnt)):
        weights[number] += np.float32(share) * (learnt[number, WEIGHT] - weights[number])
        wrong += not np.isfinite(learnt[number, WEIGHT])
    return wrong
