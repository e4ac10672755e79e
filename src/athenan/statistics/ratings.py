"""Ratings of all players of a tournament on one scale, by the model of Bradley and Terry, in Elo points.

A player wins against another with probability 1 / (1 + 10^(-d / 400)), where d is the difference of their ratings; a
draw is half a win and half a loss. The ratings are the most likely ones, with a mean of 0. Each two players that have
met get one more drawn game, so that a player who has won all games is not infinitely strong. Sources: R. A. Bradley and
M. E. Terry, "Rank analysis of incomplete block designs" (1952); D. R. Hunter, "MM algorithms for generalized
Bradley-Terry models" (2004), for the conditions under which ratings exist.

Intervals follow from the curvature of the likelihood, H, whose inverse is the covariance if games are independent and
won or lost. Games of a pair are not independent, and draws vary less (module `intervals`). The covariance is then the
sandwich H^-1 V H^-1, where V is the curvature with the games of each two players times the ratio of the observed
variance to the variance of independent win-or-loss games (P. J. Huber, "The behavior of maximum likelihood estimates
under nonstandard conditions", 1967).
"""

from dataclasses import dataclass
from math import inf, log, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from athenan.statistics.intervals import CONFIDENCE, Interval, Numbers, normal_quantile

_ELO = 400 / log(10)  # per natural logarithm of the odds
_PRIOR = 1.0
_STEPS = 100


@dataclass(frozen=True)
class Rating:
    """The strength of one player of a tournament."""

    elo: float
    """Elo points; the mean of all players is 0, or one of them has a given number."""
    interval: Interval
    """The interval of the difference to the mean of all players, or to that player, 95% unless asked otherwise."""


def bradley_terry(
    points: Numbers,
    confidence: float = CONFIDENCE,
    prior: float = _PRIOR,
    ratios: Numbers | None = None,
    anchor: int | None = None,
    elo: float = 0.0,
) -> list[Rating]:
    """The ratings of players from the points of each against each.

    `points` -- float64[players, players]: the points of the row's player against the column's, so that points[i, j] +
    points[j, i] is the number of their games. `prior` -- drawn games added for each two players who have met. `ratios`
    -- float64[players, players]: `variance_ratio` of the pairs of each two players; None is 1 for all. `anchor` is the
    player whose rating is `elo`, and to whom intervals refer; None: the mean of all players. Raises ValueError if the
    players are not all connected by games.
    """
    strengths, spread = _fit(points, prior, ratios)
    variances = np.diag(spread)
    if anchor is not None:
        strengths = strengths - strengths[anchor]
        variances = np.maximum(0, variances + spread[anchor, anchor] - 2 * spread[anchor])
    z = normal_quantile(confidence)
    found = []
    for strength, variance in zip(strengths, variances, strict=True):
        middle, half = elo + _ELO * float(strength), _ELO * z * sqrt(variance)
        found.append(Rating(middle, (middle - half, middle + half)))
    return found


def superiority(points: Numbers, prior: float = _PRIOR, ratios: Numbers | None = None) -> Numbers:
    """The probability that the row's player is stronger than the column's; parameters as for `bradley_terry`.

    float64[players, players], 1/2 on the diagonal, by the normal approximation of the likelihood with equally likely
    ratings before. Raises ValueError like `bradley_terry`.
    """
    strengths, spread = _fit(points, prior, ratios)
    variances = np.diag(spread)[:, None] + np.diag(spread)[None, :] - 2 * spread
    away = (strengths[:, None] - strengths[None, :]) / np.sqrt(np.maximum(variances, 1e-300))
    return np.array([[NormalDist().cdf(float(one)) for one in row] for row in away])


def _fit(points: Numbers, prior: float, ratios: Numbers | None) -> tuple[Numbers, Numbers]:
    """The strengths, with a mean of 0, and their covariance. Raises ValueError if games do not connect all players."""
    games = points + points.T
    if not _connected(games > 0):
        raise ValueError("ratings need games that connect all players, directly or through others")
    added = (games > 0) * prior
    strengths = _most_likely(points + added / 2, games + added)
    inverse = _inverse(_curvature(strengths, games + added))
    if ratios is None:
        return strengths, inverse
    return strengths, np.asarray(inverse @ _curvature(strengths, games * ratios + added) @ inverse)


def _most_likely(points: Numbers, games: Numbers) -> Numbers:
    """The strengths, with a mean of 0, by Newton's method with steps halved if they go too far."""
    strengths = np.zeros(len(points))
    best = _likelihood(strengths, points)
    for _ in range(_STEPS):
        slope = (points - games * _expected(strengths)).sum(axis=1)
        step = _inverse(_curvature(strengths, games)) @ slope
        while (found := _likelihood(strengths + step, points)) < best:
            step = step / 2
            if np.abs(step).max() < 1e-12:
                return strengths
        strengths, best = strengths + step, found
        if np.abs(step).max() < 1e-10:
            break
    return strengths


def _expected(strengths: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(strengths[None, :] - strengths[:, None])))


def _likelihood(strengths: Numbers, points: Numbers) -> float:
    if np.abs(strengths).max() > 300:
        return -inf
    return float((points * np.log(_expected(strengths))).sum())


def _curvature(strengths: Numbers, games: Numbers) -> Numbers:
    """The information of the games: minus the second derivatives of the likelihood."""
    expected = _expected(strengths)
    weight = games * expected * (1 - expected)
    return np.asarray(np.diag(weight.sum(axis=1)) - weight)


def _inverse(curvature: Numbers) -> Numbers:
    """The inverse of the curvature for strengths with a mean of 0, as games do not tell their sum."""
    return np.asarray(np.linalg.pinv(curvature, hermitian=True))


def _connected(met: NDArray[np.bool_]) -> bool:
    """Whether all players are connected by games."""
    reached = np.zeros(len(met), bool)
    reached[0] = True
    for _ in met:
        reached |= met[reached].any(axis=0)
    return bool(reached.all())
