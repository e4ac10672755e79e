"""Intervals of few repetitions against scipy, and how often they hold what they are for."""

import numpy as np
import pytest
from scipy import stats
from sizes import size

from athenan import statistics as s

SAMPLES = {"normal": lambda random, shape: random.normal(0, 1, shape),
           "exponential": lambda random, shape: random.exponential(1, shape) - 1}  # fmt: skip
REPETITIONS = [2, 5, *(pytest.param(repetitions, marks=pytest.mark.slow) for repetitions in (3, 4))]


def test_one_stratum_is_students_interval() -> None:
    units = np.random.default_rng(1).gamma(2.0, size=4)
    known = stats.ttest_1samp(units, 0).confidence_interval()
    assert s.mean_of_means_interval([units]) == pytest.approx((known.low, known.high))
    assert s.mean_interval(list(units)) == pytest.approx((known.low, known.high))


def test_two_strata_are_welchs_interval() -> None:
    random = np.random.default_rng(2)
    one, other = random.normal(3, 1, 4), random.normal(1, 4, 6)
    known = stats.ttest_ind(one, -other, equal_var=False).confidence_interval()
    assert s.mean_of_means_interval([one, other]) == pytest.approx((known.low / 2, known.high / 2))


def test_strata_count_alike_whatever_their_repetitions() -> None:
    assert s.mean_of_means_interval([[0.0, 0.0], [1.0] * 9]) == (0.5, 0.5)
    with pytest.raises(ValueError, match="at least two repetitions of each, not 1"):
        s.mean_of_means_interval([[0.0, 1.0], [1.0]])


@pytest.mark.parametrize("strata", [1, 4, *(pytest.param(strata, marks=pytest.mark.slow) for strata in (3, 8))])
@pytest.mark.parametrize("repetitions", REPETITIONS)
@pytest.mark.parametrize(("kind", "least"), [("normal", 0.94), ("exponential", 0.87)])
def test_the_intervals_of_reports_hold_the_mean(kind: str, least: float, repetitions: int, strata: int) -> None:
    """One game, and the mean of several, whose spreads differ, as reports print them."""
    random = np.random.default_rng(7)
    means, spreads = random.normal(0, 3, strata), random.uniform(0.5, 1.5, strata)
    held, simulations = 0, size(1500, 4000)
    for _ in range(simulations):
        units = means[:, None] + spreads[:, None] * SAMPLES[kind](random, (strata, repetitions))
        low, high = s.mean_of_means_interval(list(units))
        held += low <= means.mean() <= high
    assert held / simulations > least


@pytest.mark.parametrize("repetitions", REPETITIONS)
@pytest.mark.parametrize(("kind", "least"), [("normal", 0.94), ("exponential", 0.90)])
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_the_interval_of_the_learning_speed_holds_it(kind: str, least: float, repetitions: int, noise: float) -> None:
    """A method that learns twice as fast in one game, also if each point of a curve has an error of its own."""
    times, random, held, simulations = np.arange(1.0, 11.0), np.random.default_rng(5), 0, size(400, 1000)
    for _ in range(simulations):
        speeds = (1 + 0.1 * SAMPLES[kind](random, (2, repetitions, 1))) * np.array([2.0, 1.0])[:, None, None]
        levels = speeds * times + noise * random.standard_normal((2, repetitions, len(times)))
        one, other = (s.LearningCurves(times, [of]) for of in levels)
        low, high = s.learning_speed_ratio(one, other).interval
        held += low <= 2 <= high
    assert held / simulations > least
