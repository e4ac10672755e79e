"""The settings of experience replay."""

from dataclasses import dataclass
from typing import Annotated, Literal

from athenan.settings import Between, Mebibytes, check

_MANY = 10**12


@dataclass(frozen=True)
class ReplayConfig:
    """Which data of earlier matches is learnt again after a match."""

    method: Literal["stratified", "games", "pairs", "none", "all"] = "stratified"
    """Stratified experience replay (003, Algorithm 8), plain experience replay (Algorithm 6) of the last
    `memory_matches` matches or of the last `memory_pairs` pairs of a state and its value, or none: each match is learnt
    once and forgotten. All relearns everything with new weights and stops early, for matches_by policy alone."""
    memory_matches: Annotated[int, Between(1, _MANY)] = 100
    """μ of stratified replay and of replay by games, in matches."""
    duplication: Annotated[float, Between(1e-6, 1000)] = 3.0
    """δ of stratified replay: how often each pair is learnt while it is remembered."""
    batch_size: Annotated[int, Between(1, _MANY)] = 128
    """B: pairs a minibatch (about; stratified replay makes minibatches of equal size)."""
    augmentation: Literal["add", "random", "none"] = "add"
    """For each pair: add a copy by a random symmetry, replace it by a random symmetry, or neither."""
    memory_pairs: Annotated[int, Between(1, _MANY)] = 1_000_000
    """μ of replay by pairs, in pairs."""
    sampling_rate: Annotated[float, Between(1e-9, 1)] = 0.05
    """σ of replay by games and by pairs: the share of the memory that is learnt after a match."""
    pairs_limit: Annotated[int, Between(1, _MANY)] = 20_000_000
    """With every method, the oldest matches are forgotten while more pairs are in memory (003, Remark 5)."""
    memory: Mebibytes = 8192
    """MiB: with every method, the oldest matches are forgotten while the data of matches takes more (Remark 5)."""
    colours: bool = False
    """Add the images with the players exchanged, and the value negated, to the symmetries that augmentation draws from;
    only in games that declare this exchange."""
    growth: Annotated[float, Between(0, 1000)] = 0.1
    """With all: the data is learnt again when there is so much more of it, as a share of what was learnt before."""
    patience: Annotated[int, Between(1, 10**6)] = 3
    """With all: the passes over the data without a lower loss of the held out tenth after which a phase ends."""

    def __post_init__(self) -> None:
        check(self)
        if self.colours and self.augmentation == "none":
            raise ValueError("colours needs augmentation add or random, not none")
