"""How compiled code finds the parts of a pattern network in one vector of whole numbers.

A network sees a state in one of two views: as it is, or, if the game declares the exchange of the players and the
second is to move, as its image, whose value is the negative. So both players' states teach the same weights.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.architectures import Patterns
from athenan.evaluation.patterns.codes import Codes, exchange_of
from athenan.evaluation.patterns.header import HEADER, numbers_of, record_in
from athenan.evaluation.patterns.policies import policy_layout
from athenan.evaluation.patterns.tuples import Tuples, combinations, source_of
from athenan.rules.colours import PlaneExchange
from athenan.rules.features import input_planes, input_symmetry
from athenan.rules.game import Game

LINE = 16
"""float32 numbers of a line of the processor's cache."""


@dataclass(frozen=True, eq=False)
class TupleLayout:
    """The numbers of a pattern network, and how many entries it has."""

    numbers: NDArray[np.int64]
    tables: int
    stride: int
    sources: NDArray[np.int64]
    """int64[2 views, cells]: the cell whose code stands at each cell."""
    policy: int = 0
    """Entries of the policy, in all tables."""

    @property
    def entries(self) -> int:
        """Entries of all tables."""
        return self.tables * self.stride


def dense_size(settings: Patterns) -> int:
    """The number of weights of the dense part: an offset for each sum, the hidden layer and its offsets, the output."""
    return settings.vector + (settings.vector + 2) * settings.hidden


def rows_at(settings: Patterns) -> int:
    """The place in the weights where vectors begin: the first cache line behind the scale and the dense part."""
    return -(-(1 + dense_size(settings)) // LINE) * LINE


def layout_of(game: Game, codes: Codes, tuples: Tuples, bounded: bool, settings: Patterns) -> TupleLayout:
    """The layout of a network."""
    count, length = len(tuples.cells), max(map(len, tuples.cells))
    cells = len(codes.varying)
    of_codes = codes.code_of.astype(np.int64)
    seen_cells, seen_codes, chosen, tables = _views(
        game, codes, exchange_of(game, settings.estimate) if settings.colours else None
    )
    sizes = codes.sizes
    most = max(combinations(sizes, one) for one in tuples.cells)
    bits = settings.entries.bit_length() - 1 if most > settings.entries else 0
    begins, stride = _begins(tuples, sizes, 1 << bits)
    where, steps = np.zeros((2, count, length), np.int64), np.zeros((count, length), np.int64)
    for number, one in enumerate(tuples.cells):
        where[0, number, : len(one)] = one
        where[1, number, : len(one)] = seen_cells[list(one)]
        steps[number, : len(one)] = np.cumprod([1, *sizes[list(one[:-1])]])
    users, uses = _uses(where, steps, cells)
    empty, fewest, most = map(int, codes.pieces)
    values: dict[str, int | NDArray[np.int64]] = {
        "size": math.prod(game.planes), "cells": cells, "places": cells // len(codes.local),
        "local": codes.local.shape[1], "shared": len(codes.shared), "bits": codes.bits,
        "tuples": count, "length": length, "stride": stride, "uses": uses.shape[1], "bounded": bounded,
        "phases": settings.phases, "empty": empty, "fewest": fewest, "spread": most - fewest + 1,
        "shift": 64 - bits if bits else 0, "vector": settings.vector, "hidden": settings.hidden,
        "rows_at": rows_at(settings),
        "local_at": codes.local, "shared_at": codes.shared, "codes_at": np.stack([of_codes, seen_codes]),
        "tables_at": chosen, "begins_at": begins, "cells_at": where.swapaxes(1, 2), "steps_at": steps.T,
        "users_at": users, "uses_at": uses, "groups_at": codes.group << codes.group_at,
    }  # fmt: skip
    if settings.estimate:
        values["estimate_at"] = (input_planes(game) - 1) * math.prod(game.planes[1:])
    if settings.estimate or max(codes.local.max(), codes.shared.max(initial=0)) >= game.planes[0]:
        values["features"] = game.features.planes * math.prod(game.planes[1:])
    if len(codes.beneath):
        values["beneath_at"] = codes.beneath
    numbers = numbers_of(HEADER, values)
    return TupleLayout(numbers, tables * settings.phases, stride, np.stack([np.arange(cells), seen_cells]))


def with_policy(game: Game, codes: Codes, layout: TupleLayout, rows_at: int) -> TupleLayout:
    """The layout of a network that also gives a policy, whose entries begin at `rows_at` in the weights."""
    base, actions = len(layout.numbers), np.tile(np.arange(game.action_count), (2, 1))
    if (exchange := exchange_of(game)) is not None:
        actions[1] = exchange.actions
    policy = policy_layout(game, codes, layout.tables, layout.sources, actions, base, rows_at)
    numbers = np.concatenate([layout.numbers, policy.numbers])
    record_in(numbers, HEADER)["policy"] = base
    return replace(layout, numbers=numbers, policy=layout.tables * policy.stride)


def _views(
    game: Game, codes: Codes, exchange: PlaneExchange | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]:
    """The cell whose code stands at each cell in the second view, and the codes there; then the table and view of each
    number of shared planes, int[2^shared, 2], and how many tables there are.
    """
    cells, of_table = len(codes.varying), codes.table_of.astype(np.int64)
    chosen = np.stack([of_table, np.zeros_like(of_table)], axis=1)
    source = None
    if exchange is not None and exchange.side in codes.shared:
        image = input_symmetry(game, exchange.planes, exchange=True)
        source = source_of(codes, image)
    if exchange is None or source is None:
        return np.arange(cells), codes.code_of.astype(np.int64), chosen, codes.tables
    cells_of, kinds = source
    masks = np.arange(len(codes.code_of))
    exchanged = (masks >> codes.local.shape[1]) << codes.local.shape[1]
    for of_group, begin in zip(kinds, range(0, len(masks), 1 << codes.group_at), strict=True):
        own = slice(begin, begin + (1 << codes.group_at))
        exchanged[own] += sum(((masks[own] >> int(kind)) & 1) << bit for bit, kind in enumerate(of_group) if kind >= 0)
    side = 1 << int(np.flatnonzero(codes.shared == exchange.side)[0])
    shared = np.arange(len(of_table))
    second = (shared & side) == 0
    images = _exchanged_shared(codes, image) | side
    chosen[second] = np.stack([of_table[images[second]], np.ones(second.sum(), np.int64)], axis=1)
    used, chosen[:, 0] = np.unique(chosen[:, 0], return_inverse=True)
    return cells_of, codes.code_of[exchanged].astype(np.int64), chosen, len(used)


def _exchanged_shared(codes: Codes, image: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of the image of each number of shared planes, int64[2^shared], except for the side to move."""
    places = len(codes.varying) // len(codes.local)
    sources = image[::places] // places
    bit_of = {int(plane): bit for bit, plane in enumerate(codes.shared)}
    numbers = np.arange(len(codes.table_of))
    found = np.zeros_like(numbers)
    for plane, bit in bit_of.items():
        found |= ((numbers >> bit_of.get(int(sources[plane]), bit)) & 1) << bit
    return found


def _begins(tuples: Tuples, sizes: NDArray[np.int64], hashed: int) -> tuple[NDArray[np.int64], int]:
    """Where the entries of each tuple's family begin in a table, and how many entries a table has.

    `hashed` is the number of entries of each family if indices are hashed, else 1.
    """
    begins, stride, family = np.zeros(len(tuples.cells), np.int64), 0, -1
    for number, cells in enumerate(tuples.cells):
        if tuples.family[number] != family:
            family, begin = tuples.family[number], stride
            stride += hashed if hashed > 1 else combinations(sizes, cells)
        begins[number] = begin
    return begins, stride


def _uses(
    where: NDArray[np.int64], steps: NDArray[np.int64], cells: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the uses of each cell begin in both views, and the uses: the tuple, and what the code counts there."""
    most = int((steps > 0).sum())
    users, uses = np.zeros((2, cells + 1), np.int64), np.zeros((2, most, 2), np.int64)
    for view in range(2):
        found = [
            (int(cell), number, int(step))
            for number in range(len(steps))
            for cell, step in zip(where[view, number], steps[number], strict=True)
            if step
        ]
        found.sort()
        uses[view] = [(number, step) for _, number, step in found]
        users[view] = np.searchsorted([cell for cell, _, _ in found], np.arange(cells + 1))
    return users, uses
