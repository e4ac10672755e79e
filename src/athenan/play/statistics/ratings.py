"""Ratings of all players of a tournament on one scale: the model of Bradley and Terry, in Elo points.

A player wins against another with probability 1 / (1 + 10^(-d / 400)), where d is the difference of their ratings; a
draw is half a win and half a loss. The ratings are the most likely ones, with a mean of 0. Each pair of players that
have met is given one drawn game more, so that who has won all games is not infinitely strong. Intervals follow from
the curvature of the likelihood. Sources: R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs"
(1952); D. R. Hunter, "MM algorithms for generalized Bradley-Terry models" (2004), for when ratings exist.
"""

from dataclasses import dataclass
from math import inf, log, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from athenan.play.statistics.intervals import Interval

_ELO = 400 / log(10)  # per natural logarithm of the odds
_PRIOR = 1.0
_STEPS = 100


@dataclass(frozen=True)
class Rating:
    """The strength of one player among those of a tournament."""

    elo: float
    """The mean of all players is 0."""
    interval: Interval
    """95%, or as asked for; of the difference to the mean of all players."""


def bradley_terry(points: NDArray[np.float64], confidence: float = 0.95, prior: float = _PRIOR) -> list[Rating]:
    """The ratings of players from the points that each has against each.

    `points` -- float64[players, players]: of the row's player against the column's, so that points[i, j] + points[j, i]
    is the number of their games.
    `prior` -- drawn games that are added for each two players who have met.
    Raises ValueError if the players are not all connected by games.
    """
    strengths, spread = _fit(points, prior)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    half = [z * sqrt(variance) for variance in np.diag(spread)]
    return [
        Rating(_ELO * float(strength), (_ELO * float(strength - width), _ELO * float(strength + width)))
        for strength, width in zip(strengths, half, strict=True)
    ]


def superiority(points: NDArray[np.float64], prior: float = _PRIOR) -> NDArray[np.float64]:
    """The probability that the row's player is stronger than the column's, for points as of `bradley_terry`.

    float64[players, players], 1/2 on the diagonal: the normal approximation of the likelihood, all ratings being
    equally likely before. Raises ValueError as `bradley_terry` does.
    """
    strengths, spread = _fit(points, prior)
    variances = np.diag(spread)[:, None] + np.diag(spread)[None, :] - 2 * spread
    away = (strengths[:, None] - strengths[None, :]) / np.sqrt(np.maximum(variances, 1e-300))
    return np.array([[NormalDist().cdf(float(one)) for one in row] for row in away])


def _fit(points: NDArray[np.float64], prior: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The strengths, with a mean of 0, and their covariance. Raises ValueError if games do not connect all players."""
    games = points + points.T
    if not _connected(games > 0):
        raise ValueError("ratings need games that connect all players, be it through others")
    points = points + (games > 0) * prior / 2
    games = points + points.T
    strengths = _most_likely(points, games)
    return strengths, _covariance(_curvature(strengths, games))


def _most_likely(points: NDArray[np.float64], games: NDArray[np.float64]) -> NDArray[np.float64]:
    """The strengths, with a mean of 0, by Newton's method with halved steps where it would go too far."""
    strengths = np.zeros(len(points))
    best = _likelihood(strengths, points)
    for _ in range(_STEPS):
        slope = (points - games * _expected(strengths)).sum(axis=1)
        step = _covariance(_curvature(strengths, games)) @ slope
        while (found := _likelihood(strengths + step, points)) < best:
            step = step / 2
            if np.abs(step).max() < 1e-12:
                return strengths
        strengths, best = strengths + step, found
        if np.abs(step).max() < 1e-10:
            break
    return strengths


def _expected(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(strengths[None, :] - strengths[:, None])))


def _likelihood(strengths: NDArray[np.float64], points: NDArray[np.float64]) -> float:
    if np.abs(strengths).max() > 300:
        return -inf
    return float((points * np.log(_expected(strengths))).sum())


def _curvature(strengths: NDArray[np.float64], games: NDArray[np.float64]) -> NDArray[np.float64]:
    """The information of the games: minus the second derivatives of the likelihood."""
    expected = _expected(strengths)
    weight = games * expected * (1 - expected)
    return np.asarray(np.diag(weight.sum(axis=1)) - weight)


def _covariance(curvature: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the strengths with a mean of 0, whose sum the games do not tell."""
    return np.asarray(np.linalg.pinv(curvature, hermitian=True))


def _connected(met: NDArray[np.bool_]) -> bool:
    """Whether all players are connected by games."""
    reached = np.zeros(len(met), bool)
    reached[0] = True
    for _ in met:
        reached |= met[reached].any(axis=0)
    return bool(reached.all())
