"""Shobu against slow rules, written cell by cell on the 8 x 8 cells of all boards together."""

import random
from copy import copy
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from plain_rules import ALL_DIRECTIONS, Cell, Slow, cell, name, seeds
from sizes import size

from athenan import Game, GameError, check_game, make, perft
from athenan.rules.game import State

MOVES = list(product(ALL_DIRECTIONS, (1, 2)))


def board_of(at: Cell) -> Cell:
    return at[0] // 4, at[1] // 4


@cache
def way_of(start: Cell, direction: Cell, distance: int) -> list[Cell]:
    """The cells of a move after its first, and one more, as far as they are on the same board."""
    cells = [(start[0] + far * direction[0], start[1] + far * direction[1]) for far in range(1, distance + 2)]
    return [at for at in cells if board_of(at) == board_of(start)]


def is_dark(at: Cell) -> bool:
    return at[1] < 4


class SlowShobu(Slow):
    def __init__(self, repetition: str = "none") -> None:
        self.board, self.repetition = np.zeros((8, 8), int), repetition
        self.board[[0, 4]], self.board[[3, 7]] = 1, 2
        self.passive: tuple[bool, Cell, int] | None = None  # on a dark board, direction, distance
        self.quiet = 0
        self.seen = {self.key()}

    def key(self) -> tuple[bytes, int]:
        return self.board.tobytes(), self.player

    def after(self, text: str) -> "SlowShobu":
        following = copy(self)
        following.board, following.seen = self.board.copy(), set(self.seen)
        following.play(text)
        return following

    def own(self) -> list[Cell]:
        return [(int(row), int(column)) for row, column in np.argwhere(self.board == self.player)]

    def passive_moves(self) -> list[tuple[Cell, Cell, int]]:
        home = range(4) if self.player == 1 else range(4, 8)
        found = []
        for start, (direction, distance) in product(self.own(), MOVES):
            way = way_of(start, direction, distance)[:distance]
            if start[0] in home and len(way) == distance and all(self.board[at] == 0 for at in way):
                found.append((start, direction, distance))
        return found

    def may_attack(self, start: Cell, direction: Cell, distance: int) -> bool:
        way = way_of(start, direction, distance)
        stones = [int(self.board[at]) for at in way[:distance]]
        if len(stones) < distance or self.player in stones or stones.count(3 - self.player) > 1:
            return False
        return not any(stones) or len(way) == distance or self.board[way[distance]] == 0

    def attacks(self, dark: bool, direction: Cell, distance: int) -> list[Cell]:
        """Where aggressive moves after a passive move start."""
        return [at for at in self.own() if is_dark(at) != dark and self.may_attack(at, direction, distance)]

    def named(self, start: Cell, direction: Cell, distance: int) -> str:
        return f"{name(*start)}-{name(*way_of(start, direction, distance)[distance - 1])}"

    def names(self) -> set[str]:
        if self.passive:
            return {self.named(start, *self.passive[1:]) for start in self.attacks(*self.passive)}
        found = set()
        for start, direction, distance in self.passive_moves():
            if self.attacks(is_dark(start), direction, distance):
                found.add(self.named(start, direction, distance))
        return found

    def play(self, text: str) -> None:
        start, to = (cell(part) for part in text.split("-"))
        distance = max(abs(to[0] - start[0]), abs(to[1] - start[1]))
        direction = (to[0] - start[0]) // distance, (to[1] - start[1]) // distance
        if self.passive is None:
            self.board[start], self.board[to] = 0, self.player
            self.passive = is_dark(start), direction, distance
        else:
            self.attack(start, to, way_of(start, direction, distance), distance)
            self.passive, self.player = None, 3 - self.player
            if self.over is None and not self.names():
                self.over = 2 * self.player - 3
            if self.over is None and (self.quiet == 100 or (self.repetition == "draw" and self.key() in self.seen)):
                self.over = 0
            self.seen.add(self.key())

    def attack(self, start: Cell, to: Cell, way: list[Cell], distance: int) -> None:
        self.quiet += 1
        if any(self.board[at] for at in way[:distance]):
            for at in way[:distance]:
                self.board[at] = 0
            if len(way) > distance:
                self.board[way[distance]] = 3 - self.player
            else:
                self.quiet = 0
        self.board[start], self.board[to] = 0, self.player
        row, column = (4 * part for part in board_of(start))
        if not (self.board[row : row + 4, column : column + 4] == 3 - self.player).any():
            self.won()


def whole(planes: NDArray[np.int8]) -> NDArray[np.int8]:
    """Four planes, one a board, as one."""
    return np.block([[planes[0], planes[1]], [planes[2], planes[3]]])


def marked(names: set[str], part: int) -> NDArray[np.int8]:
    """The cells where moves begin, 0, or end, 1."""
    cells = np.zeros((8, 8), np.int8)
    for text in names:
        cells[cell(text.split("-")[part])] = 1
    return cells


def repeating(slow: SlowShobu) -> set[str]:
    """The aggressive moves that bring a position back."""
    ends = {text: slow.after(text) for text in slow.names()} if slow.passive else {}
    return {text for text, end in ends.items() if end.key() in slow.seen and end.over == 0}


def compare(game: Game, state: State, slow: SlowShobu) -> None:
    planes, draw = game.encode(state), slow.repetition == "draw"
    names = {game.action_name(state, int(action)) for action in game.actions(state)}
    assert np.array_equal(whole(planes) + 2 * whole(planes[4:]), slow.board)
    assert game.outcome(state) == slow.over
    assert game.player(state) == slow.player - 1
    assert names == (slow.names() if slow.over is None else set())
    pending = names if slow.passive else set()
    assert np.array_equal(whole(planes[8:]), marked(pending, 0))
    assert np.array_equal(whole(planes[12:]), marked(pending, 1))
    if draw:
        assert np.array_equal(whole(planes[16:]), marked(repeating(slow), 0))
    rest = planes[20 if draw else 16 :]
    expected = [slow.player == 1, slow.quiet >= 25, slow.quiet >= 50, slow.quiet >= 75]
    assert np.array_equal(rest, np.array(expected, np.int8)[:, None, None] * np.ones((4, 4), np.int8))


def agree(game: Game, state: State, slow: SlowShobu, seed: int) -> State:
    """Plays one random match of both from a position, and returns its last state."""
    choose = random.Random(seed)
    compare(game, state, slow)
    while slow.over is None:
        move = choose.choice(sorted(slow.names()))
        slow.play(move)
        state = game.play(state, game.parse_action(state, move))
        compare(game, state, slow)
    return state


def position(game: Game, first: str, second: str, player: int) -> tuple[State, SlowShobu]:
    """A position at the start of a turn, without history, for both."""
    slow, state = SlowShobu(game.name.partition(":")[2] or "none"), game.initial()
    slow.board[:], slow.player, state[0] = 0, player, player - 1
    words = [0, 0]
    for number, cells in enumerate((first.split(), second.split())):
        for row, column in map(cell, cells):
            slow.board[row, column] = number + 1
            board = 2 * (row // 4) + column // 4
            words[number] |= 1 << (16 * board + 4 * (row % 4) + column % 4)
    state[8:24] = np.array(words, np.uint64).view(np.int8)
    slow.seen = {slow.key()}
    return state, slow


@settings(max_examples=size(2, 4), deadline=None)
@given(st.sampled_from(["none", "draw"]), seeds)
def test_shobu(repetition: str, seed: int) -> None:
    game = make(f"shobu:{repetition}")
    agree(game, game.initial(), SlowShobu(repetition), seed)


@settings(max_examples=size(8, 16), deadline=None)
@given(st.sampled_from(["none", "draw"]), st.integers(1, 4), seeds)
def test_shobu_from_random_positions(repetition: str, most: int, seed: int) -> None:
    """With few stones positions come back soon, also by stones pushed to and fro."""
    game, choose = make(f"shobu:{repetition}"), random.Random(seed)
    sides: tuple[list[str], list[str]] = [], []
    for rows, columns in product((range(4), range(4, 8)), repeat=2):
        cells = choose.sample([name(*at) for at in product(rows, columns)], 2 * most)
        for side, number in zip(sides, (choose.randint(1, most), choose.randint(1, most)), strict=True):
            side += [cells.pop() for _ in range(number)]
    state, slow = position(game, " ".join(sides[0]), " ".join(sides[1]), choose.randint(1, 2))
    assume(slow.names())
    agree(game, state, slow, seed)


def test_whole_turns() -> None:
    """Counts of TangilJ/shobu-engine 04f93d8, two actions a turn."""
    assert perft(make("shobu"), 6)[1::2] == [232, 50508, 8675832]


@pytest.mark.slow
def test_four_whole_turns() -> None:
    assert perft(make("shobu"), 8)[7] == 1410935460


FAR = "a8 h8 e4"
"""Second player's stones elsewhere, so that no board is empty of them."""


@pytest.mark.parametrize(
    ("cells", "others", "legal", "pushed"),
    [  # on the light board at the bottom, after a passive move of two cells up
        ("f1", "h4", True, "h4"),
        ("f1", "f2", True, "f4"),  # the stone passed on the way
        ("f1", "f3", True, "f4"),  # the stone come to
        ("f2", "f3", True, ""),  # off the board, by two
        ("f2", "f4", True, ""),
        ("f1", "f2 f3", False, None),
        ("f1", "f2 f4", False, None),
        ("f1", "f3 f4", False, None),
        ("f1", "f4", True, "f4"),  # nothing in the way
        ("f1 f2", "h4", False, None),
        ("f1 f3", "h4", False, None),
        ("f1 f4", "f3", False, None),  # an own stone behind the other's
        ("f1 f4", "h4", True, "h4"),
        ("f3", "h4", False, None),  # an own stone off the board
    ],
)
def test_aggressive_moves_of_two_cells(cells: str, others: str, legal: bool, pushed: str | None) -> None:
    """The first player's stone on f, and for a legal passive move one on the other light board."""
    game = make("shobu")
    state, slow = position(game, f"a1 {cells} e5", f"{others} h1 a4 {FAR}", 1)
    for text in ("a1-a3", None):
        compare(game, state, slow)
        if text:
            slow.play(text)
            state = game.play(state, game.parse_action(state, text))
    start = cells.split(maxsplit=1)[0]
    text = f"f{start[1]}-f{int(start[1]) + 2}"
    assert (text in slow.names()) == legal
    if legal:
        slow.play(text)
        state = game.play(state, game.parse_action(state, text))
        compare(game, state, slow)
        stones = whole(game.encode(state)[4:])[:4, 4:]
        assert {name(row, column + 4) for row, column in np.argwhere(stones)} == {"h1", "e4", *(pushed or "").split()}


@pytest.mark.parametrize(
    ("first", "second", "player", "moves", "outcome"),
    [
        ("b1 g1 f7", "f8 a8 a4 h1", 1, "b1-b2 f7-f8", 1),
        ("b1 g1 f6", "f7 a8 a4 h1", 1, "b1-b2 f6-f7", None),  # not off the board
        ("b1 g1 f7", "f8 h6 a8 a4 h1", 1, "b1-b2 f7-f8", None),  # not the last one
        ("b1 g1 c3", "c4 a8 h8 h1", 1, "g1-g2 c3-c4", 1),
        ("f1 a1 a5 h5", "b8 g8 f2", 2, "b8-b7 f2-f1", -1),
    ],
)
def test_clearing_any_one_board_wins(first: str, second: str, player: int, moves: str, outcome: int | None) -> None:
    for specification in ("shobu", "shobu:draw"):
        game = make(specification)
        state, slow = position(game, first, second, player)
        for text in moves.split():
            slow.play(text)
            state = game.play(state, game.parse_action(state, text))
            compare(game, state, slow)
        assert game.outcome(state) == outcome


def test_without_a_legal_move_a_side_loses() -> None:
    """The second player's stones have room down and right on dark boards, up and left on light ones: no vector fits."""
    game = make("shobu")
    state, slow = position(game, "b2 f2 b6 f6", "a4 a8 h1 h5", 1)
    for text in ("b2-b3", "f2-f3"):
        compare(game, state, slow)
        slow.play(text)
        state = game.play(state, game.parse_action(state, text))
    compare(game, state, slow)
    assert not slow.names()
    assert game.outcome(state) == 1


TO_AND_FRO = "b1-b2 f1-f2 b8-b7 f8-f7 b2-b1 f2-f1 b7-b8 f7-f8"


def test_a_repeated_position() -> None:
    assert make("shobu").outcome(make("shobu").after(TO_AND_FRO)) is None
    game = make("shobu:draw")
    assert game.outcome(game.after(TO_AND_FRO)) == 0
    before = game.after(TO_AND_FRO.rpartition(" ")[0])
    assert game.outcome(before) is None
    assert np.array_equal(np.argwhere(whole(game.encode(before)[16:])), [[6, 5]])


def is_quiet(slow: SlowShobu, text: str) -> bool:
    """Whether the move pushes no stone off and does not end the match before the limit."""
    end = slow.after(text)
    return end.quiet > slow.quiet and (end.over is None or end.quiet == 100)


@pytest.mark.slow
@pytest.mark.parametrize("repetition", ["draw", "none"])
def test_the_limit(repetition: str) -> None:
    """Random play that keeps all stones on the boards, and with `draw` repeats no position."""
    game, choose, slow = make(f"shobu:{repetition}"), random.Random(1), SlowShobu(repetition)
    state = game.initial()
    while slow.over is None:
        if slow.quiet % size(30, 1) == 0 or slow.quiet > 95:
            compare(game, state, slow)
        names = sorted(slow.names())
        quiet = [text for text in names if is_quiet(slow, text)] if slow.passive else []
        move = choose.choice(quiet or names)
        slow.play(move)
        state = game.play(state, game.parse_action(state, move))
    compare(game, state, slow)
    assert (slow.over, slow.quiet) == (0, 100)


def test_the_history_is_forgotten_when_a_stone_is_pushed_off() -> None:
    """Equal positions after that are equal states, however they came about."""
    game = make("shobu:draw")
    ways = ("a1-a2 e1-e2 a8-a7 e8-e7 b1-b2 f1-f2 b8-b7 f8-f7", "b1-b2 f1-f2 b8-b7 f8-f7 a1-a2 e1-e2 a8-a7 e8-e7")
    ends = [game.after(way) for way in ways]
    assert np.array_equal(ends[0][:24], ends[1][:24])
    assert not np.array_equal(ends[0], ends[1])
    ends = [game.after(f"{way} c1-c3 e2-e4") for way in ways]
    assert np.array_equal(ends[0], ends[1])


def test_a_bad_option_is_refused() -> None:
    with pytest.raises(GameError, match="shobu: repetition must be none or draw, not 'thrice'"):
        make("shobu:thrice")


@pytest.mark.slow
def test_many_matches() -> None:
    for repetition in ("none", "draw"):
        check_game(make(f"shobu:{repetition}"), matches=100)
        for seed in range(20):
            game = make(f"shobu:{repetition}")
            agree(game, game.initial(), SlowShobu(repetition), seed)
