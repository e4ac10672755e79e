"""How the entries of pattern networks of vectors are rounded: by how often they are read, and with compensation."""

from collections import Counter

import numpy as np
import pytest
from test_patterns import view
from test_vector_patterns import filled, places

from athenan.evaluation.patterns.reads import entries_read, reads_of
from athenan.evaluation.patterns.rounding import powers_of, rounded_entries
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


def test_an_entry_that_is_read_a_hundred_times_as_often_is_ten_times_as_fine():
    read = np.zeros((1024, 2), np.int32)
    read[:, 1] = 1
    read[:16, 1] = 2
    read[0, 0] = 3
    assert powers_of(read, 5).tolist() == [0, 0, 3, 5, 5]


def test_entries_become_multiples_of_their_steps():
    network = filled("connect_four", phases=1)
    read = entries_read(network, encoded_states(network.game, random_states(network.game, 300)))
    steps, powers = np.linspace(1, 3, 16) * GRID, powers_of(read, len(network.entries))
    found = rounded_entries(network.entries, steps, powers, read)
    multiples = found / (steps * 2.0 ** powers[:, None])
    np.testing.assert_allclose(multiples, np.rint(multiples), atol=1e-3)
    unread = np.setdiff1d(np.arange(len(found)), read)
    wanted = network.entries[unread] / (steps * 2.0 ** powers[unread, None])
    assert len(unread) > 50 and (np.abs(multiples[unread] - wanted) <= 0.51).all()


def test_the_entries_that_are_read_often_take_over_what_the_others_lose():
    """Sums are nearer to the former ones than if each entry is rounded alone, also for states that were not learnt."""
    network = filled("othello:6", phases=1, walks=32, entries=4096)
    network.entries += np.float32(0.02)  # a little in every entry, which rounding each of them alone loses
    read = entries_read(network, encoded_states(network.game, random_states(network.game, 4000, seed=1)))
    known, others = np.split(read, 2)
    steps, powers = np.full(16, 64 * GRID), powers_of(known, len(network.entries))
    multiples = steps * 2.0 ** powers[:, None]
    alone = np.rint(network.entries / multiples) * multiples
    together = rounded_entries(network.entries, steps, powers, known)
    for some, share in ((known, 0.5), (others, 0.7)):
        wanted, by_one, by_all = (entries[some].sum(axis=1) for entries in (network.entries, alone, together))
        assert np.square(by_all - wanted).mean() < share * np.square(by_one - wanted).mean()
