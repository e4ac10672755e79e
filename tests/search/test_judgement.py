"""Judgement: how often an action is chosen, by the odds that it loses and by what is overlooked."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from athenan import make
from athenan.rules.game import Game, State
from athenan.search.trees.foresight import look_of
from athenan.search.trees.judgement import DRAWN, TURNS, Judgement, judge, options_of

EVEN = np.array([-1.0, 1.0]), np.array([0.0, 1.0])
"""Values from -1 to 1 as chances."""


def chosen(
    game: Game, state: State, values: list[float], temperature: float, sight: float, count: int = 2000,
    completions: list[int] | None = None,
) -> Counter[str]:  # fmt: skip
    """How often each action is chosen; `values` are the first player's."""
    actions, random = game.actions(state), np.random.default_rng(1)
    options, look = options_of(len(actions)), look_of(game)
    options.actions[:], options.values[:] = actions, values
    options.completions[:] = completions or 0
    judgement = Judgement(temperature, sight, TURNS, *EVEN)
    side = 1 - 2 * game.player(state)
    places = (judge(game.rules, look, judgement, state, side, options, random.random(DRAWN)) for _ in range(count))
    return Counter(game.action_name(state, int(actions[place])) for place in places)


@pytest.mark.parametrize("moves", ["", "a1"])
def test_odds_become_weights_for_both_sides(moves: str) -> None:
    game = make("tictactoe")
    state = game.after(moves)
    chances = np.linspace(0.1, 0.9, len(game.actions(state)))  # of the side to move
    values = (2 * chances - 1) * (1 - 2 * game.player(state))
    names = [game.action_name(state, int(one)) for one in game.actions(state)]
    for temperature in (0.5, 2.0):
        weights = (chances / (1 - chances)) ** (1 / temperature)
        found = chosen(game, state, values.tolist(), temperature, 1.0, 20_000)
        shares = np.array([found[name] for name in names]) / 20_000
        assert np.abs(shares - weights / weights.sum()).max() < 0.012  # three standard deviations


def test_a_worse_action_is_chosen_less_often_and_the_less_the_lower_the_temperature() -> None:
    game = make("tictactoe")
    values = [0.6, 0.5, 0.3, 0.0, -0.2, -0.5, -0.7, -0.8, -0.9]
    lost = []
    for temperature in (4.0, 1.0, 0.3, 0.1):
        found = chosen(game, game.initial(), values, temperature, 1.0)
        counts = [found[game.action_name(game.initial(), int(one))] for one in game.actions(game.initial())]
        assert all(one >= other - 60 for one, other in pairwise(counts))
        lost.append(sum(count * (values[0] - value) for count, value in zip(counts, values, strict=True)))
    assert lost == sorted(lost, reverse=True) and lost[-1] < lost[0] / 4


def test_ends_are_seen_as_often_as_their_turn_says() -> None:
    game, sight = make("tictactoe"), 0.6
    wins = game.after("a1 b1 a2 b2")  # a3 wins at once; b3 is what the opponent would win with
    found = chosen(game, wins, [0.0] * 5, 1.0, sight)
    seen = sight ** (1 / 4)
    a_fifth = 1 / 5  # what is overlooked seems as good as the rest; or b3 is seen to be necessary
    assert found["a3"] / 2000 == pytest.approx(seen + (1 - seen) * (a_fifth + (1 / 2 - a_fifth) * sight), abs=0.03)
    reply = game.after("a1 b2 a2")  # only a3 does not lose
    found = chosen(game, reply, [0.0] * 6, 1.0, sight)
    assert found["a3"] / 2000 == pytest.approx(sight + (1 - sight) / 6, abs=0.035)
    certain = chosen(game, reply, [0.0] * 6, 1.0, 1.0)
    assert certain == {"a3": 2000}


def test_a_threat_is_overlooked_whatever_the_values_say() -> None:
    game = make("tictactoe")
    state = game.after("a1 b2 a2")
    actions = [game.action_name(state, int(one)) for one in game.actions(state)]
    values = [-0.9 if name == "a3" else 0.99 for name in actions]  # the search knows that all others lose
    found = chosen(game, state, values, 0.2, 0.0)
    assert found["a3"] / 2000 == pytest.approx(1 / 6, abs=0.03)


def test_what_a_search_has_proven_further_ahead_counts() -> None:
    game = make("tictactoe")
    state = game.initial()
    found = chosen(game, state, [0.0] * 9, 0.3, 1.0, completions=[-1, -1, 0, 0, 0, 0, 0, 0, -1])
    assert not {"a1", "b1", "c3"} & set(found) and len(found) == 6
