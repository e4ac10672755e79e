"""Features of line games, and the actions that are forced there, against plain Python and plain minimax."""

import runpy
from pathlib import Path

import line_game
import numpy as np
import pytest
from exhaustive_search import exhaustive
from line_threats import features_of
from numba import types
from sizes import size

from athenan import Budget, GameError, Search, Ubfm, make
from athenan.arena.roster import make_player
from athenan.rules.compiler import kernel
from athenan.rules.facts import altered
from athenan.rules.features import with_features
from athenan.rules.geometry.lines import Lines
from athenan.rules.kernels import FORCED, by_address
from athenan.rules.playouts import random_states

FOUR_IN_SIX = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "four_in_six.py"))
_FEW = 8
"""Actions of states that minimax solves quickly."""
_call = by_address(FORCED)


@kernel(types.int64(types.int64, *FORCED.args))
def call_forced(address, rules, state, actions):
    return _call(address, (rules, state, actions))


def forced(game, state):
    """The actions that searches expand."""
    room = np.zeros(game.max_actions, np.int32)
    return room[: call_forced(game.forced.address, game.rules, state, room)].tolist()


GAMES = [
    line_game.make(*one)
    for one in (
        (4, 4, 3, 1, True), (4, 4, 3, 1, False), (5, 4, 4, 1, True), (6, 4, 4, 1, True), (5, 4, 3, 2, True),
        (6, 3, 4, 2, True), (5, 5, 4, 2, False),
    )
]  # fmt: skip
"""Boards on which minimax is quick near the end, with all kinds of lines."""


def crowded(game, count, seed):
    """Encoded boards with stones in one part of them, where there are more threats than in random play."""
    random, (planes, height, width) = np.random.default_rng(seed), game.planes
    for _ in range(count):
        board = np.zeros(game.planes, np.int8)
        rows, columns = (slice(*np.sort(random.integers(0, most + 1, 2))) for most in (height, width))
        stones = random.choice(3, board[0, rows, columns].shape, p=random.dirichlet((5, 3, 2)))
        board[0, rows, columns], board[1, rows, columns] = stones == 1, stones == 2
        for plane in range(2, planes):
            board[plane] = random.integers(2)
        yield board


@pytest.mark.parametrize("name", ["gomoku:9", "gomoku:15", "gomoku:7,exact=true", "connect6:9", "connect6:19"])
def test_features_are_those_of_plain_python(name):
    game = make(name)
    planes = np.stack(list(crowded(game, size(70, 100), seed=1)))
    found = with_features(game, planes).reshape(len(planes), -1, *game.planes[1:])[:, game.planes[0] :]
    assert (found == found[..., :1, :1]).all()
    for board, features in zip(planes, found[..., 0, 0], strict=True):
        assert np.array_equal(features, features_of(board, game.ruleset.lines))
    assert found.any(axis=(0, 2, 3)).sum() >= 4


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_best_action_is_among_those_that_are_expanded(game):
    value, left_out, lengths = exhaustive(game), 0, 0
    for state in random_states(game, 250, seed=3):
        legal = game.actions(state).tolist()
        if not legal or len(legal) > _FEW:
            continue
        kept = forced(game, state)
        assert kept == sorted(set(kept) & set(legal))
        assert kept
        best = (max, min)[game.player(state)]
        assert best(value(game.play(state, action)) for action in kept) == value(state)
        left_out += len(legal) - len(kept)
        lengths += len(legal)
    assert left_out > lengths / 10


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_proofs_are_those_of_a_search_of_all_actions(game):
    value, proven = exhaustive(game), 0
    search = Search(game, settings=Ubfm())
    for state in random_states(game, 60, seed=5):
        if not 0 < len(game.actions(state)) <= _FEW:
            continue
        search.reset(state)
        search.run(Budget(iterations=20_000))
        assert search.root().resolution
        assert search.root().completion == value(state)
        proven += 1
    assert proven


@pytest.mark.parametrize(("count", "seed"), [(4, 1), pytest.param(200, 2, marks=pytest.mark.slow)])
def test_four_in_six_is_blocked(count, seed):
    game = make("connect6")
    player = make_player("athenan", game)
    for state in FOUR_IN_SIX["positions"](game, count, seed):
        assert FOUR_IN_SIX["blocks"](game, player, state, Budget(iterations=2))


def test_a_three_is_answered_at_its_ends_and_a_four_where_it_can_be():
    game = make("gomoku:15,opening=free")
    for moves, wanted in (
        ("h8 a1 i8 a15 j8", ["g8", "k8"]),
        ("h8 a1 i8 a15 j8 c12", ["g8"]),  # an open four, which wins
        ("h8 g8 i8 a15 j8 a1 k8", ["l8"]),
        ("h8 a15 i8 a1 j8 a8 k8", ["g8"]),  # lost
        ("h8 g8 i8 a15 j8 a1 k8 b3", ["l8"]),  # five
    ):
        state = game.after(moves)
        assert [game.action_name(state, action) for action in forced(game, state)] == wanted


def test_all_actions_remain_where_values_are_to_be_exact():
    game = make("gomoku:15,opening=free")
    for settings, count in ((Ubfm(), 2), (Ubfm(exact=True), 220), (Ubfm(forced=False), 220)):
        search = Search(game, settings=settings)
        search.reset(game.after("h8 a1 i8 a15 j8"))
        search.run(Budget(iterations=1))
        assert len(search.root().actions) == count


@pytest.mark.parametrize(
    ("given", "fault"),
    [((25, 3, 3), "1 to 24"), ((9, 9, 2), "from 3 to 8"), ((9, 9, 9), "from 3 to 8"), ((9, 9, 5, 3), "1 or 2")],
)
def test_lines_are_checked(given, fault):
    with pytest.raises(GameError, match=fault):
        Lines(*given)


def test_lines_of_another_board_are_refused():
    game = line_game.make(4, 4, 3)
    for lines, least in ((Lines(4, 5, 3), 3), (Lines(5, 4, 3, stones=2), 4)):
        with pytest.raises(GameError, match=f"must have {least} to 16 planes of {lines.height} rows"):
            altered(game, lines=lines)
    with pytest.raises(GameError, match="lines or features of its own, not both"):
        altered(make("hex:3"), lines=Lines(3, 3, 3))
