"""Learning curves, and how much faster one method learns than another.

The learning-speed ratio of 004 (section 3.3): one method reaches in a time t the level that the other has at its end,
T, and so learns T / t times as fast. Curves are means over repetitions (and games), so the ratio has an interval: that
of the bootstrap over repetitions, expanded for few of them (module `bootstrap`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from athenan.statistics.bootstrap import RESAMPLES, Numbers, freedom_of, mean_of_means, percentiles, resampled
from athenan.statistics.intervals import Interval


@dataclass(frozen=True)
class Curves:
    """What one method reached: of each game the levels of its repetitions, at the same times."""

    times: Numbers
    """Ascending, in any unit, above 0; float64[times]"""
    levels: Sequence[Numbers]
    """Of each game float64[repetitions, times]"""

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
    """The first time at which a curve, linear between its points, has this level; infinite if it never has.

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


def learning_speed_ratio(
    one: Curves, other: Curves, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> SpeedRatio:
    """How many times as fast `one` learns as `other`: the time of the other's end by that at which one is as good.

    Games count alike. The interval is of repetitions drawn again, of both methods. Raises ValueError if a game has
    fewer than two repetitions.
    """
    random = np.random.default_rng(seed)
    curves = [mean_of_means([np.asarray(levels)[None] for levels in of.levels])[0] for of in (one, other)]
    drawn = [mean_of_means(resampled(of.levels, resamples, random, rescaled=True)) for of in (one, other)]
    ratios = np.array([_ratio(one.times, mine, other.times, theirs) for mine, theirs in zip(*drawn, strict=True)])
    interval = percentiles(ratios, confidence, freedom_of([*one.levels, *other.levels]))
    return SpeedRatio(_ratio(one.times, curves[0], other.times, curves[1]), interval)


def _ratio(times: Numbers, curve: Numbers, other_times: Numbers, other_curve: Numbers) -> float:
    return float(other_times[-1]) / time_to_reach(times, curve, float(other_curve[-1]))
