"""Alpha-beta against a literal full minimax, at every depth, and against exhaustive search."""

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest
from evaluators import LEVELS, hash_values
from exhaustive import exhaustive, late
from hypothesis import given, settings
from hypothesis import strategies as st

from athenan import Budget, make
from athenan.evaluation.heuristics import make_heuristic
from athenan.rules.game import Game, State
from athenan.rules.leaves import of_values
from athenan.rules.terminal import Gain, TerminalValue, value_of_end
from athenan.search.alpha_beta import AlphaBeta, AlphaBetaSettings
from athenan.search.searcher import run

SMALL = [
    "tictactoe", "connect_four:4x4", "connect_four:3x3,connect=3", "hex:3", "hex:3,swap=false", "othello:4",
    "breakthrough:3x4", "breakthrough:4x4", "clobber:3x4",
]  # fmt: skip
DOUBLE = ["amazons:6", "santorini", "connect6:6", "arimaa"]
"""Games in which a turn is several actions."""
_MEMORY = 1 << 26

Pair = tuple[int, float]


def minimax(
    game: Game, levels: int | None, terminal: TerminalValue = Gain(), completion: bool = True
) -> Callable[[State, int], Pair]:
    """(c, v) of a state by plain minimax to a depth, all children of all states; c is 0 without completion.

    Without `levels` of evaluations, every state is worth 0.
    """

    @cache
    def value(key: bytes, depth: int) -> Pair:
        state = np.frombuffer(key, np.int8).copy()
        if (outcome := game.outcome(state)) is not None:
            return outcome * completion, float(np.float32(value_of_end(game, terminal, state)))
        if depth == 0:
            return 0, 0.0 if levels is None else float(hash_values(game.encode(state)[None], levels)[0])
        children = (value(game.play(state, int(action)).tobytes(), depth - 1) for action in game.actions(state))
        return (max, min)[game.player(state)](children)

    return lambda state, depth: value(state.tobytes(), depth)


def alpha_beta(game: Game, levels: int | None, terminal: TerminalValue = Gain(), **settings: object) -> AlphaBeta:
    evaluate = None if levels is None else of_values(partial(hash_values, levels=levels))
    return AlphaBeta(game, evaluate, terminal, AlphaBetaSettings(**({"memory": _MEMORY} | settings)))  # type: ignore[arg-type]


def compare(
    game: Game, start: State, levels: int | None, completion: bool, transpositions: bool, depths: int, seed: int = 0
) -> None:
    """Compares the root and the action chosen at every depth."""
    reference = minimax(game, levels, completion=completion)
    search = alpha_beta(game, levels, completion=completion, transpositions=transpositions)
    random = np.random.default_rng(seed)
    for depth in range(1, depths + 1):
        search.seed(seed)
        search.reset(start)
        run(search, Budget(iterations=depth))
        root, wanted = search.root(), reference(start, depth)
        assert (root.completion, root.value) == wanted
        assert not search.full()
        chosen = search.choose(root, random)
        following = game.play(start, int(root.actions[chosen]))
        assert reference(following, depth - 1) == wanted
        assert (root.completions[chosen], root.values[chosen]) == wanted
        reached = search.effort().iterations
        assert reached == depth or reference(start, reached) == reference(start, depth)
        follow_line(search, start, reference, depth, wanted)


def follow_line(
    search: AlphaBeta, state: State, reference: Callable[[State, int], Pair], depth: int, value: Pair
) -> None:
    """The principal variation is of best play, as far as the depth."""
    game = search.game
    for action in search.line()[:depth]:
        state, depth = game.play(state, action), depth - 1
        assert reference(state, depth) == value


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("completion", [True, False])
@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize("levels", [None, 3, LEVELS])
def test_equals_full_minimax_at_every_depth(
    name: str, completion: bool, transpositions: bool, levels: int | None
) -> None:
    game = make(name)
    compare(game, game.initial(), levels, completion, transpositions, 4)
    compare(game, late(game, 4, 6), levels, completion, transpositions, 7)


@pytest.mark.parametrize("name", DOUBLE)
@pytest.mark.parametrize("completion", [True, False])
def test_equals_full_minimax_where_a_turn_is_several_actions(name: str, completion: bool) -> None:
    game = make(name)
    compare(game, late(game, 5, 12), LEVELS, completion, True, 2)
    compare(game, late(game, 6, 4), 3, completion, True, 3)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_equals_full_minimax_anywhere(data: st.DataObject) -> None:
    game = make(data.draw(st.sampled_from(SMALL)))
    start = late(game, data.draw(st.integers(0, 2**32)), data.draw(st.integers(1, 9)))
    compare(
        game, start, data.draw(st.sampled_from([None, 2, 5, LEVELS])), data.draw(st.booleans()),
        data.draw(st.booleans()), data.draw(st.integers(1, 5)), data.draw(st.integers(0, 2**32)),
    )  # fmt: skip
