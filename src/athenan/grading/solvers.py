"""Solvers: the game value of every action of a position, with certainty.

>>> from athenan.games.catalogue import make
>>> solver = make_solver("ubfm", make("tictactoe"), Budget(seconds=10))
>>> solver([0, 4, 8, 2])
{1: -1, 3: -1, 5: -1, 6: 1, 7: -1}
"""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, Protocol

from athenan.evaluation.handwritten import evaluation, require_values, terminal_of
from athenan.grading.equations import Equations
from athenan.grading.positions import DECIMALS, Gains, PositionsError
from athenan.rules.game import Game, State
from athenan.rules.state import sign
from athenan.rules.terminal import Gain
from athenan.search.budget import Budget
from athenan.search.named import known_search, make_search, search_name
from athenan.search.settings import SearchSettings

_MEMORY = 1 << 29
_LEAST = 1e-5
"""Seconds that a proof has at least."""


class Solver(Protocol):
    """What solves the positions of a game."""

    def __call__(self, actions: Sequence[int], seconds: float | None = None) -> Gains | None:
        """The gains of all legal actions after the given ones; None without an answer within its limits.

        `seconds` -- another limit. Solvers that know every position answer at once and ignore it.
        """


def make_solver(name: str, game: Game, limit: Budget) -> Solver:
    """The solver of this name: one of `PERFECT`, or the text of a search, such as ubfm or alphabeta.

    Raises PositionsError if it does not know the game, or is not installed, and ValueError if there is no such search.
    """
    if game.players != 2:
        raise PositionsError(f"{game.name} has no solved positions: only two-player games have a game value")
    perfect = PERFECT.get(name)
    return perfect(game) if perfect else ProofSolver(game, known_search(name), limit)


class Bitbully:
    """BitBully, a perfect player of Connect Four 7x6 with an opening book (`pip install bitbully`)."""

    @staticmethod
    def solves(game: Game) -> bool:
        """Whether the game says that these are its rules."""
        return game.advice.perfect == "bitbully"

    def __init__(self, game: Game) -> None:
        """Raises PositionsError for another game, and if bitbully is not installed."""
        if not self.solves(game):
            raise PositionsError(
                f"bitbully solves Connect Four of 7x6 cells, not {game.name}: choose a search, such as ubfm"
            )
        try:
            import bitbully
        except ImportError:
            raise PositionsError("the solver bitbully is not installed: pip install bitbully") from None
        self._board: Any = bitbully.Board
        self._agent: Any = bitbully.BitBully()

    def __call__(self, actions: Sequence[int], seconds: float | None = None) -> Gains:
        """The gains after these actions. A score of bitbully is positive if the side to move wins."""
        scores = self._agent.score_all_moves(self._board(list(actions)))
        return {int(column): (score > 0) - (score < 0) for column, score in sorted(scores.items())}


class PerfectSolver(Solver, Protocol):
    """A solver that knows every position of the games that it `solves`."""

    def __init__(self, game: Game) -> None:
        """Raises PositionsError if it does not solve the game, or is not installed."""

    @staticmethod
    def solves(game: Game) -> bool:
        """Whether it knows the game."""


PERFECT: dict[str, type[PerfectSolver]] = {"bitbully": Bitbully, "equations": Equations}
"""Solvers that know every position of their game, by name."""


class ProofSolver:
    """A search that proves values, action by action, in trees of half a GiB.

    If the game declares evaluations, the first one guides the search. In a game of chance finished matches are worth
    their gain, and the value of a resolved state is its expectation.
    """

    def __init__(self, game: Game, search: SearchSettings, limit: Budget) -> None:
        """`limit` is for all actions of a position. Raises ValueError if the search needs a network."""
        self._game, self._limit = game, limit
        require_values(search.heads(game.stochastic), search_name(search))
        guided = bool(game.evaluations) and not game.stochastic
        evaluate, terminal = (evaluation(game), terminal_of(game)) if guided else (None, Gain())
        self._search = make_search(game, evaluate, terminal, search, memory=_MEMORY)

    def __call__(self, actions: Sequence[int], seconds: float | None = None) -> Gains | None:
        """The gains after these actions; None if a limit or the memory ends a proof."""
        state, left, gains = self._game.replay(actions), _within(self._limit, seconds), Gains()
        for action in map(int, self._game.actions(state)):
            following = self._game.play(state, action)
            gain: float | None = self._game.outcome(following)
            if gain is None:
                began = perf_counter()
                gain = self._proven(following, left)
                if gain is None:
                    return None
                left = _less(left, perf_counter() - began, self._search.effort().evaluations)
            gains[action] = sign(self._game.player(state)) * gain
        return gains

    def _proven(self, state: State, limit: Budget) -> float | None:
        """The first player's gain under perfect play; None if it is not proven within the limit."""
        self._search.seed(0)  # the same proof, whatever was searched before
        self._search.reset(state)
        self._search.run(limit)
        root = self._search.root()
        if not root.resolution:
            return None
        return round(root.value, DECIMALS) if self._game.stochastic else root.completion


def _within(limit: Budget, seconds: float | None) -> Budget:
    """A limit with at most these seconds."""
    if seconds is None:
        return limit
    return replace(limit, seconds=max(_LEAST, seconds if limit.seconds is None else min(limit.seconds, seconds)))


def _less(limit: Budget, seconds: float, evaluations: int) -> Budget:
    """The rest of a limit after a proof, at least a little."""
    return replace(
        limit,
        seconds=None if limit.seconds is None else max(_LEAST, limit.seconds - seconds),
        evaluations=None if limit.evaluations is None else max(1, limit.evaluations - evaluations),
    )
