"""The choice of the action to play in self-play."""

from collections.abc import Callable

import numpy as np

from athenan.learning.config import PlayingSettings
from athenan.search.algorithms.visits import by_visits
from athenan.search.trees.generator import draws_of
from athenan.search.trees.node import Node
from athenan.search.trees.selection import (
    Select,
    Selection,
    completed,
    epsilon_greedy,
    ordinal,
    prepare_ordinal,
    softmax,
    softmax_temperature,
)


class Choice:
    """Chooses actions by the settings, for one actor: compiled code draws from the generator without a lock."""

    def __init__(
        self,
        settings: PlayingSettings,
        scale: float,
        random: np.random.Generator,
        done: Callable[[], float | None],
        select: Select | None = None,
    ) -> None:
        """`scale` is the heuristic's; `done` says which share of the training is over, None if that is not known.

        `select` is how the search itself chooses actions, instead of `settings.selection`.
        """
        self.settings = settings
        self.random = random
        self._scale = scale
        self._done = done
        self._select = select
        self._draws = draws_of(random)
        if self.compiles:
            prepare_ordinal()

    def choose(self, root: Node, played: int) -> int:
        """The position in `root.actions` of the action to play, after `played` actions of the match."""
        select = self._distribution(played)
        if self.settings.completed_selection:
            return completed(root, select, self.random)
        return select(root, np.arange(len(root.actions)), self.random)

    @property
    def compiles(self) -> bool:
        """Whether compiled code can make this choice: by the ordinal distribution."""
        return self._select is None and self.settings.selection == "ordinal"

    def selection(self) -> Selection:
        """How compiled code chooses, by what `exploitation` is now."""
        exploitation = -1.0 if self.settings.exploitation == "uniform" else self._exploitation()
        return Selection(float(exploitation), int(self.settings.completed_selection), self._draws)

    def _distribution(self, played: int) -> Select:
        settings = self.settings
        if self._select:
            return self._select
        if settings.selection == "visits":
            return by_visits(1.0 if played < settings.drawn_actions else 0.0)
        exploitation = self._exploitation()
        if settings.selection == "epsilon_greedy":
            return epsilon_greedy(1 - exploitation)
        if settings.selection == "softmax":
            return softmax(softmax_temperature(exploitation, settings.temperature * self._scale))
        return ordinal(exploitation)

    def _exploitation(self) -> float:
        """ε' of one decision."""
        if self.settings.exploitation == "uniform":
            return self.random.random()
        if self.settings.exploitation == "annealed":
            return self._done() or 0.0
        return self.settings.exploitation
