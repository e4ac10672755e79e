"""Games as objects: their kernels, their options by name, copies, pickles, and positions by moves."""

import pickle
import sys
from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from game_tables import TICTACTOE, tables

from athenan import Game, GameError, make, perft, rules
from athenan.games import catalogue, tictactoe
from athenan.rules.facts import altered
from athenan.rules.playouts import random_match


@pytest.mark.parametrize("missing", ["initial", "actions", "play", "outcome", "encode"])
def test_a_missing_kernel_is_named(missing: str) -> None:
    kernels = tables()
    del kernels[missing]
    with pytest.raises(GameError, match=f"^its table lacks the kernel {missing}$"):
        altered(TICTACTOE, table=rules.table(**kernels))


def test_a_score_needs_its_kernel() -> None:
    with pytest.raises(GameError, match=r"^its table lacks the kernel score$"):
        altered(TICTACTOE, max_score=1)


def test_kernels_are_called_by_their_functions_or_by_another_name() -> None:
    one, other = tictactoe.play, tictactoe.encode
    assert rules.table(one, encode=other).kernels == rules.table(one, other).kernels == {"play": one, "encode": other}
    for given, named in (((one, one), {}), ((one,), {"play": other})):
        with pytest.raises(GameError, match="a game has one kernel of a name, and two are called play"):
            rules.table(*given, **named)


def test_features_need_their_kernel() -> None:
    with pytest.raises(GameError, match="declares the number of feature planes exactly if it has a kernel"):
        altered(TICTACTOE, features=rules.Features(1))
    with pytest.raises(GameError, match="a game declares one kernel of features, in its Features"):
        altered(make("hex:3"), features=rules.Features(1, kernel=tictactoe.encode))


def plain(params: Any, state: Any) -> int:
    return rules.ONGOING


NO_OUTCOME = r"the kernel outcome must be a function decorated with @kernel\(OUTCOME\)"


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        (tables(outcome=plain), NO_OUTCOME),
        (tables(outcome=rules.helper(plain)), NO_OUTCOME),
        (tables(outcome=None), NO_OUTCOME),
        (tables(outcome=tictactoe.play), NO_OUTCOME),
        (tables(outcomes=tictactoe.outcome), "a game has no kernel 'outcomes'; its kernels are initial, actions, play"),
    ],
)
def test_a_wrong_kernel_is_named(kernels: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError, match=message):
        altered(TICTACTOE, table=rules.table(**kernels))


def with_options(size=5):
    return TICTACTOE


def with_strange_options(size: complex = 5) -> Game:
    return TICTACTOE


def with_unknown_options(size: list[int] | None = None) -> Game:
    return TICTACTOE


def with_quoted_options(size: "int" = 5) -> Game:
    assert size == 7
    return TICTACTOE


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Of the game "mine"."""
    module = ModuleType("mine")
    monkeypatch.setitem(sys.modules, "mine", module)
    monkeypatch.setitem(catalogue.MODULES, "mine", "mine")
    return module


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (with_options, "has no annotation, such as size: int$"),
        (with_strange_options, "must be annotated with bool, int, float, str, .*, not <class 'complex'>$"),
        (with_unknown_options, "must be annotated with bool, int, float, str, .*, not list.int. . None$"),
    ],
)
def test_options_without_known_annotations_are_refused(
    build: Callable[..., Game], message: str, module: ModuleType
) -> None:
    module.make = build  # type: ignore[attr-defined]
    for name in ("mine", "mine:7"):
        with pytest.raises(GameError, match=rf"^mine: size of {build.__name__} {message}"):
            make(name)


def test_a_number_names_no_game() -> None:
    with pytest.raises(GameError, match="a game is named by a text such as 'hex:7', not by 3"):
        make(3)  # type: ignore[arg-type]


def test_quoted_annotations_of_options_are_read(module: ModuleType) -> None:
    module.make = with_quoted_options  # type: ignore[attr-defined]
    assert make("mine:7").name == "mine:7"


@pytest.mark.parametrize("name", ["tictactoe", "hex:5,swap=false", "go:5,komi=7.5,superko=simple", "morpion:4D"])
def test_pickled_games_are_the_same_games(name: str) -> None:
    game = make(name)
    read = pickle.loads(pickle.dumps({"game": game}))["game"]
    assert read.name == game.name
    assert np.array_equal(read.initial(), game.initial())
    assert read.moves(random_match(game, seed=2)) == game.moves(random_match(game, seed=2))


def test_a_game_that_the_catalogue_lacks_is_not_pickled() -> None:
    with pytest.raises(GameError, match="there is no game 'noughts'"):
        pickle.dumps(replace(TICTACTOE, name="noughts"))


def test_copies_of_a_game_are_the_game() -> None:
    changed = altered(TICTACTOE, name="noughts", max_length=5)
    assert deepcopy([changed]) == [changed]
    assert copy(changed) is changed


def test_moves_actions_and_states_of_a_line_agree() -> None:
    game = make("hex:3,swap=false")
    start = game.after("b2")
    actions = game.parse_moves("a1 C3", start)
    assert game.moves(actions, start) == "a1 c3"
    assert (game.replay(actions, start) == game.after("b2 a1 c3")).all()
    assert game.parse_moves("") == [] and (game.replay([]) == game.initial()).all()
    with pytest.raises(GameError, match="move 2: 'b2' is not a legal action of hex:3"):
        game.parse_moves("a1 b2", start)
    with pytest.raises(GameError, match="action 4 is not legal here"):
        game.replay([0, 4], start)


def test_perft_takes_a_game_and_a_position_by_moves_or_state() -> None:
    game = make("hex:3,swap=false")
    assert make(game) is game
    assert perft(game, 2, "b2 a1") == perft(game, 2, game.after("b2 a1")) == [7, 42]
    with pytest.raises(GameError, match="move 2: 'b2' is not a legal action of hex:3"):
        perft(game, 2, "b2 b2")
