"""What a pattern network reads of a state, and what its learning must do."""

import numpy as np
from pattern_phases import phase_of

from athenan.evaluation.patterns.header import HEADER, record_in
from athenan.evaluation.patterns.kernels import WEIGHTS_AT
from athenan.rules.features import with_features
from athenan.rules.leaf import leaf_values
from athenan.rules.playouts import encoded_states, random_states


def indices(network, planes):
    """The positions of all weights of one encoded state as the first player sees it."""
    numbers, header = network.layout.numbers, record_in(network.layout.numbers, HEADER)
    begins = numbers[header["begins_at"] :][: len(network.tuples.cells)].tolist()
    shared = planes.reshape(len(planes), -1)[network.codes.shared, 0] != 0
    mask = int((shared * (1 << np.arange(len(shared)))).sum())
    phases, shift = network.settings.phases, int(header["shift"])
    table = int(numbers[header["tables_at"] + 2 * mask]) * phases + phase_of(network, planes)
    start = WEIGHTS_AT + table * network.layout.stride
    codes, sizes, found = network.codes.of(planes)[0].tolist(), network.codes.sizes.tolist(), []
    for cells, begin in zip(network.tuples.cells, begins, strict=True):
        number = 0
        for cell in reversed(cells):
            number = number * sizes[cell] + codes[cell]
        found.append(start + begin + (number * 0x9E3779B97F4A7C15 % 2**64 >> shift if shift else number))
    return found


def view(network, state):
    """A state as the network sees it, and the sign of its value."""
    game, exchange = network.game, network.game.colour_symmetry
    if network.settings.colours and exchange and not game.encode(state)[exchange.side].any():
        planes = game.encode(state).reshape(-1)[exchange.planes].reshape(game.planes)
        planes[exchange.side] = 1 - planes[exchange.side]
        return with_features(game, planes[None])[0], -1
    return with_features(game, game.encode(state)[None])[0], 1


def require_values_of_children(network):
    """Tests that children have the values, to the last bit, that they have without their parent."""
    game, leaf = network.game, network.leaf
    for state in random_states(game, 40, seed=5):
        after = [game.play(state, int(action)) for action in game.actions(state)]
        children = np.array([child for child in after if game.outcome(child) is None], np.int8)
        if len(children):
            values = np.empty(len(children), np.float32)
            leaf_values(leaf.address, game.rules, state, children, leaf.numbers, leaf.weights, values)
            assert np.array_equal(values, network(encoded_states(game, children)).values)


def require_learning(weights, steps):
    """Tests that the values of a network of Connect Four come to their targets in so many steps."""
    network = weights.network
    planes = encoded_states(network.game, random_states(network.game, 500, seed=3))
    targets = np.where(planes.reshape(500, 3, -1)[:, 0, :7].sum(axis=1) > 2, 0.8, -0.6).astype(np.float32)
    errors = [weights.step(planes, targets, rate=1.0) for _ in range(steps)]
    weights.publish()
    assert errors[-1] < 0.1 * errors[0]
    assert np.mean((network(planes).values - targets) ** 2) < 0.1 * errors[0]
