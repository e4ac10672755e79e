"""Best-first searches of one game, from Python.

>>> from athenan import Budget, Search, make
>>> game = make("tictactoe")
>>> search = Search(game)
>>> search.reset(game.initial())
>>> search.run(Budget(iterations=10_000))
>>> root = search.root()
>>> root.resolution, root.completion  # proven: a draw
(1, 0)
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from athenan.rules.compiler import prepare
from athenan.rules.game import Game
from athenan.rules.leaves import Evaluate
from athenan.rules.terminal import Gain, TerminalValue, gain
from athenan.search.algorithm import Algorithm, Choose
from athenan.search.best_first import best_first
from athenan.search.forest import DEFAULT_MEMORY, plant
from athenan.search.forest_search import ForestSearch
from athenan.search.node import Node
from athenan.search.selection import SELECTIONS, best, safest, safest_score
from athenan.search.walk import Subject, advance, receive
from athenan.settings import check

Play = Literal["default", "best", "safest", "safest_securing_draw"]


@dataclass(frozen=True)
class SearchSettings:
    """The algorithm of a best-first search. Raises ValueError if there is no such algorithm."""

    algorithm: str = "ubfm"
    """`descent` (003, Algorithms 9, 10) goes on to the end of the match in each iteration, `ubfm` (1, 12) does not."""
    completion: bool = True
    """Propagate and use proven results (003, section 5); without it edges have none, not even those to finished
    matches, and v(s, a) alone says which action is best."""
    resolution_stop: bool = True
    """Do not search what is proven; without completion there is nothing to stop at."""
    transpositions: bool = True
    """Equal states are one node."""
    exact: bool = False
    """A state is resolved only when all its children are (003, Remark 30), so that its value under the heuristic is
    proven too, not only who wins; takes far longer. Games of one player are always searched so: there is no other
    player to prove anything against, and completion has nothing to say."""
    play: Play = "default"
    """The action played in the end: the algorithm's own default (the safest), that of the best value, or the safest
    but that a proven draw goes before an unproven win (003, Remark 16)."""

    def __post_init__(self) -> None:
        check(self)
        if self.algorithm not in ALGORITHMS:
            raise ValueError(f"algorithm must be {' or '.join(ALGORITHMS)}, not {self.algorithm!r}")


def ubfm(settings: SearchSettings, choose: Choose) -> Algorithm:
    """Unbounded Best-First Minimax, in the papers' form (003, Algorithms 1 and 12)."""
    return best_first(False, choose, settings.completion, settings.resolution_stop, settings.exact)


def descent(settings: SearchSettings, choose: Choose) -> Algorithm:
    """Descent Minimax (003, Algorithms 9 and 10)."""
    return best_first(True, choose, settings.completion, settings.resolution_stop, settings.exact)


ALGORITHMS: dict[str, Callable[[SearchSettings, Choose], Algorithm]] = {"descent": descent, "ubfm": ubfm}
"""Name -> algorithm(settings, choose), where `choose` is the default choice of the action to play. Enter your own."""


class Search(ForestSearch):
    """Best-first searches that advance together, one tree a slot.

    `evaluate` receives all that the trees ask for as one batch; None searches without a network: every state that is
    not proven is worth 0. `terminal` is the value of finished matches (default: the gain 1, 0, -1).
    """

    def __init__(
        self,
        game: Game,
        evaluate: Evaluate | None = None,
        terminal: TerminalValue = Gain(),
        settings: SearchSettings = SearchSettings(),
        slots: int = 1,
        memory: int = DEFAULT_MEMORY,
        seed: int = 0,
    ) -> None:
        prepare(advance, receive)
        super().__init__(game, evaluate, terminal, plant(game, slots, memory, seed))
        self.settings = settings
        self.exact = settings.exact or game.players == 1
        default = safest if game.players == 2 else safest_score
        self.algorithm = ALGORITHMS[settings.algorithm](replace(settings, exact=self.exact), default)
        subject = Subject(game.rules, terminal.address, terminal.constants, game.max_actions)
        steps = replace(self.algorithm, transpositions=settings.transpositions).steps(evaluate is not None)
        self._advance = advance.bound(self.forest, subject, steps, self._planes)
        self._receive = receive.bound(self.forest, steps)
        self._asked = self.algorithm.asked()

    @property
    def proves_values(self) -> bool:
        """Whether a resolved state has its value under perfect play proven, not only who wins."""
        return self.exact or self.terminal.address == gain.address

    def choose(self, node: Node, random: np.random.Generator) -> int:
        """The position, in `node.actions`, of the action to play."""
        chosen = SELECTIONS.get(self.settings.play, self.algorithm.choose)
        return chosen(node, random)

    def line(self, slot: int = 0) -> list[int]:
        """The principal variation: the action that would be played, from state to state, as far as the tree goes."""
        random = np.random.default_rng(0)
        choose = best if self.exact and self.game.players == 2 else self.choose
        node, actions = self.root(slot), list[int]()
        while len(node.actions):
            position = choose(node, random)
            actions.append(int(node.actions[position]))
            if node.children[position] < 0:
                break
            node = self.node(int(node.children[position]), slot)
        return actions
