"""Learning curves against formulas, and the interval of the learning speed against scipy's test."""

import numpy as np
import pytest
from scipy import stats

from athenan import statistics as s
from athenan.statistics.learning_curves import time_to_reach


def test_time_to_reach() -> None:
    times, curve = np.array([1.0, 2.0, 4.0]), np.array([0.1, 0.3, 0.2])
    assert time_to_reach(times, curve, 0.2) == pytest.approx(1.5)
    assert (time_to_reach(times, curve, 0.05), time_to_reach(times, curve, 0.31)) == (1.0, np.inf)


def test_learning_speed_ratio() -> None:
    """A method that is at any time where the other is at four times that time."""
    times, random = np.arange(1.0, 49.0), np.random.default_rng(4)

    def curves(speed: float) -> s.LearningCurves:
        truth = 1 - np.exp(-speed * times / 40)
        return s.LearningCurves(times, [truth + 0.02 * random.standard_normal((8, len(times))) for _ in range(3)])

    slow, fast = curves(1), curves(4)
    found = s.learning_speed_ratio(fast, slow)
    assert 3 < found.interval[0] < found.ratio < found.interval[1] < 6
    assert found.ratio == pytest.approx(4, rel=0.15)
    assert s.learning_speed_ratio(slow, fast).ratio == 0


def test_the_ratio_of_means_of_one_time_is_fiellers() -> None:
    """Curves in proportion to time reach a level at Fieller's bounds of the ratio of two means."""
    times, random = np.linspace(0.001, 1, 400), np.random.default_rng(6)
    fast, slow = random.normal(3, 0.3, (5, 1)), random.normal(1, 0.1, (5, 1))
    one, other = (s.LearningCurves(times, [speed * times]) for speed in (fast, slow))
    found = s.learning_speed_ratio(one, other).interval
    for ratio in found:
        assert stats.ttest_ind(fast / ratio, slow, equal_var=False).pvalue[0] == pytest.approx(0.05, abs=0.002)


def test_a_level_that_may_not_be_reached_has_no_time() -> None:
    times = np.array([1.0, 2.0, 3.0])
    one = s.LearningCurves(times, [np.array([[0.1, 0.4, 0.5], [0.1, 0.4, 0.7]])])
    other = s.LearningCurves(times, [np.array([[0.1, 0.2, 0.55], [0.1, 0.2, 0.6]])])
    found = s.learning_speed_ratio(one, other)
    assert (found.interval[0], found.interval[1] > 1) == (0, True)
    assert s.learning_speed_ratio(other, s.LearningCurves(times, [np.array([[0.9] * 3, [0.91] * 3])])).ratio == 0
    with pytest.raises(ValueError, match="the same games, not 1 and 0"):
        s.learning_speed_ratio(one, s.LearningCurves(times, []))


def test_curves_are_checked() -> None:
    with pytest.raises(ValueError, match="times must be above 0 and ascend"):
        s.LearningCurves(np.array([1.0, 1.0]), [np.zeros((2, 2))])
    with pytest.raises(ValueError, match=r"levels must be of shape \[repetitions, times\]"):
        s.LearningCurves(np.array([1.0, 2.0]), [np.zeros((2, 3))])


def test_moving_average() -> None:
    levels = np.array([[1.0, 2.0, 6.0, 3.0]])
    assert s.moving_average(levels, 2).tolist() == [[1.0, 1.5, 4.0, 4.5]]
    assert s.moving_average(levels, 6)[0, -1] == 3.0
