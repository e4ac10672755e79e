"""The methods of experience replay: the items of the memory that a phase learns, and their minibatches."""

import inspect
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from athenan.learning.examples.examples import Batch
from athenan.learning.replay.drawing import Indices, batch_count, deal, random_order
from athenan.learning.replay.memory import RememberedMatch, Replay
from athenan.learning.replay.settings import ReplayConfig, portion
from athenan.rules.game import Game
from athenan.runs.checkpoint import CheckpointError, Matches, Tensors, expect
from athenan.settings import Kind, classes, names_within

_HELD_OUT = 10  # `AllReplay` does not learn one of this many examples


@dataclass
class Pass:
    """One pass over a match's items: items before the cursor are learnt (D' of Algorithm 8), the others not (D)."""

    seed: int
    """uint64; determines the order, so that a checkpoint need not hold it."""
    order: NDArray[np.int32]
    cursor: int = 0


class StratifiedReplay(Replay):
    """Stratified experience replay; 003, Algorithm 8.

    Items are drawn from each match without replacement, ⌈δ/μ·(|D|+|D'|)⌉ in a phase, by following a random order of
    all its items, with a new order when one is used up. That is the same as drawing from D until it is empty.
    """

    def __init__(self, game: Game, config: ReplayConfig, seed: int) -> None:
        super().__init__(game, config, seed)
        self.passes: dict[int, Pass] = {}
        self._share = Fraction(str(config.duplication)) / config.memory_matches

    def sample_size(self, match: RememberedMatch) -> int:
        """How many items of a match are learnt in a phase; computed exactly for δ as it is written in decimal."""
        return -(-self._share.numerator * len(match) // self._share.denominator)

    def _remember(self, number: int) -> None:
        self.passes[number] = self._new_pass(self.memory[number])

    def _forget(self, number: int) -> None:
        del self.passes[number]

    def _bytes(self, number: int) -> int:
        return super()._bytes(number) + self.passes[number].order.nbytes

    def _new_pass(self, match: RememberedMatch) -> Pass:
        seed = int(self.random.integers(2**64, dtype=np.uint64))
        return Pass(seed, random_order(seed, len(match)))

    def pick(self) -> list[tuple[RememberedMatch, Indices]]:
        return [(match, self._draw(number, self.sample_size(match))) for number, match in self.memory.items()]

    def _draw(self, number: int, count: int) -> Indices:
        """The next items of a match."""
        drawn = []
        while count:
            current = self.passes[number]
            part = current.order[current.cursor : current.cursor + count]
            drawn.append(part)
            count -= len(part)
            current.cursor += len(part)
            if current.cursor == len(current.order):
                self.passes[number] = self._new_pass(self.memory[number])
        return np.concatenate(drawn).astype(np.int64)

    def _split(self, count: int) -> list[Indices]:
        return deal(count, batch_count(count, self.config.batch_size), self.random)

    def state_arrays(self) -> dict[str, NDArray[Any]]:
        passes = [self.passes[number] for number in self.memory]
        return {
            "replay.seeds": np.array([current.seed for current in passes], np.uint64),
            "replay.cursors": np.array([current.cursor for current in passes], np.int64),
        }

    def restore(
        self, tensors: Tensors, document: Mapping[str, Any], matches: Matches, lost: Collection[int] = ()
    ) -> Self:
        super().restore(tensors, document, matches)
        numbers = sorted((*matches, *lost))
        seeds = expect(tensors, "replay.seeds", np.uint64, len(numbers))
        cursors = expect(tensors, "replay.cursors", np.int64, len(numbers))
        self.passes = {}
        for number, seed, cursor in zip(numbers, seeds, cursors, strict=True):
            if number in lost:
                continue
            match = self.memory[number]
            if not 0 <= cursor < len(match):
                raise CheckpointError("the checkpoint's replay.cursors are out of range: it was changed by hand")
            self.passes[number] = Pass(int(seed), random_order(int(seed), len(match)), int(cursor))
        return self


class PlainReplay(Replay):
    """Experience replay; 003, Algorithm 6, and Algorithm 7 for the minibatches. Subclasses define what μ counts."""

    @abstractmethod
    def _range(self) -> tuple[int, int, int]:
        """The first and last + 1 of the items in memory to draw from, and the number to draw."""

    def pick(self) -> list[tuple[RememberedMatch, Indices]]:
        if not self.memory:
            return []
        first, end, count = self._range()
        drawn = first + np.sort(self.random.choice(end - first, count, replace=False, shuffle=False))
        ends = np.cumsum([len(match) for match in self.memory.values()])
        parts = np.split(drawn, np.searchsorted(drawn, ends[:-1]))
        return [(m, part - (e - len(m))) for m, part, e in zip(self.memory.values(), parts, ends, strict=True)]


class GameReplay(PlainReplay):
    """Remembers the last μ matches; σ of their items are learnt (003, sections 9.3.1 and 9.4.1).

    While at most σ·μ matches are in memory, all items are learnt; later, as many as σ·μ average matches have.
    """

    def _range(self) -> tuple[int, int, int]:
        share = Fraction(str(self.config.sampling_rate)) * self.config.memory_matches / len(self.memory)
        return 0, len(self), ceil(min(Fraction(1), share) * len(self))


class PairReplay(PlainReplay):
    """Remembers the last μ pairs; σ·μ of them are learnt, or all if there are no more (003, Algorithm 6)."""

    def is_full(self, items: int) -> bool:
        return items - len(next(iter(self.memory.values()))) >= self.config.memory_pairs

    def _range(self) -> tuple[int, int, int]:
        size, memory = len(self), self.config.memory_pairs
        kept = min(size, memory)
        return size - kept, size, min(kept, ceil(Fraction(str(self.config.sampling_rate)) * memory))


class NoReplay(PlainReplay):
    """Learns each match once, by Algorithm 7 alone, and forgets it: `processing(D)` of Algorithms 3 to 5 is D."""

    def is_full(self, items: int) -> bool:
        return len(self.memory) > 1

    def _range(self) -> tuple[int, int, int]:
        return 0, len(self), len(self)

    def pick(self) -> list[tuple[RememberedMatch, Indices]]:
        picked = super().pick()
        self.memory.clear()
        return picked


class AllReplay(Replay):
    """Remembers all data; `learning.learner.relearning` learns it anew when there is more of it (003, Algorithm 15).

    One of ten examples is held out, always the same ones: learning stops when their loss no longer falls.
    """

    def __init__(self, game: Game, config: ReplayConfig, seed: int) -> None:
        super().__init__(game, config, seed)
        self.added = 0
        """All items that were ever added, including those that a limit of the memory has dropped."""
        self.learnt = 0
        """The value of `added` at the last learning phase."""

    @property
    def due(self) -> bool:
        """Whether the data has grown enough since the last phase to learn all of it again."""
        enough = self.added >= (1 + self.config.growth) * self.learnt
        return enough and all(any(len(items) for _, items in self._items(held)) for held in (False, True))

    def held_out(self) -> Iterator[Batch]:
        """The minibatches of the examples that are not learnt."""
        size = self.config.batch_size
        return self._encoded(self._items(True), lambda count: np.split(np.arange(count), range(size, count, size)))

    def _items(self, held: bool) -> list[tuple[RememberedMatch, Indices]]:
        """The items that are held out, or the others; copies of an example are on the same side."""
        found = []
        for number, match in self.memory.items():
            items = np.arange(len(match))
            out = (number + items % len(match.examples)) % _HELD_OUT == 0
            found.append((match, items[out == held]))
        return found

    def _remember(self, number: int) -> None:
        self.added += len(self.memory[number])

    def is_full(self, items: int) -> bool:
        return False

    def pick(self) -> list[tuple[RememberedMatch, Indices]]:
        return self._items(False)

    def state_document(self) -> dict[str, Any]:
        return {**super().state_document(), "added": self.added, "learnt": self.learnt}

    def restore(
        self, tensors: Tensors, document: Mapping[str, Any], matches: Matches, lost: Collection[int] = ()
    ) -> Self:
        super().restore(tensors, document, matches)
        self.learnt = document.get("learnt", -1)
        self.added = document.get("added", len(self))  # earlier versions counted those in memory alone
        if not all(type(count) is int and count >= 0 for count in (self.learnt, self.added)):
            raise CheckpointError("the checkpoint's replay document is damaged: it was changed by hand")
        return self


METHODS: dict[str, type[Replay]] = {
    "stratified": StratifiedReplay, "games": GameReplay, "pairs": PairReplay, "none": NoReplay, "all": AllReplay,
}  # fmt: skip
"""The methods by the names of `ReplayConfig.method`, and yours."""
KIND = Kind(
    "replay", "--replay", METHODS, lambda module: classes(module, Replay), "one class that derives from Replay",
    given=frozenset({"game", "config", "seed"}), shared=partial(names_within, ReplayConfig, "method"),
)  # fmt: skip
"""Methods of replay among the parts that a user's file may bring."""


def make_replay(game: Game, config: ReplayConfig, seed: int, number: int = 0, count: int = 1) -> Replay:
    """An empty replay memory of the method that the configuration names; part `number` of `count` of a divided one.

    Of a divided memory, `config` is the part's. The method's own settings in `Replay.divided` are divided here.
    """
    part = KIND.known(config.method)
    own = {}
    if callable(part.definition):
        defaults = inspect.signature(part.definition).parameters
        for name in getattr(part.definition, "divided", ()):
            own[name] = portion(part.values.get(name, defaults[name].default), number, count)
    made: Replay = replace(part, values=part.values | own).make(game=game, config=config, seed=seed)
    return made
