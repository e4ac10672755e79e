"""Bootstrap intervals: how much a figure varies when what it was measured on is drawn again.

Learning processes are few and differ much, so that a mean of four says little without an interval. The *stratified*
bootstrap of Agarwal et al. ("Deep reinforcement learning at the edge of the statistical precipice", 2021), which 004
uses, draws the repetitions of each game anew, with replacement, and takes the figure of all games together.

Drawn from n repetitions, a mean varies less than means of n repetitions do, by sqrt(1 - 1/n): by 29% for two, by 13%
for four; and its spread is known from few. Percentiles alone therefore hold the truth too rarely. So deviations from
the mean of their stratum are made larger by the inverse (J. N. K. Rao and C. F. J. Wu, "Resampling inference with
complex survey data", 1988), and percentiles lie as far out as Student's t for so many repetitions does (T. Hesterberg,
"What teachers should know about the bootstrap", 2015: the expanded percentile interval).
"""

from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from athenan.statistics.intervals import Interval

Numbers = NDArray[np.float64]
Figure = Callable[[Sequence[Numbers]], Numbers]
"""figure(strata): for strata of shape [resamples, units...], the figures of all resamples, float64[resamples]."""

RESAMPLES = 10_000
"""The number of times that everything is drawn again."""


def mean_of_means(strata: Sequence[Numbers]) -> Numbers:
    """The mean over strata of the mean over their units: each game counts alike, however often it was repeated."""
    return np.asarray(np.mean([stratum.mean(axis=1) for stratum in strata], axis=0))


def bootstrap_interval(
    units: Sequence[float], confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """The interval for the mean of independent units, such as scores of pairs of games."""
    return stratified_bootstrap_interval([units], confidence=confidence, resamples=resamples, seed=seed)


def stratified_bootstrap_interval(
    strata: Sequence[Sequence[float]] | Sequence[Numbers],
    figure: Figure = mean_of_means,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    expanded: bool = True,
) -> Interval:
    """The percentile interval of a figure of several strata: the same numbers of units are drawn in each.

    `strata` -- of each game an array [repetitions] or [repetitions, ...], whose rows are drawn.
    `expanded` -- as the module's text explains; without it as Agarwal et al. have it.
    Raises ValueError if a stratum has fewer than two units.
    """
    figures = figure(resampled(strata, resamples, np.random.default_rng(seed), rescaled=expanded))
    return percentiles(figures, confidence, freedom_of(strata) if expanded else None)


def percentiles(figures: Numbers, confidence: float, freedom: float | None = None) -> Interval:
    """The percentile interval of the figures of all resamples; as far out as Student's t with so many degrees is."""
    tail = (1 - confidence) / 2
    if freedom is not None:
        tail = NormalDist().cdf(float(stdtrit(freedom, tail)))
    low, high = np.quantile(figures, [tail, 1 - tail])
    return float(low), float(high)


def freedom_of(strata: Sequence[Sequence[float]] | Sequence[Numbers]) -> float:
    """The degrees of freedom of the mean of the strata's means (F. E. Satterthwaite, 1946)."""
    units = [np.asarray(stratum, np.float64).reshape(len(stratum), -1).mean(axis=1) for stratum in strata]
    shares = np.array([of.var(ddof=1) / len(of) for of in units])
    single = np.array([len(of) - 1.0 for of in units])
    return float(shares.sum() ** 2 / (shares**2 / single).sum()) if shares.any() else float(single.sum())


def resampled(
    strata: Sequence[Sequence[float]] | Sequence[Numbers], resamples: int, random: np.random.Generator, rescaled: bool
) -> list[Numbers]:
    """The strata drawn again: of each float64[resamples, units, ...]. Raises ValueError for fewer than two units."""
    drawn = []
    for stratum in strata:
        units = np.asarray(stratum, np.float64)
        count = len(units)
        if count < 2:
            raise ValueError(f"a bootstrap needs at least two repetitions of each, not {count}")
        found = units[random.integers(0, count, (resamples, count))]
        if rescaled:
            mean = units.mean(axis=0)
            found = mean + np.sqrt(count / (count - 1)) * (found - mean)
        drawn.append(found)
    return drawn
