"""Levels: how strong a player with a network plays, from beginner to strongest.

A level has a number of evaluations for an action, which is the same on every machine, and an exploitation rate: how
surely it plays the best action that it sees (the ordinal distribution, 003, Algorithm 14: it depends on the ranks of
the actions only, not on the scale of their values). All levels take a proven win, and avoid a proven loss.

The ladder measures `RUNGS` of the package's network, and chooses the levels of each game among them. Other networks
have `LEVELS`.

>>> str(LEVELS["club"]), LEVELS["strongest"].evaluations
('evaluations=100,exploitation=0.9', None)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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

    def __str__(self) -> str:
        """The level as settings of a player."""
        limit = "" if self.evaluations is None else f"evaluations={self.evaluations},"
        return f"{limit}exploitation={self.exploitation:g}"

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


RUNGS = (
    Level(1, 0.01), Level(1, 0.03), Level(1, 0.07), Level(1, 0.15), Level(1, 0.3), Level(1, 0.5),
    Level(30, 0.8), Level(100, 0.9), Level(300, 0.95), Level(1000, 0.98), Level(5000, 1.0),
)  # fmt: skip
"""What the levels below the strongest are chosen from, the weakest first. Where there are many actions, an exploitation
of 0.1 still chooses among the best ten or so, so the weakest rungs have less."""


STRONGEST = Level(None, 1.0)


LEVELS: dict[LevelName, Level] = {
    "beginner": RUNGS[3], "casual": RUNGS[5], "club": RUNGS[7], "expert": RUNGS[9], "strongest": STRONGEST,
}  # fmt: skip
"""The levels by name, the weakest first, of a network whose strength has not been measured."""


@dataclass(frozen=True)
class Levels:
    """The levels of a player."""

    settings: Mapping[LevelName, Level] = field(default_factory=lambda: LEVELS)
    """All levels by name, the weakest first."""
    ratings: Mapping[LevelName, int] = field(default_factory=dict)
    """Their measured strength in Elo points, as far as it is known."""

    def name_of(self, level: Level | None) -> LevelName | None:
        """The name of a level among these; None for any other level, and for None."""
        return next((name for name, one in self.settings.items() if one == level), None)


ROLLOUT_LEVELS = Levels({
    "beginner": Level(10, 1.0),
    "casual": Level(100, 1.0),
    "club": Level(1000, 1.0),
    "expert": Level(5000, 1.0),
    "strongest": STRONGEST,
})  # fmt: skip
"""The levels of a search with random rollouts, which count as evaluations. With few rollouts it is weak by itself."""


def level_name(text: str) -> LevelName:
    """The level of this name. Raises ValueError for an unknown name."""
    for name in LEVELS:
        if name == text:
            return name
    raise ValueError(f"there is no level {shown(text)}; the levels are {', '.join(LEVELS)}")
