"""How the entries of pattern networks of vectors are rounded: by how often they are read, and with compensation."""

from collections import Counter

import numpy as np
import pytest
from pattern_views import view
from vector_networks import filled, places

from athenan.evaluation.patterns.reads import entries_read, reads_of
from athenan.evaluation.patterns.rounding import powers_of, steps_of, whole_entries
from athenan.evaluation.patterns.vectors import GRID
from athenan.rules.playouts import encoded_states, random_states


@pytest.mark.parametrize(
    ("name", "settings"), [("connect_four", {}), ("breakthrough:5x5", {"length": 11, "entries": 500})]
)
def test_the_entries_of_a_state_are_those_of_its_value(name, settings):
    network = filled(name, **settings)
    states = random_states(network.game, 40, seed=4)
    read = entries_read(network, encoded_states(network.game, states))
    wanted = [places(network, view(network, state)[0]) for state in states]
    np.testing.assert_array_equal(read, wanted)
    squares = Counter[int]()
    for one in wanted:
        squares.update({entry: times**2 for entry, times in Counter(one.tolist()).items()})
    reads = reads_of(read, len(network.entries))
    assert {entry: reads[entry] for entry in np.flatnonzero(reads)} == squares


def test_powers_follow_the_root_of_the_reads():
    read = np.zeros((1024, 2), np.int32)
    read[:, 1] = 1
    read[:16, 1] = 2
    read[0, 0] = 3
    assert powers_of(read, 5).tolist() == [0, 0, 3, 5, 5]


def test_entries_are_rounded_to_multiples_of_their_powers():
    network = filled("connect_four", phases=1)
    read = entries_read(network, encoded_states(network.game, random_states(network.game, 300)))
    steps, powers = np.linspace(1, 3, 16) * GRID, powers_of(read, len(network.entries))
    whole = whole_entries(network.entries, steps, powers, read)
    assert (whole % 2 ** powers[:, None] == 0).all() and whole.any()
    unread = np.setdiff1d(np.arange(len(whole)), read)
    wanted = network.entries[unread] / steps
    assert len(unread) > 50 and (np.abs(whole[unread] - wanted) <= 0.5 * 2.0 ** powers[unread, None] + 1e-3).all()


def test_fine_steps_keep_entries_exactly():
    """Steps far below the grid are not used: networks round what they load to it."""
    network = filled("connect_four", phases=1)
    read = entries_read(network, encoded_states(network.game, random_states(network.game, 300)))
    powers = powers_of(read, len(network.entries))
    steps = steps_of(np.linspace(0.2, 3, 16), 0.1 * GRID / 2.0 ** powers.max())
    whole = whole_entries(network.entries, steps, powers, read)
    np.testing.assert_array_equal(whole * steps, network.entries)
    assert (whole % int(GRID / steps.max()) == 0).all()


def test_steps_are_powers_of_two_times_the_grid():
    assert (steps_of(np.array([0.1, 0.5, 1.0, 2.0, 5.0]), 3.9 * GRID) / GRID).tolist() == [32, 8, 4, 2, 1]
    assert (steps_of(np.array([1.0, 2.0]), GRID / 8) / GRID).tolist() == [1 / 8, 1 / 16]


@pytest.mark.parametrize(("offset", "shares"), [(0.02, (0.5, 0.7)), (0.0, (0.8, 1.0))])
def test_the_entries_that_are_read_often_correct_what_the_others_lose(offset, shares):
    """Sums are nearer to the former ones than if each entry is rounded alone, also for states that were not counted.

    A little in every entry is what rounding each of them alone loses most.
    """
    network = filled("othello:6", phases=1, walks=32, entries=4096)
    network.entries += np.float32(offset)
    states = random_states(network.game, 4000, seed=1)
    np.random.default_rng(0).shuffle(states)
    known, others = np.split(entries_read(network, encoded_states(network.game, states)), 2)
    steps, powers = np.full(16, 2.0**-6), powers_of(known, len(network.entries))
    multiples = steps * 2.0 ** powers[:, None]
    alone = np.rint(network.entries / multiples) * multiples
    together = whole_entries(network.entries, steps, powers, known) * steps
    for some, share in zip((known, others), shares, strict=True):
        wanted, by_one, by_all = (entries[some].sum(axis=1) for entries in (network.entries, alone, together))
        assert np.square(by_all - wanted).mean() < share * np.square(by_one - wanted).mean()


def test_corrections_of_entries_that_a_state_reads_often_stay_small():
    """Each state reads entry 0 sixty times, and one of the others."""
    entries = np.random.default_rng(1).normal(0, 1, (101, 8)).astype(np.float32)
    read = np.zeros((1000, 61), np.int32)
    read[:, 60] = 1 + np.random.default_rng(2).integers(0, 100, 1000)
    steps = np.full(8, 0.5)
    found = whole_entries(entries, steps, powers_of(read, 101), read) * steps
    assert np.abs(found[0] - entries[0]).max() <= 0.5 and np.abs(found).max() < 100
