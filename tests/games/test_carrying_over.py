"""The options with which a network carries over: states and actions mean the same to it with all of their values."""

import inspect
from itertools import pairwise
from typing import Literal, get_args, get_origin

import numpy as np
import pytest

from athenan import GAMES, Game, make
from athenan.games.catalogue import carries_over, changed, module_of
from athenan.rules.playouts import random_match
from athenan.settings import annotations

SMALL = {"hex": "hex:5", "havannah": "havannah:4", "gomoku": "gomoku:7", "go": "go:5", "morpion": "morpion:4D"}
NUMBERS = {"komi": (0.0, 2.0, 5.5), "length": (60, 100, 300), "win": (0, 20, 30)}
PLACEMENTS = ("symmetric", "alternate")
"""With a random placement the numbers of actions mean something else."""
DECLARED = [(name, option) for name in GAMES for option in make(name).carries_over]


def values_of(name: str, option: str) -> tuple[object, ...]:
    kind = annotations(module_of(name).make)[option]
    if option == "placement":
        return PLACEMENTS
    if get_origin(kind) is Literal:
        return get_args(kind)
    return (False, True) if kind is bool else NUMBERS[option]


def games_of(name: str, option: str) -> list[Game]:
    return [changed(make(SMALL.get(name, name)), **{option: value}) for value in values_of(name, option)]


def states_of(game: Game, matches: int = 3) -> list[np.ndarray]:
    found = []
    for seed in range(matches):
        state = game.initial()
        found.append(state)
        for action in random_match(game, seed):
            state = game.play(state, action)
            found.append(state)
    return found


def test_some_games_declare_options() -> None:
    assert {("hex", "swap"), ("havannah", "swap"), ("go", "komi"), ("gomoku", "opening")} <= set(DECLARED)
    for name, option in DECLARED:
        assert option in inspect.signature(module_of(name).make).parameters


@pytest.mark.parametrize(("name", "option"), DECLARED)
def test_a_declared_option_changes_neither_states_nor_actions_for_a_network(name: str, option: str) -> None:
    for one, other in pairwise(games_of(name, option)):
        common = min(one.action_count, other.action_count)
        assert one.name != other.name and carries_over(one, other) and carries_over(other, one)
        assert one.planes == other.planes and one.state_size == other.state_size
        assert one.action_planes == other.action_planes
        if one.action_places is not None and other.action_places is not None:
            assert np.array_equal(one.action_places[:common], other.action_places[:common])
        assert np.array_equal(one.plane_symmetries, other.plane_symmetries)
        assert np.array_equal(one.action_symmetries[:, :common], other.action_symmetries[:, :common])
        for state in states_of(one) + states_of(other):
            assert np.array_equal(one.encode(state), other.encode(state))
            for action in set(one.actions(state).tolist()) & set(other.actions(state).tolist()):
                assert one.action_name(state, action) == other.action_name(state, action)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hex:7", "hex:9"), ("hex:7", "hex:9,swap=false"), ("go:5", "go:5,superko=simple"), ("xiangqi", "xiangqi:60"),
        ("einstein", "einstein:5,placement=random"), ("shobu", "shobu:repetition=draw"), ("pig:20", "pig:30"),
        ("hex:7", "havannah"), ("connect_four", "connect_four:7x6,connect=5"),
    ],
)  # fmt: skip
def test_networks_do_not_carry_over_to_what_is_another_game(one: str, other: str) -> None:
    assert not carries_over(make(one), make(other)) and not carries_over(make(other), make(one))
    assert carries_over(make(one), make(one))
