"""Levels: how strong a player with a network plays, from beginner to strongest, the same in every game.

A level has a number of evaluations for an action, which is the same on every machine, and an exploitation rate: how
surely it plays the best action that it sees (the ordinal distribution, 003, Algorithm 14: it depends on the ranks of
the actions only, not on the scale of their values). All levels take a proven win, and avoid a proven loss.

>>> LEVELS["beginner"].evaluations, LEVELS["strongest"].evaluations
(1, None)
"""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from athenan.play.analysis import Analysis
from athenan.search.budget import Budget
from athenan.search.searcher import Searcher
from athenan.search.trees.node import Node
from athenan.search.trees.selection import completed, ordinal
from athenan.settings import Between, Count, shown

LevelName = Literal["beginner", "casual", "club", "expert", "strongest"]


@dataclass(frozen=True)
class Level:
    """How strong a player plays."""

    evaluations: Count | None
    """States that it evaluates for an action; None: as many as the limit of the action allows."""
    exploitation: Annotated[float, Between(0, 1)]
    """0: any action is as likely as another; 1: it plays what its search chooses."""

    @property
    def limit(self) -> Budget | None:
        """The limit of an action, if the level has one."""
        return None if self.evaluations is None else Budget(evaluations=self.evaluations)

    def choose(self, searcher: Searcher, root: Node, random: np.random.Generator) -> int:
        """The position in `root.actions` of the action to play."""
        if self.exploitation == 1:
            return searcher.choose(root, random)
        return completed(root, ordinal(self.exploitation), random)

    def chosen(self, searcher: Searcher, found: Analysis, random: np.random.Generator) -> Analysis:
        """The analysis of the root, whose line begins with the action that the level plays."""
        if self.exploitation == 1 or not found.line:
            return found
        root = searcher.root()
        name = found.game.action_name(found.state, int(root.actions[self.choose(searcher, root, random)]))
        return found if name == found.line[0] else replace(found, line=[name])


LEVELS: dict[LevelName, Level] = {
    "beginner": Level(1, 0.4),
    "casual": Level(30, 0.7),
    "club": Level(300, 0.85),
    "expert": Level(3000, 0.95),
    "strongest": Level(None, 1.0),
}
"""The levels by name, the weakest first."""


ROLLOUT_LEVELS: dict[LevelName, Level] = {
    "beginner": Level(10, 1.0),
    "casual": Level(100, 1.0),
    "club": Level(1000, 1.0),
    "expert": Level(5000, 1.0),
    "strongest": Level(None, 1.0),
}
"""The levels of a search with random rollouts, which count as evaluations. With few rollouts it is weak by itself."""


def name_of(level: Level | None) -> LevelName | None:
    """The name of a level in `LEVELS`; None for any other level, and for None."""
    return next((name for name, one in LEVELS.items() if one == level), None)


def level_name(text: str) -> LevelName:
    """The level of this name. Raises ValueError for an unknown name."""
    for name in LEVELS:
        if name == text:
            return name
    raise ValueError(f"there is no level {shown(text)}; the levels are {', '.join(LEVELS)}")
