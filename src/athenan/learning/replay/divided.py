"""The memory of replay, divided among workers that each learn the matches they have played.

Together they remember as many matches as one worker would. If each remembered that many, the data that they learn would
be older: in Othello 8 two such workers learnt clearly less from the same number of items (docs/performance.md).

Workers are threads, or other processes. These have copies of their parts, and send what has changed (`MemoryNews`).
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from athenan.learning.examples.examples import Batch, Examples
from athenan.learning.replay.memory import RememberedMatch, Replay
from athenan.learning.replay.methods import make_replay
from athenan.learning.replay.settings import ReplayConfig, portion
from athenan.rules.game import Game
from athenan.runs.checkpoint import CheckpointError, Matches, Tensors

_PARTS = "parts"


def shares(config: ReplayConfig, count: int) -> list[ReplayConfig]:
    """The settings of each part of a memory that is divided among `count` workers.

    Each part holds at least one match. As many items as before are learnt after each match: replay by games and by
    pairs draws a larger share of a smaller memory.
    """
    return [
        replace(
            config,
            memory_matches=portion(config.memory_matches, number, count),
            memory_pairs=portion(config.memory_pairs, number, count),
            pairs_limit=portion(config.pairs_limit, number, count),
            memory=portion(config.memory, number, count),
            sampling_rate=min(1.0, config.sampling_rate * count),
        )
        for number in range(count)
    ]


class DividedReplay:
    """A memory for each of several workers. A checkpoint numbers match m of part p of n as m * n + p."""

    def __init__(self, game: Game, config: ReplayConfig, seed: int, count: int) -> None:
        """Makes empty memories; the first one has the random numbers of a memory that is not divided."""
        self.parts = [
            make_replay(game, share, seed, number, count) for number, share in enumerate(shares(config, count))
        ]
        for number, part in enumerate(self.parts[1:], start=1):
            part.random = np.random.default_rng([seed, number])
        self._latest = self.parts[0]

    def __len__(self) -> int:
        """The number of items in memory."""
        return sum(map(len, self.parts))

    def add(self, examples: Examples) -> None:
        """Adds a match to the part that has received the fewest, for one learner that learns all matches."""
        self._choose().add(examples)

    def add_whole(self, own: Examples) -> None:
        """Adds what another memory has kept of a match, as `add` does."""
        self._choose().add_whole(own)

    def _choose(self) -> Replay:
        self._latest = min(self.parts, key=lambda part: part.next_number)
        return self._latest

    def checked_batches(self) -> Iterator[Batch]:
        """The minibatches of one learning phase, of the part that has received the last match."""
        return self._latest.checked_batches()

    def match_arrays(self) -> dict[int, dict[str, NDArray[Any]]]:
        """Match number -> its arrays, which never change."""
        count = len(self.parts)
        return {
            number * count + place: arrays
            for place, part in enumerate(self.parts)
            for number, arrays in part.match_arrays().items()
        }

    def state_arrays(self) -> dict[str, NDArray[Any]]:
        """The small arrays that change with every learning phase."""
        return {
            _prefix(place) + name: array
            for place, part in enumerate(self.parts)
            for name, array in part.state_arrays().items()
        }

    def state_document(self) -> dict[str, Any]:
        """The rest of the state as JSON."""
        return {_PARTS: [part.state_document() for part in self.parts]}

    def restore(
        self, tensors: Tensors, document: Mapping[str, Any], matches: Matches, lost: Collection[int] = ()
    ) -> Self:
        """Restores the state of all parts. Raises CheckpointError if it is damaged, or of another number of parts."""
        documents, count = document.get(_PARTS), len(self.parts)
        if not isinstance(documents, list) or len(documents) != count:
            raise CheckpointError(f"the checkpoint's replay is not of {count} workers: it was changed by hand")
        for place, (part, own) in enumerate(zip(self.parts, documents, strict=True)):
            begin = _prefix(place)
            part.restore(
                {name.removeprefix(begin): array for name, array in tensors.items() if name.startswith(begin)},
                own,
                {number // count: arrays for number, arrays in matches.items() if number % count == place},
                [number // count for number in lost if number % count == place],
            )
        return self


@dataclass(frozen=True, eq=False)
class MemoryNews:
    """A part of the memory as it is, for a copy of it in another process."""

    tensors: dict[str, NDArray[Any]]
    """Its `state_arrays`."""
    document: dict[str, Any]
    """Its `state_document`."""
    numbers: list[int]
    """The matches that it remembers, by their numbers."""
    matches: dict[int, RememberedMatch]
    """Those among them that the copy lacks."""

    @staticmethod
    def of(part: Replay, known: Collection[int] = ()) -> "MemoryNews":
        """What a copy needs that has the matches with the `known` numbers."""
        unknown = {number: match for number, match in part.memory.items() if number not in known}
        return MemoryNews(part.state_arrays(), part.state_document(), [*part.memory], unknown)

    def take(self, copy: Replay) -> None:
        """Makes the copy equal to the part."""
        known = {number: copy.memory[number] for number in self.numbers if number in copy.memory}
        matches = {number: match.as_arrays() for number, match in (known | self.matches).items()}
        copy.restore(self.tensors, self.document, matches)


def parts_of(document: Any) -> int:
    """The number of parts of a divided memory, by its `state_document`; 0 if the memory is not divided."""
    parts = document.get(_PARTS) if isinstance(document, Mapping) else None
    return len(parts) if isinstance(parts, list) else 0


def move(memory: Replay | DividedReplay, other: Replay | DividedReplay) -> None:
    """Adds the matches of a memory to an empty one with other parts, oldest first, as if they had just been played.

    The numbers of matches go on, since a number's data never changes on disk.
    """
    matches, parts = memory.match_arrays(), other.parts if isinstance(other, DividedReplay) else [other]
    for part in parts:
        part.next_number = max(matches, default=-1) + 1
    for number in sorted(matches):
        other.add_whole(Examples.from_arrays(matches[number], parts[0].game))


def _prefix(place: int) -> str:
    return f"worker.{place}."
