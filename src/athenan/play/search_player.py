"""Players that search: UBFM_s with a network (003, Algorithms 12 and 13), UCT, or any other `Searcher`.

>>> from athenan import Budget, Search, make
>>> game = make("tictactoe")
>>> player = SearchPlayer("mine", Search(game))
>>> player.new_match(game, seed=1)
>>> move = player.select(game.after("a1 b1 a2 b2"), Budget(iterations=100))
>>> game.action_name(game.after("a1 b1 a2 b2"), move.action), move.proven
('a3', 1)
"""

import numpy as np

from athenan.evaluation.chances import Chances
from athenan.play.levels import Level, LevelName, Levels
from athenan.play.limit import Limit
from athenan.play.player import Move, choices, require_own_game
from athenan.play.session import Session
from athenan.rules.game import Game, State
from athenan.search.clock import CLOCKS, ClockName
from athenan.search.searcher import Searcher, require_searcher


class SearchPlayer:
    """Plays the action that a search chooses. The tree is kept during the match if the search can keep it.

    `limit` takes precedence over the limit of an action, and over the limit of `level`. If only one action is legal, a
    search that does not keep its tree plays it at once. `chances`: what values of its search mean as win chances, if
    that is known.
    """

    def __init__(
        self,
        name: str,
        searcher: Searcher,
        limit: Limit | None = None,
        chances: Chances | None = None,
        levels: Levels | None = None,
        level: LevelName = "strongest",
    ) -> None:
        require_searcher(searcher)
        self.name = name
        self.searcher = searcher
        self.chances = chances
        self.levels = levels
        """The levels at which it can play; None: it has no levels, and plays as strongly as it can."""
        self._level: Level | None = None
        self.level = levels.settings[level] if levels else None
        self._limit = limit
        self._session = Session(searcher)
        self._random = np.random.default_rng(0)

    @property
    def level(self) -> Level | None:
        """How strong it plays, at one of its levels or between them. A level that errs knows no forced actions."""
        return self._level

    @level.setter
    def level(self, level: Level | None) -> None:
        self._level = level
        self.searcher.use_forced(level is None or not level.temperature)

    @property
    def limit(self) -> Limit | None:
        """The player's own limit, or its level's; None if it has neither."""
        return self._limit or (self.level.limit if self.level else None)

    def count_by(self, clock: ClockName) -> None:
        """Measures the seconds of searches by this clock, such as processor time on a busy machine."""
        self._session.clock = CLOCKS[clock]

    def new_match(self, game: Game, seed: int) -> None:
        require_own_game(self.name, self.searcher.game, game)
        self._session.new_match(seed)
        self._random = np.random.default_rng(seed)

    def observe(self, action: int, following: State) -> None:
        self._session.play(action)

    def select(self, state: State, limit: Limit) -> Move:
        session, searcher = self._session, self.searcher
        actions = choices(session.game, state)
        if not np.array_equal(session.state, state):
            session.position(state)
        if not searcher.keeps_tree and len(actions) == 1:
            return Move(int(actions[0]))
        session.search(self.limit or limit)
        root = searcher.root()
        if self.level:
            chosen = self.level.choose(searcher, root, self.chances, self._random)
        else:
            chosen = searcher.choose(root, self._random)
        action, line = int(root.actions[chosen]), searcher.line()
        return Move(action, root.value, root.proven, tuple(line) if line[:1] == [action] else (action,))

    def stop(self) -> None:
        """Ends a running search soon; `select` then returns what it has found. Any thread may call this."""
        self._session.stop()

    def expectation(self, state: State, limit: Limit) -> float:
        """The value of a state after a search, from the first player's point of view; chance may be to move there."""
        if not np.array_equal(self._session.state, state):
            self._session.position(state)
        self._session.search(self.limit or limit)
        return self.searcher.root().value

    def close(self) -> None:
        del self.searcher, self._session
