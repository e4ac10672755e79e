"""Players that search with a network: what a run has learnt, put to use.

UBFM_s (003, Algorithms 12 and 13): Unbounded Best-First Minimax with completion, playing the safest action.
"""

from pathlib import Path

import numpy as np

from athenan.play.player import PlayerError
from athenan.rules.game import Game, State
from athenan.rules.leaves import Evaluate
from athenan.rules.randomness import streams
from athenan.rules.terminal import TerminalValue
from athenan.runs.learnt import learnt_network
from athenan.search.budget import Budget
from athenan.search.node import Node
from athenan.search.search import Search, SearchSettings
from athenan.search.selection import safest, safest_score

DEFAULT_BUDGET = Budget(seconds=1.0)
"""Of players that are given none."""
MEMORY = 1 << 30
"""Bytes that the tree of a player may take."""


class SearchPlayer:
    """Plays the safest action after a best-first search; the tree lives as long as the match.

    In a game of one player resolved actions count by their value (`safest_score`).
    """

    def __init__(
        self,
        name: str,
        game: Game,
        evaluate: Evaluate | None,
        heuristic: TerminalValue,
        budget: Budget = DEFAULT_BUDGET,
        settings: SearchSettings = SearchSettings(),
    ) -> None:
        self.name = name
        self.game = game
        self.budget = budget
        self.search = Search(game, evaluate, heuristic, settings, memory=MEMORY)
        self.new_match(game, seed=0)
        self.root: Node | None
        """What the last search of the match knew of the state that it was asked about."""

    def new_match(self, game: Game, seed: int) -> None:
        self.root = None
        if game.name != self.game.name:
            raise PlayerError(f"{self.name} plays {self.game.name}, not {game.name}")
        self.search.forest.random[:] = streams(seed, 1)
        self.random = np.random.default_rng(seed)
        self.search.reset(game.initial())

    def observe(self, state: State, action: int) -> None:
        if self.game.outcome(self.game.play(state, action)) is None:
            self._look_at(state)
            self.search.play(action)
            self.search.make_room()

    def select(self, state: State) -> int:
        self._look_at(state)
        self.search.run(self.budget)
        self.root = self.search.root()
        choose = safest if self.game.players == 2 else safest_score
        return int(self.root.actions[choose(self.root, self.random)])

    def close(self) -> None:
        del self.search

    def _look_at(self, state: State) -> None:
        if not np.array_equal(self.search.state(), state):
            self.search.reset(state)


def load_player(path: str | Path, game: Game, budget: Budget | None = None, threads: int = 1) -> SearchPlayer:
    """The player that a run has made so far. Raises PlayerError if it is of another game."""
    learnt = learnt_network(path, threads=threads)
    if learnt.game.name != game.name:
        raise PlayerError(f"{path} has learnt {learnt.game.name}, not {game.name}")
    return SearchPlayer(str(path), game, learnt.evaluate, learnt.heuristic, budget or DEFAULT_BUDGET)
