"""Plain minimax to a depth, which tests compare alpha-beta and what it learns with, and the searches they compare."""

from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from evaluators import hash_values, of_values

from athenan import Budget, make
from athenan.evaluation.heuristics import make_heuristic
from athenan.rules.game import Game, State
from athenan.rules.terminal import Gain, TerminalValue, value_of_end
from athenan.search.alpha_beta.search import AlphaBeta, AlphaBetaSearch
from athenan.search.searcher import run
from athenan.search.trees.node import Node

SMALL = [
    "tictactoe", "connect_four:4x4", "connect_four:3x3,connect=3", "hex:3", "hex:3,swap=false", "othello:4",
    "breakthrough:3x4", "breakthrough:3x5", "clobber:3x4",
]  # fmt: skip
SOLVED = [name for name in SMALL if name != "breakthrough:3x5"]
"""Those that can be solved exhaustively from late on."""
Pair = tuple[int, float]

Reference = Callable[[State, int], Pair]


@lru_cache(maxsize=1 << 17)
def children(game: Game, key: bytes) -> list[bytes]:
    """The states after a state, which are the same at every depth and for every evaluation."""
    state = np.frombuffer(key, np.int8).copy()
    return [game.play(state, int(action)).tobytes() for action in game.actions(state)]


@cache
def minimax(name: str, levels: int | None, completion: bool = True, heuristic: str = "classic") -> Reference:
    """(c, v) of a state by plain minimax to a depth, all children of all states; c is 0 without completion.

    Without `levels` of evaluations, every state is worth 0.
    """
    game = make(name)
    terminal = make_heuristic(heuristic, game)

    @cache
    def value(key: bytes, depth: int) -> Pair:
        state = np.frombuffer(key, np.int8).copy()
        if (outcome := game.outcome(state)) is not None:
            return outcome * completion, float(np.float32(value_of_end(game, terminal, state)))
        if depth == 0:
            return 0, 0.0 if levels is None else float(hash_values(game.encode(state)[None], levels)[0])
        return (max, min)[game.player(state)](value(child, depth - 1) for child in children(game, key))

    return lambda state, depth: value(state.tobytes(), depth)


def alpha_beta(
    game: Game, levels: int | None, terminal: TerminalValue = Gain(), memory: int = 1 << 28, **settings: Any
) -> AlphaBetaSearch:
    evaluate = None if levels is None else of_values(partial(hash_values, levels=levels))
    return AlphaBetaSearch(game, evaluate, terminal, AlphaBeta(**settings), memory=memory)


def grown(search: AlphaBetaSearch, state: State, budget: Budget) -> Node:
    """The root of a search from this state."""
    search.reset(state)
    run(search, budget)
    return search.root()
