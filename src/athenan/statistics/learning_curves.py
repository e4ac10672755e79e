"""Learning curves, and the ratio of the learning speeds of two methods.

The learning-speed ratio of 004 (section 3.3): one method reaches in a time t the level that the other has at its end,
T, and so learns T / t times as fast. Curves are means over repetitions (and games), so the ratio has an interval. It
comes from inverting a test, like E. C. Fieller's interval of a ratio (1940): it holds each T / t for which the mean of
one method at t and the mean of the other at T do not differ significantly by Student's t
(`intervals.margin_of_sum`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from athenan.statistics.intervals import CONFIDENCE, Interval, Numbers, margin_of_sum, mean_of_means

_BETWEEN = 32
"""Number of points in time between two points of a curve at which the methods are compared."""


@dataclass(frozen=True)
class LearningCurves:
    """The levels that one method reached, by game and repetition, at the same times."""

    times: Numbers
    """Times above 0 in any unit, ascending; float64[times]"""
    levels: Sequence[Numbers]
    """The levels of each game; float64[repetitions, times]"""

    def __post_init__(self) -> None:
        if any(np.asarray(levels).ndim != 2 or np.shape(levels)[1] != len(self.times) for levels in self.levels):
            raise ValueError("levels must be of shape [repetitions, times] for each game")
        if not len(self.times) or self.times[0] <= 0 or (np.diff(self.times) <= 0).any():
            raise ValueError("times must be above 0 and ascend")


@dataclass(frozen=True)
class SpeedRatio:
    """How many times as fast one method learns as another; 0 if it never reaches the other's level."""

    ratio: float
    interval: Interval


def moving_average(levels: Numbers, width: int) -> Numbers:
    """The mean of each level and up to `width` - 1 before it, along the last axis (003 draws curves with 6)."""
    sums = np.cumsum(levels, axis=-1)
    sums[..., width:] -= sums[..., :-width].copy()
    return np.asarray(sums / np.minimum(np.arange(1, levels.shape[-1] + 1), width))


def time_to_reach(times: Numbers, curve: Numbers, level: float) -> float:
    """The first time at which a curve, linear between its points, has this level; infinite if never.

    A curve that begins above the level has it at its first time.
    """
    above = np.flatnonzero(curve >= level)
    if not above.size:
        return float("inf")
    first = int(above[0])
    if first == 0:
        return float(times[0])
    share = (level - curve[first - 1]) / (curve[first] - curve[first - 1])
    return float(times[first - 1] + share * (times[first] - times[first - 1]))


def learning_speed_ratio(one: LearningCurves, other: LearningCurves, confidence: float = CONFIDENCE) -> SpeedRatio:
    """How many times as fast `one` learns as `other`: the other's end time divided by the time at which one is as good.

    Games have equal weight. The interval reaches down to 0 if `one` may never be as good. It reaches up to the ratio of
    the first time if `one` may already be as good then, because curves are unknown before. Raises ValueError if a game
    has fewer than two repetitions or the methods have different games.
    """
    if len(one.levels) != len(other.levels):
        raise ValueError(f"both methods need the same games, not {len(one.levels)} and {len(other.levels)}")
    end, level = float(other.times[-1]), float(mean_of_means(other.levels)[-1])
    reached = time_to_reach(one.times, mean_of_means(one.levels), level)
    earliest, latest = _times_to_reach(one, other, reached, confidence)
    return SpeedRatio(end / reached, (end / latest, end / earliest))


def _times_to_reach(one: LearningCurves, other: LearningCurves, reached: float, confidence: float) -> Interval:
    """The earliest and the latest time at which `one` may have reached the level of the other's end."""
    between = np.interp(np.arange((len(one.times) - 1) * _BETWEEN + 1) / _BETWEEN, range(len(one.times)), one.times)
    times = np.union1d(between, [reached] if np.isfinite(reached) else [])
    mine = [np.array([np.interp(times, one.times, row) for row in levels]) for levels in one.levels]
    theirs = [np.repeat(np.asarray(levels)[:, -1:], len(times), axis=1) for levels in other.levels]
    margin = margin_of_sum([*mine, *theirs], confidence) / len(mine)
    above = mean_of_means(mine) - mean_of_means(theirs)
    if above[0] > margin[0]:
        return float(times[0]), float(times[0])
    possible = times[(abs(above) <= margin) | (times == reached)]
    if not possible.size:
        return float("inf"), float("inf")
    for_good = possible[-1] < times[-1] or above[-1] >= margin[-1]
    return float(possible[0]), float(possible[-1]) if for_good else float("inf")
