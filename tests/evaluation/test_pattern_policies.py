"""Policies of pattern networks: logits as a slow direct sum, symmetries, learning as in plain Python."""

import numpy as np
import pytest
from pattern_phases import phase_of
from sizes import size

from athenan import make
from athenan.evaluation.architectures import Patterns
from athenan.evaluation.patterns.header import HEADER, POLICY, record_in
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.policy_kernels import WEIGHT
from athenan.evaluation.patterns.policy_weights import RATE, PolicyWeights
from athenan.learning.replay.encoding import legal_actions
from athenan.rules.features import with_features
from athenan.rules.game import Game
from athenan.rules.heads import VALUES, VALUES_AND_POLICIES
from athenan.rules.playouts import encoded_states, random_states

GAMES = [
    "amazons:6", "breakthrough:5x5", "clobber:5x5", "connect_four", "draughts", "go:5", "gomoku:9", "havannah:4",
    "hex:5", "lines_of_action", "othello:6", "santorini", "shobu", "tictactoe", "xiangqi",
]  # fmt: skip
SMALL = Patterns(walks=2, entries=81, windows=False)
Shape = frozenset[tuple[int, ...]]
"""Cells with their layers."""
MIXING = 0x9E3779B97F4A7C15


def filled(name, settings=SMALL):
    """A network with a random policy."""
    network = PatternNetwork(make(name), settings, heads=VALUES_AND_POLICIES)
    network.policy[:] = np.random.default_rng(1).normal(0, 0.2, len(network.policy))
    return network


class Slow:
    """The entries that actions read, by the definition, in plain Python."""

    def __init__(self, network):
        self.network, self.game = network, network.game
        numbers = network.layout.numbers
        assert POLICY.names
        header = record_in(numbers, POLICY, record_in(numbers, HEADER)["policy"])
        self.part = {name: int(header[name]) for name in POLICY.names}
        self.bits = 64 - self.part["shift"]
        self.maps = [self._map(number) for number in range(self.game.start_symmetries)]
        self.places = self.game.action_places.tolist()
        self.cells = self.game.planes[1] * self.game.planes[2]
        self.own = self._own()

    def _map(self, number):
        """Where the cells of an image come from: layers, a matrix and a shift, fitted to the cells of the board."""
        from athenan.evaluation.patterns.tuples import cell_images

        if number >= len(cell_images(self.game, self.network.codes)):
            pytest.skip("symmetries that exchange planes are not for a slow sum")
        image = cell_images(self.game, self.network.codes)[number]
        layers, cells = np.divmod(image.reshape(len(self.network.codes.local), -1), np.prod(self.game.planes[1:]))
        on_board = self.network.codes.varying.reshape(cells.shape).any(axis=0)
        where = np.stack((*np.divmod(np.arange(cells.shape[1]), self.game.planes[2]), np.ones(cells.shape[1])), 1)
        sources = np.stack(np.divmod(cells[0], self.game.planes[2]), 1)
        fit = np.linalg.lstsq(where[on_board], sources[on_board], rcond=None)[0]
        assert np.allclose(where[on_board] @ fit, sources[on_board])
        return layers[:, 0].tolist(), np.rint(fit[:2].T).astype(int), cells[0].tolist()

    def _own(self):
        """The number of the orbit of each place."""
        found, number = dict[int, int](), 0
        planes = self._image_planes()
        for place in range(self.game.action_planes * self.cells):
            if place in found:
                continue
            orbit, waiting = {place}, [place]
            while waiting:
                plane, cell = divmod(waiting.pop(), self.cells)
                for images, (_, _, sources) in zip(planes, self.maps, strict=True):
                    if plane in images:
                        image = images[plane] * self.cells + sources.index(cell)
                        if image not in orbit:
                            orbit.add(image)
                            waiting.append(image)
            found |= dict.fromkeys(orbit, number)
            number += 1
        self.orbits = number
        return found

    def _image_planes(self):
        """For each symmetry: the plane of the images of each plane's actions."""
        return [
            {
                self.places[action] // self.cells: self.places[image] // self.cells
                for action, image in enumerate(images.tolist()) if self.places[action] >= 0
            } for images in self.game.action_symmetries[: self.game.start_symmetries]
        ]  # fmt: skip

    def _bases(self, moves):
        near, wide = [], []
        for down in range(-2, 3):
            for right in range(-2, 3):
                images = [matrix @ (down, right) for matrix in moves]
                if all(abs(a) <= 1 and abs(b) <= 1 for a, b in images):
                    near.append((down, right))
                if all(abs(a) <= 2 and abs(b) <= 2 and a * a + b * b <= 5 for a, b in images):
                    wide.append((down, right))
        arm = range(-4, 5)
        lines = [[(s * a, s * b) for s in arm] for a, b in ((0, 1), (1, 0), (1, 1), (1, -1))]
        return [near, wide, *lines] if len(self.network.codes.local) <= 2 else [near]

    def families(self):
        """The families of shapes, by the first plane of a kind: layer, cells."""
        planes, families = self._image_planes(), {}
        for plane in sorted(planes[0]):
            if min(images[plane] for images in planes) < plane:
                continue
            staying = [of for images, of in zip(planes, self.maps, strict=True) if images[plane] == plane]
            known, own = set[Shape](), []
            for layer in range(len(self.network.codes.local)):
                for base in self._bases([matrix for _, matrix, _ in staying]):
                    sets = {
                        frozenset((layers[layer], *(matrix @ cell).tolist()) for cell in base)
                        for layers, matrix, _ in staying
                    }
                    if not known & sets:
                        known |= sets
                        own.append((layer, base))
            families[plane] = own
        return families

    def entries(self, state, families):
        """The entries of each legal action of a state."""
        network, game = self.network, self.game
        planes, images = game.encode(state), np.arange(game.action_count)
        exchange = game.colour_symmetry
        if exchange and not planes[exchange.side].any():
            planes = planes.reshape(-1)[exchange.planes].reshape(game.planes)
            planes[exchange.side] = 1
            images = exchange.actions
        inputs = with_features(game, planes[None])[0]
        codes, table = network.codes.of(inputs)
        codes = np.where(network.codes.varying, codes.astype(int) + 1, 0).reshape(-1, *game.planes[1:])
        shared = inputs.reshape(len(inputs), -1)[network.codes.shared, 0] != 0
        mask = int((shared * (1 << np.arange(len(shared)))).sum())
        layout = network.layout
        table = int(layout.numbers[record_in(layout.numbers, HEADER)["tables_at"] + 2 * mask]) * network.settings.phases
        table = (table + phase_of(network, inputs)) * self.part["stride"]
        filled = inputs[network.codes.local[0]].any(axis=0).reshape(-1)
        return {
            int(action): [table + entry for entry in self._of(int(images[action]), codes, filled, families)]
            for action in game.actions(state)
        }

    def _of(self, action, codes, filled, families):
        first = sum(map(len, families.values())) << self.bits
        place = self.places[action]
        if place < 0:
            orbit = min(int(images[action]) for images in self.game.action_symmetries[: self.game.start_symmetries])
            alone = sorted(
                {
                    min(int(images[one]) for images in self.game.action_symmetries[: self.game.start_symmetries])
                    for one in range(self.game.action_count) if self.places[one] < 0
                }
            )  # fmt: skip
            placed = any(one >= 0 for one in self.places)
            return [first + self.orbits + placed + alone.index(orbit)]
        if self.game.beneath is not None:
            while filled[place]:
                place += self.game.planes[2]
        plane, cell = divmod(place, self.cells)
        planes, found = self._image_planes(), [first + self.own[place]]
        kind = min(images[plane] for images in planes)
        before = sum(len(own) for of, own in families.items() if of < kind)
        centre = np.array(divmod(cell, self.game.planes[2]))
        for number, (layer, base) in enumerate(families[kind]):
            least = dict[Shape, int]()
            for images, (layers, matrix, _) in zip(planes, self.maps, strict=True):
                if images[plane] == kind:
                    cells = [(layers[layer], *(centre + matrix @ one).tolist()) for one in base]
                    index = sum(self._code(codes, at) * pow(MIXING, n + 1, 2**64) for n, at in enumerate(cells)) % 2**64
                    index -= 2**64 * (index >= 2**63)
                    key = frozenset(cells)
                    least[key] = min(index, least.get(key, index))
            for index in least.values():
                found.append(((before + number) << self.bits) + (index % 2**64 * MIXING % 2**64 >> self.part["shift"]))
        return found

    def _code(self, codes, at):
        layer, row, column = at
        inside = 0 <= row < codes.shape[1] and 0 <= column < codes.shape[2]
        return int(codes[layer, row, column]) if inside else 0


def moving_states(game: Game, count: int, seed: int):
    """Random states where a player is to move."""
    states = random_states(game, 4 * count, seed=seed)
    return np.array([state for state in states if game.player(state) < 2 and len(game.actions(state))][:count])


@pytest.mark.one_of(3)
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("phases", [1, 3])
def test_logits_are_those_of_a_direct_sum(name, phases):
    network = filled(name, Patterns(walks=2, entries=81, windows=False, phases=phases))
    slow, states = Slow(network), moving_states(network.game, size(4, 12), seed=4)
    families, logits = slow.families(), network(encoded_states(network.game, states)).policies
    for state, found in zip(states, logits, strict=True):
        for action, entries in slow.entries(state, families).items():
            assert found[action] == pytest.approx(sum(network.policy[entries].astype(np.float64)), abs=1e-4)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("layers", [False, True])
@pytest.mark.parametrize("name", ["amazons:6", "clobber:5x5", "connect_four", "gomoku:9", "havannah:4", "hex:5",
                                  "lines_of_action", "othello:6", "santorini", "shobu"])  # fmt: skip
def test_images_of_an_action_have_its_logit(name, layers):
    network = filled(name, Patterns(walks=2, entries=81, windows=False, layers=layers))
    game, states = network.game, moving_states(network.game, 20, seed=6)
    planes = encoded_states(game, states)
    before, legal = network(planes).policies, legal_of(game, states)
    assert len(np.unique(before[legal])) > 20
    count = game.start_symmetries  # policies keep these (`patterns.policies`)
    for symmetry, actions in zip(game.plane_symmetries[:count], game.action_symmetries[:count], strict=True):
        after = network(np.ascontiguousarray(planes[:, symmetry])).policies
        assert np.allclose(after[:, actions][legal], before[legal], atol=1e-5)


@pytest.mark.parametrize("name", ["breakthrough:5x5", "connect_four", "hex:5", "othello:6", "shobu", "xiangqi"])
def test_the_exchange_of_the_players_keeps_logits(name):
    network = filled(name)
    game, states = network.game, moving_states(network.game, 20, seed=7)
    images = np.array([game.colour_symmetry.state(state) for state in states])
    before, legal = network(encoded_states(game, states)).policies, legal_of(game, states)
    after = network(encoded_states(game, images)).policies[:, game.colour_symmetry.actions]
    assert np.allclose(after[legal], before[legal], atol=1e-5)


def legal_of(game, states):
    return legal_actions(game, states, np.tile(np.arange(game.action_count, dtype=np.int32), (len(states), 1)))


@pytest.mark.parametrize("name", ["breakthrough:5x5", "connect_four", "hex:5", "othello:6"])
def test_learning_is_that_of_plain_python(name):
    network = filled(name)
    game, states = network.game, moving_states(network.game, 60, seed=9)
    legal, random = legal_of(game, states), np.random.default_rng(2)
    targets = (random.exponential(1.0, legal.shape) * legal).astype(np.float32)
    targets /= targets.sum(axis=1, keepdims=True)
    targets[5] = 0  # nothing to learn
    weights, net = network.policy.astype(np.float64), np.zeros(len(network.policy))
    total, entropy, slow = np.zeros(len(net)), 0.0, Slow(network)
    families = slow.families()
    for state, target in zip(states, targets, strict=True):
        if not target.any():
            continue
        entries = slow.entries(state, families)
        logits = {action: sum(weights[at] for at in own) for action, own in entries.items()}
        whole = sum(np.exp(logit) for logit in logits.values())
        changes = dict[int, float]()
        for action, own in entries.items():
            share = np.exp(logits[action]) / whole
            entropy -= target[action] * np.log(share)
            for at in own:
                changes[at] = changes.get(at, 0.0) + 0.5 * RATE * (target[action] - share) / len(own)
        for at, change in changes.items():
            weights[at] += change * (abs(net[at] / total[at]) ** 0.5 if total[at] else 1.0)
            net[at] += change
            total[at] += abs(change)
    weighing, before = PolicyWeights(network), network.policy.copy()
    found = weighing.step(encoded_states(game, states), legal, targets, rate=0.5)
    assert found == pytest.approx(entropy, rel=1e-3)
    assert np.allclose(weighing.learnt[:, WEIGHT], weights, atol=1e-4)
    weighing.publish(0.25)
    assert np.allclose(network.policy, before + 0.25 * (weights - before), atol=1e-4)


def test_a_policy_comes_to_its_target():
    network = PatternNetwork(make("connect_four"), SMALL, heads=VALUES_AND_POLICIES)
    game, states = network.game, moving_states(network.game, 400, seed=3)
    legal, planes = legal_of(game, states), encoded_states(game, states)
    wanted = np.argmax(legal * (1 + np.arange(7) % 4), axis=1)  # the first of the columns 4, 3 and 7, ... that is free
    targets = np.eye(7, dtype=np.float32)[wanted]
    weighing = PolicyWeights(network)
    entropies = [weighing.step(planes, legal, targets, rate=1.0) for _ in range(30)]
    weighing.publish()
    assert entropies[-1] < 0.2 * entropies[0]
    assert (np.argmax(np.where(legal, network(planes).policies, -np.inf), axis=1) == wanted).mean() > 0.9


@pytest.mark.parametrize("vector", [1, 8])
def test_saved_policies_are_the_same(vector):
    settings = Patterns(walks=2, entries=81, windows=False, vector=vector)
    network = filled("hex:5", settings)
    again = PatternNetwork(network.game, settings, arrays=network.as_arrays())
    assert again.heads == VALUES_AND_POLICIES and np.array_equal(again.weights, network.weights)
    assert np.array_equal(again.layout.numbers, network.layout.numbers)
    without = {name: array for name, array in network.as_arrays().items() if name != "policy"}
    assert PatternNetwork(network.game, settings, arrays=without).heads == VALUES


@pytest.mark.parametrize("damage", ["other", "not finite"])
def test_damaged_policies_are_refused(damage):
    network = filled("connect_four")
    arrays = network.as_arrays()
    arrays["policy"] = arrays["policy"][1:] if damage == "other" else np.full_like(arrays["policy"], np.nan)
    with pytest.raises(ValueError, match="the weights"):
        PatternNetwork(network.game, network.settings, arrays=arrays)


def test_the_legal_actions_of_images_are_marked():
    game, states = make("breakthrough:5x5"), random_states(make("breakthrough:5x5"), 30, seed=1)
    images = game.action_symmetries[np.arange(len(states)) % len(game.action_symmetries)]
    for state, image, legal in zip(states, images, legal_actions(game, states, images), strict=True):
        assert sorted(image[game.actions(state)].tolist()) == np.flatnonzero(legal).tolist()


def test_other_heads_are_refused():
    with pytest.raises(ValueError, match="gives values, or values and policies, not values and action_values"):
        PatternNetwork(make("tictactoe"), SMALL, heads=("values", "action_values"))
