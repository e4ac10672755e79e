"""Checks of what you write yourself: `check_search` for a search, as `check_game` is for a game.

>>> from athenan.testing import check_search
>>> check_search("ubfm", games=["tictactoe"])
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from athenan.games.catalogue import SMALL, make
from athenan.rules.game import Game, State
from athenan.rules.playouts import random_match
from athenan.rules.state import CHANCE
from athenan.search.budget import Budget
from athenan.search.first_use import looks_random
from athenan.search.named import make_search, parse_search
from athenan.search.searcher import run
from athenan.search.settings import SearchSettings
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.node import Node, proven
from athenan.settings import require_type

_LEFT = 6
"""The positions are this many actions before the end of a random match."""
_NODES = 100
"""About how many nodes of a tree are checked, the first and the last ones among them."""
_MEMORY = 1 << 24


class SearchFault(AssertionError):
    """A search breaks a promise."""


def check_search(
    search: SearchSettings | str,
    games: Sequence[Game | str] = SMALL,
    positions: int = 3,
    iterations: int = 60,
    seed: int = 0,
) -> None:
    """Raises SearchFault with the fault unless a search keeps the promises of all searches.

    `search` is its settings, or a text such as ./mine.py:0.5, as for `parse_search`. It makes up to so many iterations
    in positions close to the end of random matches in small games of two players, where exhaustive search knows the
    truth, with values and policies that look random. Checked are: the nodes of the tree are the states of the game,
    with their legal actions and finite values; what is proven is true; the action to play is legal, and wins if a win
    is proven; the expected line is legal; no search makes more iterations than its budget has; the same seed gives the
    same tree, in a new search and in the same one after `reset`; after an action has been played, the search goes on
    from the state that follows. Raises ValueError for a game of one player, and like `parse_search`.
    """
    settings = parse_search(search) if isinstance(search, str) else search
    require_type("search", settings, SearchSettings, "Ubfm()")
    for game in map(make, games):
        if game.players != 2:
            raise ValueError(f"check_search needs games of two players, not {game.name}")
        truth = _certain_gain(game)
        for number in range(positions):
            _Trial(settings, game, iterations, seed + number, truth).check()


@dataclass
class _Trial:
    """A search of one position."""

    settings: SearchSettings
    game: Game
    iterations: int
    """The iterations of the longest search."""
    seed: int
    truth: Callable[[State], int]
    start: State = field(init=False)

    def __post_init__(self) -> None:
        self.start = self.game.replay(random_match(self.game, self.seed)[:-_LEFT])

    def check(self) -> None:
        short = self._searched(1)
        search, other = self._searched(self.iterations), self._searched(self.iterations)
        self._require_same(search, other, "in a new search")
        short.seed(self.seed)
        short.reset(self.start)
        run(short, Budget(iterations=self.iterations))
        self._require_same(search, short, "after seed and reset")
        self._go_on(search)

    def _require(self, kept: bool, fault: str) -> None:
        if not kept:
            position = self.game.text(self.start)
            raise SearchFault(f"{type(self.settings).__name__} in {self.game.name}: {fault}; searched was\n{position}")

    def _searched(self, iterations: int) -> ForestSearch:
        search = make_search(self.game, looks_random(self.game), settings=self.settings, memory=_MEMORY, seed=self.seed)
        search.reset(self.start)
        run(search, Budget(iterations=iterations))
        made = search.effort().iterations
        self._require(made <= iterations, f"it makes {made} iterations with a budget of {iterations}")
        self._require_tree(search)
        self._require_action(search)
        return search

    def _require_tree(self, search: ForestSearch) -> None:
        states, count = search.forest.states[0], int(search.forest.slots[0]["nodes"])
        for number in np.unique(np.linspace(0, count - 1, _NODES).astype(int)).tolist():
            node, state = search.node(number), states[number]
            self._require(node.player == self.game.player(state), "a node has another side to move than its state")
            self._require_proof(node.proven, state)
            if not len(node.actions):
                continue
            legal = np.array_equal(np.sort(node.actions), self.game.actions(state))
            self._require(legal, "the actions of a node are not the legal ones")
            self._require(bool(np.isfinite([node.value, *node.values]).all()), "a value is not finite")
            for edge, action in enumerate(node.actions.tolist()):
                following, child = self.game.play(state, action), int(node.children[edge])
                same = child < 0 or states[child].tobytes() == following.tobytes()
                self._require(same, "a child is not the state that follows its action")
                found = proven(node.completions[edge], node.resolutions[edge], self.game.stochastic)
                self._require_proof(found, following)

    def _require_proof(self, found: int | None, state: State) -> None:
        true = found is None or found == self.truth(state)
        self._require(true, f"it proves the gain {found}, which is wrong in\n{self.game.text(state)}")

    def _require_action(self, search: ForestSearch) -> None:
        root, state = search.root(), search.state()
        if root.player == CHANCE or not len(root.actions):
            return
        position = search.choose(root, np.random.default_rng(self.seed))
        self._require(0 <= position < len(root.actions), f"it chooses action {position} of {len(root.actions)}")
        if root.proven == root.sign:
            following = self.game.play(state, int(root.actions[position]))
            self._require(self.truth(following) == root.sign, "it does not play a win that it has proven")
        for action in search.line():
            self._require(action in self.game.actions(state), "its line is not legal")
            state = self.game.play(state, action)

    def _require_same(self, one: ForestSearch, other: ForestSearch, when: str) -> None:
        self._require(_seen(one.root()) == _seen(other.root()), f"the same seed gives another tree {when}")
        self._require(one.line() == other.line(), f"the same seed gives another line {when}")

    def _go_on(self, search: ForestSearch) -> None:
        """Plays on until the match is over or chance is to move."""
        state = self.start
        while search.root().player != CHANCE and len(search.root().actions):
            root = search.root()
            action = int(root.actions[search.choose(root, np.random.default_rng(self.seed))])
            state = self.game.play(state, action)
            if self.game.outcome(state) is not None:
                return
            search.play(action)
            self._require(search.state().tobytes() == state.tobytes(), "after play its root is another state")
            run(search, Budget(iterations=9))
            self._require_tree(search)
            self._require_action(search)


def _seen(root: Node) -> list[Any]:
    return [part.tobytes() if isinstance(part, np.ndarray) else part for part in vars(root).values()]


@lru_cache(maxsize=16)
def _certain_gain(game: Game) -> Callable[[State], int]:
    """The first player's gain under perfect play, by exhaustive search; with chance the gain that is certain, or 0."""
    known = dict[bytes, int]()

    def gain(state: State) -> int:
        if (found := known.get(state.tobytes())) is None:
            found = known[state.tobytes()] = search(state)
        return found

    def search(state: State) -> int:
        if (outcome := game.outcome(state)) is not None:
            return outcome
        gains = {gain(game.play(state, int(action))) for action in game.actions(state)}
        if game.player(state) == CHANCE:
            return gains.pop() if len(gains) == 1 else 0
        return (max, min)[game.player(state)](gains)

    return gain
