"""Moves as people type and paste them."""

import re
from unittest.mock import Mock

import pytest

from athenan import make
from athenan.files import typed
from athenan.files.typed import actions_of
from athenan.rules.game import GameError


def read(name, text):
    game = make(name)
    return game.moves(actions_of(game, text))


@pytest.mark.parametrize(
    ("name", "text", "moves"),
    [
        ("othello", "1. d3", "d3"),
        ("othello", "1.d3 C5", "d3 c5"),
        ("othello", "D3,C5", "d3 c5"),
        ("othello", "d3c5d6", "d3 c5 d6"),
        ("othello", "1 d3 c5\n2 d6 e3", "d3 c5 d6 e3"),
        ("othello", "# othello:8\n1) d3?! {the best; he says} 2) c5!! ; d6", "d3 c5 d6"),
        ("connect_four", "44 3 1", "4 4 3 1"),
        ("connect_four", "1. 4 4 2. 3 1 1-0", "4 4 3 1"),
        ("breakthrough", "1. b2b3 g7xg6 2... b3:b4 *", "b2-b3 g7-g6 b3-b4"),
        ("breakthrough", "b2–b3 g7—g6", "b2-b3 g7-g6"),
        ("draughts", "1. 32-28 19-23 2. 28x19 14x23", "32-28 19-23 28x19 14x23"),
        ("draughts", "3228 1923 2819", "32-28 19-23 28x19"),
        ("xiangqi", "1. h2-e2 h9-g7", "h2e2 h9g7"),
        ("amazons", "1. d1-d7/g7 d10-d8(a8)", "d1-d7 g7 d10-d8 a8"),
        ("backgammon", "64: 24/18 13/9 1-1: 8/7 8/7 6/5 6/5", "6-4 24/18 13/9 1-1 8/7* 8/7 6/5 6/5"),
        ("arimaa", "1w Ra1 Rb1 Rc1", "Ra1 Rb1 Rc1"),
        ("hex:3", "c1 swap b2", "c1 swap b2"),
        ("hex:11", "a1a11b2", "a1 a11 b2"),
        ("go:5", "c3 PASS pass", "c3 pass pass"),
    ],
)
def test_what_people_write(name, text, moves):
    assert read(name, text) == moves


def test_passes_without_alternative_may_be_left_out():
    """As in the usual transcripts of Othello; the plain moves are found by playing at random."""
    import numpy as np

    game, random = make("othello:6"), np.random.default_rng(1)
    names = list[str]()
    while "pass" not in names[:-1]:
        state, names = game.initial(), list[str]()
        while game.outcome(state) is None:
            action = game.draw(state, random)
            names.append(game.action_name(state, action))
            state = game.play(state, action)
    written = [name for name in names if name != "pass"]
    assert read("othello:6", "".join(written)) == read("othello:6", " ".join(written)) == " ".join(names)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("othello", "1. d3 c5 2. z9", "move 3: 'z9' is not a legal action of othello:8 here; legal are "),
        ("othello", "d3c5z9d6", "move 3: 'z9d6' is not a legal action"),
        ("hex:3", "45", "move 1: '45' is not a legal action"),
        ("hex:3", "2 a1", "move 1: '2' is not a legal action"),
        ("hex:3", "1-0 a1", "move 1: '1-0' is not a legal action"),
        ("hex:3", "a1,a1", "move 2: 'a1' is not a legal action"),
        ("hex:3", "(", r"move 1: '\(' is not a legal action"),
        ("connect_four:12x4", "1112", "move 1: '1112' has several meanings: write its moves with spaces between them"),
        ("connect_four:12x4", "1" * 60 + "z", "has several meanings"),
        ("hex:3", "a1 {the corner} b2 {and so on", "a comment has no end: '{and so on'"),
    ],
)
def test_the_first_bad_move_is_named(name, text, message):
    with pytest.raises(GameError, match=message):
        read(name, text)


def test_a_text_with_many_beginnings_is_refused_soon(monkeypatch):
    """Few positions are looked at, of the many to which its beginnings could lead."""
    names = Mock(wraps=typed._names)
    monkeypatch.setattr(typed, "_names", names)
    with pytest.raises(GameError):
        actions_of(make("connect_four:12x6"), "1" * 10_000 + "z")
    assert 10 < names.call_count < 500


def test_many_comments_without_an_end_are_refused_soon(monkeypatch):
    """The first is found to have no end, and no other is looked for: each look was to the end of the text."""
    gap, found = typed._gap, list[str]()

    def seen(ignored: re.Match[str]) -> str:
        found.append(ignored[0])
        return gap(ignored)

    monkeypatch.setattr(typed, "_gap", seen)
    with pytest.raises(GameError, match="a comment has no end"):
        actions_of(make("hex:3"), "{" * 5000)
    assert found == ["{" * 5000]


def test_one_number_can_be_a_move_of_two_digits():
    assert read("connect_four:12x4", "1 11 12") == "1 11 12"
