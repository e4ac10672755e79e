"""Win chances: what is learnt of samples with a known curve, for all samples, and what damaged tables are."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from athenan.evaluation.calibration import LEAST_MATCHES, Samples, isotonic, learnt_chances, logistic, reliability
from athenan.evaluation.chances import Chances, restored_chances


def drawn(curve, matches=600, length=10, seed=0):
    """Samples of matches whose points follow a curve of the values, which vary within a match."""
    random = np.random.default_rng(seed)
    values = random.normal(size=(matches, 1)) * 2 + random.normal(size=(matches, length)) * 0.1
    points = (random.random((matches, 1)) < curve(values[:, :1])) * np.ones((1, length))
    numbers = np.repeat(np.arange(matches), length)
    return Samples(values.reshape(-1), points.reshape(-1), numbers)


def sigmoid(values):
    return 1 / (1 + np.exp(-0.8 * values - 0.4))


def taught(samples: Samples, least: int = LEAST_MATCHES) -> Chances:
    """The win chances that enough samples teach."""
    found = learnt_chances(samples, least)
    assert found
    return found


def steps(values):
    """A curve that no logistic one is near to."""
    return np.where(values < -1, 0.1, np.where(values < 1, 0.6, 0.7))


@pytest.mark.parametrize("curve", [sigmoid, steps])
def test_a_known_curve_is_recovered(curve):
    found = taught(drawn(curve, matches=3000, length=3))
    for value in (-3.0, -1.8, -0.5, 0.0, 0.5, 1.8, 3.0):
        assert found.of(value) == pytest.approx(float(curve(np.array(value))), abs=0.06)
    assert found.matches == 3000
    assert reliability(found, drawn(curve, seed=1)).error < 0.05


def test_the_curve_is_chosen_that_predicts_matches_left_out():
    for curve, expected in ((sigmoid, logistic), (steps, isotonic)):
        samples = drawn(curve, matches=1000)
        assert taught(samples).points == pytest.approx(chances_by(expected, samples).points, abs=1e-5)


def chances_by(fit, samples):
    values, points = fit(samples.values, samples.points)
    return Chances(tuple(values), tuple(points), 0)


@given(
    st.lists(
        st.tuples(st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 0.5, 1.0])),
        min_size=5, max_size=80,
    )
)  # fmt: skip
def test_more_is_never_worse_and_nothing_is_certain_without_a_proof(pairs):
    values, points = np.array(pairs, np.float64).T
    samples = Samples(values, points, np.arange(len(values)))
    tables = [taught(samples, least=5), *(chances_by(fit, samples) for fit in (logistic, isotonic))]
    for table in tables:
        found = [table.of(value) for value in sorted([*values, -2e6, 2e6])]
        assert found == sorted(found)
        assert found[0] > 0 and found[-1] < 1
        assert sum(table.results(found[0])) == pytest.approx(1)
        assert min(table.results(found[0])) >= -1e-12
    assert restored_chances(json.loads(json.dumps(tables[0].as_json()))) == tables[0]


def test_values_that_hardly_differ_give_a_table_that_can_be_read():
    """Such a table made a run unreadable; so does none that was saved before."""
    values = np.repeat(np.array([-1.0, 3.0, 3.0 + 1e-7, 3.0 + 2e-7]), 25)
    points = (values > 0).astype(np.float64)
    for fit in (logistic, isotonic):
        assert len(np.unique(fit(values, points)[0])) > 2
    found = taught(Samples(values, points, np.arange(100)))
    assert found.values == tuple(sorted(set(found.values))) and found.values[-1] == 3.0
    assert restored_chances(json.loads(json.dumps(found.as_json()))) == found
    saved_before = Chances((-1.0, 3.0, 3.0), (0.1, 0.8, 0.9), 100)
    assert restored_chances(saved_before.as_json()) == saved_before


def test_draws_are_half_points():
    """Half of the matches with even chances are drawn, and fewer of the others."""
    values, random = np.linspace(-3, 3, 4000), np.random.default_rng(0)
    chances, drawn = sigmoid(values), np.minimum(sigmoid(values), 1 - sigmoid(values))
    points = np.where(random.random(4000) < drawn, 0.5, random.random(4000) < (chances - drawn / 2) / (1 - drawn))
    found = taught(Samples(values, points, np.arange(4000)))
    assert found.draws == pytest.approx(0.5, abs=0.05)
    assert found.of(0.5) == pytest.approx(sigmoid(0.5), abs=0.03)
    assert found.results(0.5) == pytest.approx((0.5 - found.draws / 2, found.draws, 0.5 - found.draws / 2))


def test_proven_results_are_certain():
    chances = Chances((0.0,), (0.5,), 100)
    assert [chances.of(7.0, gain) for gain in (None, 1, 0, -1)] == [0.5, 1.0, 0.5, 0.0]
    assert [chances.results(chances.of(0, gain), gain) for gain in (1, 0, -1)] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


def test_few_matches_teach_nothing():
    assert learnt_chances(drawn(sigmoid, matches=49)) is None
    assert learnt_chances(Samples.joined([])) is None


@pytest.mark.parametrize(
    "change",
    [
        {"values": (1.0, 0.0)}, {"points": (0.6, 0.4)}, {"points": (0.1, 1.1)},
        {"points": (float("nan"), 0.5)}, {"points": (0.1,)}, {"values": "ab"}, {"matches": 1.5}, {"draws": -0.1},
        {"matches": True}, {"more": 1}, {"draws": None},
    ],
)  # fmt: skip
def test_damaged_tables_are_refused(change):
    whole = Chances((0.0, 1.0), (0.4, 0.6), 100).as_json()
    assert restored_chances(whole) is not None
    with pytest.raises(ValueError, match="win chances are damaged"):
        restored_chances(whole | change)
    assert restored_chances(None) is None
