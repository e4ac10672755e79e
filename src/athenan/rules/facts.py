"""The rules and the layout that a game declares, and what is in them by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from athenan.rules.board import Board
from athenan.rules.colours import ColourSymmetry, PlaneExchange
from athenan.rules.compiler import Kernel
from athenan.rules.declared import Features, OwnHeuristic
from athenan.rules.kernels import KernelTable
from athenan.rules.layout import Layout
from athenan.rules.ruleset import Ruleset

State = NDArray[np.int8]


@dataclass(frozen=True, eq=False, repr=False)
class Facts:
    """The rules and the layout of a game. What generic code asks of them is here by its name as well."""

    ruleset: Ruleset
    """The rules, as kernels, and their sizes."""
    layout: Layout
    """What the board and the actions look like."""

    table: KernelTable = field(init=False)
    params: NDArray[np.int64] = field(init=False)
    state_size: int = field(init=False)
    max_actions: int = field(init=False)
    max_length: int = field(init=False)
    typical_length: int = field(init=False)
    players: int = field(init=False)
    max_score: int | None = field(init=False)
    features: Features = field(init=False)
    forced: Kernel | None = field(init=False)
    heuristics: Mapping[str, OwnHeuristic] = field(init=False)
    evaluations: Mapping[str, Kernel] = field(init=False)
    carries_over: tuple[str, ...] = field(init=False)
    planes: tuple[int, int, int] = field(init=False)
    action_count: int = field(init=False)
    action_name: Callable[[State, int], str] = field(init=False)
    text: Callable[[State], str] = field(init=False)
    plane_symmetries: NDArray[np.int32] = field(init=False)
    action_symmetries: NDArray[np.int32] = field(init=False)
    start_symmetries: int = field(init=False)
    turned: Callable[[State, int], State] | None = field(init=False)
    action_planes: int = field(init=False)
    action_places: NDArray[np.int32] | None = field(init=False)
    colour_symmetry: ColourSymmetry | None = field(init=False)
    plane_exchange: PlaneExchange | None = field(init=False)
    beneath: NDArray[np.int64] | None = field(init=False)
    boards: int = field(init=False)
    board: Board | None = field(init=False)

    def __post_init__(self) -> None:
        parts = {one.name: part for part in (self.layout, self.ruleset) for one in fields(part)}
        for one in fields(self):
            if not one.init:
                object.__setattr__(self, one.name, getattr(parts[one.name], one.name))
        if self.ruleset.lines is not None:
            self.ruleset.lines.require_planes(self.layout.planes)
        every = len(self.plane_symmetries)
        object.__setattr__(self, "start_symmetries", min(self.start_symmetries or every, every))


Declared = TypeVar("Declared", bound=Facts)


def altered(game: Declared, **values: Any) -> Declared:
    """A copy of a game with other values of fields, also of the fields of its parts, such as `max_actions=4`."""
    parts: dict[str, Any] = {"ruleset": game.ruleset, "layout": game.layout}
    for name, part in parts.items():
        own = {one.name for one in fields(part)} & set(values)
        parts[name] = replace(part, **{key: values.pop(key) for key in own})
    changes: Any = parts | values
    return replace(game, **changes)
