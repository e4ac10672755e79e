"""Learners that tell each other what has changed: nothing is lost in any order, and copies become the master."""

import numpy as np
import pytest
from numpy.typing import NDArray
from small_trainings import small

from athenan.evaluation.adam import AVERAGE, SECOND, WEIGHT
from athenan.evaluation.shallow.weights import ShallowWeights
from athenan.games.catalogue import make
from athenan.learning.components import Components
from athenan.learning.examples.examples import Batch
from athenan.learning.learner.deltas import Copy, Delta, Master
from athenan.learning.learner.native_learner import NativeLearner

NETWORKS = {
    "scalars": {"network": "patterns:walks=6,entries=729", "learning_rate": 1.0},
    "vectors": {"network": "patterns:walks=6,entries=81,vector=8,hidden=8", "learning_rate": 1.0, "averaging": 0.9},
    "shallow": {"network": "shallow:hidden=32", "learning_rate": 0.001},
}
TABLES = ("scalars", "vectors")
GAME = make("connect_four:5x4")


def learner(network: str) -> NativeLearner:
    config = small("connect_four:5x4", **NETWORKS[network])
    made = Components(config, GAME, None, new=True).learner()
    assert isinstance(made, NativeLearner)
    return made


def batch(seed: int, items: int = 64) -> Batch:
    """States of random matches, with random values."""
    random, states, state = np.random.default_rng(seed), list[np.ndarray](), GAME.initial()
    while len(states) < items:
        actions = GAME.actions(state)
        state = GAME.play(state, random.choice(actions)) if len(actions) else GAME.initial()
        states.append(GAME.encode(state))
    return Batch(np.array(states), random.uniform(-1, 1, items).astype(np.float32))


def learn(of: NativeLearner, *seeds: int) -> None:
    """A phase for each seed."""
    for seed in seeds:
        of.begin_phase()
        of.step(batch(seed))
        of.end_phase()


def rows(of: NativeLearner) -> NDArray[np.float32]:
    """The weights and the sums of its table."""
    learnt: NDArray[np.float32] = of.weights.learnt
    return learnt[:, : 3 if learnt.shape[1] == 4 else 10].copy()


def together(network: str, count: int = 2) -> tuple[Master, NativeLearner, list[NativeLearner], list[Copy]]:
    """A master that has learnt before, and copies of it."""
    first, others = learner(network), [learner(network) for _ in range(count)]
    learn(first, 100)
    master = Master(first)
    for other in others:
        other.restore(first.as_arrays())
    return master, first, others, [Copy(other, master.version) for other in others]


@pytest.mark.parametrize("network", NETWORKS)
def test_a_copy_that_learns_alone_is_the_master_after_an_exchange(network: str) -> None:
    master, first, (other,), (copy,) = together(network, 1)
    alone = learner(network)
    alone.restore(first.as_arrays())
    for seed in range(3):
        learn(other, seed)
        learn(alone, seed)
        master.merge(copy.delta(1), 1)
        copy.take(master.news(copy.version))
        found, expected = other.as_arrays(), alone.as_arrays()
        assert found.keys() == expected.keys() == first.as_arrays().keys()
        assert np.array_equal(rows(other), rows(first))
        for name, array in first.as_arrays().items():
            np.testing.assert_allclose(found[name], array, atol=1e-6, err_msg=name)
            np.testing.assert_allclose(array, expected[name], atol=1e-5, err_msg=name)


@pytest.mark.parametrize("network", TABLES)
@pytest.mark.parametrize("order", [(0, 1, 0, 1), (1, 0, 0, 1), (0, 0, 1, 1), (1, 1, 1, 0)])
def test_no_change_of_a_table_is_lost_in_any_order(network: str, order: tuple[int, ...]) -> None:
    """The master ends with the sum of all changes, and so do its copies."""
    master, first, others, copies = together(network)
    before, changes = rows(first), np.zeros_like(rows(first))
    for time, number in enumerate(order):
        old = rows(others[number])
        learn(others[number], 10 * time + number)
        changes += rows(others[number]) - old
        master.merge(copies[number].delta(1), 2)
        if time != 1:  # its news come later
            copies[number].take(master.news(copies[number].version))
    for copy in copies:
        copy.take(master.news(copy.version))
    np.testing.assert_allclose(rows(first) - before, changes, atol=1e-4)
    for other in others:
        assert np.array_equal(rows(other), rows(first))
        if network == "scalars":  # without averages, which each process moves with its own steps
            np.testing.assert_allclose(
                other.network(batch(7).planes).values, first.network(batch(7).planes).values, atol=1e-6
            )


@pytest.mark.parametrize("network", TABLES)
def test_what_is_learnt_between_a_delta_and_its_news_is_sent_next_time(network: str) -> None:
    master, first, (one, other), (copy, others_copy) = together(network)
    learn(one, 1)
    learn(other, 2)
    delta = copy.delta(1)
    master.merge(others_copy.delta(1), 2)
    late = master.news(copy.version)  # without the copy's own delta, which is on its way
    learn(one, 3)
    unsent = rows(one)
    master.merge(delta, 2)
    copy.take(late)
    master.merge(copy.delta(1), 2)
    copy.take(master.news(copy.version))
    assert np.array_equal(rows(one), rows(first)) and not np.array_equal(unsent, rows(one))


def test_a_delta_has_only_what_has_changed() -> None:
    master, first, (one, _), (copy, _) = together("scalars")
    assert copy.delta(0).bytes == 0
    learn(one, 1)
    delta = copy.delta(1)
    (table,) = delta.tables
    assert 0 < len(table.numbers) < len(rows(first)) / 4
    assert delta.bytes == len(table.numbers) * (4 + 3 * 4)  # a number, a weight, two sums
    assert copy.delta(0).bytes == 0
    master.merge(delta, 2)
    assert master.news(copy.version).bytes == delta.bytes  # without averages, since the training has none
    assert master.news(master.version).bytes == 0


def steps_of(learner: NativeLearner) -> int:
    """The number of learning steps that a shallow network has counted."""
    assert isinstance(learner.weights, ShallowWeights)
    return int(learner.weights.steps[0])


def test_dense_parts_move_by_the_mean_of_the_changes() -> None:
    master, first, (one, other), copies = together("shallow")
    before = first.weights.learnt.copy()
    learn(one, 1)
    learn(other, 2, 3)
    expected = before[WEIGHT] + sum(of.weights.learnt[WEIGHT] - before[WEIGHT] for of in (one, other)) / 2
    for copy in copies:
        master.merge(copy.delta(1), 2)
    np.testing.assert_allclose(first.weights.learnt[WEIGHT], expected, atol=1e-6)
    assert (first.weights.learnt[SECOND] >= 0).all()
    assert steps_of(first) == steps_of(other) > steps_of(one)
    copies[0].take(master.news(copies[0].version))
    assert np.array_equal(one.weights.learnt, first.weights.learnt)
    assert np.array_equal(one.network.weights, one.weights.learnt[AVERAGE])


def test_weights_that_are_no_longer_finite_are_refused() -> None:
    master, _, (one, _), (copy, _) = together("scalars")
    one.weights.learnt[5, 0] = np.inf
    with pytest.raises(ValueError, match="no longer finite"):
        master.merge(copy.delta(1), 2)


def test_a_policy_is_exchanged_as_values_are() -> None:
    config = small("connect_four:5x4", network="patterns:walks=6,entries=729", target="root", policy_target="visits")
    made = [Components(config, GAME, None, new=True).learner() for _ in range(2)]
    first, other = made
    assert isinstance(first, NativeLearner) and isinstance(other, NativeLearner) and other.policy and first.policy
    master = Master(first)
    copy = Copy(other, 0)
    other.policy.learnt[[3, 9], 0] = 0.5, -0.25
    master.merge(copy.delta(1), 2)
    assert first.policy.network.policy[3] == 0.5 and np.count_nonzero(first.policy.learnt) == 2
    other.policy.learnt[9, 0] = 1.0
    copy.take(master.news(copy.version))
    assert other.policy.network.policy[9] == -0.25 and other.policy.learnt[9, 0] == 1.0
    assert isinstance(delta := copy.delta(1), Delta) and delta.tables[1].numbers.tolist() == [9]
