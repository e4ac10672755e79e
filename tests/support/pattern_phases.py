"""The phases of pattern networks, found without compiled code."""

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.patterns.network import PatternNetwork


def phase_of(network: PatternNetwork, planes: NDArray[np.int8]) -> int:
    """The phase of one encoded state with its features."""
    codes, phases = network.codes, network.settings.phases
    empty, fewest, most = map(int, codes.pieces)
    filled = planes.reshape(len(planes), -1) != 0
    layers = [layer[layer >= 0] for layer in codes.local]
    cells = np.concatenate([(1 << np.arange(len(layer))) @ filled[layer] for layer in layers]) + codes.starts
    pieces = int((cells != empty).sum())
    return max(0, min(phases - 1, (pieces - fewest) * phases // (most - fewest + 1)))
