"""Bootstrap intervals and learning curves against scipy, rliable's figures and simulation."""

import numpy as np
import pytest
from scipy import stats

from athenan import statistics as s
from athenan.statistics.learning_curves import time_to_reach


def test_one_stratum_is_scipys_percentile_interval() -> None:
    units = np.random.default_rng(1).gamma(2.0, size=40)
    known = stats.bootstrap(
        (units,), np.mean, method="percentile", n_resamples=40_000, rng=np.random.default_rng(2)
    ).confidence_interval  # fmt: skip
    found = s.stratified_bootstrap_interval([units], resamples=40_000, expanded=False)
    assert found == pytest.approx((known.low, known.high), rel=0.01)


def test_strata_count_alike_whatever_their_repetitions() -> None:
    low, high = s.stratified_bootstrap_interval([[0.0, 0.0], [1.0] * 9], resamples=100)
    assert low == high == 0.5
    with pytest.raises(ValueError, match="at least two repetitions of each, not 1"):
        s.stratified_bootstrap_interval([[0.0, 1.0], [1.0]])


def test_figures_of_ones_own() -> None:
    """The difference of two strata, of which one has rows."""

    def difference(strata):
        return strata[0].mean(axis=1) - strata[1].mean(axis=(1, 2))

    random = np.random.default_rng(3)
    low, high = s.stratified_bootstrap_interval(
        [random.normal(1, 1, 50), random.normal(0, 1, (50, 3))], difference, resamples=2000
    )
    assert 0.4 < low < 1 < high < 1.6


@pytest.mark.parametrize(("strata", "repetitions"), [(1, 20), (4, 4), (8, 5)])
def test_coverage_in_short(strata: int, repetitions: int) -> None:
    assert 0.93 < _coverage(strata, repetitions, simulations=2000, resamples=1000) < 0.97


@pytest.mark.slow
@pytest.mark.parametrize(("strata", "repetitions"), [(1, 20), (4, 4), (8, 4), (8, 8)])
def test_coverage(strata: int, repetitions: int) -> None:
    assert 0.94 < _coverage(strata, repetitions, simulations=10_000, resamples=1000) < 0.96


def _coverage(strata: int, repetitions: int, simulations: int, resamples: int) -> float:
    """How often the 95% interval of normal numbers, of other means and spreads in each stratum, holds their mean."""
    random = np.random.default_rng(7)
    means, spreads = random.normal(0, 3, strata), random.uniform(0.5, 1.5, strata)
    held = 0
    for seed in range(simulations):
        units = random.normal(means[:, None], spreads[:, None], (strata, repetitions))
        low, high = s.stratified_bootstrap_interval(list(units), resamples=resamples, seed=seed)
        held += low <= means.mean() <= high
    return held / simulations


def test_time_to_reach() -> None:
    times, curve = np.array([1.0, 2.0, 4.0]), np.array([0.1, 0.3, 0.2])
    assert time_to_reach(times, curve, 0.2) == pytest.approx(1.5)
    assert (time_to_reach(times, curve, 0.05), time_to_reach(times, curve, 0.31)) == (1.0, np.inf)


def test_learning_speed_ratio() -> None:
    """A method that is at any time where the other is at four times that time."""
    times, random = np.arange(1.0, 49.0), np.random.default_rng(4)

    def curves(speed: float) -> s.Curves:
        truth = 1 - np.exp(-speed * times / 40)
        return s.Curves(times, [truth + 0.02 * random.standard_normal((8, len(times))) for _ in range(3)])

    slow, fast = curves(1), curves(4)
    found = s.learning_speed_ratio(fast, slow, resamples=500)
    assert 3 < found.interval[0] < found.ratio < found.interval[1] < 6
    assert found.ratio == pytest.approx(4, rel=0.15)
    assert s.learning_speed_ratio(slow, fast, resamples=100).ratio == 0


def test_coverage_of_the_ratio_of_few_repetitions() -> None:
    """Of a method that learns twice as fast; percentiles alone would hold the truth 84 times of 100."""
    times, random, held = np.arange(1.0, 11.0), np.random.default_rng(5), 0
    for seed in range(600):
        speeds = (1 + 0.1 * random.standard_normal((2, 4, 1))) * np.array([2.0, 1.0])[:, None, None]
        one, other = (s.Curves(times, [of * times]) for of in speeds)
        low, high = s.learning_speed_ratio(one, other, resamples=300, seed=seed).interval
        held += low <= 2 <= high
    assert 0.92 < held / 600 < 0.98


def test_curves_are_checked() -> None:
    with pytest.raises(ValueError, match="times must be above 0 and ascend"):
        s.Curves(np.array([1.0, 1.0]), [np.zeros((2, 2))])
    with pytest.raises(ValueError, match=r"levels must be of shape \[repetitions, times\]"):
        s.Curves(np.array([1.0, 2.0]), [np.zeros((2, 3))])


def test_moving_average() -> None:
    levels = np.array([[1.0, 2.0, 6.0, 3.0]])
    assert s.moving_average(levels, 2).tolist() == [[1.0, 1.5, 4.0, 4.5]]
    assert s.moving_average(levels, 6)[0, -1] == 3.0
