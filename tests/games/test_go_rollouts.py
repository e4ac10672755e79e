"""The kernel `rollout` of Go against the same choice made point by point."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from athenan import Game, make
from athenan.rules import calls
from athenan.rules.game import State
from athenan.rules.playouts import random_match

Point = tuple[int, int]
Board = NDArray[np.int64]
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))
CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def moved(board: Board, point: Point, steps: tuple[Point, ...]) -> Iterator[Point]:
    for step in steps:
        to = point[0] + step[0], point[1] + step[1]
        if min(to) >= 0 and max(to) < len(board):
            yield to


def group(board: Board, start: Point) -> tuple[set[Point], set[Point]]:
    """The stones of a group, and its liberties."""
    stones, liberties, queue = {start}, set[Point](), [start]
    while queue:
        for to in moved(board, queue.pop(), STEPS):
            if not board[to]:
                liberties.add(to)
            elif board[to] == board[start] and to not in stones:
                stones.add(to)
                queue.append(to)
    return stones, liberties


def liberties_after(board: Board, point: Point, player: int) -> int:
    """The liberties of a new stone's group, captures left aside."""
    following = board.copy()
    following[point] = player
    return len(group(following, point)[1])


def capturing(board: Board, stones: set[Point], player: int) -> set[Point]:
    """The points that capture one of the groups that some stones belong to."""
    found = (group(board, stone)[1] for stone in stones if board[stone] == 3 - player)
    return set().union(*(liberties for liberties in found if len(liberties) == 1))


def rescues(board: Board, last: Point, player: int) -> set[Point]:
    found = set[Point]()
    for start in moved(board, last, STEPS):
        stones, liberties = group(board, start)
        if board[start] == player and len(liberties) == 1:
            found |= {point for point in liberties if liberties_after(board, point, player) >= 2}
            found |= capturing(board, {to for stone in stones for to in moved(board, stone, STEPS)}, player)
    return found


def stones_meet(board: Board, point: Point, player: int) -> bool:
    """Whether two stones of a player touch a point unjoined, or one of the opponent's beside one of the player's."""
    for corner in moved(board, point, CORNERS):
        beside = board[point[0], corner[1]], board[corner[0], point[1]]
        if beside[0] == beside[1] != 0 and board[corner] != beside[0]:
            return True
        if 3 - player in beside and board[corner] == player:
            return True
    return False


def is_eye(board: Board, point: Point, player: int) -> bool:
    near, corners = list(moved(board, point, STEPS)), moved(board, point, CORNERS)
    others = sum(int(board[to] == 3 - player) for to in corners)
    return all(board[to] == player for to in near) and others < (2 if len(near) == 4 else 1)


def wanted(board: Board, player: int, last: Point | None, legal: set[Point]) -> set[Point]:
    """The points among which the kernel draws; without any it passes."""
    safe = {point for point in legal if liberties_after(board, point, player) >= 2}
    tiers = []
    if last:
        around = set(moved(board, last, STEPS + CORNERS))
        meeting = {point for point in around & safe if stones_meet(board, point, player)}
        tiers = [rescues(board, last, player) & legal, meeting]
    stones = {(int(row), int(column)) for row, column in np.argwhere(board)}
    tiers.append(capturing(board, stones, player) & legal)
    tiers.append({point for point in safe if not is_eye(board, point, player)})
    return next((points for points in tiers if points), set())


def board_of(game: Game, state: State) -> Board:
    first, second = game.encode(state)[:2].astype(np.int64)
    board: Board = first + 2 * second
    return board


def drawn(game: Game, state: State, last: int, draws: int) -> set[int]:
    random = np.array([7], np.uint64)
    return {calls.rollout(game.rules, state, last, random) for _ in range(draws)}


@pytest.mark.parametrize("size", [2, 3, 5, 7, 9, 13])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0, 1), told=st.booleans())
def test_the_kernel_draws_among_the_points_of_the_first_step_that_has_some(
    size: int, seed: int, share: float, told: bool
) -> None:
    game = make(f"go:{size}")
    match, state, last = random_match(game, seed), game.initial(), -1
    for action in match[: int(share * (len(match) - 1))]:
        state, last = game.play(state, action), action
    legal = {divmod(int(action), size) for action in game.actions(state)[:-1]}
    stone = divmod(last, size) if told and 0 <= last < size * size else None
    points = wanted(board_of(game, state), 1 + game.player(state), stone, legal)
    expected = {size * row + column for row, column in points} or {size * size}
    assert drawn(game, state, last if told else -1, 30 * len(expected)) == expected


def test_a_group_with_one_liberty_is_saved() -> None:
    game = make("go:5")
    state = game.after("c3 b3 a1 c2 a2 d3")
    assert {game.action_name(state, action) for action in drawn(game, state, 13, 50)} == {"c4"}


def test_two_eyes_are_left_alone() -> None:
    game = make("go:2")
    state = game.after("a1 pass b2 pass")
    assert drawn(game, state, 4, 50) == {4}
