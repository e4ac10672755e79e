"""The settings of experience replay."""

from dataclasses import dataclass
from typing import Annotated, Literal

from athenan.settings import Between, Mebibytes, Within, take_texts

_MANY = 10**12
_TEXT = Within("method")
_RELEARNING = Within("method", of=("all",))


@dataclass(frozen=True)
class ReplayConfig:
    """Which data of earlier matches is learnt again after a match."""

    method: str = "stratified"
    """stratified, games, pairs, none, all, or a file of your own, such as ./mine.py:keep=5, with any settings of it,
    such as stratified:memory=50,duplication=3. Stratified experience replay (003, Algorithm 8), plain experience replay
    (Algorithm 6) of the last matches or of the last pairs of a state and its value, or none: each match is learnt once
    and forgotten. all relearns everything with new weights and stops early; only for matches_by policy."""
    memory_matches: Annotated[int, Between(1, _MANY), Within("method", "memory", ("stratified", "games"))] = 100
    """μ of stratified replay and of replay by games, in matches."""
    duplication: Annotated[float, Between(1e-6, 1000), Within("method", of=("stratified",))] = 3.0
    """δ of stratified replay: how often each pair is learnt while it is remembered."""
    batch_size: Annotated[int, Between(1, _MANY), _TEXT] = 128
    """B: pairs per minibatch (about; stratified replay makes minibatches of equal size)."""
    augmentation: Annotated[Literal["add", "random", "none"], _TEXT] = "add"
    """What happens to each pair: add a copy by a random symmetry, replace it by a random symmetry, or neither."""
    memory_pairs: Annotated[int, Between(1, _MANY), Within("method", "memory", ("pairs",))] = 1_000_000
    """μ of replay by pairs, in pairs."""
    sampling_rate: Annotated[float, Between(1e-9, 1), Within("method", of=("games", "pairs"))] = 0.05
    """σ of replay by games and by pairs: the share of the memory that is learnt after a match."""
    pairs_limit: Annotated[int, Between(1, _MANY), _TEXT] = 20_000_000
    """Most pairs in memory, with every method: beyond that the oldest matches are forgotten (003, Remark 5)."""
    memory: Annotated[Mebibytes, Within("method", "mebibytes")] = 8192
    """Most MiB for the data of matches, with every method: beyond that the oldest matches are forgotten (Remark 5)."""
    colours: Annotated[bool, _TEXT] = False
    """Add the images with the players exchanged, and the value negated, to the symmetries that augmentation draws from;
    only in games that declare this exchange."""
    growth: Annotated[float, Between(0, 1000), _RELEARNING] = 0.1
    """For the method all: the growth of the data, as a share of what was learnt before, after which it is learnt
    again."""
    patience: Annotated[int, Between(1, 10**6), _RELEARNING] = 3
    """For the method all: the passes without a lower loss on the held-out tenth of the data after which a phase
    ends."""
    share: Annotated[float, Between(1e-6, 1), _TEXT] = 1.0
    """The share of a match's pairs that is remembered and learnt, at least one, drawn at random. Tree learning gives
    many similar pairs of each match, so the same memory holds more matches with fewer pairs of each."""

    def __post_init__(self) -> None:
        take_texts(self)
        if self.colours and self.augmentation == "none":
            raise ValueError("colours needs augmentation add or random, not none")


def portion(whole: int, number: int, count: int) -> int:
    """Part `number` of a whole number that is divided among `count`; at least 1.

    >>> [portion(7, number, 3) for number in range(3)]
    [2, 2, 3]
    """
    return max(1, (whole + number) // count)
