"""A search that follows a match from position to position, for user interfaces.

    >>> from athenan import Budget, Search, make
    >>> from athenan.play.session import Session
    >>> session = Session(Search(make("tictactoe")))
    >>> session.position("b2 b1")
    >>> session.think(Budget(iterations=10_000)).proven  # the first player wins
    1
    >>> session.play("a1")  # the search goes on with what it knows
    >>> session.undo()

When chance is to move, `roll` draws an outcome, and `play` plays one that was rolled elsewhere:

    >>> session = Session(Search(make("pig:10,length=20")))
    >>> session.play("roll")
    >>> session.game.side(session.state), session.roll() in range(2, 8)
    ('chance', True)

`analyze` is a session of one position.
"""

from collections.abc import Callable

import numpy as np

from athenan.evaluation.chances import Chances
from athenan.games.catalogue import make
from athenan.play.analysis import Analysis, of_end, of_search
from athenan.play.limit import DEFAULT_LIMIT, Limit, budget_of
from athenan.rules.game import Game, GameError, State
from athenan.rules.leaves import Evaluate
from athenan.rules.randomness import streams
from athenan.rules.state import CHANCE
from athenan.rules.terminal import Gain, TerminalValue
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.budget import Budget
from athenan.search.clock import ReadClock
from athenan.search.named import make_search
from athenan.search.searcher import Searcher, require_searcher, run
from athenan.search.settings import SearchSettings
from athenan.search.trees.planting import DEFAULT_MEMORY
from athenan.settings import require_type

REPORT_SECONDS = 0.25
"""The time between two reports of a search."""


class Session:
    """A searcher with a position and the actions that led to it.

    The searcher keeps its tree if the new position follows the last one that it searched. Only one thread may use a
    session; other threads may only call `stop`.
    """

    def __init__(self, searcher: Searcher, chances: Chances | None = None) -> None:
        """`chances`: what values of the search mean as win chances, if that is known."""
        require_searcher(searcher)
        if chances is not None:
            require_type("chances", chances, Chances, "learnt_network('runs/x').chances")
        self.searcher, self.chances = searcher, chances
        self.game = searcher.game
        self.clock: ReadClock | None = None
        """What counts the seconds of searches; None: wall-clock time."""
        self._thinking = self._stopped = False
        self.new_match()

    def new_match(self, seed: int | None = None) -> None:
        """Goes to the initial state with an empty tree and, if a seed is given, its random numbers."""
        self._dice = np.random.default_rng(0 if seed is None else streams(seed, 3)[2])
        if seed is not None:
            self.searcher.seed(seed)
        self.position()
        self.searcher.reset(self.state)

    def position(self, where: State | str | None = None) -> None:
        """Goes to a state, to the state after moves such as "c2 b3", or for None to the initial state.

        Raises GameError if there is no such position.
        """
        end = self.game.position(where)
        self.game.outcome(end)  # raises if it is not a state of this game
        moves = (where or "").split() if where is None or isinstance(where, str) else []
        self._states, self._actions = [self.game.initial() if moves else end], list[int]()
        for move in moves:
            self.play(move)

    @property
    def state(self) -> State:
        """The present state."""
        return self._states[-1]

    @property
    def start(self) -> State:
        """The first state of the session."""
        return self._states[0]

    @property
    def previous(self) -> State:
        """The state before the last action. Raises GameError before the first action."""
        if not self._actions:
            raise GameError("there is no action before this state")
        return self._states[-2]

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions since the first state of the session, including what chance drew."""
        return tuple(self._actions)

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.game.outcome(self.state) is not None

    def play(self, action: int | str) -> None:
        """Plays an action, as a number or in the game's notation. Raises GameError if it is not legal."""
        number = self.game.parse_action(self.state, action) if isinstance(action, str) else action
        self._states.append(self.game.play(self.state, number))
        self._actions.append(number)

    def roll(self) -> int:
        """Draws, plays and returns an outcome of chance. Raises GameError if chance is not to move."""
        if self.over or self.game.player(self.state) != CHANCE:
            raise GameError(f"{self.game.name}: chance is not to move here")
        action = self.game.draw(self.state, self._dice)
        self.play(action)
        return action

    def undo(self) -> None:
        """Takes back the last action or draw of chance. Raises GameError before the first one."""
        if not self._actions:
            raise GameError("there is no action to take back")
        self._states.pop()
        self._actions.pop()

    def think(
        self,
        limit: Limit = DEFAULT_LIMIT,
        report: Callable[[Analysis], None] | None = None,
        interval: float = REPORT_SECONDS,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Analysis:
        """Searches the position within a limit and returns its analysis. A final state is not searched.

        `report` is called with the analysis so far, at least `interval` seconds apart. The search ends soon after
        `stopped` returns True.
        """
        if self.over:
            return of_end(self.searcher, self.state, self.chances)
        reported = 0.0

        def watch(seconds: float) -> None:
            nonlocal reported
            if stopped():
                self.stop()
            elif report and seconds - reported >= interval:
                reported = seconds
                report(self.found(seconds))

        return self.found(self.search(limit, watch))

    def found(self, seconds: float) -> Analysis:
        """The analysis of the last search so far; `seconds` is the time that it has taken."""
        return of_search(self.searcher, seconds, self.chances)

    def search(self, limit: Limit, watch: Callable[[float], None] | None = None) -> float:
        """Searches the position, which must not be terminal; returns the seconds taken.

        `watch` is called after each round of the search with the elapsed seconds.
        """
        self._stopped, self._thinking = False, True
        self._follow()

        def watch_for_stop(seconds: float) -> None:
            if self._stopped:
                self.searcher.stop()
            if watch:
                watch(seconds)

        try:
            return run(self.searcher, budget_of(limit, self.game, self.state), watch_for_stop, self.clock)
        finally:
            self._thinking = False

    def stop(self) -> None:
        """Ends a running search soon; `think` then returns what it has found. Any thread may call this."""
        self._stopped = self._thinking

    def _follow(self) -> None:
        """Makes the present state the root, by playing actions if the root is an earlier state of the session."""
        root = self.searcher.state()
        for number in reversed(range(len(self._states))):
            if np.array_equal(self._states[number], root):
                for action in self._actions[number:]:
                    self.searcher.play(action)
                    self.searcher.make_room()
                return
        self.searcher.reset(self.state)


def analyze(
    game: Game | str,
    state: State | str | None = None,
    budget: Budget = Budget(seconds=1.0),
    evaluate: Evaluate | None = None,
    terminal: TerminalValue = Gain(),
    settings: SearchSettings = Ubfm(),
    memory: int = DEFAULT_MEMORY,
    seed: int = 0,
    progress: Callable[[Analysis], None] | None = None,
    chances: Chances | None = None,
    threads: int = 1,
) -> Analysis:
    """Searches a position (default: the initial one) until the budget is used up, it is proven or the tree is full.

    The game may be a name for `make`, and the position the moves that lead to it, such as "c2 b3". Without `evaluate`
    (a network, as in `Search`) every unproven state has the value 0, and the search looks for a proof. With `exact` in
    the settings a proof includes the value under `terminal`. `memory` is in bytes. `progress` is called a few times a
    second with the analysis so far. `chances` are the win chances of a network (`LearntNetwork.chances`). `threads`
    search as in `Search`. Raises ValueError if `memory` is too small, and GameError, a ValueError, if there is no
    such game or position.
    """
    made = make(game)
    where = made.position(state)
    made.outcome(where)
    session = Session(
        make_search(made, evaluate, terminal, settings, memory=memory, seed=seed, threads=threads), chances
    )
    session.position(where)
    return session.think(budget, progress)
