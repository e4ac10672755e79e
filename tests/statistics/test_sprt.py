"""The sequential test: its likelihoods against a search over all distributions, its errors by simulation."""

import math

import numpy as np
import pytest
from scipy import optimize

from athenan.statistics import PAIR_SCORES, Sprt, expected_score


def test_expected_score() -> None:
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)


def test_bounds_are_walds() -> None:
    assert Sprt(0, 10, 0.05, 0.05).bounds == pytest.approx((-math.log(19), math.log(19)))
    assert Sprt(0, 10, 0.01, 0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


def test_the_ratio_is_that_of_the_best_distributions() -> None:
    """scipy maximises the likelihood over all distributions with the mean of each hypothesis."""
    test, counts = Sprt(-5, 30), np.array([7.0, 21, 44, 30, 11])

    def best(mean: float) -> float:
        found = optimize.minimize(
            lambda logits: -counts @ np.log(_softmax(logits)),
            np.zeros(5),
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-13},
            constraints={"type": "eq", "fun": lambda logits: _softmax(logits) @ PAIR_SCORES - mean},
        )
        return -float(found.fun)

    known = best(expected_score(30)) - best(expected_score(-5))
    assert test.of_counts(counts) == pytest.approx(known, abs=1e-4)


def _softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum())


def test_decisions() -> None:
    test = Sprt(0, 50)
    assert test.log_likelihood_ratio([]) == 0
    assert test.decision([0.5] * 4) is None
    assert test.decision([1.0] * 200) == "elo1"
    assert test.decision([0.0] * 200) == "elo0"
    assert test.decision([0.5, 0.75, 0.25] * 300) == "elo0"


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="elo0 must be below elo1, not 5 and 5"):
        Sprt(5, 5)
    with pytest.raises(ValueError, match=r"alpha must be between 0 and 0\.5, not 0\.7"):
        Sprt(alpha=0.7)


@pytest.mark.parametrize(("simulations", "margin"), [(40, 0.12), pytest.param(1500, 0.015, marks=pytest.mark.slow)])
@pytest.mark.parametrize("truth", ["elo0", "elo1"])
def test_errors(truth: str, simulations: int, margin: float) -> None:
    """Where one hypothesis is true, the other is accepted about 5 times of 100."""
    test, random = Sprt(0, 60), np.random.default_rng(8)
    mean = expected_score(getattr(test, truth))
    game = np.array([1 - mean - 0.15, 0.3, mean - 0.15])  # losses, draws, wins
    distribution = np.convolve(game, game)
    wrong = sum(_decided(test, distribution, random) != truth for _ in range(simulations))
    assert wrong / simulations < 0.05 + margin


def _decided(test: Sprt, distribution: np.ndarray, random: np.random.Generator) -> str:
    counts, (low, high) = np.zeros(5), test.bounds
    while True:
        counts += random.multinomial(5, distribution)
        ratio = test.of_counts(counts)
        if not low < ratio < high:
            return "elo1" if ratio >= high else "elo0"
