"""Searches by whole turns: inside compiled code, and with the same network outside, node for node the same tree.

python benchmarks/turns.py einstein backgammon
"""

import argparse
import time

import numpy as np

from athenan import Budget, Ubfm, make
from athenan.evaluation.shallow.network import ShallowNetwork
from athenan.rules.playouts import random_match
from athenan.rules.state import CHANCE
from athenan.rules.terminal import Gain
from athenan.search.named import make_search

ACTIONS, ITERATIONS, REPETITIONS = 7, 200, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    for name in parser.parse_args().games:
        game = make(name)
        network, state = ShallowNetwork(game), game.initial()
        network.output[:] = np.random.default_rng(0).normal(0, 0.1, network.output.shape)
        for number, action in enumerate(random_match(game, 2)):
            if number >= ACTIONS and game.player(state) != CHANCE:
                break
            state = game.play(state, action)
        values = []
        for way, evaluate in (("inside", network), ("outside", network.__call__)):
            search = make_search(game, evaluate, Gain(), Ubfm(turns=True), seed=3)
            times = []
            for _ in range(REPETITIONS):
                search.reset(state)
                began = time.process_time()
                search.run(Budget(iterations=ITERATIONS))
                times.append(time.process_time() - began)
            values.append(search.root().value)
            done = search.effort().iterations
            print(f"{name} {way}: {1e6 * min(times) / done:.0f} us each of {done} iterations")
        assert values[0] == values[1]


if __name__ == "__main__":
    main()
