"""What a game declares: its kernels, own heuristics and evaluations, features."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from athenan.rules.compiler import Kernel
from athenan.rules.errors import GameError
from athenan.rules.kernels import LARGEST_VALUE, SIGNATURES, STATE_VALUE, TERMINAL_VALUE, KernelTable
from athenan.settings import shown

_REQUIRED = ("initial", "actions", "play", "outcome", "encode")


class OwnHeuristic(NamedTuple):
    """A game's own reinforcement heuristic; it keeps the order of the gain (003, Definition 21)."""

    kernel: Kernel
    """A kernel of the signature `TERMINAL_VALUE`; its constants are empty."""
    largest: float
    """The largest absolute value of a finished match; half of it is the scale of what a network learns."""


class Features(NamedTuple):
    """Planes that a kernel writes about an encoded state.

    Symmetries of the board move their cells like the cells of the state's first plane, and keep each plane in place.
    """

    planes: int = 0
    """Number of planes."""
    exchanged: tuple[tuple[int, int], ...] = ()
    """The pairs of these planes that the exchange of the players exchanges."""
    kernel: Kernel | None = None
    """A kernel of the signature `FEATURES`, which writes them."""
    estimate: bool = False
    """Whether the last plane estimates the state: a number from -127 to 127, the same on all cells, from the first
    player's point of view. A pattern network with `estimate` adds a hundredth of it to its output."""


def check_table(table: KernelTable, scored: bool, features: bool) -> None:
    """Raises GameError if a kernel is missing or unknown, or has another signature.

    `scored`, `features`: whether the game declares a score and feature planes.
    """
    for name, kernel in table.kernels.items():
        if name not in SIGNATURES:
            raise GameError(f"a game has no kernel {name!r}; its kernels are {', '.join(SIGNATURES)}")
        if getattr(kernel, "signature", None) != SIGNATURES[name]:
            raise GameError(f"the kernel {name} must be a function decorated with @kernel({name.upper()})")
    needed = (*_REQUIRED, "score") if scored else _REQUIRED
    if missing := [name for name in needed if name not in table]:
        raise GameError(f"its table lacks the kernel {' and '.join(missing)}")
    if "score" in table and not scored:
        raise GameError("its table has the kernel score, but the game declares no max_score, the largest score")
    if ("features" in table) != features:
        raise GameError("a game declares the number of feature planes exactly if it has a kernel that writes them")


def check_heuristics(heuristics: Mapping[str, OwnHeuristic]) -> None:
    """Raises GameError if one of a game's own heuristics lacks a kernel of the signature or a largest value."""
    for name, own in heuristics.items():
        if getattr(own.kernel, "signature", None) != TERMINAL_VALUE:
            raise GameError(f"the heuristic {name} must be a function decorated with @kernel(TERMINAL_VALUE)")
        if not 0 < own.largest <= LARGEST_VALUE:
            must = f"must be above 0, and at most {LARGEST_VALUE:g}"
            raise GameError(f"the largest value of the heuristic {name} {must}, not {own.largest}")


def check_evaluations(evaluations: Mapping[str, Kernel]) -> None:
    """Raises GameError if an evaluation has a name that cannot be written as a setting, or another signature."""
    for name, one in evaluations.items():
        if not re.fullmatch("[a-z][a-z0-9_]*", name):
            raise GameError(f"an evaluation is named by small letters, digits and _, not {shown(name)}")
        if getattr(one, "signature", None) != STATE_VALUE:
            raise GameError(f"the evaluation {name} must be a function decorated with @kernel(STATE_VALUE)")
