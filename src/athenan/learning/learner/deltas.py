"""What learners in several processes tell each other: what has changed, instead of whole tables.

One process keeps the master's learner, the others have copies of it that learn. A copy sends a `Delta`: how the rows of
its tables changed since it last sent one, with the sums that temporal coherence keeps. The master merges it and answers
with `News`: the present rows of all that has changed since the copy's last news. Then both learn the same weights, bit
for bit. (With `averaging`, the averages of rows that have not changed lately move on with the steps of each process.)

Changes of tables are added, so that no order of exchanges loses any. A dense part, of which each step changes all,
moves by the mean of the changes of all copies, and its moments towards their mean.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.adam import AVERAGE, FIRST, SECOND, WEIGHT
from athenan.evaluation.patterns.kernels import BLOCK
from athenan.evaluation.patterns.vector_weights import VectorWeights
from athenan.evaluation.patterns.vectors import rounded
from athenan.evaluation.patterns.weights import Weights
from athenan.evaluation.shallow.weights import ShallowWeights
from athenan.learning.learner.native_learner import NativeLearner

_SUMS = 2
"""Columns of a row that follow its weights: the sums of its changes and of their sizes."""
_MOMENTS = slice(FIRST, SECOND + 1)
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ChangedRows:
    """Some rows of a table."""

    numbers: NDArray[np.int32]
    """The rows, ascending."""
    values: Floats
    """float32[rows, weights + 2]: their weights and sums, or how these have changed."""
    averages: Floats | None = None
    """float32[rows, weights]: their averages, in news of a master that averages."""

    @property
    def bytes(self) -> int:
        """The bytes of its arrays."""
        return sum(array.nbytes for array in vars(self).values() if array is not None)


@dataclass(frozen=True, eq=False)
class DensePart:
    """The dense part of a learner, or how it has changed."""

    numbers: Floats
    """float32[PARTS, weights], the rows of `evaluation.adam`; in a delta the row of weights has their changes."""
    steps: int
    """All steps of its learner."""


@dataclass(frozen=True, eq=False)
class _Changes:
    """What has changed in a learner."""

    tables: list[ChangedRows]
    dense: DensePart | None

    @property
    def bytes(self) -> int:
        """The bytes of its arrays."""
        return sum(rows.bytes for rows in self.tables) + (self.dense.numbers.nbytes if self.dense else 0)


@dataclass(frozen=True, eq=False)
class Delta(_Changes):
    """What a copy has changed since it last sent a delta."""

    steps: int
    """Minibatches that it has learnt meanwhile."""


@dataclass(frozen=True, eq=False)
class News(_Changes):
    """What has changed in the master since a copy's last news."""

    version: int
    """The version of the master that a copy has with these."""


class Copy:
    """A learner that learns apart from the master, with which it was equal when this object was made."""

    def __init__(self, learner: NativeLearner, version: int) -> None:
        """`version` is the master's at that time."""
        self.version = version
        self._tables, self._dense = [*_tables_of(learner)], _dense_of(learner)
        self._sent = [table.learnt.copy() for table in self._tables]
        self._sent_dense = self._dense.numbers[WEIGHT].copy() if self._dense else None

    def delta(self, steps: int) -> Delta:
        """What has changed since the last call, in which time so many minibatches were learnt."""
        tables = [_changed(table, sent) for table, sent in zip(self._tables, self._sent, strict=True)]
        return Delta(tables, self._changed_dense(), steps)

    def _changed_dense(self) -> DensePart | None:
        if self._dense is None or self._sent_dense is None:
            return None
        numbers = self._dense.numbers.copy()
        numbers[WEIGHT] -= self._sent_dense
        self._sent_dense[:] = self._dense.numbers[WEIGHT]
        return DensePart(numbers, int(self._dense.steps[0]))

    def take(self, news: News) -> None:
        """Becomes equal to the master, but for what was learnt here since the last delta."""
        self.version = news.version
        for table, sent, rows in zip(self._tables, self._sent, news.tables, strict=True):
            at = rows.numbers
            table.learnt[at] = rows.values + (table.learnt[at] - sent[at])
            sent[at] = rows.values
            table.play(at, rows.values[:, :-_SUMS] if rows.averages is None else rows.averages)
        if self._dense and news.dense and self._sent_dense is not None:
            unsent = self._dense.numbers[WEIGHT] - self._sent_dense
            self._sent_dense[:] = news.dense.numbers[WEIGHT]
            self._dense.numbers[:], self._dense.steps[0] = news.dense.numbers, news.dense.steps
            self._dense.numbers[WEIGHT] += unsent
            self._dense.plays[:] = self._dense.numbers[AVERAGE]


class Master:
    """The learner that merges the changes of its copies, and is saved."""

    def __init__(self, learner: NativeLearner) -> None:
        self._learner = learner
        self._tables, self._dense = [*_tables_of(learner)], _dense_of(learner)
        self.version = 0
        """Deltas merged."""
        self._changed = [np.zeros(len(table.learnt), np.int64) for table in self._tables]
        """The version with the last change of each row."""

    def merge(self, delta: Delta, copies: int) -> None:
        """Adds the changes of one of so many copies. Raises ValueError if weights are no longer finite."""
        self.version += 1
        for table, changed, rows in zip(self._tables, self._changed, delta.tables, strict=True):
            table.learnt[rows.numbers] += rows.values
            table.note(rows.numbers)
            changed[rows.numbers] = self.version
        if self._dense and delta.dense:
            numbers, theirs, share = self._dense.numbers, delta.dense.numbers, np.float32(1 / copies)
            numbers[WEIGHT] += share * theirs[WEIGHT]
            numbers[_MOMENTS] += share * (theirs[_MOMENTS] - numbers[_MOMENTS])
            self._dense.steps[0] = max(self._dense.steps[0], delta.dense.steps)
        self._learner.publish(delta.steps)

    def news(self, since: int) -> News:
        """What has changed since this version."""
        tables = list[ChangedRows]()
        for table, changed in zip(self._tables, self._changed, strict=True):
            at = np.flatnonzero(changed > since).astype(np.int32)
            tables.append(ChangedRows(at, table.learnt[at], table.averages[at] if self._learner.averaging else None))
        dense = DensePart(self._dense.numbers.copy(), int(self._dense.steps[0])) if self._dense else None
        return News(tables, dense, self.version)


@dataclass(frozen=True, eq=False)
class _Table:
    """A table of a learner, in its own arrays."""

    learnt: Floats
    """float32[rows, weights + 2]: weights, the sums of their changes and of their sizes."""
    averages: Floats
    """float32[rows, weights]: the averages of the weights."""
    plays: Floats
    """float32[rows, weights]: the averages as the network has them."""
    tuples: int
    """Tuples of the network, which bound how averages are rounded to play; 0: they play as they are."""
    flags: NDArray[np.uint8] | None
    """Where rows are noted whose averages differ from their weights."""
    block: int
    """Rows that share a flag."""

    def play(self, at: NDArray[np.int32], averages: Floats) -> None:
        """Lets these averages of some rows play."""
        self.averages[at] = averages
        self.plays[at] = rounded(averages, self.tuples) if self.tuples else averages
        self.note(at)

    def note(self, at: NDArray[np.int32]) -> None:
        """Notes that the averages of some rows may differ from their weights."""
        if self.flags is not None:
            self.flags[at // self.block] = 1


@dataclass(frozen=True, eq=False)
class _Dense:
    """The dense part of a learner, in its own arrays."""

    numbers: Floats
    steps: NDArray[np.int64]
    plays: Floats


def _tables_of(learner: NativeLearner) -> Iterator[_Table]:
    weights = learner.weights
    if isinstance(weights, Weights):
        learnt, flags = weights.learnt, weights.moving.view(np.uint8)
        yield _Table(learnt[:, :3], learnt[:, 3:], weights.network.entries[:, None], 0, flags, BLOCK)
    elif isinstance(weights, VectorWeights):
        network, vector = weights.network, weights.network.settings.vector
        learnt, flags = weights.learnt[:, : vector + _SUMS], weights.moving.view(np.uint8)
        yield _Table(learnt, weights.averages, network.entries, len(network.tuples.cells), flags, 1)
    if learner.policy:
        plays = learner.policy.network.policy[:, None]
        yield _Table(learner.policy.learnt[:, :3], plays, plays, 0, None, 1)


def _dense_of(learner: NativeLearner) -> _Dense | None:
    weights = learner.weights
    if isinstance(weights, ShallowWeights):
        return _Dense(weights.learnt, weights.steps, weights.network.weights)
    if isinstance(weights, VectorWeights):
        return _Dense(weights.dense, weights.steps, weights.network.dense)
    return None


def _changed(table: _Table, sent: Floats) -> ChangedRows:
    """How the rows of a table have changed since `sent`, which has the present ones afterwards."""
    differs = table.learnt[:, 0] != sent[:, 0]
    for column in range(1, sent.shape[1]):
        differs |= table.learnt[:, column] != sent[:, column]
    at = np.flatnonzero(differs).astype(np.int32)
    now = table.learnt[at]
    changes = ChangedRows(at, now - sent[at])
    sent[at] = now
    return changes
