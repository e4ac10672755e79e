"""The kinds of actions that states await, as the page tells them."""

import re
from typing import get_args

import pytest
from boards import awaited_in, board_of

from athenan import make
from athenan.rules.board import Act, Awaited
from athenan.web import texts


def awaited(game, moves=""):
    made = make(game)
    return awaited_in(made, made.after(moves))


@pytest.mark.parametrize(
    ("game", "moves", "expected"),
    [
        ("santorini", "b1 e5 e2", Awaited("worker")),
        ("santorini", "b1 e5 e2 c5", Awaited("walk")),
        ("santorini", "b1 e5 e2 c5 b1-c2", Awaited("build")),
        ("amazons:6", "", Awaited("queen")),
        ("amazons:6", "e1-c3", Awaited("arrow")),
        ("arimaa", "", Awaited("setup", names=("a1", "h1"))),
        ("arimaa", "Ra1 Rb1", Awaited("setup", names=("c1",))),
        ("arimaa", "Rh1 Rg1", Awaited("setup", names=("f1",))),
        ("arimaa", "Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1", Awaited("setup", names=("h1",))),
        ("arimaa", "Rh1 Rg1 Rf1 Re1 Rd1 Rc1 Rb1", Awaited("setup", names=("a1",))),
        ("arimaa", "Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1", Awaited("setup", names=("a2", "h2"))),
        ("einstein", "", Awaited("number")),
        ("einstein", "1b5 2a4 3c5 4b4 5a3 6a5", Awaited("die")),
        ("einstein", "1b5 2a4 3c5 4b4 5a3 6a5 4", Awaited("numbered", names=("4",))),
        ("einstein", "1b5 2a4 3c5 4b4 5a3 6a5 6 6xb5 5 5-e4 1", Awaited("numbered", names=("2",))),
        ("backgammon", "", Awaited("dice")),
        ("backgammon", "2-1", Awaited("checker", 2)),
        ("backgammon", "6-4 13/9 8/2 1-1 24/23*", Awaited("checker", 3)),
        ("shobu", "", Awaited("passive")),
        ("shobu", "c1-a3", Awaited("aggressive")),
        ("connect6:6", "", Awaited("stone", 1)),
        ("connect6:6", "a1", Awaited("stone", 2)),
        ("connect6:6", "a1 b1", Awaited("stone", 1)),
        ("gomoku", "", Awaited("outer")),
        ("gomoku", "a1", None),
        ("gomoku:5,opening=free", "", None),
        ("pig", "", None),
        ("pig", "roll", Awaited("die")),
        ("draughts", "", None),
        ("xiangqi", "", None),
        ("xiangqi", "b2e2 d9e8 e2e6", Awaited("check")),
    ],
)
def test_what_is_awaited(game, moves, expected):
    assert awaited(game, moves) == expected


def test_silver_fills_its_rows_from_the_bottom_too():
    gold = "Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Ea2 Mb2 Hc2 Hd2 De2 Df2 Cg2 Ch2"
    assert awaited("arimaa", gold) == Awaited("setup", names=("a7", "h7"))
    silver = "ra7 rb7 rc7 rd7 re7 rf7 rg7 rh7 eh8 mg8 hf8 he8 dd8 dc8 cb8"
    assert awaited("arimaa", f"{gold} {silver}") == Awaited("setup", names=("a8",))
    assert awaited("arimaa", f"{gold} {silver} ca8") == Awaited("step", 4)
    assert awaited("arimaa", f"{gold} {silver} ca8 Mb2n Mb3n") == Awaited("step", 2)


def test_a_capture_with_several_ways_is_asked_about():
    game = make("draughts")
    asked = game.after("25x3", game.read_fen("W:WK25:B8,33,34,38"))
    assert awaited_in(game, asked) == Awaited("way")
    assert awaited_in(game, game.after("25x39x17x3", asked)) is None


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_kind_has_a_text(language):
    """With the names and the number that the state gives."""
    table = texts.table(language)
    named = {act: set(re.findall(r"{(\w+)}", table[f"awaits.{act}"])) for act in get_args(Act)}
    assert {act for act, names in named.items() if "left" in names} == {"step", "checker", "stone"}
    assert {act for act, names in named.items() if "names" in names} == {"setup", "numbered"}
    assert {act for act, names in named.items() if "side" not in names} == {"die", "dice"}


def test_the_general_in_check_is_marked():
    game = make("xiangqi")
    marked = [one for one in board_of(game).scene(game.after("b2e2 d9e8 e2e6")).pieces if one.marked]
    assert [(board_of(game).places[one.place].name, one.shape, one.owner) for one in marked] == [("e9", "general", 1)]
    assert not any(one.marked for one in board_of(game).scene(game.after("b2e2 d9e8")).pieces)


def test_the_board_of_xiangqi_needs_no_font_of_characters():
    """Only the pieces bear them, in one of three looks."""
    assert all(label.text.isascii() for label in board_of(make("xiangqi")).ground.labels)
