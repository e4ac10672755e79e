"""Pattern networks: the value of a state as a sum of table entries, evaluated and learnt by compiled code on a CPU.

Sources: M. Buro, "Logistello" (patterns); M. Thill, P. Koch and W. Konen, "Reinforcement learning with n-tuples on the
game Connect-4" (PPSN 2012); S. Bagheri et al., "Online adaptable learning rates for the game Connect-4" (2014).
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.patterns.codes import codes_of
from athenan.evaluation.patterns.kernels import (
    MOST_CELLS,
    MOST_PLANES,
    MOST_TUPLES,
    SCALE_AT,
    WEIGHTS_AT,
    pattern_steps,
    pattern_values,
    pattern_values_of_planes,
)
from athenan.evaluation.patterns.layout import layout_of
from athenan.evaluation.patterns.tuples import tuples_of
from athenan.rules.compiler import prepare
from athenan.rules.game import Game
from athenan.rules.leaf import LeafKernel
from athenan.rules.leaves import Leaves
from athenan.settings import Between, check


@dataclass(frozen=True)
class Patterns:
    """The settings of a pattern network."""

    walks: Annotated[int, Between(0, 4096)] = 32
    """Random walks over the board, besides their images."""
    windows: bool = True
    """Whether every rectangle of neighbouring cells is a tuple: 3x3, 2x4 and 4x2 where cells have three codes."""
    entries: Annotated[int, Between(2, 2**24)] = 2**16
    """Weights that a tuple may have, which limits its length."""
    colours: bool = True
    """Where the rules are the same for both players: see states of the second as their images for the first."""
    seed: Annotated[int, Between(0, 2**31)] = 0
    """Of the walks."""

    def __post_init__(self) -> None:
        check(self)


class PatternNetwork:
    """The weights of a pattern network of one game; an evaluator that searches call in compiled code."""

    def __init__(self, game: Game, settings: Patterns = Patterns(), scale: float = 1.0, bounded: bool = True) -> None:
        """All weights 0. Raises ValueError if the game's states have no cells that can be coded, or are too large."""
        prepare(pattern_values, pattern_values_of_planes, pattern_steps)
        codes = codes_of(game)
        tuples = tuples_of(game, codes, settings.walks, settings.windows, settings.entries, settings.seed)
        sizes = {"numbers": int(np.prod(game.planes)), "cells": len(codes.varying), "tuples": len(tuples.cells)}
        for (what, size), most in zip(sizes.items(), (MOST_PLANES, MOST_CELLS, MOST_TUPLES), strict=True):
            if size > most:
                raise ValueError(f"a pattern network has at most {most:,} {what}, and {game.name} would have {size:,}")
        self.game, self.settings, self.codes, self.tuples = game, settings, codes, tuples
        self.layout = layout_of(game, codes, tuples, bounded, settings.colours)
        self.weights = np.zeros(WEIGHTS_AT + self.layout.weights, np.float32)
        self.weights[SCALE_AT] = scale
        self.changes = np.zeros((len(self.weights), 2), np.float32)

    @property
    def leaf(self) -> LeafKernel:
        """See `rules.leaf.Native`."""
        return LeafKernel(pattern_values.address, self.layout.numbers, self.weights)

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        """Evaluates encoded states, int8[n, planes * rows * columns]."""
        values = np.empty(len(planes), np.float32)
        flat = np.ascontiguousarray(planes.reshape(len(planes), -1))
        pattern_values_of_planes(flat, self.layout.numbers, self.weights, values)
        return Leaves(values)

    def learn(self, planes: NDArray[np.int8], targets: NDArray[np.float32], rate: float) -> float:
        """Learns encoded states with their values; returns the mean squared error before, of value / scale."""
        flat = np.ascontiguousarray(planes.reshape(len(planes), -1))
        squares = pattern_steps(flat, targets, self.layout.numbers, self.weights, self.changes, rate)
        return float(squares) / max(1, len(targets))
