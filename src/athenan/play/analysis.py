"""The analysis of a position: the values of its actions, the principal variation, and what is proven.

    >>> from athenan import Budget, analyze, make
    >>> game = make("hex:3,swap=false")
    >>> found = analyze(game, "b2", Budget(seconds=10))
    >>> found.proven  # the first player wins, whatever the second does
    1
    >>> [action.proven for action in found.actions]
    [1, 1, 1, 1, 1, 1, 1, 1]

All values are from the first player's point of view. In a one-player game a value is the expected final value (the
score, with the score heuristic), and a resolved value is exact.

In a game of chance values are expectations. A win is proven if it is certain, whatever chance brings; any other exact
value is an exact expectation. If chance is to move, the actions are its outcomes, and none is best.

A network that has learnt what its values mean (`evaluation.chances`) also gives win chances: the first player's
expected points, where a win counts 1 and a draw 1/2. What is proven is then 1, 1/2 or 0.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from athenan.drawing.overlay import Value
from athenan.drawing.svg import draw
from athenan.evaluation.chances import Chances
from athenan.play import words
from athenan.play.words import proven_word
from athenan.report.page import tabled
from athenan.report.tables import Table
from athenan.rules.game import Game, State
from athenan.rules.state import CHANCE
from athenan.rules.terminal import score
from athenan.search.searcher import Effort, Searcher
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.node import Node, proven
from athenan.settings import counted

_MOST_DRAWN, _MOST_ROWS = 12, 10
"""Actions in the picture and in the table of a notebook."""


@dataclass(frozen=True)
class ActionAnalysis:
    """The analysis of one action."""

    action: str
    """The action in the game's notation."""
    value: float
    """v(s, a)"""
    proven: int | None
    """The gain under perfect play after it, if proven; in a one-player game 0 if its value is proven."""
    exact: bool
    """Whether `value` is proven."""
    visits: int
    """n(s, a): search iterations that began with the action."""
    probability: float | None = None
    """The probability of an outcome, if chance is to move."""
    win_chance: float | None = None
    """The first player's win chance after it; None if that was not learnt."""

    @property
    def searched(self) -> bool:
        """Whether its value is more than a first estimate."""
        return self.exact or self.visits > 0


@dataclass(frozen=True, repr=False)
class Analysis:
    """The result of a search of a position, which a notebook shows as a picture with a table of the best actions."""

    game: Game
    state: State
    over: bool
    """Whether the match is over, so that nothing was searched."""
    value: float
    """v(s): the exact value if `exact`, otherwise an estimate."""
    proven: int | None
    """The gain under perfect play (1 win, 0 draw, -1 loss of the first player), if proven."""
    exact: bool
    """Whether `value` is proven; it is then the terminal evaluation (gain, score, ...) under perfect play."""
    line: list[str]
    """The principal variation until chance is to move, beginning with the best action. Empty if the match is over."""
    actions: list[ActionAnalysis]
    """All legal actions, the best for the side to move first; or all outcomes of chance in their order."""
    iterations: int
    evaluations: int
    states: int
    """Nodes in the tree."""
    seconds: float
    full: bool
    """Whether the search ended because its tree was full."""
    win_chance: float | None = None
    """The first player's win chance, from 0 to 1, draws counting half; None if that was not learnt."""
    points: float | None = None
    """The score with which the match is expected to end, as players count it, from the first player's point of view:
    exact if `exact`, otherwise an estimate of a network that has learnt scores. None if the values are not scores."""

    @property
    def chance(self) -> bool:
        """Whether chance is to move."""
        return not self.over and self.game.player(self.state) == CHANCE

    @property
    def best(self) -> str | None:
        """The action to play."""
        return self.line[0] if self.line else None

    @property
    def verdict(self) -> str:
        """What is proven, and no more than that, in words."""
        if self.game.players == 1:
            return f"proven: no match ends with more than {self.value:g}" if self.exact else "nothing is proven"
        if self.proven is None:
            return words.expectation(self.value) if self.exact else "nothing is proven"
        return words.proof(self.proven, self.game.stochastic)

    def __repr__(self) -> str:
        best = f", best {self.best}" if self.best else ""
        return f"<Analysis of {self._position}: {self.verdict}, value {self.value:+.4g}{best}>"

    def _repr_html_(self) -> str:
        """A picture with the values of the best actions and the principal variation, and a table of these actions."""
        drawing = draw(self.game, self.state, values=self._values(_MOST_DRAWN), line=self._line())
        counts = counted(self.iterations, "iteration"), counted(self.evaluations, "evaluation")
        effort = f"{', '.join(counts)}, {self.seconds:.2f} s"
        rows = tuple(
            (one.action, f"{one.value:+.4f}", f"{one.visits:,}", "" if one.proven is None else f"{one.proven:+d}")
            for one in self.actions[:_MOST_ROWS]
        )
        note = f"{self.verdict}; value {self.value:+.4g}; {effort}. Values and proofs are the first player's."
        return drawing.svg + tabled(Table(self._position, ("action", "value", "visits", "proven"), rows, note))

    @property
    def _position(self) -> str:
        return f"{self.game.name} after {counted(self.game.length(self.state), 'action')}"

    def _values(self, most: int) -> list[Value]:
        """The values of the best actions, for a picture."""
        numbers = {self.game.action_name(self.state, int(one)): int(one) for one in self.game.actions(self.state)}
        return [Value(numbers[one.action], one.value, one.proven) for one in self.actions[:most]]

    def _line(self) -> list[int]:
        """The principal variation as numbers of actions."""
        return self.game.parse_moves(" ".join(self.line), self.state)

    def as_json(self) -> dict[str, Any]:
        """The analysis as JSON data."""
        return {
            "game": self.game.name, "player": ("first", "second", "chance")[self.game.player(self.state)],
            "over": self.over, "value": self.value, **_win_chance(self.win_chance),
            **({} if self.points is None else {"points": self.points}),
            "proven": proven_word(self.game, self.proven), "exact": self.exact, "best": self.best, "pv": self.line,
            "actions": [self._action_as_json(one) for one in self.actions],
            "iterations": self.iterations, "evaluations": self.evaluations, "states": self.states,
            "seconds": round(self.seconds, 3), "full": self.full,
        }  # fmt: skip

    def _action_as_json(self, one: ActionAnalysis) -> dict[str, Any]:
        probability = {} if one.probability is None else {"probability": one.probability}
        return {
            "action": one.action, **probability, "value": one.value, **_win_chance(one.win_chance),
            "proven": proven_word(self.game, one.proven), "exact": one.exact, "visits": one.visits,
        }  # fmt: skip


def _win_chance(found: float | None) -> dict[str, float]:
    """The field of JSON; it is left out if the win chance was not learnt."""
    return {} if found is None else {"win_chance": round(found, 4)}


def of_end(searcher: Searcher, end: State, chances: Chances | None = None) -> Analysis:
    """The analysis of a final state, which is not searched."""
    value, proven = searcher.end_value(end), searcher.game.outcome(end)
    return _analysis(
        searcher.game, end, 0.0, Effort(0, 0, 0, False), over=True, value=value, proven=proven,
        exact=True, line=[], actions=[], win_chance=chances.of(value, proven) if chances else None,
        points=_points(searcher, value, exact=True, decided=True),
    )  # fmt: skip


def of_search(searcher: Searcher, seconds: float, chances: Chances | None = None, slot: int = 0) -> Analysis:
    """The analysis of a search's root; `seconds` is the time that the search took."""
    root, state, game = searcher.root(slot), searcher.state(slot), searcher.game
    exact = bool(root.resolution) and searcher.proves_values
    return _analysis(
        game, state, seconds, searcher.effort(slot), over=False, value=root.value, proven=root.proven,
        exact=exact, line=game.moves(searcher.line(slot), state).split(),
        actions=_actions(game, state, root, searcher.proves_values, chances),
        win_chance=chances.of(root.value, root.proven) if chances else None,
        points=_points(searcher, root.value, exact=exact, decided=root.proven is not None),
    )  # fmt: skip


def _points(searcher: Searcher, value: float, *, exact: bool, decided: bool) -> float | None:
    """A value as a score, if it is one: a network must have estimated it, or it is exact.

    Who wins may be proven, `decided`, before the score is known; the value is then no estimate.
    """
    game = searcher.game
    if not isinstance(searcher, ForestSearch) or game.players == 1 or game.max_score is None:
        return None
    known = exact or (searcher.evaluate is not None and not decided)
    return value * game.ruleset.unit if known and searcher.terminal.address == score.address else None


def _analysis(game: Game, state: State, seconds: float, effort: Effort, **found: Any) -> Analysis:
    return Analysis(
        game, state, **found, iterations=effort.iterations, evaluations=effort.evaluations, states=effort.states,
        seconds=seconds, full=effort.full,
    )  # fmt: skip


def _actions(
    game: Game, state: State, root: Node, proves_values: bool, chances: Chances | None
) -> list[ActionAnalysis]:
    """The actions, sorted by (c, v, n) for the side to move; the outcomes of chance by their numbers."""
    chance = game.player(state) == CHANCE
    order = np.lexsort((-root.counts, -root.sign * root.values, -root.sign * root.completions))
    if chance:
        order = np.argsort(root.actions)
    probabilities = game.probabilities(state) if chance else np.zeros(0)
    gains = [proven(*one, root.stochastic) for one in zip(root.completions, root.resolutions, strict=True)]
    return [
        ActionAnalysis(
            action=game.action_name(state, int(root.actions[position])),
            value=float(root.values[position]),
            proven=gains[position],
            exact=bool(root.resolutions[position]) and proves_values,
            visits=int(root.counts[position]),
            probability=float(probabilities[number]) if chance else None,
            win_chance=chances.of(float(root.values[position]), gains[position]) if chances else None,
        )
        for number, position in enumerate(order)
    ]
