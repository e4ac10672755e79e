"""A searching player for the server of a protocol: it thinks in the background, until told to stop, within a clock."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from threading import Event, Thread

import numpy as np

from athenan.games.catalogue import changed
from athenan.play.analysis import Analysis
from athenan.play.levels import LevelName, level_name
from athenan.play.limit import DEFAULT_LIMIT, LEAST_SECONDS, Clock, Limit, budget_of
from athenan.play.search_player import SearchPlayer
from athenan.play.session import Session
from athenan.rules.game import Game
from athenan.rules.state import CHANCE
from athenan.search.alpha_beta.search import AlphaBetaSearch
from athenan.search.budget import Budget

ENDLESS = Budget(seconds=1e9)
"""The limit of a search that lasts until it is stopped."""

TellAnalysis = Callable[[Analysis], None]
MakePlayer = Callable[[Game], SearchPlayer]
"""Makes the player of a game. Raises ValueError for a game that it cannot play."""


@dataclass(frozen=True)
class ThinkingOptions:
    """How an engine thinks."""

    limit: Limit = DEFAULT_LIMIT
    """The limit of an action for which the other program gives no time."""
    margin: float = 0.1
    """Seconds kept in reserve from the time given for each action."""
    ponder: bool = False
    """Whether to keep thinking on the opponent's time."""
    version: str = "unknown"
    """The version that other programs are told."""


class Engine:
    """A session whose searches may run in their own thread. Only one thread may use it."""

    def __init__(self, game: Game, make_player: MakePlayer, options: ThinkingOptions = ThinkingOptions()) -> None:
        self._make_player, self.options = make_player, options
        self._thread: Thread | None = None
        self._stop, self._hurried, self._failure = Event(), Event(), list[BaseException]()
        self._random = np.random.default_rng()
        self._level: LevelName | None = None
        self._threads: int | None = None
        self._take(make_player(game))

    def _take(self, player: SearchPlayer) -> None:
        self.player, self.session = player, Session(player.searcher, player.chances)
        if self._level and player.levels:
            player.level = player.levels.settings[self._level]
        if self._threads:
            player.searcher.use_threads(self._threads)

    def use_threads(self, threads: int) -> None:
        """Searches with this number of threads from now on, if the player can. Ends a running search."""
        self.stop()
        self._threads = threads
        self.player.searcher.use_threads(threads)

    @property
    def level(self) -> LevelName | None:
        """The level at which it plays; None if its player has no levels, or plays at none of them."""
        player = self.player
        return player.levels.name_of(player.level) if player.levels else None

    def play_at(self, name: str) -> None:
        """Plays at the level of this name from the next search on, also after the game's settings change.

        Raises ValueError if no level has this name, or if the player has no levels.
        """
        if self.player.levels is None:
            raise ValueError(f"{self.player.name} has no levels: only players with a network have them")
        self._level = level_name(name)
        self.player.level = self.player.levels.settings[self._level]

    @property
    def game(self) -> Game:
        """The game with its present settings."""
        return self.session.game

    def change(self, **settings: object) -> None:
        """Changes the game's settings and goes to its initial state. Raises ValueError if it cannot have them."""
        game = changed(self.game, **settings)
        if game.name == self.game.name:
            self.session.position()
        else:
            self._take(self._make_player(game))

    def limit(self, given: Limit | None, bound: Budget | None = None) -> Limit:
        """The limit of a search: the player's own or its level's, or the given one minus the margin, or the default.

        `bound` has iterations or evaluations that also end the search of the present position.
        """
        if self.player.limit or given is None:
            return self.player.limit or bound or self.options.limit
        limit = self._with_margin(given)
        if bound is None:
            return limit
        seconds = budget_of(limit, self.game, self.session.state).seconds
        return replace(bound, seconds=seconds)

    def _with_margin(self, given: Limit) -> Limit:
        margin = self.options.margin
        if isinstance(given, Clock):
            return Clock(max(0.0, given.left - margin), given.increment, max(0.0, given.overtime - margin))
        if given.seconds is None:
            return given
        return Budget(max(LEAST_SECONDS, given.seconds - margin), given.iterations, given.evaluations)

    @property
    def has_depths(self) -> bool:
        """Whether the search can be limited by a depth."""
        return isinstance(self.session.searcher, AlphaBetaSearch)

    def to_depth(self, depth: int) -> Budget:
        """The limit of a search to a depth. Raises ValueError if the search has no depths."""
        if self.has_depths:
            return Budget(iterations=max(1, depth))
        raise ValueError(
            f"{self.player.name} cannot search to a depth: limit it by time or evaluated states, or use a player with "
            "search=alphabeta"
        )

    def think(self, limit: Limit, report: TellAnalysis | None = None, interval: float = inf) -> Analysis:
        """Searches the position until its limit or `stop`; calls of `report` are at least `interval` seconds apart."""
        level = self.player.level
        found = self.session.think(limit, report, interval, self._is_over)
        if not level or found.over:
            return found
        return level.chosen(self.session.searcher, found, self.session.chances, self._random)

    def _is_over(self) -> bool:
        return self._stop.is_set() or self._hurried.is_set()

    def start(
        self, limit: Limit, report: TellAnalysis | None = None, interval: float = inf, done: TellAnalysis | None = None
    ) -> None:
        """Searches in another thread, which calls `done` at the end, even after `stop`."""

        def task() -> None:
            found = self.think(limit, report, interval)
            if done:
                done(found)

        self.run(task)

    def run(self, task: Callable[[], None]) -> None:
        """Runs a task in another thread, in place of any other. The task may call `think`."""
        self.stop()

        def guarded() -> None:
            try:
                task()
            except BaseException as error:
                self._failure.append(error)

        self._thread = Thread(target=guarded, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the search of another thread, if any, and waits for it. Raises what the search raised."""
        if self._thread:
            self._stop.set()
            self.wait()

    def hurry(self) -> None:
        """Ends the present search and all later ones as soon as they find something. Any thread may call this."""
        self._hurried.set()

    def wait(self) -> None:
        """Waits until the search of another thread ends. Raises what the search raised."""
        if self._thread:
            self._thread.join()
        self._thread = None
        self._stop.clear()
        if self._failure:
            raise self._failure.pop()

    def ponder(self) -> None:
        """Starts to think on the opponent's time, if that is enabled and useful."""
        session = self.session
        if (
            self.options.ponder
            and session.searcher.keeps_tree
            and not session.over
            and session.game.player(session.state) != CHANCE
        ):
            self.start(ENDLESS)
