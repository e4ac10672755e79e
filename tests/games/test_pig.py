"""Pig: its values by equations solved apart from the kernels, and random matches beside OpenSpiel."""

import random
from functools import cache

import numpy as np
import pytest
from exhaustive_search import exhaustive

from athenan import make
from athenan.rules.state import CHANCE


def value(target: int, sides: int, length: int) -> float:
    """The first player's expected gain at the start, from the rules in words, without states."""

    @cache
    def best(own: int, other: int, turn: int, left: int) -> float:
        """The expected gain of the player who chooses, with `left` actions to the end."""
        if left <= 0:
            return 0
        held = 1 if own + turn >= target else -best(other, own + turn, 0, left - 1)
        numbers = [best(own, other, turn + number, left - 2) for number in range(2, sides + 1)]
        return max(held, (sum(numbers) - best(other, own, 0, left - 2)) / sides)

    return best(0, 0, 0, length)


@pytest.mark.parametrize(
    ("target", "sides", "length"), [(5, 2, 6), (6, 3, 13), (8, 6, 14), (10, 6, 12), (4, 4, 40), (12, 8, 11)]
)
def test_values_by_equations(target: int, sides: int, length: int) -> None:
    game = make(f"pig:{target},sides={sides},length={length}")
    assert exhaustive(game)(game.initial()) == pytest.approx(value(target, sides, length), abs=1e-12)


def test_the_value_without_a_limit() -> None:
    """The probabilities to win of Neller and Presser (2004), by iteration of their equations to the fixed point."""
    target, sides = 6, 3
    wins = np.zeros((target, target, target))  # of the player to choose: own total, other's, sum of the turn

    def win(own: int, other: int, turn: int) -> float:
        return 1 if own + turn >= target else wins[own, other, turn]

    for _ in range(200):
        for own, other, turn in np.ndindex(wins.shape):
            if own + turn < target:
                held = 1 - win(other, own + turn, 0)
                rolled = 1 - win(other, own, 0) + sum(win(own, other, turn + number) for number in (2, 3))
                wins[own, other, turn] = max(held, rolled / sides)
    game = make("pig:6,sides=3,length=70")
    assert exhaustive(game)(game.initial()) == pytest.approx(2 * wins[0, 0, 0] - 1, abs=1e-9)


@pytest.mark.parametrize(("target", "sides"), [(100, 6), (10, 6), (25, 3), (30, 12)])
def test_random_matches_beside_openspiel(target: int, sides: int) -> None:
    """Its horizon counts other actions, so that only our matches have a limit, and who can win must hold there."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(f"pig(winscore={target},diceoutcomes={sides},horizon=100000)")
    game, choose, won = make(f"pig:{target},sides={sides},length=600"), random.Random(target), 0
    for _ in range(30):
        state, their = game.initial(), theirs.new_initial_state()
        while game.outcome(state) is None:
            chance = game.player(state) == CHANCE
            assert chance == their.is_chance_node()
            names = {game.action_name(state, int(action)): int(action) for action in game.actions(state)}
            if chance:
                legal = {str(number + 1): number for number, _ in their.chance_outcomes()}
                assert np.allclose(game.probabilities(state), [share for _, share in their.chance_outcomes()])
            else:
                assert game.player(state) == their.current_player()
                legal = {("roll", "hold")[action]: action for action in their.legal_actions()}
            assert names.keys() == legal.keys() or legal.keys() == {"hold"}
            name = "roll" if "roll" in legal and choose.random() < 0.6 else choose.choice(sorted(legal))
            state = game.play(state, names[name])
            their.apply_action(legal[name])
        if outcome := game.outcome(state):
            assert their.returns() == [outcome, -outcome]
            won += 1
        else:
            assert not their.is_terminal()
            assert game.length(state) in (600, 601)
    assert won > 20
