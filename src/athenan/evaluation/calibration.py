"""Learns win chances from matches, and measures how well they agree with other matches.

Two curves are fitted to the values of searches and the results of their matches: a logistic one, which two numbers
describe, and an isotonic one, which is free except that it never falls (pooling of adjacent violators; Barlow and
others 1972). Every match is left out once and predicted from the others. The isotonic curve is taken if it predicts
better by more than a standard error.

>>> random = np.random.default_rng(0)
>>> values = random.normal(size=4000)
>>> won = random.random(4000) < 1 / (1 + np.exp(-2 * values))
>>> found = learnt_chances(Samples(values, won.astype(float), np.arange(4000)))
>>> abs(found.of(0.0) - 0.5) < 0.05, abs(found.of(1.0) - 0.88) < 0.05
(True, True)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.chances import Chances

LEAST_MATCHES = 50
"""Fewer matches tell too little: chances from them could be wrong by a tenth."""
_FOLDS = 5
_BINS, _LEAST_IN_BIN = 32, 20
_STEPS = 30
_EDGE = 1e-3
"""No chance is nearer to 0 or 1 than this: only a proof is certain."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Samples:
    """n values of searches with the results of their matches, all from the first player's point of view."""

    values: Floats
    """float64[n]"""
    points: Floats
    """The points of the match, 1, 1/2 or 0, or what is expected of them; float64[n]."""
    matches: NDArray[np.int64]
    """The number of the match that each is from: values of one match are not independent; int64[n]."""

    def __len__(self) -> int:
        return len(self.values)

    def take(self, chosen: NDArray[np.bool_]) -> "Samples":
        """The chosen samples; bool[n]."""
        return Samples(self.values[chosen], self.points[chosen], self.matches[chosen])

    @staticmethod
    def joined(parts: Sequence["Samples"]) -> "Samples":
        """Several samples, concatenated; empty if there are no parts."""
        columns = ([getattr(part, name) for part in parts] for name in ("values", "points", "matches"))
        values, points, matches = (np.concatenate([np.zeros(0), *column]) for column in columns)
        return Samples(values, points, matches.astype(np.int64))

    @property
    def count(self) -> int:
        """The number of matches."""
        return len(np.unique(self.matches))


Fit = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""fit(values, points): a curve as knots, ascending, and chances there, never falling."""


def learnt_chances(samples: Samples, least: int = LEAST_MATCHES) -> Chances | None:
    """The win chances that samples teach; None if they come from fewer than `least` matches."""
    if samples.count < max(least, _FOLDS):
        return None
    gains = _losses_left_out(logistic, samples) - _losses_left_out(isotonic, samples)
    fit = isotonic if gains.mean() > gains.std() / np.sqrt(len(gains)) else logistic
    values, points = fit(samples.values, samples.points)
    even = 2 * np.minimum(chances := np.interp(samples.values, values, points), 1 - chances)
    draws = (even @ (samples.points == 0.5)) / (even @ even)  # least squares
    rows = dict(zip(_short(values), _short(points), strict=True))  # values that differ by less than is written are one
    return Chances(tuple(rows), tuple(rows.values()), samples.count, float(min(1.0, draws)))


def _short(numbers: Floats) -> list[float]:
    return [float(f"{one:.6g}") for one in numbers]


def _losses_left_out(fit: Fit, samples: Samples) -> Floats:
    """The logarithmic loss of each match when a fit has not seen it."""
    numbers = np.unique(samples.matches, return_inverse=True)[1]
    chances = np.empty(len(samples))
    for fold in range(_FOLDS):
        left = numbers % _FOLDS == fold
        chances[left] = np.interp(samples.values[left], *fit(samples.values[~left], samples.points[~left]))
    losses = -samples.points * np.log(chances) - (1 - samples.points) * np.log(1 - chances)
    return np.bincount(numbers, losses).astype(np.float64)


def logistic(values: Floats, points: Floats) -> tuple[Floats, Floats]:
    """The logistic curve that is most likely, by Newton's method, read at quantiles of the values."""
    centre, width = values.mean(), values.std() or 1.0
    slope, offset = 0.0, 0.0
    places = (values - centre) / width
    for _ in range(_STEPS):
        chances = _sigmoid(slope * places + offset)
        weights, errors = chances * (1 - chances), points - chances
        matrix = np.array([[weights @ places**2, weights @ places], [weights @ places, weights.sum()]])
        matrix += np.diag([1.0, 1.0])  # a weak pull to 1/2, which keeps separable results finite
        step = np.linalg.solve(matrix, [errors @ places - slope, errors.sum() - offset])
        slope, offset = slope + step[0], offset + step[1]
    knots = np.unique(_quantiles(values, _BINS + 1))
    return knots, _inside(_sigmoid(max(0.0, slope) * (knots - centre) / width + offset))


def isotonic(values: Floats, points: Floats) -> tuple[Floats, Floats]:
    """The curve that never falls and is nearest to the points of bins of about equal size."""
    from scipy.optimize import isotonic_regression

    order = np.argsort(values, kind="stable")
    bins = np.array_split(order, max(1, min(_BINS, len(order) // _LEAST_IN_BIN)))
    knots = np.array([values[one].mean() for one in bins])
    means = np.array([(points[one].sum() + 0.5) / (len(one) + 1) for one in bins])
    knots, same = np.unique(knots, return_inverse=True)
    sizes = np.bincount(same, [float(len(one)) for one in bins]).astype(np.float64)
    means = np.bincount(same, means * [len(one) for one in bins]) / sizes
    return knots, _inside(isotonic_regression(means, weights=sizes).x)


def _sigmoid(numbers: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(numbers, -30, 30)))


def _quantiles(values: Floats, count: int) -> Floats:
    return np.quantile(values, np.linspace(0, 1, count))


def _inside(chances: Floats) -> Floats:
    return np.clip(chances, _EDGE, 1 - _EDGE)


@dataclass(frozen=True, eq=False)
class Reliability:
    """How win chances agree with matches that they were not learnt from."""

    predicted: Floats
    """The mean chance of each bin of a tenth that has samples."""
    observed: Floats
    """The mean points of their matches."""
    counts: NDArray[np.int64]
    """The number of samples in each."""
    brier: float
    """The mean squared difference of chance and points; 0.25 if every chance is 1/2 and nothing is drawn."""
    error: float
    """The expected calibration error: the mean difference of predicted and observed, weighted by counts."""


def reliability(chances: Chances, samples: Samples) -> Reliability:
    """Compares chances with samples, at least one, of other matches."""
    found = np.interp(samples.values, chances.values, chances.points)
    tenths = np.minimum((10 * found).astype(np.int64), 9)
    counts = np.bincount(tenths, minlength=10)
    filled = counts > 0
    predicted = np.bincount(tenths, found, 10)[filled] / counts[filled]
    observed = np.bincount(tenths, samples.points, 10)[filled] / counts[filled]
    error = float((np.abs(predicted - observed) * counts[filled]).sum() / len(samples))
    return Reliability(predicted, observed, counts[filled], float(((found - samples.points) ** 2).mean()), error)
