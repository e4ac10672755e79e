"""Opponents of many matches at once: any player of the roster, or a function of observations.

>>> from athenan import make
>>> game = make("connect_four")
>>> batch = StateBatch(game, 8)
>>> opponent = make_opponent("athenan:casual", game, rows=8)
>>> opponent.select(batch, np.array([0, 5])).shape
(2,)
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from athenan.arena.roster import make_player
from athenan.environments.batch import RowNumbers, StateBatch
from athenan.environments.searching import BatchSearch
from athenan.environments.threads import Crew
from athenan.play.limit import DEFAULT_LIMIT
from athenan.play.player import Player, PlayerError, RandomPlayer
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game
from athenan.search.alpha_beta.search import AlphaBetaSearch
from athenan.search.budget import Budget
from athenan.search.monte_carlo.mcts import Mcts
from athenan.search.walking.walk_search import Search

Policy = Callable[[NDArray[np.int8], NDArray[np.bool_], NDArray[np.int8]], NDArray[np.integer]]
"""policy(observations, masks, players) -> a legal action of each of m states, such as a network that is being trained:
int8[m, planes, rows, columns], bool[m, actions], int8[m] -> int[m]."""
MOST_SINGLE = 256
"""Most rows of an opponent that needs a player of its own for each row, such as a program."""


class Opponent(ABC):
    """One side of the matches in all rows of a batch."""

    observes = False
    """Whether `observe` must be called."""

    @abstractmethod
    def select(self, batch: StateBatch, rows: RowNumbers) -> NDArray[np.integer]:
        """A legal action of each of these rows, in which this side is to move."""

    def begin(self, rows: RowNumbers, seeds: NDArray[np.uint64]) -> None:
        """A match begins in each of these rows. The same seed gives the same play."""
        return

    def observe(self, rows: RowNumbers, actions: NDArray[np.integer], states: NDArray[np.int8]) -> None:
        """An action has been played in each of these rows, by either side or by chance; the state after it."""
        return

    def close(self) -> None:
        """Ends programs and releases memory."""
        return


class _Random(Opponent):
    """Uniformly random actions, from the rows' own streams."""

    def select(self, batch: StateBatch, rows: RowNumbers) -> NDArray[np.integer]:
        return batch.sample(rows)


class _ByPolicy(Opponent):
    """A function of observations."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def select(self, batch: StateBatch, rows: RowNumbers) -> NDArray[np.integer]:
        return self._policy(batch.observations[rows], batch.masks[rows], batch.players[rows])


class _Searching(Opponent):
    """A search with a tree for each row."""

    def __init__(self, search: BatchSearch) -> None:
        self._search = search

    def begin(self, rows: RowNumbers, seeds: NDArray[np.uint64]) -> None:
        self._search.forget(rows, seeds)

    def select(self, batch: StateBatch, rows: RowNumbers) -> NDArray[np.integer]:
        return self._search.select(batch.states[rows], rows)


class _Taking(Opponent):
    """Searches by rollouts, with an empty tree for each action: one player for each thread serves all rows."""

    def __init__(self, players: list[SearchPlayer], game: Game, rows: int) -> None:
        self._players, self._game, self._crew = players, game, Crew(len(players))
        self._seeds = np.zeros(rows, np.uint64)

    def begin(self, rows: RowNumbers, seeds: NDArray[np.uint64]) -> None:
        self._seeds[rows] = seeds

    def select(self, batch: StateBatch, rows: RowNumbers) -> NDArray[np.integer]:
        actions, count = np.zeros(len(rows), np.int64), len(self._players)

        def search(thread: int) -> None:
            player = self._players[thread]
            for number in range(thread, len(rows), count):
                state = batch.states[rows[number]].copy()
                player.new_match(self._game, int(self._seeds[rows[number]] >> np.uint64(2)) + self._game.length(state))
                actions[number] = player.select(state, DEFAULT_LIMIT).action

        self._crew.run(search) if count > 1 else search(0)
        return actions


class _Single(Opponent):
    """Players that follow their matches, one for each row."""

    observes = True

    def __init__(self, players: list[Player], game: Game, limit: Budget) -> None:
        self._players, self._game, self._limit = players, game, limit

    def begin(self, rows: RowNumbers, seeds: NDArray[np.uint64]) -> None:
        for row, seed in zip(rows.tolist(), seeds.tolist(), strict=True):
            self._players[row].new_match(self._game, seed >> 2)

    def select(self, batch: StateBatch, rows: RowNumbers) -> NDArray[np.integer]:
        return np.array([self._players[row].select(batch.states[row].copy(), self._limit).action for row in rows])

    def observe(self, rows: RowNumbers, actions: NDArray[np.integer], states: NDArray[np.int8]) -> None:
        for row, action, state in zip(rows.tolist(), actions.tolist(), states, strict=True):
            self._players[row].observe(action, state)

    def close(self) -> None:
        for player in self._players:
            player.close()


def make_opponent(
    opponent: "str | Opponent | Policy", game: Game, rows: int, threads: int = 1, named: bool = True
) -> Opponent:
    """The opponent in a batch of `rows` matches: a player by its name in the roster, a policy, or an `Opponent` itself.

    Searches with a limit in evaluations or iterations search all rows together, by `threads` threads. Players that
    follow their matches, such as programs, are started once for each row. `named`: whether the user gave the name, as
    for `roster.make_player`. Raises PlayerError if there is no such player, if it has no limit of its own, or if it
    would be started too often.
    """
    if isinstance(opponent, Opponent):
        return opponent
    if not isinstance(opponent, str):
        if not callable(opponent):
            raise TypeError("an opponent is a player's name such as 'athenan:club', a function of observations, or an "
                            f"Opponent, not {opponent!r}")  # fmt: skip
        return _ByPolicy(opponent)
    player = make_player(opponent, game, people=False, named=named)
    if isinstance(player, RandomPlayer):
        return _Random()
    limit = getattr(player, "limit", None)
    if isinstance(player, SearchPlayer):
        if limit is None:
            raise PlayerError(f"{opponent} has no limit for an action: add one, such as {opponent},evaluations=100")
        together = isinstance(player.searcher, Search | AlphaBetaSearch)
        if together and isinstance(limit, Budget) and limit.seconds is None:
            return _Searching(BatchSearch.of(player, rows, threads))
        if isinstance(player.searcher, Mcts):
            others = [make_player(opponent, game, people=False, named=named) for _ in range(threads - 1)]
            return _Taking([player, *(one for one in others if isinstance(one, SearchPlayer))], game, rows)
    if rows > MOST_SINGLE:
        player.close()
        raise PlayerError(f"{opponent} needs a player for each row: at most {MOST_SINGLE} rows, not {rows:,}")
    more = [make_player(opponent, game, people=False, named=named) for _ in range(rows - 1)]
    return _Single([player, *more], game, limit if isinstance(limit, Budget) else Budget(seconds=1))
