"""Analysis of one position: the values of its actions, the best line, and what is proven.

    >>> from athenan import Budget, make
    >>> from athenan.play.analysis import analyze
    >>> game = make("hex:3,swap=false")
    >>> found = analyze(game, "b2", Budget(seconds=10))
    >>> found.proven  # the first player wins, whatever the second does
    1
    >>> [action.proven for action in found.actions]
    [1, 1, 1, 1, 1, 1, 1, 1]

All values are from the first player's point of view. In a game of one player a value is the expected final value
(the score, with the score heuristic), and what is resolved is exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from athenan.games.catalogue import make
from athenan.rules.game import Game, State
from athenan.rules.leaves import Evaluate
from athenan.rules.terminal import Gain, TerminalValue, terminal_value
from athenan.search.budget import Budget
from athenan.search.forest import DEFAULT_MEMORY
from athenan.search.node import Node
from athenan.search.search import Search, SearchSettings
from athenan.search.selection import best, safest, safest_score

OUTCOMES = {1: "win", 0: "draw", -1: "loss"}
"""A gain in words, for the first player."""

_REPORT_SECONDS = 0.25


@dataclass(frozen=True)
class ActionAnalysis:
    """What is known of one action."""

    action: str
    """In the game's notation."""
    value: float
    """v(s, a)"""
    proven: int | None
    """The gain under perfect play after it, if proven; of one player's game 0 where its value is proven."""
    visits: int
    """n(s, a): search iterations that began with it."""


@dataclass(frozen=True)
class Analysis:
    """What a search found out about a position."""

    game: Game
    state: State
    over: bool
    """Whether the match is over; then nothing was searched."""
    value: float
    """v(s); the game's value itself if `exact`, else an estimate."""
    proven: int | None
    """The gain under perfect play (1 win, 0 draw, -1 loss of the first player), if proven."""
    exact: bool
    """Whether `value` is proven, too: it is then the terminal evaluation (gain, score, ...) under perfect play."""
    line: list[str]
    """The principal variation; its first action is the best one. Empty if the match is over."""
    actions: list[ActionAnalysis]
    """All legal actions, of the best value for the side to move first."""
    iterations: int
    evaluations: int
    states: int
    """Nodes in the tree."""
    seconds: float
    full: bool
    """Whether the search ended because the tree had used its memory."""

    @property
    def best(self) -> str | None:
        """The action to play."""
        return self.line[0] if self.line else None

    def as_json(self) -> dict[str, Any]:
        """The analysis as JSON takes it."""
        return {
            "game": self.game.name, "player": ("first", "second")[self.game.player(self.state)], "over": self.over,
            "value": self.value, "proven": self._words(self.proven), "exact": self.exact, "best": self.best,
            "pv": self.line,
            "actions": [
                {"action": one.action, "value": one.value, "proven": self._words(one.proven), "visits": one.visits}
                for one in self.actions
            ],
            "iterations": self.iterations, "evaluations": self.evaluations, "states": self.states,
            "seconds": round(self.seconds, 3), "full": self.full,
        }  # fmt: skip

    def _words(self, gain: int | None) -> str | None:
        """What is proven; of one player's game it is the value, not who wins."""
        return in_words(gain) if self.game.players == 2 or gain is None else "value"


def in_words(gain: int | None) -> str | None:
    """`win`, `draw` or `loss` of the first player; None if nothing is proven."""
    return None if gain is None else OUTCOMES[gain]


def analyze(
    game: Game | str,
    state: State | str | None = None,
    budget: Budget = Budget(seconds=1.0),
    evaluate: Evaluate | None = None,
    terminal: TerminalValue = Gain(),
    settings: SearchSettings = SearchSettings(),
    memory: int = DEFAULT_MEMORY,
    seed: int = 0,
    progress: Callable[[Analysis], None] | None = None,
) -> Analysis:
    """Searches a position (default: the initial one) until the budget is used up, it is proven or the tree is full.

    The game may be named as `make` takes it, and the position by the moves that lead to it, such as "c2 b3".
    Without `evaluate` (a network, as in `Search`) every state that is not proven is worth 0, and the search is for a
    proof. With `settings.exact` a proof includes the value under `terminal`. `memory` is in bytes. `progress` is given
    what is known so far, a few times a second. Raises ValueError if `memory` is too little, and GameError, which is
    one, if there is no such game or position.
    """
    game = make(game)
    state = game.position(state)
    if (outcome := game.outcome(state)) is not None:
        return _finished(game, state, outcome, terminal)
    search = Search(game, evaluate, terminal, settings, memory=memory, seed=seed)
    search.reset(state)
    search.start(budget)
    began = reported = perf_counter()
    while search.round() or not search.done().size:
        now = perf_counter()
        if budget.seconds is not None and now - began >= budget.seconds:
            search.stop()
        if progress and now - reported >= _REPORT_SECONDS:
            progress(_analysis(search, terminal, now - began))
            reported = now
    return _analysis(search, terminal, perf_counter() - began)


def _finished(game: Game, state: State, outcome: int, terminal: TerminalValue) -> Analysis:
    value = terminal_value(
        terminal.address,
        game.rules,
        np.require(state, requirements=["C", "W"]),
        outcome,
        terminal.constants,
    )
    return Analysis(
        game, state, over=True, value=float(value), proven=outcome, exact=True, line=[], actions=[],
        iterations=0, evaluations=0, states=0, seconds=0.0, full=False,
    )  # fmt: skip


def _analysis(search: Search, terminal: TerminalValue, seconds: float) -> Analysis:
    root, slot = search.root(), search.forest.slots[0]
    proven = _proven(root.completion, root.resolution)
    return Analysis(
        search.game, search.state(), over=False, value=root.value, proven=proven,
        exact=bool(root.resolution) and (search.exact or terminal.address == Gain().address),
        line=_line(search), actions=_actions(search, root), iterations=int(slot["iterations"]),
        evaluations=int(slot["evaluations"]), states=int(slot["nodes"]), seconds=seconds, full=search.full(),
    )  # fmt: skip


def _proven(completion: int, resolution: int) -> int | None:
    """A completion other than 0 is always proven: it is a forced win or loss, whatever else is open."""
    return int(completion) if resolution or completion else None


def _actions(search: Search, root: Node) -> list[ActionAnalysis]:
    """The actions by (c, v, n) as the side to move likes them."""
    state, sign = search.state(), root.sign
    order = np.lexsort((-root.counts, -sign * root.values, -sign * root.completions))
    return [
        ActionAnalysis(
            action=search.game.action_name(state, int(root.actions[position])),
            value=float(root.values[position]),
            proven=_proven(root.completions[position], root.resolutions[position]),
            visits=int(root.counts[position]),
        )
        for position in order
    ]


def _line(search: Search) -> list[str]:
    """The principal variation: the action that would be played, from state to state, as far as the tree goes."""
    random = np.random.default_rng(0)
    choose = safest_score if search.game.players == 1 else best if search.exact else safest
    game, state, node, line = search.game, search.state(), search.root(), []
    while len(node.actions):
        position = choose(node, random)
        action, child = int(node.actions[position]), int(node.children[position])
        line.append(game.action_name(state, action))
        if child < 0:
            break
        state, node = game.play(state, action), search.node(child)
    return line
