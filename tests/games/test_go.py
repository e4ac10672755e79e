"""Go against slow rules that keep all earlier boards as they are, and small boards solved."""

from collections.abc import Iterator
from copy import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from plain_rules import Cell, Slow, agree, seeds

from athenan import Budget, Game, Search, make
from athenan.evaluation.heuristics import make_heuristic
from athenan.rules.game import State
from athenan.rules.playouts import random_match
from athenan.search.algorithms.best_first import Ubfm

COLUMNS = "abcdefghjklmnopqrst"
Board = NDArray[np.int64]


class SlowGo(Slow):
    def __init__(self, size: int, superko: str, komi: float = 7) -> None:
        self.board, self.superko, self.komi = np.zeros((size, size), int), superko, komi
        self.ply, self.passed = 0, False
        self.ko: Cell | None = None
        self.seen = {(self.board.tobytes(), 1)}

    def near(self, at: Cell) -> list[Cell]:
        return [to for to in ((at[0] - 1, at[1]), (at[0] + 1, at[1]), (at[0], at[1] - 1), (at[0], at[1] + 1))
                if self.on(*to)]  # fmt: skip

    def region(self, board: Board, start: Cell) -> tuple[set[Cell], set[Cell]]:
        """The points connected with one through points of its kind, and those beside them."""
        region, beside, queue = {start}, set(), [start]
        while queue:
            for to in self.near(queue.pop()):
                if board[to] != board[start]:
                    beside.add(to)
                elif to not in region:
                    region.add(to)
                    queue.append(to)
        return region, beside

    def after(self, at: Cell) -> tuple[Board, list[Cell]] | None:
        """The board after a stone, and what it captures; None if that is suicide."""
        board, captured = self.board.copy(), []
        board[at] = self.player
        for to in self.near(at):
            if board[to] == 3 - self.player:
                group, beside = self.region(board, to)
                if all(board[point] for point in beside):
                    captured += list(group)
                    for point in group:
                        board[point] = 0
        _, beside = self.region(board, at)
        return (board, captured) if any(not board[point] for point in beside) else None

    def forbidden(self, at: Cell, board: Board) -> bool:
        """By ko or superko."""
        if self.superko == "simple":
            return at == self.ko
        colours = (1, 2) if self.superko == "positional" else (3 - self.player,)
        return any((board.tobytes(), colour) in self.seen for colour in colours)

    def stones(self) -> list[tuple[Cell, bool]]:
        """The points where a stone is possible, and whether ko or superko forbids it."""
        empty = [at for at in self.cells() if not self.board[at]]
        return [(at, self.forbidden(at, after[0])) for at in empty if (after := self.after(at))]

    def names(self) -> set[str]:
        return {"pass"} | {f"{COLUMNS[column]}{row + 1}" for (row, column), forbidden in self.stones() if not forbidden}

    def put(self, text: str) -> None:
        self.ply += 1
        self.ko = None
        over = text == "pass" and self.passed
        self.passed = text == "pass"
        if text != "pass":
            at = int(text[1:]) - 1, COLUMNS.index(text[0])
            after = self.after(at)
            assert after
            self.board, captured = after
            group, beside = self.region(self.board, at)
            if len(captured) == 1 and len(group) == 1 and [to for to in beside if not self.board[to]] == captured:
                self.ko = captured[0]
        self.seen.add((self.board.tobytes(), 3 - self.player))
        if over or self.ply == 2 * self.board.size:
            self.over = int(np.sign(self.score()))

    def score(self) -> int:
        """Every point's owner by itself: the colour of its stone, or the only colour that its region touches."""
        score = 0
        for at in self.cells():
            colours = {self.board[at]} if self.board[at] else {self.board[to] for to in self.region(self.board, at)[1]}
            score += (colours == {1}) - (colours == {2})
        return int((1 if self.komi == int(self.komi) else 2) * (score - self.komi))


superkos = st.sampled_from(["positional", "situational", "simple"])


@settings(max_examples=80)
@given(st.integers(2, 5), st.integers(-3, 3), superkos, seeds)
def test_small_boards(size: int, komi: int, superko: str, seed: int) -> None:
    agree(make(f"go:{size},komi={komi},superko={superko}"), SlowGo(size, superko, komi), seed)


@settings(max_examples=20)
@given(st.integers(2, 5), st.integers(-6, 6), seeds)
def test_half_point_komi_scores_as_plain_rules_do(size: int, halves: int, seed: int) -> None:
    """Who wins follows from the areas; the score is in half points where komi has one, and no match is a draw then."""
    game, slow = make(f"go:{size},komi={halves / 2},superko=simple"), SlowGo(size, "simple", halves / 2)
    state = agree(game, slow, seed)
    assert game.score(state) == slow.score()
    assert np.sign(game.score(state)) == game.outcome(state)
    assert halves % 2 == 0 or game.outcome(state) != 0


@pytest.mark.parametrize(
    ("specification", "name"),
    [("go:9,komi=7.5", "go:9,komi=7.5"), ("go:9,komi=7.0", "go:9"), ("go:5,komi=-0.5", "go:5,komi=-0.5"),
     ("go:19,komi=6.50,superko=simple", "go:19,komi=6.5,superko=simple"), ("go:9,komi=-0", "go:9,komi=0")],
)  # fmt: skip
def test_names_of_komi(specification: str, name: str) -> None:
    assert make(specification).name == make(name).name == name


def test_largest_scores() -> None:
    assert [make(f"go:9,komi={komi}").max_score for komi in (0, 7, -7, 7.5, -0.5)] == [81, 88, 88, 177, 163]


@settings(max_examples=3)
@given(st.integers(6, 9), superkos, seeds)
def test_larger_boards(size: int, superko: str, seed: int) -> None:
    agree(make(f"go:{size},superko={superko}"), SlowGo(size, superko), seed)


@pytest.mark.slow
@pytest.mark.parametrize("superko", ["positional", "situational", "simple"])
@pytest.mark.parametrize("size", [10, 13, 19])
def test_the_largest_boards(size: int, superko: str) -> None:
    agree(make(f"go:{size},superko={superko}"), SlowGo(size, superko), seed=size)


def without_passes(game: Game, slow: SlowGo, random: np.random.Generator) -> Iterator[State]:
    """The states of a random match that passes only where it must; `slow` follows."""
    state = game.initial()
    while slow.over is None:
        yield state
        move = str(random.choice(sorted(slow.names() - {"pass"}) or ["pass"]))
        slow.play(move)
        state = game.play(state, game.parse_action(state, move))
    assert game.score(state) == slow.score()


@pytest.mark.one_of(3)
@pytest.mark.parametrize("superko", ["positional", "situational", "simple"])
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_planes_and_scores(size: int, superko: str) -> None:
    """The planes beyond those that `agree` compares: forbidden points, a pass, groups with one and two liberties."""
    game, forbidden = make(f"go:{size},superko={superko}"), 0
    for seed in range(8):
        slow = SlowGo(size, superko)
        for state in without_passes(game, slow, np.random.default_rng(seed)):
            expected = np.zeros((4, size, size), int)
            for at, no in slow.stones():
                expected[0][at] = no
            forbidden += expected[0].sum()
            expected[1] = slow.passed
            for at in slow.cells():
                if slow.board[at]:
                    beside = slow.region(slow.board, at)[1]
                    liberties = sum(not slow.board[to] for to in beside)
                    if liberties <= 2:
                        expected[1 + liberties][at] = 1
            assert np.array_equal(game.encode(state)[3:], expected)
            assert {game.action_name(state, int(action)) for action in game.actions(state)} == slow.names()
    assert forbidden > 0 or superko != "positional"


def board(game: Game, state: State) -> bytes:
    return game.encode(state)[:2].tobytes()


@pytest.mark.parametrize("size", [5, 9])
def test_no_board_comes_back(size: int) -> None:
    game = make(f"go:{size}")
    for seed in range(20):
        state, seen = game.initial(), set()
        for action in random_match(game, seed):
            if action < size * size:
                state = game.play(state, action)
                assert board(game, state) not in seen
                seen.add(board(game, state))
            else:
                state = game.play(state, action)


def test_superko_by_captures_and_without() -> None:
    """Stones that take none, one and several are forbidden in some positions."""
    game, kinds = make("go:3"), set()
    for seed in range(60):
        slow = SlowGo(3, "positional")
        for _ in without_passes(game, slow, np.random.default_rng(seed)):
            for at, forbidden in slow.stones():
                after = slow.after(at)
                if after and forbidden:
                    kinds.add(min(len(after[1]), 2))
    assert kinds == {0, 1, 2}


def minimax(slow: SlowGo) -> int:
    """The score under perfect play."""
    if slow.over is not None:
        return slow.score()
    best, values = max if slow.player == 1 else min, []
    for move in slow.names():
        following = copy(slow)
        following.seen = set(slow.seen)
        following.play(move)
        values.append(minimax(following))
    return best(values)


def proven(specification: str, heuristic: str) -> float:
    """The value of the game, by search alone."""
    game = make(specification)
    settings = Ubfm(exact=heuristic == "score")
    search = Search(game, terminal=make_heuristic(heuristic, game), settings=settings)
    search.reset(game.initial())
    search.run(Budget(iterations=2_000_000))
    assert search.root().resolution
    return search.root().value


@pytest.mark.parametrize("superko", ["positional", "situational", "simple"])
def test_the_score_of_2x2(superko: str) -> None:
    """Within eight actions it is 0."""
    assert proven(f"go:2,komi=0,superko={superko}", "score") == minimax(SlowGo(2, superko, 0)) == 0


@pytest.mark.parametrize("komi", ["8", "8.5"])
def test_the_first_player_wins_3x3_by_more_than_8(komi: str) -> None:
    assert proven(f"go:3,komi={komi},superko=simple", "classic") == 1


@pytest.mark.slow
def test_the_first_player_wins_3x3_by_9() -> None:
    """The published value (senseis.xmp.net/?SmallBoardGo)."""
    assert proven("go:3,komi=0,superko=simple", "score") == 9
