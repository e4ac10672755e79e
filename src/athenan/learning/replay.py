"""Experience replay: which data of the last matches is learnt after a match.

>>> from athenan import make
>>> game = make("hex:3")
>>> replay = make_replay(game, ReplayConfig(memory_matches=2, duplication=1, batch_size=4), seed=1)
>>> states = np.stack([game.initial(), game.after("b2")])
>>> replay.add(states, np.array([0.5, 1.0]))
>>> [(planes.shape, values.shape) for planes, values in replay.batches()]
[((2, 75), (2,))]
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, Literal, Self

import numpy as np
from numba import types
from numpy.typing import ArrayLike, NDArray

from athenan.rules import calls
from athenan.rules.compiler import kernel, prepare
from athenan.rules.game import Game
from athenan.rules.kernels import RULES
from athenan.rules.randomness import random_below
from athenan.runs.checkpoint import CheckpointError, Matches, Tensors, expect, generator

Indices = NDArray[np.int64]
Batch = tuple[NDArray[np.int8], NDArray[np.float32]]
"""Encoded states int8[B, planes * rows * columns] and their values float32[B]."""

_bytes = types.Array(types.int8, 2, "C")
_symmetries = types.Array(types.uint8, 1, "C")
_permutations = types.Array(types.int32, 2, "C")


@dataclass(frozen=True)
class ReplayConfig:
    """Which data of earlier matches is learnt again after a match."""

    method: Literal["stratified", "games", "pairs"] = "stratified"
    """Stratified experience replay (003, Algorithm 8), or plain experience replay (Algorithm 6) that remembers the
    last `memory_matches` matches or the last `memory_pairs` pairs of a state and its value."""
    memory_matches: int = 100
    """μ of stratified replay and of replay by games, in matches."""
    duplication: float = 3.0
    """δ of stratified replay: how often each pair is learnt while it is remembered."""
    batch_size: int = 128
    """B: pairs a minibatch (about; stratified replay makes minibatches of equal size)."""
    augmentation: Literal["add", "random", "none"] = "add"
    """Of each pair: learn a randomly transformed copy too, learn one random symmetry instead of it, or neither."""
    memory_pairs: int = 1_000_000
    """μ of replay by pairs, in pairs."""
    sampling_rate: float = 0.05
    """σ of replay by games and by pairs: the share of the memory that is learnt after a match."""
    pairs_limit: int = 20_000_000
    """The oldest matches are forgotten as long as more pairs are in memory (003, Remark 5), whatever the method."""

    def __post_init__(self) -> None:
        for name, choices in (("method", tuple(_METHODS)), ("augmentation", ("add", "random", "none"))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")
        for name in ("memory_matches", "batch_size", "memory_pairs", "pairs_limit"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not 0 < self.duplication <= 1000:
            raise ValueError(f"duplication must be above 0 and at most 1000, not {self.duplication}")
        if not 0 < self.sampling_rate <= 1:
            raise ValueError(f"sampling_rate must be above 0 and at most 1, not {self.sampling_rate}")


@dataclass(frozen=True)
class Match:
    """The data of one match: item i is state i mod n with its value, seen through symmetry `symmetries[i]`."""

    states: NDArray[np.int8]
    """int8[n, state_size]."""
    values: NDArray[np.float32]
    """float32[n], first player's point of view."""
    symmetries: NDArray[np.uint8]
    """uint8[items], rows of the game's `plane_symmetries`; n items, or 2n with transformed copies."""

    def __len__(self) -> int:
        return len(self.symmetries)


class Replay(ABC):
    """The memory of the last matches; `add` a match, then learn the `batches`."""

    def __init__(self, game: Game, config: ReplayConfig, seed: int) -> None:
        prepare(encode_batch, _shuffle)
        self.game = game
        self.config = config
        self.memory: dict[int, Match] = {}
        """Match number -> its data, oldest first."""
        self.next_number = 0
        """The number of the next match; matches are numbered from 0."""
        self.random = np.random.default_rng(seed)

    def __len__(self) -> int:
        """The number of items in memory."""
        return sum(len(match) for match in self.memory.values())

    def add(self, states: ArrayLike, values: ArrayLike) -> None:
        """Remembers a match, augmented, and forgets the oldest beyond the memory's size.

        states -- int8[n, state_size], n >= 1; values -- [n], finite. Both are copied. Raises ValueError for others.
        """
        states, values = np.array(states, np.int8, order="C"), np.array(values, np.float32)
        if states.ndim != 2 or values.shape != states.shape[:1] or states.shape[1] != self.game.state_size:
            size = self.game.state_size
            raise ValueError(f"a match is int8[n, {size}] and [n], not {list(states.shape)} and {list(values.shape)}")
        if not len(values) or not np.isfinite(values).all():
            raise ValueError("a match must have at least one state, and values that are finite numbers")
        symmetries = augment(len(values), len(self.game.plane_symmetries), self.random, self.config.augmentation)
        self.memory[self.next_number] = Match(states, values, symmetries)
        self._remember(self.next_number)
        self.next_number += 1
        items = len(self)
        while len(self.memory) > 1 and (self._is_full(items) or items > self.config.pairs_limit):
            oldest = next(iter(self.memory))
            items -= len(self.memory.pop(oldest))
            self._forget(oldest)

    def batches(self) -> Iterator[Batch]:
        """The minibatches of one learning phase.

        They are drawn at once, and encoded one by one as the iterator goes on; nothing comes of an empty memory.
        """
        picked = [(match, items) for match, items in self._pick() if len(items)]
        if not picked:
            return iter(())
        rows = [(match, items, items % len(match.values)) for match, items in picked]
        return self._encoded(
            np.concatenate([match.states[states] for match, _, states in rows]),
            np.concatenate([match.values[states] for match, _, states in rows]),
            np.concatenate([match.symmetries[items] for match, items, _ in rows]),
            self._split(sum(len(items) for _, items in picked)),
        )

    def _encoded(
        self,
        states: NDArray[np.int8],
        values: NDArray[np.float32],
        symmetries: NDArray[np.uint8],
        parts: list[Indices],
    ) -> Iterator[Batch]:
        game, cells = self.game, self.game.plane_symmetries.shape[1]
        straight = np.empty(cells, np.int8)
        for part in parts:
            planes = np.empty((len(part), cells), np.int8)
            encode_batch(game.rules, states[part], symmetries[part], game.plane_symmetries, straight, planes)
            yield planes, values[part]

    def match_arrays(self) -> dict[int, dict[str, NDArray[Any]]]:
        """Match number -> its arrays, which never change: what `RunDirectory.save` takes as matches."""
        return {number: dict(vars(match)) for number, match in self.memory.items()}

    def state_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays, small, that change with every learning phase; names begin with `replay.`."""
        return {}

    def state_document(self) -> dict[str, Any]:
        """The rest of the state as JSON."""
        return {"next_number": self.next_number, "random": self.random.bit_generator.state}

    def restore(
        self, tensors: Tensors, document: Mapping[str, Any], matches: Matches, lost: Collection[int] = ()
    ) -> Self:
        """Takes on the state of `state_arrays`, `state_document` and `match_arrays`; raises CheckpointError.

        `lost` are the numbers of matches of that state which are not among `matches`, and are forgotten.
        """
        if not isinstance(document, Mapping):
            document = {}
        numbers, next_number = sorted(matches), document.get("next_number")
        if type(next_number) is not int or not all(0 <= number < next_number for number in numbers) or next_number < 0:
            raise CheckpointError("the checkpoint's replay document is damaged: it was changed by hand")
        self.random, self.next_number = generator(document.get("random")), next_number
        self.memory = {number: self._match(matches[number]) for number in numbers}
        return self

    def _match(self, arrays: Tensors) -> Match:
        states = expect(arrays, "states", np.int8, None, self.game.state_size)
        values = expect(arrays, "values", np.float32, len(states))
        symmetries = expect(arrays, "symmetries", np.uint8, None)
        count = len(self.game.plane_symmetries)
        fits = len(states) and len(symmetries) % len(states) == 0 and np.isfinite(values).all()
        if not fits or not len(symmetries) or symmetries.max() >= count:
            raise CheckpointError(f"the checkpoint's matches are not of {self.game.name}: it was changed by hand")
        return Match(states, values, symmetries)

    def _remember(self, number: int) -> None:  # noqa: B027 - nothing but the match itself, unless a method needs more
        """Prepares what the method keeps of a new match."""

    def _forget(self, number: int) -> None:  # noqa: B027
        """Drops what the method keeps of a match."""

    @abstractmethod
    def _is_full(self, items: int) -> bool:
        """Whether the oldest match is to be forgotten; `items` are in memory."""

    @abstractmethod
    def _pick(self) -> list[tuple[Match, Indices]]:
        """The items to learn in one phase, by match."""

    @abstractmethod
    def _split(self, count: int) -> list[Indices]:
        """The minibatches, as positions among the picked items."""


@dataclass
class Pass:
    """One pass over a match's items: those before the cursor are learnt (D' of Algorithm 8), the others not (D)."""

    seed: int
    """uint64; gives the order, so that a checkpoint need not hold it."""
    order: NDArray[np.int32]
    cursor: int = 0


class StratifiedReplay(Replay):
    """Stratified experience replay; 003, Algorithm 8.

    Items are drawn from each match without replacement, ⌈δ/μ·(|D|+|D'|)⌉ in a phase, by following a random order of
    all its items, with a new order when one is used up; that is the same as drawing from D until it is empty.
    """

    def __init__(self, game: Game, config: ReplayConfig, seed: int) -> None:
        super().__init__(game, config, seed)
        self.passes: dict[int, Pass] = {}

    def sample_size(self, match: Match) -> int:
        """How many items of a match are learnt in a phase; computed exactly for δ as it is written in decimal."""
        return ceil(Fraction(str(self.config.duplication)) / self.config.memory_matches * len(match))

    def _remember(self, number: int) -> None:
        self.passes[number] = self._new_pass(self.memory[number])

    def _forget(self, number: int) -> None:
        del self.passes[number]

    def _is_full(self, items: int) -> bool:
        return len(self.memory) > self.config.memory_matches

    def _new_pass(self, match: Match) -> Pass:
        seed = int(self.random.integers(2**64, dtype=np.uint64))
        return Pass(seed, random_order(seed, len(match)))

    def _pick(self) -> list[tuple[Match, Indices]]:
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
    """Experience replay; 003, Algorithm 6, and Algorithm 7 for the minibatches. Subclasses say what μ counts."""

    @abstractmethod
    def _range(self) -> tuple[int, int, int]:
        """First and last + 1 of the items in memory to draw from, and how many."""

    def _pick(self) -> list[tuple[Match, Indices]]:
        if not self.memory:
            return []
        first, end, count = self._range()
        drawn = first + np.sort(self.random.choice(end - first, count, replace=False, shuffle=False))
        ends = np.cumsum([len(match) for match in self.memory.values()])
        parts = np.split(drawn, np.searchsorted(drawn, ends[:-1]))
        return [(m, part - (e - len(m))) for m, part, e in zip(self.memory.values(), parts, ends, strict=True)]

    def _split(self, count: int) -> list[Indices]:
        size = self.config.batch_size
        return np.split(self.random.permutation(count), range(size, count, size))


class GameReplay(PlainReplay):
    """Remembers the last μ matches; σ of their items are learnt (003, sections 9.3.1 and 9.4.1).

    As long as no more than σ·μ matches are in memory, all items are learnt, then as many as σ·μ average matches have.
    """

    def _is_full(self, items: int) -> bool:
        return len(self.memory) > self.config.memory_matches

    def _range(self) -> tuple[int, int, int]:
        share = Fraction(str(self.config.sampling_rate)) * self.config.memory_matches / len(self.memory)
        return 0, len(self), ceil(min(Fraction(1), share) * len(self))


class PairReplay(PlainReplay):
    """Remembers the last μ pairs; σ·μ of them are learnt, or all if there are no more (003, Algorithm 6)."""

    def _is_full(self, items: int) -> bool:
        return items - len(next(iter(self.memory.values()))) >= self.config.memory_pairs

    def _range(self) -> tuple[int, int, int]:
        size, memory = len(self), self.config.memory_pairs
        kept = min(size, memory)
        return size - kept, size, min(kept, ceil(Fraction(str(self.config.sampling_rate)) * memory))


_METHODS = {"stratified": StratifiedReplay, "games": GameReplay, "pairs": PairReplay}


def make_replay(game: Game, config: ReplayConfig, seed: int) -> Replay:
    """An empty replay memory of the method that the configuration names."""
    return _METHODS[config.method](game, config, seed)  # type: ignore[abstract]


def augment(states: int, symmetries: int, random: np.random.Generator, mode: str) -> NDArray[np.uint8]:
    """The symmetries of a match's items; item i is state i mod `states` seen through symmetry i of the result.

    "add" gives each state itself and a copy by one of the other symmetries, drawn uniformly (003, section 9.3.1);
    "random" gives each state one symmetry, drawn uniformly, the identity included; "none" gives each state itself.
    """
    identity = np.zeros(states, np.uint8)
    if mode == "none" or symmetries == 1:
        return identity
    if mode == "random":
        return random.integers(symmetries, size=states, dtype=np.uint8)
    return np.concatenate([identity, random.integers(1, symmetries, size=states, dtype=np.uint8)])


def batch_count(items: int, batch_size: int) -> int:
    """The number g of minibatches of Algorithm 8, whose sizes ⌊items/g⌋ or one more are closest to `batch_size`."""
    count = max(1, items // batch_size)
    return count + (abs(items // count - batch_size) > abs(items // (count + 1) - batch_size))


def deal(items: int, batches: int, random: np.random.Generator) -> list[Indices]:
    """Deals items in their order to minibatches, one to each in a random order, and again (Algorithm 8)."""
    rounds = np.tile(np.arange(batches), (-(-items // batches), 1))
    batch = random.permuted(rounds, axis=1).reshape(-1)[:items]
    return np.split(np.argsort(batch, kind="stable"), np.cumsum(np.bincount(batch, minlength=batches))[:-1])


def random_order(seed: int, items: int) -> NDArray[np.int32]:
    """A random permutation of range(items): the same for a seed everywhere and always."""
    order = np.empty(items, np.int32)
    _shuffle(np.array([seed], np.uint64), order)
    return order


@kernel(types.void(types.Array(types.uint64, 1, "C"), types.Array(types.int32, 1, "C")))
def _shuffle(random, order):
    for place in range(order.shape[0]):
        other = random_below(random, 0, place + 1)
        order[place] = order[other]
        order[other] = place


@kernel(types.void(RULES, _bytes, _symmetries, _permutations, types.Array(types.int8, 1, "C"), _bytes))
def encode_batch(rules, states, symmetries, plane_symmetries, straight, planes):
    """Writes row i of `planes`: the planes of states[i], seen through symmetries[i].

    `straight` is room for the planes of one state.
    """
    for row in range(states.shape[0]):
        if symmetries[row] == 0:
            calls.encode(rules, states[row], planes[row])
        else:
            calls.encode(rules, states[row], straight)
            image = plane_symmetries[symmetries[row]]
            for place in range(straight.shape[0]):
                planes[row, place] = straight[image[place]]
