"""What decided a match, as the page tells it."""

from itertools import product
from typing import NamedTuple, get_args

import pytest
from boards import board_of, decision_of

from athenan import make
from athenan.rules.board import Decision
from athenan.rules.game import Game, State
from athenan.rules.playouts import random_match
from athenan.web import texts

DECISIONS = {
    "xiangqi": {"checkmate", "stalemate", "checks"}, "breakthrough": {"row", "captures"},
    "einstein": {"corner", "captures"}, "santorini": {"level", "stuck"}, "havannah": {"ring", "bridge", "fork"},
    "arimaa": {"goal", "rabbits", "stuck"}, "shobu": {"board", "stuck"}, "connect_four": {"four"},
}  # fmt: skip
"""What may decide each game."""


class End(NamedTuple):
    """The end of a match that somebody has won."""

    game: Game
    state: State
    name: str
    """Of the last action."""
    winner: int
    by: Decision | None


def decided(game, state):
    """The winner and what decided."""
    outcome = game.outcome(state)
    assert outcome
    return int(outcome < 0), decision_of(game, state, int(outcome < 0))


def ends(specification, matches):
    """The ends of random matches, of those that somebody wins."""
    game, found = make(specification), []
    for seed in range(matches):
        state = game.initial()
        for action in random_match(game, seed):
            name, state = game.action_name(state, action), game.play(state, action)
        if game.outcome(state):
            found.append(End(game, state, name, *decided(game, state)))
    return found


@pytest.mark.parametrize(
    ("position", "moves", "expected"),
    [
        ("3k5/R8/9/9/9/9/9/9/1R7/4K4 w - - 0 1", "b1b9", (0, "checkmate")),
        ("3k5/9/R8/9/9/9/9/9/9/4K4 w - - 0 1", "a7a8", (0, "stalemate")),
        (
            "4k4/9/9/9/9/9/9/9/9/R2K5 w - - 0 1",
            "a0a9 e9e8 a9a8 e8e9 a8a9 e9e8 a9a8 e8e9 a8a9",
            (1, "checks"),
        ),
    ],
)
def test_xiangqi(position, moves, expected):
    game = make("xiangqi")
    assert decided(game, game.after(moves, game.read_fen(position))) == expected


@pytest.mark.parametrize(
    ("position", "move", "expected"),
    [
        ("3/1P1/p2/3 w - - 0 1", "b3-b4", (0, "row")),
        ("3/3/1p1/P2 w - - 0 1", "a1xb2", (0, "captures")),
        ("3/P2/1p1/3 b - - 0 1", "b2-c1", (1, "row")),
    ],
)
def test_breakthrough(position, move, expected):
    game = make("breakthrough:3x4,piece_rows=1")
    assert decided(game, game.after(move, game.read_fen(position))) == expected


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("a1 d4 b1 d5 c1 d6 d1", (0, "bridge")),
        ("c2 a1 d2 a3 e3 g7 e4 g5 d4 d7 c3", (0, "ring")),
        ("b1 d4 b2 d5 a2 d6 b3 c5 b4 f5 b5", (0, "fork")),
    ],
)
def test_havannah(moves, expected):
    game = make("havannah:4,swap=false")
    assert decided(game, game.after(moves)) == expected


def test_a_corner_or_the_last_piece_of_einstein():
    found = ends("einstein", 40)
    assert {end.by for end in found} == DECISIONS["einstein"]
    for end in found:
        assert (end.by == "corner") == end.name.endswith(("e1", "a5")[end.winner])
        assert end.by == "corner" or "x" in end.name


def test_a_step_to_the_third_level_or_no_step_of_santorini():
    found = ends("santorini", 40)
    assert {end.by for end in found} == DECISIONS["santorini"]
    for end in found:
        assert (end.by == "level") == ("-" in end.name and end.game.player(end.state) != end.winner)


def test_an_empty_board_or_no_step_of_shobu():
    found = ends("shobu", 60)
    assert "board" in {end.by for end in found}
    for game, state, _, winner, by in found:
        board = board_of(game)
        others = [board.places[one.place].name for one in board.scene(state).pieces if one.owner != winner]
        assert (by == "board") == (len({(name[0] > "d", name[1] > "4") for name in others}) < 4)


def test_a_goal_or_no_rabbits_of_arimaa():
    game = make("arimaa")
    gold = game.after("Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Ea2 Mb2 Hc2 Hd2 De2 Df2 Cg2 Ch2")
    assert [decision_of(game, gold, winner) for winner in (0, 1)] == ["rabbits", "stuck"]
    assert "goal" in {end.by for end in ends("arimaa", 6)}


def test_four_in_a_row():
    assert decided(make("connect_four"), make("connect_four").after("1 2 1 2 1 2 1")) == (0, "four")
    three = make("connect_four:connect=3")
    assert decided(three, three.after("1 2 1 2 1")) == (0, None)


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_decision_has_a_text(language):
    table = texts.table(language)
    assert set().union(*DECISIONS.values()) == set(get_args(Decision))
    for family, words in DECISIONS.items():
        for word in words:
            assert "{side}" in table[f"end.wins.{family}.{word}"]
    told = {f"end.wins.{family}.{word}" for family, word in product(DECISIONS, get_args(Decision))}
    assert len(told & set(table)) == sum(map(len, DECISIONS.values()))
