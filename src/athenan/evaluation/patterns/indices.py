"""Which weights a state reads: the codes of its cells, its table, and the index of each tuple, in compiled code."""

import numpy as np

from athenan.evaluation.patterns.header import HEADER
from athenan.rules.compiler import helper
from athenan.rules.memory import record_at

MOST_PLANES, MOST_CELLS, MOST_TUPLES = 16_384, 1_024, 8_192
"""Numbers of an encoded state, cells and tuples for which there is room on the machine's stack."""
# Compiled code looks whether an index is negative, and then counts from the end, unless it counts up from 0 or is
# unsigned. So the hot loops go over slices, and numbers that were looked up become unsigned before they are indices.

MIXING = np.uint64(0x9E3779B97F4A7C15)
"""The factor of Fibonacci hashing."""
SEEN = 4 * MOST_TUPLES
"""Numbers that `keep_distinct` needs."""
_LEAST_SEEN = 64


@helper
def read(planes, numbers, masks):
    """Writes the bits of each cell; returns the table of the state, and its view."""
    header = record_at(numbers, 0, HEADER)
    places, local = header.places, header.local
    for layer in range(header.cells // places):
        of_layer = masks[layer * places : (layer + 1) * places]
        group, kinds = np.uint32(numbers[header.groups_at + layer]), header.local_at + layer * local
        plane = planes[numbers[kinds] * places : (numbers[kinds] + 1) * places]
        for cell in range(places):
            of_layer[cell] = group | np.uint32(plane[cell] != 0)
        for bit in range(1, local):
            kind = numbers[kinds + bit]
            if kind >= 0:
                plane = planes[kind * places : (kind + 1) * places]
                for cell in range(places):
                    of_layer[cell] |= np.uint32(plane[cell] != 0) << np.uint32(bit)
    phase = _phase(numbers, masks)
    if header.beneath_at:
        _mark_next(numbers, masks)
    shared = np.int64(0)
    for bit in range(header.shared):
        shared |= np.int64(planes[numbers[header.shared_at + bit] * places] != 0) << bit
    chosen = header.tables_at + 2 * shared
    return numbers[chosen] * header.phases + phase, numbers[chosen + 1]


@helper
def _mark_next(numbers, masks):
    """Adds a bit to the empty cells that can be filled now; features do not fill a cell."""
    header = record_at(numbers, 0, HEADER)
    local, filled = header.local, np.uint32(0)
    for bit in range(local):
        of_state = numbers[header.local_at + bit] * header.places < header.size
        filled |= np.uint32(of_state) << np.uint32(bit)
    for cell in range(header.cells):
        below = numbers[header.beneath_at + cell]
        if masks[cell] & filled == 0 and (below < 0 or masks[below] & filled != 0):
            masks[cell] |= np.uint32(1) << np.uint32(local)


@helper
def _phase(numbers, masks):
    header = record_at(numbers, 0, HEADER)
    phases = header.phases
    if phases == 1:
        return np.int64(0)
    empty, pieces = np.uint32(header.empty), np.int64(0)
    for cell in range(header.cells):
        pieces += masks[cell] != empty
    return max(np.int64(0), min(phases - 1, (pieces - header.fewest) * phases // header.spread))


@helper
def code_of(numbers, view, mask):
    header = record_at(numbers, 0, HEADER)
    return numbers[header.codes_at + (view << header.bits) + mask]


@helper
def write_indices(numbers, view, masks, codes, indices):
    """Writes the index of each tuple: the position of its weight in a table, or what is hashed to it.

    `codes` is room for a code of each cell.
    """
    header = record_at(numbers, 0, HEADER)
    for cell in range(header.cells):
        codes[cell] = code_of(numbers, view, masks[cell])
    tuples, length = header.tuples, header.length
    if header.shift:
        for number in range(tuples):
            indices[number] = 0
    else:
        begins = numbers[header.begins_at : header.begins_at + tuples]
        for number in range(tuples):
            indices[number] = begins[number]
    for place in range(length):
        begin = place * tuples
        steps = numbers[header.steps_at + begin : header.steps_at + begin + tuples]
        begin += header.cells_at + view * tuples * length
        cells = numbers[begin : begin + tuples]
        for number in range(tuples):
            indices[number] += steps[number] * codes[np.uint64(cells[number])]


@helper
def _uses_of(numbers, view, cell):
    """Where the uses of a cell begin and end: alternately the tuple, and what the cell's code counts there."""
    header = record_at(numbers, 0, HEADER)
    users = header.users_at + view * (header.cells + 1) + cell
    uses = header.uses_at + view * 2 * header.uses
    return uses + 2 * numbers[users], uses + 2 * numbers[users + 1]


@helper
def change(numbers, view, before, after, indices):
    """Turns the indices of one state into the indices of another, by the cells that differ."""
    for cell in range(record_at(numbers, 0, HEADER).cells):
        if before[cell] != after[cell]:
            more = code_of(numbers, view, after[cell]) - code_of(numbers, view, before[cell])
            begin, end = _uses_of(numbers, view, cell)
            uses = numbers[begin:end]
            for use in range(0, len(uses), 2):
                indices[np.uint64(uses[use])] += more * uses[use + 1]


@helper
def change_listed(numbers, view, before, after, indices, mark, seen, listed):
    """Like `change`; also lists the tuples with changed cells, each of them once.

    Returns how many there are. `seen` says for each tuple the mark with which it was last listed. `listed` has room
    for one more than the number of tuples. A branch on whether a tuple is listed already would often be mispredicted.
    Instead, such a tuple is written behind the list.
    """
    count = np.uint64(0)
    for cell in range(record_at(numbers, 0, HEADER).cells):
        if before[cell] != after[cell]:
            more = code_of(numbers, view, after[cell]) - code_of(numbers, view, before[cell])
            if more == 0:
                continue
            begin, end = _uses_of(numbers, view, cell)
            uses = numbers[begin:end]
            for use in range(0, len(uses), 2):
                number = np.uint64(uses[use])
                indices[number] += more * uses[use + 1]
                listed[count] = number
                count += np.uint64(seen[number] != mark)
                seen[number] = mark
    return np.int64(count)


@helper
def position(numbers, number, index):
    """The position of the weight of a tuple in a table, if indices are hashed (Fibonacci hashing, Knuth)."""
    header = record_at(numbers, 0, HEADER)
    mixed = (np.uint64(index) * MIXING) >> np.uint64(header.shift)
    return numbers[header.begins_at + number] + np.int64(mixed)


@helper
def entry_of(numbers, table, number, index):
    """The number of the entry that a tuple with this index reads in a table, among the entries of all tables."""
    header = record_at(numbers, 0, HEADER)
    place = position(numbers, number, index) if header.shift else index
    return table * header.stride + place


@helper
def keep_distinct(indices, count, seen):
    """Brings each number among the first `count` once to the front, in order; returns how many there are.

    Images of a tuple share entries. A state may read the same entry hundreds of times, such as the entry of a window of
    empty cells. `seen` becomes a hash table.
    """
    room, found = _LEAST_SEEN, 0
    while room < 2 * count:
        room *= 2
    for number in range(room):
        seen[number] = -1
    for number in range(count):
        index = indices[number]
        place = np.int64(np.uint64(index) * MIXING >> np.uint64(40)) & room - 1
        while seen[place] >= 0 and seen[place] != index:
            place = place + 1 & room - 1
        if seen[place] < 0:
            seen[place] = indices[found] = index
            found += 1
    return found
