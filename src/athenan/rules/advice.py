"""What measurements found to be good for one game: how it is learnt, played and solved by default.

All of it is plain names and numbers, which generic code looks up: a user's game declares them with the same effect. The
defaults are what holds for most games.
"""

from dataclasses import dataclass
from typing import Literal

from athenan.rules.fitting import require_fields

PlayingSearch = Literal["ubfm", "alphabeta"]
"""A search that plays with a trained network."""


@dataclass(frozen=True)
class Solving:
    """How solved positions of a game are made by default."""

    plies: tuple[int, int] | None = None
    """The least and the greatest number of actions before a position; None for any up to the typical length."""
    rollouts: int = 10_000
    """Rollouts of the strongest player of the matches from which positions come."""
    solver: str = "ubfm"
    """The search that proves the values, or a solver that knows every position: bitbully or equations."""
    evaluations: int = 1_000_000
    """States that the proofs of one position may evaluate. A solver that knows every position needs none."""

    def __post_init__(self) -> None:
        require_fields(self, "advice.solving")


@dataclass(frozen=True)
class Advice:
    """What measurements found to be good for one game (docs/algorithms/patterns_measured.md)."""

    network: str | None = "patterns"
    """The network that a training learns by default, if the cells of the game can be coded; None for the network of the
    algorithm, which has layers."""
    long_network: str | None = None
    """The network for runs of tree learning of 20 minutes or more; None for `network`."""
    pattern_heuristic: str | None = None
    """The reinforcement heuristic with which pattern networks learn best; None for the usual one."""
    shallow_rate: float | None = None
    """The learning rate with which shallow networks learn best; None for the usual one."""
    search: PlayingSearch = "ubfm"
    """The search that plays with a network that compiled code evaluates, after a training with UBFM or Descent."""
    exploration: float = 0.02
    """How much UBFM explores when it plays with a pattern network, in a game of two players."""
    ends: int = 0
    """The setting `ends` of UBFM when it plays with a network: about how many remaining actions the exact solver solves
    in a second."""
    perfect: str | None = None
    """The solver that knows every position of these rules: bitbully or equations; None without one."""
    solving: Solving = Solving()
    """How solved positions are made by default."""

    def __post_init__(self) -> None:
        require_fields(self, "advice")


VECTORS = "patterns:entries=4096,vector=16"
"""Patterns whose entries are vectors, which suit most games of moves."""
PROVEN = Solving(rollouts=100, solver="alphabeta")
"""Positions from weak play, which alpha-beta proves."""
