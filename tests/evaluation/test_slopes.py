"""How much each number of the entries that are vectors counts."""

import numpy as np
import pytest
from vector_networks import filled

from athenan.evaluation.patterns.slopes import slopes_of
from athenan.rules.playouts import encoded_states, random_states


@pytest.mark.parametrize("bounded", [False, True])
def test_slopes_are_of_the_sums(bounded: bool) -> None:
    network = filled("connect_four", bounded=bounded)
    planes = encoded_states(network.game, random_states(network.game, 300))
    network.dense[:] = 0
    entries = network.entries.copy()
    only_the_first = np.array([1] + [0.1] * 15)
    np.testing.assert_allclose(slopes_of(network, planes), only_the_first / only_the_first.mean(), rtol=1e-6)
    np.testing.assert_array_equal(network.entries, entries)


def test_slopes_follow_the_dense_part() -> None:
    """One neuron, always active, multiplies every number of the sum, unclipped around 0.5, by a factor of its own."""
    network = filled("connect_four", bounded=False)
    planes = encoded_states(network.game, random_states(network.game, 300))
    hidden = network.settings.hidden
    network.entries *= 0.001
    network.dense[:] = 0
    network.dense[:16] = 0.5
    factors = np.linspace(1, 4, 16)
    network.dense[16 : 16 * (hidden + 1) : hidden] = factors
    network.dense[16 * (hidden + 1) + hidden] = 2
    wanted = 2 * factors + (np.arange(16) == 0)
    np.testing.assert_allclose(slopes_of(network, planes), wanted / wanted.mean(), rtol=1e-3)
