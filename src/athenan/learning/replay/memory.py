"""The memory of the last matches, common to all methods of replay."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from athenan.learning.examples.examples import Batch, Examples
from athenan.learning.replay.drawing import Indices, shuffle, shuffled
from athenan.learning.replay.encoding import Symmetries, augment, encode_batch, encoded
from athenan.learning.replay.settings import ReplayConfig
from athenan.rules.compiler import prepare
from athenan.rules.fitting import Fault, find_fault
from athenan.rules.game import Game
from athenan.runs.checkpoint import CheckpointError, Matches, Tensors, expect, generator
from athenan.settings import printable, shown


@dataclass(frozen=True)
class RememberedMatch:
    """The data of one match: item i is example i mod n, seen through symmetry `symmetries[i]`."""

    examples: Examples
    """The examples of n states."""
    symmetries: NDArray[np.uint8]
    """uint8[items], rows of the learnt `Symmetries`; n items, or 2n with transformed copies."""

    def __len__(self) -> int:
        return len(self.symmetries)

    @property
    def bytes(self) -> int:
        """The bytes of its arrays."""
        return sum(array.nbytes for array in self.as_arrays().values())

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name; `from_arrays` reads them."""
        return {**self.examples.as_arrays(), "symmetries": self.symmetries}

    @staticmethod
    def from_arrays(arrays: Tensors, game: Game, count: int) -> "RememberedMatch":
        """The match that `as_arrays` wrote. Raises CheckpointError if it is not of a game with `count` symmetries."""
        examples = Examples.from_arrays(arrays, game)
        symmetries = expect(arrays, "symmetries", np.uint8, None)
        whole = len(symmetries) and len(symmetries) % len(examples) == 0
        if not whole or symmetries.max() >= count:
            raise CheckpointError(f"the checkpoint's matches are not of {game.name}: it was changed by hand")
        return RememberedMatch(examples, symmetries)


class Replay(ABC):
    """The memory of the last matches; `add` a match, then learn the `batches`."""

    divided: ClassVar[tuple[str, ...]] = ()
    """The method's own settings that workers divide among themselves: whole numbers, such as a number of matches. They
    divide the settings of `ReplayConfig` in the same way. Each worker has its own memory."""

    def __init__(self, game: Game, config: ReplayConfig, seed: int) -> None:
        prepare(encode_batch, shuffle)
        self.game = game
        self.config = config
        self.symmetries = Symmetries.of(game, config.colours)
        self.memory: dict[int, RememberedMatch] = {}
        """Match number -> its data, oldest first."""
        self.next_number = 0
        """The number of the next match; matches are numbered from 0."""
        self.random = np.random.default_rng(seed)

    def __len__(self) -> int:
        """The number of items in memory."""
        return sum(len(match) for match in self.memory.values())

    def add(self, examples: Examples) -> None:
        """Adds a share of a match, and drops the oldest ones beyond the memory's size.

        The examples are copied. Raises ValueError if they are not of this game, or if players are exchanged and the
        examples have numbers for heads of your own: what the exchange does to these is unknown.
        """
        examples.check(self.game)
        if self.config.colours and examples.more:
            raise ValueError(f"colours must be false to learn {next(iter(examples.more))}, a head of your own")
        self.add_whole(examples.take(self._shared(len(examples))))

    def add_whole(self, own: Examples) -> None:
        """Adds what is remembered of a match, augmented, and drops the oldest ones beyond the memory's size."""
        symmetries = augment(len(own), self.symmetries.count(own.states), self.random, self.config.augmentation)
        self.memory[self.next_number] = RememberedMatch(own, symmetries)
        self._remember(self.next_number)
        self.next_number += 1
        items, taken = len(self), sum(map(self._bytes, self.memory))
        while len(self.memory) > 1 and (self.is_full(items) or self._exceeds(items, taken)):
            oldest = next(iter(self.memory))
            items, taken = items - len(self.memory[oldest]), taken - self._bytes(oldest)
            del self.memory[oldest]
            self._forget(oldest)

    def _shared(self, count: int) -> Indices:
        """The examples that are remembered of a match that has `count`, in their order."""
        if self.config.share == 1:
            return np.arange(count)
        return np.sort(self.random.choice(count, ceil(self.config.share * count), replace=False))

    def _exceeds(self, items: int, taken: int) -> bool:
        """Whether `items` items of `taken` bytes exceed the user's limits."""
        return items > self.config.pairs_limit or taken > self.config.memory << 20

    def batches(self) -> Iterator[Batch]:
        """The minibatches of one learning phase.

        They are drawn at once and encoded one by one as the iterator advances; an empty memory gives none.
        """
        return self._encoded(self._picked(), self._split)

    def checked_batches(self) -> Iterator[Batch]:
        """The `batches`. Raises ValueError, with the method's file, if some of its own cannot be learnt."""
        if type(self).batches is Replay.batches:
            return self.batches()
        return map(self._checked, self.batches())

    def _checked(self, batch: Batch) -> Batch:
        try:
            if not isinstance(batch, Batch):
                raise ValueError("batches must give objects of the class Batch")
            batch.check(self.game)
        except ValueError as error:
            raise ValueError(f"{type(self).__module__}: {error}") from None
        return batch

    def _picked(self) -> list[tuple[RememberedMatch, Indices]]:
        """The items that `pick` chooses. Raises ValueError, with the method's file, unless their matches have them."""
        given = self.pick()
        chosen = [*given] if isinstance(given, Iterable) else given
        fault = find_fault(tuple[tuple[RememberedMatch, np.ndarray], ...], chosen)
        for at, (match, items) in enumerate([] if fault else chosen):
            whole = (items.ndim == 1 and items.dtype.kind in "iu") or not items.size
            if not whole or np.any((items < 0) | (items >= len(match))):
                fault = Fault(f"[{at}][1]", f"int64[n], each from 0 to {len(match) - 1}, not {printable(shown(items))}")
        if fault:
            raise ValueError(f"{type(self).__module__}: pick(){fault.where} must be {fault.wanted}")
        return chosen

    def _encoded(
        self, chosen: list[tuple[RememberedMatch, Indices]], split: Callable[[int], list[Indices]]
    ) -> Iterator[Batch]:
        """The minibatches of items of some matches."""
        picked = [(match, items) for match, items in chosen if len(items)]
        if not picked:
            return iter(())
        examples = Examples.joined([match.examples.take(items % len(match.examples)) for match, items in picked])
        symmetries = np.concatenate([match.symmetries[items] for match, items in picked])
        parts = split(len(symmetries))
        return (encoded(self.game, self.symmetries, examples.take(part), symmetries[part]) for part in parts)

    def match_arrays(self) -> dict[int, dict[str, NDArray[Any]]]:
        """Match number -> its arrays, which never change, for `RunDirectory.save`."""
        return {number: match.as_arrays() for number, match in self.memory.items()}

    def state_arrays(self) -> dict[str, NDArray[Any]]:
        """The small arrays that change with every learning phase; their names begin with `replay.`."""
        return {}

    def state_document(self) -> dict[str, Any]:
        """The rest of the state as JSON."""
        return {"next_number": self.next_number, "random": self.random.bit_generator.state}

    def restore(
        self, tensors: Tensors, document: Mapping[str, Any], matches: Matches, lost: Collection[int] = ()
    ) -> Self:
        """Restores the state of `state_arrays`, `state_document` and `match_arrays`; raises CheckpointError.

        `lost` are the numbers of matches of that state that are missing in `matches`, and are dropped.
        """
        if not isinstance(document, Mapping):
            document = {}
        numbers, next_number = sorted(matches), document.get("next_number")
        if type(next_number) is not int or not all(0 <= number < next_number for number in numbers) or next_number < 0:
            raise CheckpointError("the checkpoint's replay document is damaged: it was changed by hand")
        self.random, self.next_number = generator(document.get("random")), next_number
        self.memory = {
            number: RememberedMatch.from_arrays(matches[number], self.game, len(self.symmetries)) for number in numbers
        }
        return self

    def _bytes(self, number: int) -> int:
        """The bytes of a match in memory."""
        return self.memory[number].bytes

    def _remember(self, number: int) -> None:  # noqa: B027 - nothing but the match itself, unless a method needs more
        """Prepares the method's data of a new match."""

    def _forget(self, number: int) -> None:  # noqa: B027
        """Drops the method's data of a match."""

    def is_full(self, items: int) -> bool:
        """Whether the oldest match must be dropped; `items` are in memory. The default remembers the last μ matches."""
        return len(self.memory) > self.config.memory_matches

    @abstractmethod
    def pick(self) -> list[tuple[RememberedMatch, Indices]]:
        """The items to learn in one phase, by match."""

    def _split(self, count: int) -> list[Indices]:
        """The minibatches, as positions among the picked items. The default shuffles these (003, Algorithm 7)."""
        return shuffled(count, self.config.batch_size, self.random)
