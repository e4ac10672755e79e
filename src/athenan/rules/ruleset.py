"""The rules of a game as it declares them: kernels, their parameters, and the sizes of what they write."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from athenan.rules.compiler import Kernel
from athenan.rules.declared import Features, OwnHeuristic, check_evaluations, check_heuristics, check_table
from athenan.rules.endings import ENDING, REMAINING, Ending
from athenan.rules.errors import GameError
from athenan.rules.geometry.lines import LINE_FEATURES, Lines, forced_in_lines
from athenan.rules.kernels import FORCED, KernelTable
from athenan.rules.state import HEADER

_NO_FEATURES = Features()


@dataclass(frozen=True, eq=False)
class Ruleset:
    """The rules of one game at one size. Lengths are numbers of actions."""

    table: KernelTable
    """The rules, as kernels."""
    params: NDArray[np.int64]
    """The size and the options, for the kernels."""
    state_size: int
    """Bytes of a state; a multiple of 8."""
    max_actions: int
    """Most legal actions of any state."""
    max_length: int
    """Length of the longest match."""
    typical_length: int
    """The approximate length of a match, including the outcomes of chance. The multiplicative depth heuristic, clocks
    and the default recipe use it."""
    players: int = 2
    """1 if a single player, always to move, plays for the largest score. The gain is then 0 unless the rules define a
    winning score."""
    max_score: int | None = None
    """Largest absolute value of a final score; None if the game has no score."""
    unit: float = 1.0
    """The points that a score of 1 stands for: 0.5 if scores count half points."""
    cube: bool = False
    """Whether matches may be played with a doubling cube, which multiplies the score: chance then rolls before each
    turn."""
    features: Features = _NO_FEATURES
    """The planes that pattern networks see in addition, and the kernel that writes them; the table then has it."""
    forced: Kernel | None = None
    """The kernel `FORCED`, with which searches expand only the actions that may be best; None: they expand all."""
    lines: Lines | None = None
    """The board and the lines of a game that a line of stones wins. It gives the game `features` and `forced`."""
    heuristics: Mapping[str, OwnHeuristic] = field(default_factory=dict)
    """The game's own reinforcement heuristics, by name; without a score, the first is its default."""
    evaluations: Mapping[str, Kernel] = field(default_factory=dict)
    """Hand-written evaluations by name, the default first, with the signature `STATE_VALUE`, which says their unit. The
    first line of an evaluation's docstring says what it counts. If the exchange of the players is declared, an
    evaluation gives the image of a state the negative value."""
    ending: Ending | None = None
    """How many actions remain, and perhaps a solver of its own, for the exact solver of ends; None: at most as many as
    in the longest match."""
    carries_over: tuple[str, ...] = ()
    """The settings of `make` that a network carries over, such as swap in Hex. They change neither the encoding of
    states nor the meaning of the actions' numbers. They may add actions after the others."""

    def __post_init__(self) -> None:
        if self.players not in (1, 2):
            raise GameError(f"a game has 1 or 2 players, not {self.players}")
        if self.players == 1 and self.max_score is None:
            raise GameError("a one-player game needs a score")
        if self.state_size % 8 or self.state_size <= HEADER:
            raise GameError(f"state_size must be a multiple of 8 above {HEADER}, not {self.state_size}")
        if self.lines is not None and self.forced is None:
            self._add_lines(self.lines)
        if self.features.kernel is not None:
            self._add_features(self.features.kernel)
        if self.forced is not None and getattr(self.forced, "signature", None) != FORCED:
            raise GameError("forced must be a function decorated with @kernel(FORCED)")
        check_table(self.table, scored=self.max_score is not None, features=self.features.planes > 0)
        check_heuristics(self.heuristics)
        check_evaluations(self.evaluations)
        if self.ending is not None:
            self._check(self.ending)

    def _check(self, ending: Ending) -> None:
        """Raises GameError for kernels of other signatures, or if a solver has no score to find."""
        for name, found, wanted in (("remaining", ending.remaining, REMAINING), ("solver", ending.solver, ENDING)):
            if found is not None and getattr(found, "signature", None) != wanted:
                signature = {"remaining": "REMAINING", "solver": "ENDING"}[name]
                raise GameError(f"ending: {name} must be a function decorated with @kernel({signature})")
        if ending.solver is not None and self.max_score is None:
            raise GameError("ending: a solver finds scores, and the game has no score")

    def _add_features(self, kernel: Kernel) -> None:
        """Adds the kernel of the features to the table. Raises GameError if the table has another one."""
        kernels = {"features": kernel, **self.table.kernels}
        if kernels["features"] is not kernel:
            raise GameError("a game declares one kernel of features, in its Features")
        object.__setattr__(self, "table", KernelTable(kernels))

    def _add_lines(self, lines: Lines) -> None:
        """Adds what follows from lines. Raises GameError if the game has features of its own."""
        if self.features.planes or "features" in self.table:
            raise GameError("a game declares lines or features of its own, not both")
        object.__setattr__(self, "params", np.concatenate([self.params, lines.params]))
        object.__setattr__(self, "features", LINE_FEATURES)
        object.__setattr__(self, "forced", forced_in_lines)
