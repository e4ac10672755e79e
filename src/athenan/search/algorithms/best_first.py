"""UBFM, UBFM_s and Descent, with and without completion: the kernels of the papers' best-first algorithms.

| | an iteration follows | continues after an expansion | a node takes from its edges | source (003) |
| --- | --- | --- | --- | --- |
| UBFM | the best edge | no | the best value | Algorithm 1 |
| UBFM with completion | the best open edge | no | the best (c, v), and r | Algorithms 11, 12, 13 |
| Descent | the best edge | yes | the best value | Algorithm 9 |
| Descent with completion | the best open edge | yes | the best (c, v), and r | Algorithms 10, 11 |

With `exploration`, a setting of both that is ours, an iteration follows the edge with the best v plus a bonus for few
visits.

A resolved node (r = 1) is proven: its completion c is its game value under perfect play. If nodes are resolved only
with all their edges (`exact`), its value v is the terminal evaluation under perfect play.
"""

from abc import abstractmethod
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, ClassVar

import numpy as np

from athenan.rules.compiler import helper, inlined, kernel
from athenan.rules.game import Game
from athenan.rules.leaf import Native
from athenan.rules.leaves import Evaluate
from athenan.rules.state import sign
from athenan.rules.terminal import TerminalValue
from athenan.search.budget import ActionLimits
from athenan.search.settings import Evaluation, Exploration, Refined, SearchSettings, TurnSettings, WalkSettings
from athenan.search.trees.algorithm import BACK_UP, FOLLOW, GOES_ON, UPDATE, Algorithm, Asks, Choose
from athenan.search.trees.learnt_ends import LearntEnds
from athenan.search.trees.ties import best_by
from athenan.settings import Between


@kernel(GOES_ON)
def goes_on(node, constants):
    """Descent: the iteration continues to a terminal or resolved state."""
    return 1


@kernel(GOES_ON)
def ends(node, constants):
    """UBFM: the iteration ends."""
    return 0


@inlined
def _value(node, edge, side, width, constants):
    """v(s, a) for the side to move."""
    return side * edge.value


@inlined
def _completed_value(node, edge, side, width, constants):
    """An open edge precedes a resolved one; then the better c, the better v, and fewer visits decide."""
    openness = -3 * edge.resolution  # completions differ by 2 at most
    return openness + side * edge.completion, side * edge.value, -edge.visits


@inlined
def _explored_value(node, edge, side, width, constants):
    """The value with a bonus that falls with the share of the edge in the visits of its node; then fewer visits decide.

    `width` is the bonus of an edge without visits.
    """
    return side * edge.value + width / np.sqrt(edge.visits + 1.0), -edge.visits


@inlined
def _completed_explored_value(node, edge, side, width, constants):
    """The completed value with the bonus of `_explored_value`."""
    openness = -3 * edge.resolution
    return openness + side * edge.completion, side * edge.value + width / np.sqrt(edge.visits + 1.0), -edge.visits


_best, _best_completed = best_by(_value), best_by(_completed_value)
_best_explored, _best_completed_explored = best_by(_explored_value), best_by(_completed_explored_value)


@kernel(FOLLOW)
def follow_best(node, edges, constants, random):
    """best_action of Algorithms 1 and 9."""
    return _best(node, edges, 0.0, constants, random)


@kernel(FOLLOW)
def follow_best_open(node, edges, constants, random):
    """completed_best_action_dual (Algorithm 11) of Algorithms 10 and 12."""
    return _best_completed(node, edges, 0.0, constants, random)


@helper
def _bonus(node, constants):
    """The bonus of an edge without visits: constants[0] times the scale times the root of the visits of its node."""
    return constants[0] * constants[-1] * np.sqrt(node.visits + 1.0)


@kernel(FOLLOW)
def follow_explored(node, edges, constants, random):
    """Like `follow_best`, with exploration."""
    return _best_explored(node, edges, _bonus(node, constants), constants, random)


@kernel(FOLLOW)
def follow_explored_open(node, edges, constants, random):
    """Like `follow_best_open`, with exploration."""
    return _best_completed_explored(node, edges, _bonus(node, constants), constants, random)


@kernel(BACK_UP)
def back_up_value(edge, child, result, constants):
    """Sets v(s, a) of the edge."""
    edge.value = child.value


@kernel(BACK_UP)
def back_up_proof(edge, child, result, constants):
    """Sets v(s, a), c(s, a) and r(s, a) of the edge."""
    edge.value = child.value
    edge.completion = child.completion
    edge.resolution = child.resolution


@kernel(UPDATE)
def update_best(node, edges, result, constants):
    """Sets v(s) of the node by best_action."""
    side = sign(node.player)
    best = edges[0].value
    for number in range(1, len(edges)):
        if side * (edges[number].value - best) > 0:
            best = edges[number].value
    node.value = best


@helper
def completed_best(node, edges):
    """The position of completed_best_action (Algorithm 11), and whether all edges are resolved."""
    side = sign(node.player)
    best, all_resolved = 0, True
    for number in range(len(edges)):
        order = side * (edges[number].completion - edges[best].completion)
        if order > 0 or (order == 0 and side * (edges[number].value - edges[best].value) > 0):
            best = number
        all_resolved = all_resolved and edges[number].resolution != 0
    return best, all_resolved


@helper
def _complete(node, edges):
    """Sets v(s), c(s) of the node by its best edge; returns whether all edges are resolved."""
    best, all_resolved = completed_best(node, edges)
    node.value = edges[best].value
    node.completion = edges[best].completion
    return all_resolved


@kernel(UPDATE)
def update_completed(node, edges, result, constants):
    """Updates with backup_resolution (Algorithm 11): resolved by a win, or if all edges are resolved."""
    all_resolved = _complete(node, edges)
    node.resolution = all_resolved or node.completion != 0


@kernel(UPDATE)
def update_exact(node, edges, result, constants):
    """Updates a node that is resolved only if all edges are resolved (Remark 30)."""
    node.resolution = _complete(node, edges)


def best_first(descends: bool, choose: Choose, completion: bool, resolution_stop: bool, exact: bool) -> Algorithm:
    """UBFM, or Descent if it `descends`; `resolution_stop` and `exact` have no effect without completion."""
    return Algorithm(
        follow=follow_best_open if completion else follow_best,
        goes_on=goes_on if descends else ends,
        back_up=back_up_proof if completion else back_up_value,
        update=(update_exact if exact else update_completed) if completion else update_best,
        asks=Asks.CHILDREN,
        choose=choose,
        resolution_stop=completion and resolution_stop,
    )


@dataclass(frozen=True)
class BestFirstSettings(TurnSettings, WalkSettings):
    """The settings of best-first minimax searches."""

    forced: bool = field(default=True, kw_only=True)
    """Expand only the actions among which the best gain certainly lies, where the game says which they are, such as the
    cells that stop a line in Gomoku: all others are provably no better. This has no effect with `exact`."""
    evaluate: Evaluation = "children"
    """What the network evaluates when a state is expanded: its children, or only the state, which gives the values of
    all actions."""
    refining: Refined = 0
    """The number of children to evaluate of every expanded state, the best by their action values."""
    refining_root: Refined = 0
    """The number of children of the root to evaluate, if it is larger than `refining`."""
    refining_random: Refined = 0
    """The number of other children, drawn at random, to evaluate as well if children are refined, so that values are
    learnt for actions that do not look good. For training."""
    learnt_ends: bool = False
    """Value finished matches by the network, not exactly (2505.04525). For players with a network that compiled code
    evaluates. Proofs remain exact."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for setting in ("refining", "refining_root", "refining_random"):
            if self.evaluate == "children" and getattr(self, setting):
                raise ValueError(f"{setting} must be 0 unless evaluate is action_values")
        if self.refining_random and not self.refining:
            raise ValueError("refining_random must be 0 unless some children are refined: see refining")
        if self.turns and self.evaluate == "action_values":
            raise ValueError("turns must be false unless evaluate is children: the ends of turns have no action values")

    def algorithm(self, choose: Choose) -> Algorithm:
        kernels = self.kernels(choose)
        if self.evaluate == "children":
            return kernels
        return replace(
            kernels, asks=Asks.ACTION_VALUES, refining=self.refining, refining_root=self.refining_root,
            refining_random=self.refining_random,
        )  # fmt: skip

    @abstractmethod
    def kernels(self, choose: Choose) -> Algorithm:
        """The kernels of the search that evaluates all children."""

    def terminal_value(self, game: Game, evaluate: Evaluate | None, terminal: TerminalValue) -> TerminalValue:
        if not self.learnt_ends:
            return terminal
        if self.finishes:
            raise ValueError("ends must be 0 and margin false with learnt_ends: both need exact values")
        if game.stochastic or not isinstance(evaluate, Native):
            raise ValueError(
                "learnt_ends must be false in games of chance, and unless compiled code evaluates the network "
                "(patterns or shallow)"
            )
        return LearntEnds.of(evaluate.leaf, terminal.scale)

    def require_limits(self, limits: ActionLimits) -> None:
        super().require_limits(limits)
        if self.learnt_ends:
            raise ValueError("learnt_ends must be false in a training: it learns the values of finished matches")

    def for_play(self) -> SearchSettings:
        return replace(self.with_defaults(), refining_random=0, learnt_ends=False)


@dataclass(frozen=True)
class ExploringSettings(BestFirstSettings):
    """The settings of UBFM and Descent."""

    exploration: Exploration = 0.0
    """The bonus of an edge with few of its node's visits: this, times the scale of values, times the root of (visits of
    the node + 1) / (visits of the edge + 1). 0: an iteration follows the best edge, as in the papers."""
    descends: ClassVar[bool]
    """Whether an iteration continues to the end of the match."""

    def kernels(self, choose: Choose) -> Algorithm:
        kernels = best_first(self.descends, choose, self.completion, self.resolution_stop, self.exact)
        if not self.exploration:
            return kernels
        follow = follow_explored_open if self.completion else follow_explored
        return replace(kernels, follow=follow, constants=(self.exploration,))


@dataclass(frozen=True)
class Ubfm(ExploringSettings):
    """Unbounded Best-First Minimax in the papers' form (003, Algorithms 1 and 12): an iteration expands one state."""

    leaves: Annotated[int, Between(1, 64)] = 1
    """Leaves that are expanded at the same time: the one to expand, then the one to expand if that were lost, and so
    on. Their children are evaluated in one batch (module `leaf_batches`), or by several threads (module `shared_walk`).
    Games of chance, and networks evaluated in compiled code by one thread, take one by one."""
    descends: ClassVar = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.leaves > 1 and self.evaluate != "children":
            raise ValueError("leaves must be 1 unless evaluate is children")

    def algorithm(self, choose: Choose) -> Algorithm:
        together = self.evaluate == "children" and not self.learnt_ends
        return replace(super().algorithm(choose), together=together, leaves=self.leaves)


@dataclass(frozen=True)
class Descent(ExploringSettings):
    """Descent Minimax (003, Algorithms 9 and 10): each iteration continues to the end of the match."""

    descends: ClassVar = True

    def for_play(self) -> SearchSettings:
        """UBFM (003, section 4.2): Descent is made for learning."""
        return evaluating_as(self)


_OF_EVALUATION = ("turns", "evaluate", "refining", "refining_root")


def evaluating_as(trained: SearchSettings) -> Ubfm:
    """UBFM that evaluates what another search evaluates, if its settings tell."""
    known = [item.name for item in fields(trained)]
    return Ubfm(**{name: getattr(trained, name) for name in _OF_EVALUATION if name in known})
