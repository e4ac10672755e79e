"""Making solved positions: they are drawn from varied play, filtered, and solved.

Two players drawn from `players_of` play a match, which is cut off after a drawn number of actions. The position counts
if there is no immediate win (see `_quiet`) and some action loses value.

    >>> position = solve(Question(Recipe("tictactoe", (2, 6), evaluations=10_000), number=3))
    >>> position == solve(Question(Recipe("tictactoe", (2, 6), evaluations=10_000), number=3))
    True
    >>> min(position.gains.values()) < position.value
    True
"""

from dataclasses import dataclass
from functools import lru_cache
from time import monotonic

import numpy as np

from athenan.arena.pairs import kept_player
from athenan.games.catalogue import known
from athenan.grading.positions import PositionsError, Recipe, Solved
from athenan.grading.solvers import PERFECT, Solver, make_solver
from athenan.rules.advice import Solving
from athenan.rules.game import Game, State
from athenan.rules.state import CHANCE, sign
from athenan.search.budget import Budget

_PATIENCE = 100
"""Unsuitable positions of one length after which the next length is tried."""
_ROUNDS = 3
"""How often each length is tried."""
_ANY = Budget(iterations=1)
"""The limit that players are given; each has its own."""
_LEAST_LOSS = 0.01
"""What some action loses at least in a game of chance, where hardly two actions are exactly equal."""


class OutOfTime(PositionsError):
    """A position was not made in time."""


@dataclass(frozen=True)
class Question:
    """A position to make; a job for `athenan.jobs`."""

    recipe: Recipe
    number: int
    until: float = float("inf")
    """The `time.monotonic`, one clock for all processes of a machine, at which the work ends without a position."""


def usual_recipe(game: Game) -> Recipe:
    """The default recipe of a game, as it advises; for the package's positions, theirs.

    Without advice, any length up to the usual length of a match. A perfect solver that does not know the game at this
    size is replaced by the usual search.
    """
    advised = game.advice.solving
    if advised.solver in PERFECT and not PERFECT[advised.solver].solves(game):
        advised = Solving()
    plies = advised.plies or (0, max(0, game.typical_length - 1))
    evaluations = None if advised.solver in PERFECT else advised.evaluations
    return Recipe(game.name, plies, advised.rollouts, solver=advised.solver, evaluations=evaluations)


def check_recipe(recipe: Recipe) -> None:
    """Raises PositionsError if positions cannot be made by the recipe."""
    _solver(recipe)


@lru_cache(maxsize=1)  # a solver may hold much memory, and an opening book
def _solver(recipe: Recipe) -> Solver:
    unlimited = (recipe.evaluations, recipe.seconds) == (None, None)
    limit = Budget(recipe.seconds, evaluations=Solving().evaluations if unlimited else recipe.evaluations)
    return make_solver(recipe.solver, known(recipe.game), limit)


def solve(question: Question) -> Solved:
    """Draws positions until one fits, and solves it.

    Raises PositionsError if none is found, and OutOfTime if none is found in time.

    The number of the question selects the first length to try, so that lengths are about equally frequent. After
    `_PATIENCE` positions that do not fit, or one that is not solved, the next length is tried.
    """
    recipe, solver = question.recipe, _solver(question.recipe)
    game, random = known(recipe.game), np.random.default_rng([recipe.seed, question.number])
    least, most = recipe.plies
    lengths = most - least + 1
    for turn in range(_ROUNDS * lengths):
        length = least + (question.number + turn) % lengths
        for _ in range(_PATIENCE):
            actions = _drawn(game, length, players_of(recipe), random, question.until)
            if actions is None:
                continue
            gains = solver(actions, _seconds_left(question.until))
            if gains is None:
                break
            if max(gains.values()) - min(gains.values()) >= _LEAST_LOSS:
                return Solved(question.number, game.moves(actions), gains)
    raise PositionsError(
        f"{recipe.game}: no position after {least} to {most} actions was found in which some action loses value and "
        "which is solved within the limit: give a greater limit, or other lengths"
    )


def players_of(recipe: Recipe) -> list[str]:
    """The players of the matches from which positions come, by their names.

    >>> players_of(Recipe("tictactoe", (2, 6), rollouts=1000))
    ['random', 'mcts:10', 'mcts:100', 'mcts:1000']
    """
    return ["random", *(f"mcts:{max(1, recipe.rollouts // share)}" for share in (100, 10, 1))]


def _seconds_left(until: float) -> float | None:
    """The seconds until a time; None for infinity. Raises OutOfTime if the time has come."""
    if (left := until - monotonic()) <= 0:
        raise OutOfTime("the time was over before a position was solved")
    return None if left == float("inf") else left


def _drawn(game: Game, length: int, names: list[str], random: np.random.Generator, until: float) -> list[int] | None:
    """The actions of a match of two drawn players up to a length; None if the position is over, or soon won.

    If chance is to move there, its outcome follows. Raises OutOfTime.
    """
    players = [kept_player(str(name), game) for name in random.choice(names, 2)]
    for player in players:
        player.new_match(game, int(random.integers(1 << 32)))
    state, actions = game.initial(), list[int]()
    while game.outcome(state) is None:
        _seconds_left(until)
        mover = game.player(state)
        if len(actions) >= length and mover != CHANCE:
            return actions if _quiet(game, state) else None
        if mover == CHANCE:
            actions.append(game.draw(state, random))
        else:
            actions.append(players[mover].select(state, _ANY).action)
        state = game.play(state, actions[-1])
    return None


def _quiet(game: Game, state: State) -> bool:
    """Whether no action wins at once, and the other side cannot win at once after at least two of them.

    If the other side threatened to win with its next action, at most one action would prevent it. In a game of chance
    the other side needs the dice for that, and is not asked.
    """
    if game.stochastic:
        return not _won(game, state)
    following = [game.play(state, int(action)) for action in game.actions(state)]
    return not _won(game, state) and sum(not _won(game, one) for one in following) >= 2


def _won(game: Game, state: State) -> bool:
    """Whether the side to move has an action that wins."""
    win = sign(game.player(state))
    return any(game.outcome(game.play(state, int(action))) == win for action in game.actions(state))
