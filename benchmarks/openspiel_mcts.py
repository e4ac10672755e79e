"""MCTS with random rollouts beside OpenSpiel's C++ MCTSBot: `pip install open_spiel`, then run this file.

Prints, for each game that both have, simulations a second of processor time of both, from the initial state (medians
of five, taken in turns), and their ratio. One rollout a simulation on both sides, without a solver.
"""

import statistics
import sys
import time
from collections.abc import Callable

import pyspiel
from openspiel_random_play import GAMES

from athenan import Budget, make
from athenan.search.monte_carlo.mcts import Mcts, MctsSettings
from athenan.search.searcher import run

ROLLOUTS = 2_000
MEMORY_MB = 1000
EXPLORATION = 1.0


def ours(specification: str) -> Callable[[], object]:
    """A search of ROLLOUTS rollouts."""
    search = Mcts(make(specification), MctsSettings(EXPLORATION), seed=7)
    state, budget = search.state(), Budget(iterations=ROLLOUTS)

    def rollouts() -> None:
        search.reset(state)
        run(search, budget)

    return rollouts


def theirs(name: str) -> Callable[[], object]:
    """The same with OpenSpiel."""
    game, seed = pyspiel.load_game(name), 7
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(game, evaluator, EXPLORATION, ROLLOUTS, MEMORY_MB, False, seed, False)
    state = game.new_initial_state()
    return lambda: bot.mcts_search(state)


def rate(search: Callable[[], object]) -> float:
    """Simulations a second of processor time of one search."""
    began = time.process_time()
    search()
    return ROLLOUTS / (time.process_time() - began)


def main() -> None:
    """Prints the table, of the games named on the command line or of all."""
    print("| game | athenan | OpenSpiel MCTSBot | ratio |\n| --- | --- | --- | --- |")
    for specification in sys.argv[1:] or GAMES:
        mine, other = ours(specification), theirs(GAMES[specification])
        rate(mine)
        pairs = [(rate(mine), rate(other)) for _ in range(5)]
        first, second = (statistics.median(rates) for rates in zip(*pairs, strict=True))
        print(f"| `{specification}` | {first:,.0f} | {second:,.0f} | {first / second:.1f} |", flush=True)


if __name__ == "__main__":
    main()
