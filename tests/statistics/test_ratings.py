"""Ratings against Elo's formula, another solver and simulation."""

import numpy as np
import pytest
from paired_scores import pairs_of_kind
from scipy import optimize

from athenan.statistics import bradley_terry, elo_difference, superiority, variance_ratio


def test_two_players_differ_as_elo_says() -> None:
    one, other = bradley_terry(np.array([[0.0, 15], [5, 0]]), prior=0)
    assert one.elo - other.elo == pytest.approx(elo_difference(0.75))
    assert one.elo == pytest.approx(-other.elo)


def test_the_likelihood_is_the_largest() -> None:
    random = np.random.default_rng(1)
    games = np.triu(random.integers(1, 30, (6, 6)), 1)
    points = np.where(games > 0, random.uniform(0, 1, (6, 6)) * games, 0)
    points = points + np.tril((games - points).T, -1)

    def loss(elo: np.ndarray) -> float:
        expected = 1 / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400))
        return -float((points * np.log(expected)).sum())

    known = optimize.minimize(loss, np.zeros(6), tol=1e-12).x
    found = [one.elo for one in bradley_terry(points, prior=0)]
    assert found == pytest.approx(known - known.mean(), abs=0.05)


def test_who_wins_all_is_rated() -> None:
    ratings = bradley_terry(np.array([[0.0, 100, 100], [0, 0, 50], [0, 50, 0]]))
    assert 500 < ratings[0].elo < 900
    assert ratings[0].interval[0] < ratings[0].elo < ratings[0].interval[1]


def test_players_must_be_connected() -> None:
    islands = np.zeros((4, 4))
    islands[0, 1] = islands[2, 3] = 5.0
    with pytest.raises(ValueError, match="games that connect all players"):
        bradley_terry(islands)


@pytest.mark.parametrize(("won", "lost"), [(6.0, 4.0), (30.5, 19.5), (5.0, 5.0), (60.0, 30.0)])
def test_the_likelihood_of_superiority_is_that_of_the_differences(won: float, lost: float) -> None:
    """Integrated over all differences, with the one drawn game more."""
    differences = np.linspace(-4000, 4000, 80_001)
    expected = 1 / (1 + 10 ** (-differences / 400))
    likelihood = expected ** (won + 0.5) * (1 - expected) ** (lost + 0.5)
    found = superiority(np.array([[0, won], [lost, 0]]))
    assert found[0, 1] == pytest.approx(likelihood[differences > 0].sum() / likelihood.sum(), abs=0.012)
    assert found[1, 0] == pytest.approx(1 - found[0, 1])
    assert found[0, 0] == found[1, 1] == 0.5


@pytest.mark.parametrize("simulations", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_coverage(simulations: int) -> None:
    """Games between players of known ratings: the 95% intervals hold them about 95 times of 100."""
    random = np.random.default_rng(2)
    truth = np.array([-150.0, -40, 0, 60, 130])
    expected = 1 / (1 + 10 ** ((truth[None, :] - truth[:, None]) / 400))
    held = 0
    for _ in range(simulations):
        wins = np.triu(random.binomial(60, expected), 1).astype(float)
        points = wins + np.tril((60 - wins).T, -1)
        held += sum(
            one.interval[0] <= elo <= one.interval[1]
            for one, elo in zip(bradley_terry(points), truth, strict=True)
        )  # fmt: skip
    margin = 0.01 if simulations == 10_000 else 0.025
    assert 0.95 - margin < held / (5 * simulations) < 0.95 + margin


def test_pairs_are_the_unit_of_ratings() -> None:
    """By hand, of 50 pairs: 30 won and 20 lost are 50 results, and pairs that are all 1-1 say that both are equal."""
    whole = np.array([[0.0, 60], [40, 0]]), np.full((2, 2), variance_ratio([1.0] * 30 + [0.0] * 20, 2))
    assert superiority(whole[0])[0, 1] == pytest.approx(0.975, abs=0.005)
    assert superiority(whole[0], ratios=whole[1])[0, 1] == pytest.approx(0.92, abs=0.005)
    split = bradley_terry(np.array([[0.0, 50], [50, 0]]), ratios=np.full((2, 2), variance_ratio([0.5] * 50, 2)))
    assert 3 < split[0].interval[1] < 10  # half of the difference


@pytest.mark.parametrize("kind", ["independent", "draws", "opening decides", "alike"])
def test_coverage_of_pairs(kind: str) -> None:
    """Pairs of players of known ratings, whose games depend on each other or are drawn."""
    random, pairs = np.random.default_rng(6), 30
    truth = np.array([-60.0, -20, 10, 70])
    expected = 1 / (1 + 10 ** ((truth[None, :] - truth[:, None]) / 400))
    chance = {"draws": 2 * expected - 0.5, "opening decides": (expected - 0.3) / 0.4}.get(kind, expected)
    held, simulations = 0, 300
    for _ in range(simulations):
        points, ratios = np.zeros((4, 4)), np.ones((4, 4))
        for one, other in zip(*np.triu_indices(4, 1), strict=True):
            scores = pairs_of_kind(kind, chance[one, other], (1, pairs), random)[0]
            points[one, other] = 2 * scores.sum()
            points[other, one] = 2 * pairs - points[one, other]
            ratios[one, other] = ratios[other, one] = variance_ratio(list(scores), 2)
        found = bradley_terry(points, ratios=ratios)
        held += sum(one.interval[0] <= elo <= one.interval[1] for one, elo in zip(found, truth, strict=True))
    assert 0.92 < held / (4 * simulations) < 0.98
