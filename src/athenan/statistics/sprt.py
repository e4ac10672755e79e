"""The sequential probability ratio test: a match ends as soon as the stronger player is clear.

It compares two hypotheses about the Elo difference, `elo0` and `elo1`, pair by pair of games (the pentanomial form: a
pair scores 0, 1/4, 1/2, 3/4 or 1). Each hypothesis has the best fitting distribution of pair scores with its mean. The
match ends when the logarithm of their likelihood ratio leaves its bounds, which follow from the probabilities of a
wrong decision. Sources: A. Wald, "Sequential analysis" (1947); M. Van den Bergh, "A practical introduction to the
GSPRT" (the generalised form that chess engine testers use).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

PAIR_SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
_HALVINGS = 60
_UNSEEN = 1e-3  # count of an unseen score, so that all distributions have the same scores


def expected_score(elo: float) -> float:
    """The expected points per game at an Elo difference."""
    return float(1 / (1 + 10 ** (-elo / 400)))


@dataclass(frozen=True)
class Sprt:
    """A test between two Elo differences of the first player over the second."""

    elo0: float = 0.0
    """The null hypothesis: at most this strong."""
    elo1: float = 20.0
    """The alternative hypothesis: this strong; larger than `elo0`."""
    alpha: float = 0.05
    """The probability of accepting `elo1` if `elo0` is true."""
    beta: float = 0.05
    """The probability of accepting `elo0` if `elo1` is true."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 must be below elo1, not {self.elo0:g} and {self.elo1:g}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name} must be between 0 and 0.5, not {getattr(self, name):g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which `elo0` and `elo1` are accepted (Wald)."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, pairs: Sequence[float]) -> float:
        """The log-likelihood ratio of `elo1` to `elo0` for the scores of pairs of games; 0 without pairs."""
        counts = np.array([sum(score == kind for score in pairs) for kind in PAIR_SCORES], np.float64)
        return self.of_counts(counts)

    def of_counts(self, counts: NDArray[np.float64]) -> float:
        """The log-likelihood ratio for the counts of `PAIR_SCORES`, float64[5]."""
        total = float(counts.sum())
        if total == 0:
            return 0.0
        seen = np.maximum(counts, _UNSEEN)
        seen = seen / seen.sum()
        null, alternative = (_most_likely(seen, expected_score(elo)) for elo in (self.elo0, self.elo1))
        return total * float(seen @ np.log(alternative / null))

    def decision(self, pairs: Sequence[float]) -> Literal["elo0", "elo1"] | None:
        """The hypothesis accepted after these pairs; None if more are needed."""
        ratio, (low, high) = self.log_likelihood_ratio(pairs), self.bounds
        if ratio >= high:
            return "elo1"
        return "elo0" if ratio <= low else None


def _most_likely(seen: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """The distribution over `PAIR_SCORES` with this mean under which the seen counts are most likely.

    It is seen / (1 + x (score - mean)) for the x between its poles that gives the mean.
    """
    away = [float(score) - mean for score in PAIR_SCORES]
    shares = [float(share) for share in seen]
    low, high = -1 / away[-1], -1 / away[0]
    for _ in range(_HALVINGS):
        x = (low + high) / 2
        if sum(share * far / (1 + x * far) for share, far in zip(shares, away, strict=True)) > 0:
            low = x  # the mean is still too large, and falls with x
        else:
            high = x
    return np.array([share / (1 + x * far) for share, far in zip(shares, away, strict=True)])
