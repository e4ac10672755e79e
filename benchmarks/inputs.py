"""What networks see of a state: the nanoseconds of processor time that its planes and its features take.

    python benchmarks/inputs.py hex:11 go:9 clobber:10

The states are those of random matches. Times are the best of `--repetitions`, because other programs on the machine
only add to them. The digest is that of all planes and features: another one means that networks learnt before see
something else.
"""

import argparse
from collections.abc import Callable
from hashlib import sha256
from time import process_time

import numpy as np
from numba import types

from athenan import Game, make
from athenan.report.tables import Table, as_text
from athenan.rules import calls
from athenan.rules.arrays import STATES
from athenan.rules.compiler import kernel
from athenan.rules.features import input_planes
from athenan.rules.kernels import RULES
from athenan.rules.playouts import random_states


@kernel(types.void(RULES, STATES, STATES, types.int64))
def write_planes(rules, states, inputs, size):
    for row in range(states.shape[0]):
        calls.encode(rules, states[row], inputs[row, :size])


@kernel(types.void(RULES, STATES, types.int64))
def write_features(rules, inputs, size):
    for row in range(inputs.shape[0]):
        calls.features(rules, inputs[row, :size], inputs[row, size:])


def measured(game: Game, count: int, repetitions: int) -> tuple[str, str, str, str]:
    """A row of the table."""
    size, cells = int(np.prod(game.planes)), game.planes[1] * game.planes[2]
    states = np.ascontiguousarray(random_states(game, count))
    inputs = np.zeros((count, input_planes(game) * cells), np.int8)

    def best(run: Callable[[], None]) -> str:
        run()
        seconds = []
        for _ in range(repetitions):
            began = process_time()
            run()
            seconds.append(process_time() - began)
        return f"{1e9 * min(seconds) / count:,.0f}"

    planes, features = best(lambda: write_planes(game.rules, states, inputs, size)), ""
    if game.features.planes:
        features = best(lambda: write_features(game.rules, inputs, size))
    return game.name, planes, features, sha256(inputs.tobytes()).hexdigest()[:16]


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--states", type=int, default=5000)
    parser.add_argument("--repetitions", type=int, default=20)
    options = parser.parse_args()
    rows = tuple(measured(make(name), options.states, options.repetitions) for name in options.games)
    print(as_text(Table("nanoseconds a state", ("game", "planes", "features", "digest"), rows)))


if __name__ == "__main__":
    main()
