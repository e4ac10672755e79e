"""The statistics of matches against scipy, published tables and simulation."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paired_scores import pairs_of_kind
from scipy import stats

from athenan import statistics as s

counts = st.integers(0, 60)


def test_score() -> None:
    assert s.score(3, 2, 5) == 0.4
    with pytest.raises(ValueError, match="at least one game"):
        s.score(0, 0, 0)


@given(counts, st.integers(1, 60), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_interval_is_that_of_scipy(wins: int, losses: int, confidence: float) -> None:
    known = stats.binomtest(wins, wins + losses).proportion_ci(confidence, method="wilson")
    found = s.wilson_interval(wins / (wins + losses), wins + losses, confidence)
    assert found == pytest.approx((known.low, known.high), abs=1e-12)


def test_wilson_interval_of_a_table() -> None:
    """Newcombe, "Two-sided confidence intervals for the single proportion" (1998), Table I, method 3."""
    for wins, games, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)):
        assert s.wilson_interval(wins / games, games) == pytest.approx((low, high), abs=5e-5)
    assert s.wilson_interval(1 / 29, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)


def test_interval_of_unpaired_games_without_draws_is_wilsons() -> None:
    scores = [1.0] * 70 + [0.0] * 30
    assert s.score_interval(scores) == pytest.approx(s.wilson_interval(0.7, 100), abs=1e-3)
    assert s.score_interval([1.0] * 100) == s.wilson_interval(1, 100)


def test_interval_of_pairs() -> None:
    won, split = [1.0] * 50, [0.5] * 50
    assert s.score_interval(won, 2) == s.wilson_interval(1, 100)
    low, high = s.score_interval(split, 2)
    assert 0.47 < low < 0.5 < high < 0.53  # every opening decided its pair: the players are very equal
    repeated, independent = [1.0] * 25 + [0.0] * 25, [1.0] * 12 + [0.5] * 26 + [0.0] * 12
    width = [high - low for low, high in (s.score_interval(repeated, 2), s.score_interval(independent, 2))]
    assert width[0] == pytest.approx(1.4 * width[1], rel=0.05)  # half as much was learnt


@given(st.lists(st.sampled_from([0, 0.25, 0.5, 0.75, 1]), min_size=1, max_size=60))
def test_interval_holds_its_score_and_mirrors(pairs: list[float]) -> None:
    low, high = s.score_interval(pairs, 2)
    assert 0 <= low <= np.mean(pairs) + 1e-12
    assert np.mean(pairs) - 1e-12 <= high <= 1
    mirrored = s.score_interval([1 - pair for pair in pairs], 2)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize("kind", ["independent", "draws", "opening decides", "alike"])
@pytest.mark.parametrize("probability", [0.5, 0.8, 0.95])
def test_coverage_of_the_interval(kind: str, probability: float) -> None:
    """Simulated matches of 50 pairs: the true score lies in the 95% interval about 95 times of 100."""
    random = np.random.default_rng(5)
    truth = {"draws": 0.25 + probability / 2, "opening decides": 0.3 + 0.4 * probability}.get(kind, probability)
    samples = pairs_of_kind(kind, probability, (1500, 50), random)
    intervals = [s.score_interval(list(pairs), 2) for pairs in samples]
    assert 0.92 < np.mean([low <= truth <= high for low, high in intervals]) < 0.985


def test_elo_difference() -> None:
    assert s.elo_difference(0.5) == 0
    for points, expected in ((200, 0.76), (400, 10 / 11), (-100, 0.36)):  # FIDE's table; 400 is ten to one
        assert s.elo_difference(expected) == pytest.approx(points, abs=1)
    assert (s.elo_difference(1), s.elo_difference(0)) == (math.inf, -math.inf)
    assert s.elo_interval((0.5, 1)) == (0, math.inf)


@given(counts, counts)
def test_sign_test_is_scipys_binomial_test(wins: int, losses: int) -> None:
    known = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1
    assert s.sign_test(wins, losses) == pytest.approx(known, rel=1e-9)


CURVES = s.LearningCurves(np.array([1.0, 2.0]), [np.array([[0.1, 0.2], [0.2, 0.3]])])
INTERVALS: dict[str, Callable[[float], object]] = {
    "wilson": lambda confidence: s.wilson_interval(0.5, 2, confidence),
    "score": lambda confidence: s.score_interval([1, 0], 1, confidence),
    "mean": lambda confidence: s.mean_interval([1, 0], confidence),
    "mean of one": lambda confidence: s.mean_interval([1], confidence),
    "mean of means": lambda confidence: s.mean_of_means_interval([[1, 0], [1, 1]], confidence),
    "ratings": lambda confidence: s.bradley_terry(np.array([[0.0, 1], [1, 0]]), confidence),
    "speed": lambda confidence: s.learning_speed_ratio(CURVES, CURVES, confidence=confidence),
}


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("confidence", [0, 1, 95, -0.5, math.nan])
def test_impossible_confidence_is_refused(interval: str, confidence: float) -> None:
    INTERVALS[interval](0.9)
    with pytest.raises(ValueError, match=r"a confidence is between 0 and 1, such as 0\.95, not "):
        INTERVALS[interval](confidence)


def test_impossible_scores_are_refused() -> None:
    for scores in ([], [1.5]):
        with pytest.raises(ValueError, match="at least one score"):
            s.score_interval(scores)


def test_binomial_test() -> None:
    assert s.binomial_test(8, 10) == pytest.approx(112 / 1024)
    assert s.binomial_test(3, 4, 0.5) == s.sign_test(3, 1)


def test_wilcoxon_test_of_a_table() -> None:
    """The differences of Wilcoxon's own example (1945): T = 24 for n = 16, p between 0.02 and 0.05."""
    differences = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]
    assert 0.02 < s.wilcoxon_test(differences) < 0.05
    assert s.wilcoxon_test([0.0, 0.0]) == 1
    assert s.wilcoxon_test([1.0, -1.0, 0.0]) == 1


def test_gain() -> None:
    """004, Definition 1: half of ((w - l) - (w' - l'))."""
    assert s.gain((60, 20, 20), (30, 0, 70)) == pytest.approx(((0.6 - 0.2) - (0.3 - 0.7)) / 2)
    assert s.gain((10, 0, 0), (0, 0, 5)) == 1
