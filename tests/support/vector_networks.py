"""Pattern networks of vectors with random entries."""

import numpy as np
from pattern_views import indices

from athenan import make
from athenan.evaluation.architectures import Patterns
from athenan.evaluation.patterns.network import PatternNetwork


def filled(name, scale=1.0, bounded=True, **settings):
    """A network with random weights."""
    given = {"walks": 6, "entries": 3**4, "vector": 16, "phases": 3, **settings}
    network = PatternNetwork(make(name), Patterns(**given), scale, bounded)
    random = np.random.default_rng(1)
    arrays = network.as_arrays()
    arrays["weights"] = random.normal(0, 0.1, arrays["weights"].shape).astype(np.float32)
    arrays["dense"] += random.normal(0, 0.1, arrays["dense"].shape).astype(np.float32)
    network.plays_with(arrays)
    return network


def places(network, planes):
    """The numbers of the entries of one encoded state."""
    return np.array(indices(network, planes)) - 1
