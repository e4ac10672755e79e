"""The statistics of matches, tournaments and learning curves: pure functions of counts, scores and levels."""

from athenan.statistics.intervals import (
    CONFIDENCE,
    Interval,
    binomial_test,
    elo_difference,
    elo_interval,
    gain,
    margin_of_sum,
    mean_interval,
    mean_of_means,
    mean_of_means_interval,
    score,
    score_interval,
    sign_test,
    variance_ratio,
    wilcoxon_test,
    wilson_interval,
)
from athenan.statistics.learning_curves import LearningCurves, SpeedRatio, learning_speed_ratio, moving_average
from athenan.statistics.ratings import Rating, bradley_terry, superiority
from athenan.statistics.sprt import PAIR_SCORES, Sprt, expected_score

__all__ = [
    "CONFIDENCE",
    "PAIR_SCORES",
    "Interval",
    "LearningCurves",
    "Rating",
    "SpeedRatio",
    "Sprt",
    "binomial_test",
    "bradley_terry",
    "elo_difference",
    "elo_interval",
    "expected_score",
    "gain",
    "learning_speed_ratio",
    "margin_of_sum",
    "mean_interval",
    "mean_of_means",
    "mean_of_means_interval",
    "moving_average",
    "score",
    "score_interval",
    "sign_test",
    "superiority",
    "variance_ratio",
    "wilcoxon_test",
    "wilson_interval",
]  # fmt: skip
