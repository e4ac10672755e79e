"""Morpion Solitaire against slow rules, and what is special about it."""

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from athenan import Game, make
from athenan.rules.game import State

Cell = tuple[int, int]
DIRECTIONS = (0, 1), (1, 0), (1, 1), (1, -1)


class Paper:
    """A sheet of squared paper: points, and lines as the cells they go through, from the lower left on."""

    def __init__(self, length: int, touching: bool, size: int) -> None:
        self.length, self.touching, self.size = length, touching, size
        arm, box = length - 2, 3 * length - 5
        low = (size - box) // 2
        corners = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 2), (3, 2), (3, 1), (2, 1), (2, 0), (1, 0), (1, 1)]
        self.points: set[Cell] = set()
        for (row, column), (to_row, to_column) in zip(corners, corners[1:] + corners[:1], strict=True):
            for step in range(arm + 1):
                across = row * arm + (to_row - row) * step, column * arm + (to_column - column) * step
                self.points.add((low + across[0], low + across[1]))
        self.lines: list[tuple[Cell, ...]] = []

    def line(self, start: Cell, direction: Cell) -> tuple[Cell, ...]:
        return tuple((start[0] + i * direction[0], start[1] + i * direction[1]) for i in range(self.length))

    def may_draw(self, line: tuple[Cell, ...]) -> bool:
        if not all(0 <= row < self.size and 0 <= column < self.size for row, column in line):
            return False
        if sum(cell in self.points for cell in line) != self.length - 1:
            return False
        for other in self.lines:
            common = set(line) & set(other)
            parallel = other[1][0] - other[0][0] == line[1][0] - line[0][0]
            parallel = parallel and other[1][1] - other[0][1] == line[1][1] - line[0][1]
            if parallel and len(common) > (1 if self.touching else 0):
                return False
        return True

    def names(self) -> set[str]:
        sides = range(self.size)
        return {
            f"{name(line[0])}-{name(line[-1])}"
            for row, column, direction in product(sides, sides, DIRECTIONS)
            if self.may_draw(line := self.line((row, column), direction))
        }

    def play(self, text: str) -> None:
        (row, column), (to_row, to_column) = (cell(part) for part in text.split("-"))
        line = self.line((row, column), (int(np.sign(to_row - row)), int(np.sign(to_column - column))))
        self.points.update(line)
        self.lines.append(line)


def name(at: Cell) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return f"{letters[at[1]] if at[1] < 26 else 'a' + letters[at[1] - 26]}{at[0] + 1}"


def cell(text: str) -> Cell:
    letters = text.rstrip("0123456789")
    column = ord(letters[-1]) - ord("a") + (26 if len(letters) == 2 else 0)
    return int(text[len(letters) :]) - 1, column


def assert_same(game: Game, state: State, paper: Paper) -> None:
    names = {game.action_name(state, int(action)) for action in game.actions(state)}
    assert names == paper.names()
    assert (game.outcome(state) is None) == bool(names)
    assert game.player(state) == 0
    planes = game.encode(state)
    assert {(int(row), int(column)) for row, column in np.argwhere(planes[0])} == paper.points
    ends = np.zeros_like(planes[1:5])
    for line in paper.lines:
        direction = DIRECTIONS.index((line[1][0] - line[0][0], line[1][1] - line[0][1]))
        for number, at in enumerate(line):
            inside = paper.touching and 0 < number < paper.length - 1
            ends[(direction, *at)] += 2 if inside else 1
    assert np.array_equal(planes[1:5], ends)
    assert planes[5].sum() == len(names)
    assert not (planes[5].astype(bool) & planes[0].astype(bool)).any()


@settings(max_examples=8)
@given(st.sampled_from(["5D", "5T", "4D", "4T"]), st.integers(0, 2), st.integers(0, 2**32))
def test_random_matches_on_paper(variant: str, margin: int, seed: int) -> None:
    """Also on grids so small that their border matters."""
    length, touching = int(variant[0]), variant[1] == "T"
    size = 3 * length - 5 + 2 * margin
    game, paper, chance = make(f"morpion:{variant},size={size}"), Paper(length, touching, size), random.Random(seed)
    state = game.initial()
    while game.outcome(state) is None:
        assert_same(game, state, paper)
        action = int(chance.choice(game.actions(state)))
        paper.play(game.action_name(state, action))
        state = game.play(state, action)
    assert_same(game, state, paper)
    assert game.score(state) == len(paper.lines) == game.length(state)
    assert game.outcome(state) == 0


@pytest.mark.parametrize("variant", ["5D", "5T", "4D", "4T"])
def test_the_order_of_lines_is_forgotten(variant: str) -> None:
    """Any order in which the lines of a match are legal leads to the same state."""
    game, chance = make(f"morpion:{variant}"), random.Random(variant)
    for _ in range(5):
        state, drawn = game.initial(), []
        while game.outcome(state) is None:
            drawn.append(int(chance.choice(game.actions(state))))
            state = game.play(state, drawn[-1])
        again = game.initial()
        while drawn:
            legal = [action for action in drawn if action in game.actions(again)]
            drawn.remove(action := chance.choice(legal))
            again = game.play(again, action)
        assert np.array_equal(again, state)


def test_touching_lines() -> None:
    """After e8-i8 the line i8-m8, which lacks j8, would share i8 with it: T allows that, D does not."""
    for variant, allowed in (("5T", True), ("5D", False)):
        game = make(f"morpion:{variant},size=18")
        state = game.after("e8-i8")
        assert ("i8-m8" in [game.action_name(state, int(action)) for action in game.actions(state)]) == allowed


def test_a_match_of_so_many_lines_is_won() -> None:
    game, plain, chance = make("morpion:4D,win=27"), make("morpion:4D"), random.Random(1)
    outcomes = set()
    for _ in range(60):
        state = game.initial()
        while game.outcome(state) is None:
            action = int(chance.choice(game.actions(state)))
            state = game.play(state, action)
        assert game.outcome(state) == int(game.score(state) >= 27)
        assert plain.outcome(state) == 0
        outcomes.add(game.outcome(state))
    assert outcomes == {0, 1}


def test_a_limit_ends_the_match() -> None:
    """The limit is a rule, not only a bound."""
    game = make("morpion:5T")
    game.params[3] = 7
    state = game.initial()
    while game.outcome(state) is None:
        state = game.play(state, int(game.actions(state)[0]))
    assert game.length(state) == 7


def test_names_of_more_than_26_columns() -> None:
    game = make("morpion:5T")
    assert game.action_name(game.initial(), 23) == "x1-ab1"


def test_shape_of_the_paper() -> None:
    """003, section 12.4: 16 x 16 cells; its network has one plane less."""
    game = make("morpion:5d,size=16,win=84")
    assert (game.name, game.planes, game.max_length) == ("morpion:5D,size=16,win=84", (6, 16, 16), 84)
