"""Positions with exact values, on which players are graded without an opponent.

A position is drawn by random play of a random length. Proof search (UBFM with completion) gives the value of each of
its actions. A position counts only if some action loses value, so that there is something to know. A position whose
proofs take too long is replaced by another, which favours positions near the end on larger boards.

    >>> position = solve(Question("tictactoe", number=3, seed=0, seconds=10))
    >>> position.number, len(position.keeping) > 0
    (3, True)
"""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from athenan.experiments.description import ExperimentError
from athenan.games.catalogue import make
from athenan.play.limit import Limit
from athenan.play.player import Player
from athenan.rules.game import Game, State
from athenan.rules.state import sign
from athenan.search.budget import Budget
from athenan.search.walk_search import Search

_ATTEMPTS = 1000
_MEMORY = 1 << 29


@dataclass(frozen=True)
class Question:
    """The n-th position of a game, to be solved; a job as `athenan.jobs` takes it."""

    game: str
    number: int
    seed: int
    seconds: float
    """Seconds for its proofs."""


@dataclass(frozen=True)
class Solved:
    """A position with the actions that keep its game value."""

    number: int
    moves: str
    """The actions that lead to it, in the game's notation."""
    keeping: tuple[int, ...]


def check_solvable(game: Game) -> None:
    """Raises ExperimentError for games whose positions have no game value."""
    if game.players != 2 or game.stochastic:
        raise ExperimentError(f"--positions must be 0 for {game.name}: only two-player games without chance are graded")


def solve(question: Question) -> Solved:
    """Draws and solves a position. Raises ExperimentError if none can be solved in time."""
    game = make(question.game)
    random = np.random.default_rng([question.seed, question.number])
    search = Search(game, memory=_MEMORY)
    for _ in range(_ATTEMPTS):
        moves, state = _drawn(game, random)
        if game.outcome(state) is not None:
            continue
        values = _values(game, search, state, question.seconds)
        if values and min(values.values()) < max(values.values()):
            best = max(values.values())
            keeping = tuple(action for action, value in values.items() if value == best)
            return Solved(question.number, game.moves(moves), keeping)
    raise ExperimentError(
        f"{game.name}: no position is solved in {question.seconds:g} s: use a smaller board or more --solving"
    )


def _drawn(game: Game, random: np.random.Generator) -> tuple[list[int], State]:
    """Random actions, and the state after them."""
    state, moves = game.initial(), list[int]()
    for _ in range(int(random.integers(max(1, game.typical_length)))):
        if game.outcome(state) is not None:
            break
        moves.append(game.draw(state, random))
        state = game.play(state, moves[-1])
    return moves, state


def _values(game: Game, search: Search, state: State, seconds: float) -> dict[int, int] | None:
    """The game value of each action for the side to move; None if the time ends before all are proven."""
    end, values = perf_counter() + seconds, dict[int, int]()
    for action in map(int, game.actions(state)):
        following = game.play(state, action)
        value = game.outcome(following)
        if value is None:
            search.reset(following)
            search.run(Budget(seconds=max(1e-5, end - perf_counter())))
            root = search.root()
            if not root.resolution:
                return None
            value = root.completion
        values[action] = sign(game.player(state)) * value
    return values


def grade(player: Player, game: Game, positions: list[Solved], limit: Limit) -> int:
    """The number of positions in which the player's action keeps the game value."""
    kept = 0
    for position in positions:
        player.new_match(game, position.number)
        move = player.select(game.after(position.moves), limit)
        kept += move.action in position.keeping
    return kept
