"""Searches of many states at once: one tree for each row of a batch, in the slots of a forest.

>>> from athenan import make
>>> from athenan.arena.roster import make_player
>>> game = make("connect_four")
>>> search = BatchSearch.of(make_player("athenan:club", game), rows=3)
>>> states = np.stack([game.after(moves) for moves in ("4 4", "4 4 4 4 4", "4 1 4 1 4 1")])
>>> int(search.select(states)[2]), search.values().shape  # a line of four
(3, (3,))
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from athenan.environments.batch import RowNumbers
from athenan.environments.threads import Crew
from athenan.environments.trees import ORDERS, begin_rows, choose_rows, first_rows, forget_rows, read_edges
from athenan.evaluation.chances import Chances
from athenan.play.levels import Level
from athenan.play.player import Player
from athenan.play.search_player import SearchPlayer
from athenan.rules.compiler import prepare
from athenan.rules.game import Game
from athenan.rules.leaves import Evaluate
from athenan.rules.terminal import TerminalValue
from athenan.search.alpha_beta.search import AlphaBetaSearch
from athenan.search.budget import Budget
from athenan.search.named import make_search
from athenan.search.settings import SearchSettings, TurnSettings
from athenan.search.trees.foresight import look_of
from athenan.search.trees.forest_search import ForestSearch, limits_of
from athenan.search.trees.judgement import DRAWN, options_of
from athenan.search.trees.planting import PLAYER_MEMORY, memory_for
from athenan.search.walking.walk_search import Search


class BatchSearch:
    """A search within the same budget for each row, with a tree of its own, which it keeps from state to state.

    Rows are dealt to the threads in turn. Results do not depend on the number of threads.
    """

    def __init__(
        self,
        game: Game,
        evaluate: Evaluate | None,
        terminal: TerminalValue,
        settings: SearchSettings,
        budget: Budget,
        rows: int,
        *,
        level: Level | None = None,
        chances: Chances | None = None,
        threads: int = 1,
        memory: int = PLAYER_MEMORY,
    ) -> None:
        """`level` says how an action is chosen after the search: by default as the search does. `chances` says what
        values of the search mean as win chances.

        The trees together take at most `memory` bytes, or as many as the smallest trees need. Memory is taken when it
        is used. Raises ValueError for a budget in seconds.
        """
        if budget.seconds is not None:
            raise ValueError("many states are searched within iterations or evaluations, not within seconds")
        prepare(begin_rows, choose_rows, first_rows, forget_rows, read_edges)
        self.game, self.rows, self.budget = game, rows, budget
        threads = min(threads, rows)
        share = -(-rows // threads)
        whole = max(min(memory // threads, _enough(game, budget, share)), memory_for(game, share) * 2)
        self._parts = [
            _Part(make_search(game, evaluate, terminal, settings, share, whole), budget, level, chances)
            for _ in range(threads)
        ]
        self._crew = Crew(threads)
        self.forget()

    @classmethod
    def of(cls, player: Player, rows: int, threads: int = 1, limit: Budget | None = None) -> "BatchSearch":
        """The search of a player of the roster, with its level, at the `limit` or its own.

        Raises ValueError if it does not search, or if its search cannot search many states at once.
        """
        if not isinstance(player, SearchPlayer):
            raise ValueError(f"{player.name} does not search: choose a player that does, such as athenan:club")
        searcher, limit = player.searcher, limit or _budget_of(player)
        if not isinstance(searcher, Search | AlphaBetaSearch):
            raise ValueError(f"the search of {player.name} does not search many states at once")
        if limit is None:
            raise ValueError(f"{player.name} has no limit of its own: add one, such as evaluations=100")
        settings = searcher.settings
        if isinstance(settings, TurnSettings):  # its evaluator unfolds turns already
            settings = replace(settings, turns=False)
        return cls(
            searcher.game, searcher.evaluate, searcher.terminal, settings, limit, rows, level=player.level,
            chances=player.chances, threads=threads,
        )  # fmt: skip

    def forget(self, rows: RowNumbers | None = None, seeds: ArrayLike | None = None) -> None:
        """Empties the trees of all rows, or of some, and seeds their random numbers, by default with the row."""
        numbers, count = np.arange(self.rows) if rows is None else rows, len(self._parts)
        given = np.asarray(numbers if seeds is None else seeds).astype(np.uint64)
        for number, part in enumerate(self._parts):
            own = (numbers % count == number).nonzero()[0]
            part.forget(numbers[own] // count, given[own])

    def select(self, states: NDArray[np.int8], rows: RowNumbers | None = None) -> NDArray[np.int64]:
        """The action to play in each state, int8[n, state size], in which the match goes on and a player is to move.

        `rows` are the rows whose trees search them, by default the first n. A tree goes on from an earlier state of the
        same match if it knows the state. Raises ValueError if the evaluation gives a value that is not finite.
        """
        numbers = np.arange(len(states)) if rows is None else rows
        actions, count = np.zeros(len(numbers), np.int64), len(self._parts)
        states = np.ascontiguousarray(states)

        def search(thread: int) -> None:
            own = (numbers % count == thread).nonzero()[0]
            if len(own):
                actions[own] = self._parts[thread].select(numbers[own] // count, states[own])

        self._crew.run(search) if count > 1 else search(0)
        return actions

    def values(self, rows: RowNumbers | None = None) -> NDArray[np.float32]:
        """The value of the state that each row searched last, from the first player's point of view; float32[n]."""
        return np.array([part.value(slot) for part, slot in self._places(rows)], np.float32)

    def action_values(self, rows: RowNumbers | None = None) -> NDArray[np.float32]:
        """The value of each action there, NaN for an illegal one, as above; float32[n, actions]."""
        found = np.full((self.rows if rows is None else len(rows), self.game.action_count), np.nan, np.float32)
        for row, (part, slot) in enumerate(self._places(rows)):
            part.read(slot, found[row], np.zeros(0, np.int32))
        return found

    def visits(self, rows: RowNumbers | None = None) -> NDArray[np.int32]:
        """How often the search followed each action there; int32[n, actions]."""
        found = np.zeros((self.rows if rows is None else len(rows), self.game.action_count), np.int32)
        for row, (part, slot) in enumerate(self._places(rows)):
            part.read(slot, np.zeros(0, np.float32), found[row])
        return found

    def _places(self, rows: RowNumbers | None) -> "list[tuple[_Part, int]]":
        numbers = range(self.rows) if rows is None else rows.tolist()
        return [(self._parts[row % len(self._parts)], row // len(self._parts)) for row in numbers]


class _Part:
    """The trees of one thread."""

    def __init__(self, search: ForestSearch, budget: Budget, level: Level | None, chances: Chances | None) -> None:
        self._search, self._budget, self._errs = search, budget, level is not None and level.temperature > 0
        game, forest = search.game, search.forest
        self._random = np.zeros((len(forest.slots), 1), np.uint64)
        self._generators = dict[int, np.random.Generator]()
        self._forget = forget_rows.bound(forest, self._random)
        self._begin = begin_rows.bound(forest)
        if level:
            judgement, room = level.judgement(search, chances), options_of(game.max_actions)
            self._choose = choose_rows.bound(
                game.rules, look_of(game), judgement, room, np.empty(DRAWN), forest, self._random
            )
        self.read: Callable[[int, NDArray[np.float32], NDArray[np.int32]], None] = read_edges.bound(forest)
        self._order = ORDERS.get(search.choice)
        self._first = first_rows.bound(forest, self._random)
        settings = search.settings if isinstance(search, Search) else None
        self._preparation = settings and settings.preparation(budget)
        self._plain = settings is not None and self._preparation is None

    def forget(self, slots: RowNumbers, seeds: NDArray[np.uint64]) -> None:
        """Empties trees and seeds their random numbers."""
        self._forget(slots, seeds)
        if self._order is None:
            for slot, seed in zip(slots.tolist(), seeds.tolist(), strict=True):
                self._generators[slot] = np.random.default_rng(seed)

    def select(self, slots: RowNumbers, states: NDArray[np.int8]) -> NDArray[np.int64]:
        search, actions = self._search, np.zeros(len(slots), np.int64)
        iterations, evaluations = limits_of(self._budget)
        self._begin(slots, states, iterations, evaluations, int(self._plain))
        if not self._plain:
            for slot in slots.tolist():
                search.prepare(self._budget, slot)
                search.start(self._budget, slot)
        while search.round() or len(search.done()) < len(search.forest.slots):
            pass
        if self._errs:
            self._choose(slots, actions)
        elif self._order is not None:
            self._first(self._order, slots, actions)
        else:
            for number, slot in enumerate(slots.tolist()):
                actions[number] = _chosen(search, slot, self._generators[slot])
        return actions

    def value(self, slot: int) -> float:
        """The value of the root of a tree."""
        return float(self._search.forest.nodes["value"][slot, self._search.forest.slots["root"][slot]])


def _enough(game: Game, budget: Budget, trees: int) -> int:
    """Bytes with which no tree of a match gets half full, so that each goes on until the match ends.

    Every iteration and nearly every evaluation expands one state at most. Trees that are further apart in memory are
    slower: they take more of the processor's cache.
    """
    most = min(limits_of(budget))
    return memory_for(game, trees, 2 * most * game.max_length)


def _chosen(search: ForestSearch, slot: int, random: np.random.Generator) -> int:
    node = search.root(slot)
    return int(node.actions[search.choose(node, random)])


def _budget_of(player: SearchPlayer) -> Budget | None:
    """The player's own limit for an action; None without one, or with a clock."""
    return player.limit if isinstance(player.limit, Budget) else None
