"""The evaluation of states of backgammon by dense networks: compiled code for sparse planes, beside PyTorch.

python benchmarks/dense_networks.py
"""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from athenan import make
from athenan.evaluation.architectures import Shallow, parse_architecture
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.few import FewStates
from athenan.evaluation.networks import build_network
from athenan.evaluation.shallow.network import ShallowNetwork
from athenan.rules.heads import VALUES
from athenan.rules.playouts import random_match
from athenan.rules.state import CHANCE

NETWORKS = ("mlp:dense=80,dense_layers=1", "mlp:dense=160,dense_layers=1", "mlp", "mlp:dense=256")
SHALLOW = ("shallow:features=false", "shallow")
STATES, REPETITIONS = 1024, 20


def planes_between_turns() -> NDArray[np.int8]:
    """Encoded states of random matches where chance is to move, int8[STATES, numbers]."""
    game, found = make("backgammon"), list[NDArray[np.int8]]()
    for seed in range(STATES):
        state = game.initial()
        for action in random_match(game, seed):
            state = game.play(state, action)
            if game.player(state) == CHANCE:
                found.append(game.encode(state).reshape(-1))
        if len(found) >= STATES:
            break
    return np.stack(found[:STATES])


def microseconds(evaluate: Callable[[NDArray[np.int8]], object], planes: NDArray[np.int8]) -> float:
    """The processor time of a state, the least of some batches."""
    times = []
    for _ in range(REPETITIONS):
        began = time.process_time()
        evaluate(planes)
        times.append(time.process_time() - began)
    return 1e6 * min(times) / len(planes)


def main() -> None:
    planes, shape = planes_between_turns(), make("backgammon").planes
    print(f"{(planes != 0).sum(1).mean():.1f} of {planes.shape[1]} numbers are not zero; us a state")
    for name in NETWORKS:
        network = build_network(parse_architecture(name), shape, 3.0, False)
        compiled, by_torch = FewStates(network, VALUES), Evaluator(network, "cpu", "float32")
        by_torch._few = None
        print(f"{name:30} compiled {microseconds(compiled, planes):.2f}, PyTorch {microseconds(by_torch, planes):.2f}")
    for name in SHALLOW:
        architecture = parse_architecture(name)
        assert isinstance(architecture, Shallow)
        network = ShallowNetwork(make("backgammon"), architecture, 3.0, False)
        print(f"{name:30} compiled {microseconds(network, planes):.2f}")


if __name__ == "__main__":
    main()
