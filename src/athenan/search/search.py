"""Searches of one game by the walk through a forest, from Python.

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
from dataclasses import dataclass, fields, replace
from typing import Annotated, Literal

import numpy as np

from athenan.rules.compiler import prepare
from athenan.rules.game import Game
from athenan.rules.leaves import Evaluate
from athenan.rules.state import CHANCE
from athenan.rules.terminal import Gain, TerminalValue, gain
from athenan.search.algorithm import Algorithm, Asks, Choose
from athenan.search.bandits import PUCT_EXPLORATION, UCT_EXPLORATION, bandit
from athenan.search.best_first import best_first, by_action_values
from athenan.search.exit import EXPLORATION as EXIT_EXPLORATION
from athenan.search.exit import POLICY_WEIGHT, VALUE_WEIGHT, expert
from athenan.search.forest import DEFAULT_MEMORY, plant
from athenan.search.forest_search import ForestSearch
from athenan.search.gumbel import gumbel
from athenan.search.korf_chickering import korf_chickering
from athenan.search.node import Node
from athenan.search.selection import SELECTIONS, best, safest, safest_or_exact
from athenan.search.walk import Subject, advance, receive
from athenan.settings import Between, check

Play = Literal["default", "best", "safest", "safest_securing_draw"]
Evaluation = Literal["children", "action_values"]
Refined = Annotated[int, Between(0, 1_000_000)]
Exploration = Annotated[float, Between(0, 1000)] | None
Depth = Annotated[int, Between(1, 10_000)] | None
ALPHA_BETA = "alphabeta"
"""The name of the search with a walk of its own: `alpha_beta`, which takes the next settings and no others."""
ALIASES = {"expectiminimax": ALPHA_BETA}
"""Other names of searches: alpha-beta in a game of chance is Expectiminimax. `SearchSettings` has the first name."""
REFINING = ("refining", "refining_root", "refining_random")
"""The settings of action values, 0 where children are evaluated."""
_OF_ALPHA_BETA = ("algorithm", "completion", "transpositions", "turns", "depth")


@dataclass(frozen=True)
class SearchSettings:
    """A search algorithm and its switches; `searches.make_search` makes the search.

    Raises ValueError if there is no such algorithm, or if a setting has no meaning for it.
    """

    algorithm: str = "ubfm"
    """In `descent` (003, Algorithms 9, 10) each iteration continues to the end of the match, in `ubfm` (1, 12) not.
    `korf_chickering` is the original form of `ubfm` (footnote 4). `uct` and `puct` are Monte Carlo tree search with a
    network at the leaves: by UCB1, and by AlphaZero's formula with the network's policy; `gumbel` is that of Gumbel
    AlphaZero, and `exit` that of expert iteration: UCT with random rollouts, a policy and a value (section 8.1).
    `alphabeta` is iterative-deepening alpha-beta, in games of chance Expectiminimax (001, section 2.1.3), and can be
    given as `expectiminimax`, too; it has the settings `completion`, `transpositions` and `depth`."""
    completion: bool = True
    """Propagate and use proven results (003, section 5); without it edges have none, not even those to finished
    matches, and v(s, a) alone decides which action is best. For `uct`, `puct` and `exit` it is the solver."""
    resolution_stop: bool = True
    """Do not search proven states; without completion this has no effect."""
    transpositions: bool = True
    """Equal states are one node."""
    exact: bool = False
    """A state is resolved only when all its children are (003, Remark 30), so that its value under the heuristic is
    proven too, not only who wins; this takes far longer. Games of one player are always searched so, and games of
    chance, but for the gain; with one player, and for the score in a game of chance, the completion is 0."""
    play: Play = "default"
    """The action played after a search: the default of the algorithm (the safest; with `exact` a resolved one, if it is
    as good), that of the best value, or the safest with proven draws before unproven wins (003, Remark 16)."""
    exploration: Exploration = None
    """c of `uct`, `puct` and `exit`, for values of about [-1, 1]; none is 0.4 for `uct`, 1.25 for `puct` and 0.05 for
    `exit`."""
    policy_weight: Exploration = None
    """w_a of `exit`: about the iterations of a search for each action; none is 100."""
    value_weight: Exploration = None
    """w_v of `exit`: the weight of the network's values beside that of rollouts, which is 1; none is 0.75."""
    evaluate: Evaluation = "children"
    """What the network evaluates when a state is expanded: its children, or the state alone, for the values of all its
    actions. For best-first search alone."""
    refining: Refined = 0
    """With action values: how many children of every expanded state, the best by these, are evaluated themselves."""
    refining_root: Refined = 0
    """The same of the root, if these are more."""
    refining_random: Refined = 0
    """With refining: how many of the other children, drawn at random, are evaluated too, so that the values of actions
    that do not look good are learnt. For trainings."""
    turns: bool = False
    """Of a state in which a player is to move, the states in which that turn can end are evaluated, and it is worth the
    best of them. For searches that ask the network for nothing but values."""
    depth: Depth = None
    """The greatest depth of `alphabeta`, in actions and outcomes of chance; none deepens until the budget ends. Depth 1
    evaluates the children alone."""

    def __post_init__(self) -> None:
        check(self)
        name = ALIASES.get(self.algorithm, self.algorithm)
        object.__setattr__(self, "algorithm", name)
        if name == ALPHA_BETA:
            self._check_alpha_beta()
            return
        if name not in ALGORITHMS:
            raise ValueError(f"algorithm must be {' or '.join(search_names())}, not {name!r}")
        for setting, owners in _OWNERS.items():
            default = type(self).__dataclass_fields__[setting].default
            if getattr(self, setting) != default and name in _HOUSE and name not in owners:
                raise ValueError(f"{setting} is no setting of {name}, but of {' and '.join(owners)}")
        if not self.completion:
            self._check_without_proofs()
        for setting in REFINING:
            if self.evaluate == "children" and getattr(self, setting):
                raise ValueError(f"{setting} must be 0 unless evaluate is action_values")
        if self.refining_random and not self.refining:
            raise ValueError("refining_random must be 0 unless some children are refined: see refining")
        if self.turns and ALGORITHMS[name](replace(self, turns=False), best).asked(True) != ("values",):
            raise ValueError(f"turns must be false for {name}, which asks for more than values")

    def _check_without_proofs(self) -> None:
        if self.exact:
            raise ValueError("exact must be false without completion, which is what proves values")
        if self.play == "safest_securing_draw":
            raise ValueError("play must be default, best or safest without completion, which is what proves draws")

    def _check_alpha_beta(self) -> None:
        for setting in fields(self):
            if setting.name not in _OF_ALPHA_BETA and getattr(self, setting.name) != setting.default:
                known = f"{', '.join(_OF_ALPHA_BETA[1:-1])} and {_OF_ALPHA_BETA[-1]}"
                raise ValueError(f"{setting.name} is no setting of {ALPHA_BETA}, whose settings are {known}")


def _best_first(settings: SearchSettings, algorithm: Algorithm) -> Algorithm:
    """An algorithm of best-first minimax with the evaluation that the settings want."""
    if settings.evaluate == "children":
        return algorithm
    return by_action_values(algorithm, settings.refining, settings.refining_root, settings.refining_random)


def ubfm(settings: SearchSettings, choose: Choose) -> Algorithm:
    """Unbounded Best-First Minimax, in the papers' form (003, Algorithms 1 and 12)."""
    completion, stop = settings.completion, settings.resolution_stop
    return _best_first(settings, best_first(False, choose, completion, stop, settings.exact))


def descent(settings: SearchSettings, choose: Choose) -> Algorithm:
    """Descent Minimax (003, Algorithms 9 and 10)."""
    completion, stop = settings.completion, settings.resolution_stop
    return _best_first(settings, best_first(True, choose, completion, stop, settings.exact))


def best_first_minimax(settings: SearchSettings, choose: Choose) -> Algorithm:
    """UBFM in Korf and Chickering's own form (003, footnote 4)."""
    completion, stop = settings.completion, settings.resolution_stop
    return _best_first(settings, korf_chickering(choose, completion, stop, settings.exact))


def uct(settings: SearchSettings, choose: Choose) -> Algorithm:
    """UCT whose leaves a network evaluates (003, section 3.3 and Remark 6)."""
    return _bandit(settings, choose, False, UCT_EXPLORATION)


def puct(settings: SearchSettings, choose: Choose) -> Algorithm:
    """The search of AlphaZero, without its noise."""
    return _bandit(settings, choose, True, PUCT_EXPLORATION)


def _bandit(settings: SearchSettings, choose: Choose, policy: bool, default: float) -> Algorithm:
    exploration = default if settings.exploration is None else settings.exploration
    return bandit(policy, exploration, choose, settings.completion, settings.resolution_stop, settings.exact)


def gumbel_search(settings: SearchSettings, choose: Choose) -> Algorithm:
    """The search of Gumbel AlphaZero, without its noise."""
    return gumbel(choose, settings.completion, settings.resolution_stop, settings.exact)


def exit_(settings: SearchSettings, choose: Choose) -> Algorithm:
    """The search of expert iteration (003, section 8.1)."""
    given = (settings.exploration, settings.policy_weight, settings.value_weight)
    defaults = (EXIT_EXPLORATION, POLICY_WEIGHT, VALUE_WEIGHT)
    c, w_a, w_v = (default if weight is None else weight for weight, default in zip(given, defaults, strict=True))
    return expert((c, w_a, w_v), choose, settings.completion, settings.resolution_stop, settings.exact)


ALGORITHMS: dict[str, Callable[[SearchSettings, Choose], Algorithm]] = {
    "descent": descent, "ubfm": ubfm, "korf_chickering": best_first_minimax, "uct": uct, "puct": puct,
    "gumbel": gumbel_search, "exit": exit_,
}  # fmt: skip
"""Name -> algorithm(settings, choose), where `choose` is the default choice of the action to play. Add your own."""
_HOUSE = frozenset(ALGORITHMS)
_OWNERS = {
    "exploration": ("uct", "puct", "exit"), "policy_weight": ("exit",), "value_weight": ("exit",),
    "evaluate": ("descent", "ubfm", "korf_chickering"), "depth": (ALPHA_BETA,),
}  # fmt: skip
"""The settings that only some of these algorithms have."""


def search_names() -> tuple[str, ...]:
    """The names of all searches."""
    return (*ALGORITHMS, ALPHA_BETA, *ALIASES)


class Search(ForestSearch):
    """Searches by the walk that advance together, one tree per slot, by an algorithm of `ALGORITHMS`.

    `evaluate` receives the states of all trees as one batch; None searches without a network: every state that is
    not proven has the value 0. `terminal` is the value of finished matches (default: the gain 1, 0, -1).
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
        if settings.algorithm not in ALGORITHMS:
            raise ValueError(f"{settings.algorithm} has a walk of its own: searches.make_search makes it")
        prepare(advance, receive)
        self.settings = settings
        by_values = game.stochastic and terminal.address != gain.address
        self.exact = settings.completion and (settings.exact or game.players == 1 or by_values)
        default = safest_or_exact if self.exact or game.stochastic else safest
        algorithm = ALGORITHMS[settings.algorithm](replace(settings, exact=self.exact), default)
        if evaluate is None and (needed := algorithm.asks & (Asks.POLICY | Asks.ACTION_VALUES)):
            heads = "policies" if Asks.POLICY in needed else "action values"
            raise ValueError(f"{settings.algorithm} needs a network with {heads}, and there is no network")
        algorithm = replace(algorithm, transpositions=settings.transpositions)
        super().__init__(game, evaluate, terminal, plant(game, slots, memory, seed), algorithm)
        subject = Subject.of(game, terminal, self._leaf)
        steps = algorithm.steps(evaluate is not None, terminal.scale)
        self._advance = advance.bound(self.forest, subject, steps, self._planes)
        self._receive = receive.bound(self.forest, steps)

    @property
    def proves_values(self) -> bool:
        """Whether the value of a resolved state is proven, not only who wins."""
        return self.exact or self.terminal.address == gain.address

    def choose(self, node: Node, random: np.random.Generator) -> int:
        """The position, in `node.actions`, of the action to play."""
        chosen = SELECTIONS.get(self.settings.play, self.algorithm.choose)
        return chosen(node, random)

    def line(self, slot: int = 0) -> list[int]:
        """The principal variation, as far as the tree goes: the actions to play.

        It ends where chance is to move: what follows is drawn, and not expected of anybody.
        """
        random = np.random.default_rng(0)
        node, actions = self.root(slot), list[int]()
        while len(node.actions) and node.player != CHANCE:
            position = self.choose(node, random)
            actions.append(int(node.actions[position]))
            if node.children[position] < 0:
                break
            node = self.node(int(node.children[position]), slot)
        return actions
