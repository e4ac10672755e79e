"""Levels: how strong a player with a network plays, from beginner to strongest, and how it errs.

A level has a number of evaluations for an action, which is the same on every machine. What it plays after that search
errs as people do: by how bad an action is, and by how hard it is to see why (`search.trees.judgement`).

- `temperature`: an action that halves the odds to win is half as likely at 1, a quarter as likely at 1/2.
- `sight`: how surely it sees the opponent's win in the reply; it sees an own win more often, and an own win that takes
  two turns less often.

`scripts/levels.py` chooses the temperatures of a game by what its levels score against fixed players. Networks whose
levels nobody has measured have `LEVELS`.

>>> str(LEVELS["club"]), LEVELS["strongest"].evaluations, str(Level(5000))
('evaluations=100,temperature=0.65,sight=0.98', None, 'evaluations=5000')
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

import numpy as np

from athenan.evaluation.chances import Chances
from athenan.play.analysis import Analysis
from athenan.search.budget import Budget
from athenan.search.searcher import Searcher
from athenan.search.trees.foresight import look_of
from athenan.search.trees.judgement import DRAWN, TURNS, Judgement, judge, options_of
from athenan.search.trees.node import Node
from athenan.settings import Between, Count, shown, written

LevelName = Literal["beginner", "casual", "club", "expert", "strongest"]
Temperature = Annotated[float, Between(0, 100)]
Sight = Annotated[float, Between(0, 1)]


@dataclass(frozen=True)
class Level:
    """How strong a player plays."""

    evaluations: Count | None
    """States that it evaluates for an action; None: as many as the limit of the action allows."""
    temperature: Temperature = 0.0
    """0: it plays what its search chooses; otherwise it draws an action by the odds to win, to the power of 1 /
    temperature."""
    sight: Sight = 1.0
    """The probability that it sees that an action lets the opponent win at once. Does not matter at temperature 0."""

    def __str__(self) -> str:
        """The level as settings of a player."""
        limit = [] if self.evaluations is None else [f"evaluations={self.evaluations}"]
        return ",".join([*limit, *self.errors])

    @property
    def errors(self) -> list[str]:
        """The settings of a player by which it errs; empty if it plays what its search chooses."""
        if not self.temperature:
            return []
        sight = [f"sight={written(self.sight)}"] if self.sight < 1 else []
        return [f"temperature={written(self.temperature)}", *sight]

    @property
    def limit(self) -> Budget | None:
        """The limit of an action, if the level has one."""
        return None if self.evaluations is None else Budget(evaluations=self.evaluations)

    def judgement(self, searcher: Searcher, chances: Chances | None) -> Judgement:
        """How the level judges values of a search. `chances` says what they mean as win chances.

        Without it a value v means a chance of 1/2 + v / (2 scale).
        """
        chances = chances or Chances((-searcher.scale, searcher.scale), (0.0, 1.0), matches=0)
        turns = TURNS if searcher.game.players == 2 else 0
        return Judgement(self.temperature, self.sight, turns, np.array(chances.values), np.array(chances.points))

    def choose(self, searcher: Searcher, root: Node, chances: Chances | None, random: np.random.Generator) -> int:
        """The position in `root.actions` of the action to play. `root` is the searcher's; see `judgement`."""
        if not self.temperature:
            return searcher.choose(root, random)
        count, game = len(root.actions), searcher.game
        options = options_of(count)
        options.actions[:], options.values[:], options.completions[:] = root.actions, root.values, root.completions
        judgement, drawn = self.judgement(searcher, chances), random.random(DRAWN)
        return int(judge(game.rules, look_of(game), judgement, searcher.state(), root.sign, options, drawn))

    def chosen(
        self, searcher: Searcher, found: Analysis, chances: Chances | None, random: np.random.Generator
    ) -> Analysis:
        """The analysis of the root, whose line begins with the action that the level plays."""
        if not self.temperature or not found.line:
            return found
        root, game = searcher.root(), found.game
        played = int(root.actions[self.choose(searcher, root, chances, random)])
        name = game.action_name(found.state, played)
        return found if name == found.line[0] else replace(found, line=[name])


_TEMPERATURES = (14.0, 10.0, 7.0, 5.0, 3.5, 2.5, 1.8, 1.3, 0.9, 0.65, 0.45, 0.32, 0.23, 0.16, 0.11, 0.08)
_SETTINGS: dict[LevelName, tuple[int, float]] = {
    "beginner": (1, 0.7), "casual": (1, 0.9), "club": (100, 0.98), "expert": (1000, 1.0),
}  # fmt: skip
"""The evaluations and the sight of each level below the strongest."""


def rungs(name: LevelName) -> tuple[Level, ...]:
    """The settings among which a level below the strongest is chosen, the weakest first.

    Its evaluations and its sight are the same in every game. Its temperature makes up for what the networks know.
    """
    evaluations, sight = _SETTINGS[name]
    return (*(Level(evaluations, one, sight) for one in _TEMPERATURES), Level(5 * evaluations))


STRONGEST = Level(None)


LEVELS: dict[LevelName, Level] = {
    "beginner": Level(1, 7.0, 0.7), "casual": Level(1, 2.5, 0.9), "club": Level(100, 0.65, 0.98),
    "expert": Level(1000, 0.45), "strongest": STRONGEST,
}  # fmt: skip
"""The levels by name, the weakest first. A network has them until its own levels are measured."""


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
    "beginner": Level(10),
    "casual": Level(100),
    "club": Level(1000),
    "expert": Level(5000),
    "strongest": STRONGEST,
})  # fmt: skip
"""The levels of a search with random rollouts, which count as evaluations. With few rollouts it is weak by itself."""


def level_name(text: str) -> LevelName:
    """The level of this name. Raises ValueError for an unknown name."""
    for name in LEVELS:
        if name == text:
            return name
    raise ValueError(f"there is no level {shown(text)}; the levels are {', '.join(LEVELS)}")
