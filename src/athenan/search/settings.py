"""The base classes of search settings.

The settings of a search are a frozen dataclass that knows how to make the search. Most searches use the walk through
the forest and derive their settings from `WalkSettings`: the method `algorithm` gives the kernels. A search with its
own walk, such as alpha-beta, defines `make`. `named` has the searches by name.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import Annotated, Any, Literal, Self

import numpy as np

from athenan.loading import is_file, load_module
from athenan.rules.game import Game
from athenan.rules.leaves import Evaluate
from athenan.rules.terminal import TerminalValue
from athenan.search.budget import ActionLimits, Budget
from athenan.search.trees.algorithm import Algorithm, Asks, Choose
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.selection import Select, safest
from athenan.settings import Between, Checked

Play = Literal["default", "best", "safest", "safest_securing_draw"]
Evaluation = Literal["children", "action_values"]
Refined = Annotated[int, Between(0, 1_000_000)]
Exploration = Annotated[float, Between(0, 1000)]


@dataclass(frozen=True)
class Preparation:
    """The preparation of a root before a search of the action to play."""

    prepare: Callable[[ForestSearch, int], bool]
    """prepare(search, slot): prepares the expanded root of a tree; returns whether there is anything to search."""
    keeps_tree: bool = True
    """Whether the search begins with the results of earlier ones, not with a new tree."""


@dataclass(frozen=True, kw_only=True)
class SearchSettings(Checked, ABC):
    """The settings of every search. Raises ValueError for a value that is not allowed."""

    completion: bool = True
    """Propagate and use proven results (003, section 5). If false, c and r are 0 on every edge, even to finished
    matches, and only v(s, a) decides which action is best. For uct, puct and exit this switches the MCTS solver."""
    transpositions: bool = True
    """Merge equal states into one node."""

    @abstractmethod
    def heads(self, stochastic: bool = False) -> tuple[str, ...]:
        """The heads of a network that the search needs, such as values and policies.

        With `stochastic` the heads that it needs in games of chance, otherwise those that it needs in every game.
        """

    @abstractmethod
    def for_play(self) -> "SearchSettings":
        """The default search for playing with a network that was trained with this search.

        Usually it is the same search, with proofs and without the random choices made for learning.
        """

    @property
    @abstractmethod
    def sees_actions(self) -> bool:
        """Whether the first iteration already tells the actions of the root apart."""

    @property
    def turns(self) -> bool:
        """Whether whole turns are evaluated: a setting of searches that derive from `TurnSettings`."""
        return False

    @property
    def passes_proofs_on(self) -> bool:
        """Whether states resolved in an earlier match can be planted in its trees and end its iterations."""
        return self.completion and self.transpositions

    def preparation(self, budget: Budget, random: np.random.Generator | None = None) -> Preparation | None:
        """The preparation of roots of searches within this budget; None if they need none.

        `random` is for exploration in self-play; players do without it.
        """
        return None

    @property
    def select(self) -> Select | None:
        """How self-play chooses the action after this search; None leaves it to the settings of self-play."""
        return None

    def require_limits(self, limits: ActionLimits) -> None:
        """Raises ValueError if self-play cannot use these limits for this search."""
        return

    def make(
        self, game: Game, evaluate: Evaluate | None, terminal: TerminalValue, slots: int, memory: int, seed: int
    ) -> ForestSearch:
        """Makes the search, if it has its own walk; takes the parameters of `walk_search.Search`."""
        raise NotImplementedError(f"{type(self).__name__} has neither the kernels of a walk nor a walk of its own")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self).__module__, type(self).__qualname__, dict(vars(self)))


def _restored(module: str, name: str, values: dict[str, Any]) -> SearchSettings:
    """Restores pickled settings; the module may be a user's file that this process has not loaded yet."""
    loaded: Any = load_module(module) if is_file(module) else import_module(module)
    for part in name.split("."):
        loaded = getattr(loaded, part)
    settings: SearchSettings = loaded(**values)
    return settings


@dataclass(frozen=True, kw_only=True)
class TurnSettings(SearchSettings):
    """The settings of searches that ask the network only for values."""

    turns: bool = False
    """Evaluate the states in which a player's turn can end: a state is worth the best of them."""


@dataclass(frozen=True, kw_only=True)
class WalkSettings(SearchSettings):
    """The settings of every search that uses the walk."""

    resolution_stop: bool = True
    """Do not search proven states. This has no effect without completion."""
    exact: bool = False
    """Resolve a state only when all its children are resolved (003, Remark 30), so that its value under the heuristic
    is proven, not only who wins. This takes far longer. It always holds in one-player games, and in games of chance
    unless values are gains. With one player, and for the score in a game of chance, the completion is 0."""
    ends: Annotated[int, Between(0, 1000)] = 0
    """Solve the root exactly beside the search if at most about this number of actions remain, with a second for the
    search; one more or less for twice or half of that. 0: never. For games of two players without chance, one position
    at a time."""
    margin: bool = False
    """Once it is proven who wins, search on for the best value, such as the score, with `exact`, one position at a
    time. The papers' searches end with the proof."""
    play: Play = "default"
    """The action played after a search: the algorithm's default (the safest action; with `exact` a resolved one if it
    is as good), the action with the best value, or the safest with proven draws before unproven wins (003, Remark
    16)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.exact and not self.completion:
            raise ValueError("exact must be false without completion, which is what proves values")
        if self.play == "safest_securing_draw" and not self.completion:
            raise ValueError("play must be default, best or safest without completion, which is what proves draws")
        if self.finishes and not (self.completion and self.resolution_stop):
            raise ValueError("ends must be 0 and margin false unless completion and resolution_stop are true")

    @abstractmethod
    def algorithm(self, choose: Choose) -> Algorithm:
        """The kernels; `choose` is the default choice of the action to play. `Search` adds `transpositions`."""

    def terminal_value(self, game: Game, evaluate: Evaluate | None, terminal: TerminalValue) -> TerminalValue:
        """The evaluation of finished matches, given the exact one. Raises ValueError if the search cannot have it."""
        return terminal

    def require_limits(self, limits: ActionLimits) -> None:
        if self.finishes:
            raise ValueError("ends must be 0 and margin false in a training: they are for players")

    @property
    def finishes(self) -> bool:
        """Whether it solves ends or goes on for the margin, which the papers' searches do not."""
        return self.ends > 0 or self.margin

    def heads(self, stochastic: bool = False) -> tuple[str, ...]:
        return self.algorithm(safest).asked(stochastic)

    def for_play(self) -> SearchSettings:
        return self.with_defaults()

    def with_defaults(self) -> Self:
        """The search with the defaults of all settings of `WalkSettings`."""
        defaults: dict[str, Any] = {item.name: item.default for item in fields(WalkSettings)}
        return replace(self, **defaults)

    @property
    def forced(self) -> bool:
        """Whether only the actions that may be best are expanded: a setting of best-first searches."""
        return False

    @property
    def sees_actions(self) -> bool:
        return not Asks.STATE & self.algorithm(safest).asks

    @property
    def passes_proofs_on(self) -> bool:
        return super().passes_proofs_on and self.resolution_stop
