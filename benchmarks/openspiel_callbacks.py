"""Games of OpenSpiel through callbacks, beside athenan's own rules: `pip install 'athenan[openspiel]'`, then run this.

Prints, for each game that both have, steps of random play a second of processor time (medians of five runs, the two
alternating) and their ratio.
"""

import statistics
import time

from athenan import Game, make
from athenan.rules.playouts import random_play
from athenan.rules.randomness import streams

GAMES = {
    "openspiel:tic_tac_toe": "tictactoe",
    "openspiel:connect_four": "connect_four",
    "openspiel:hex(board_size=11)": "hex:11,swap=false",
    "openspiel:pig": "pig",
}
STEPS = 20_000, 2_000_000
RUNS = 5


def rate(game: Game, steps: int, seed: int) -> float:
    """Steps of random play a second of processor time."""
    began = time.process_time()
    random_play(game, streams(seed, 1), steps)
    return steps / (time.process_time() - began)


def main() -> None:
    """Prints the table."""
    print("| game | steps | athenan's own | steps | ratio |\n| --- | --- | --- | --- | --- |")
    for theirs, ours in GAMES.items():
        games, rates = (make(theirs), make(ours)), (list[float](), list[float]())
        for seed in range(RUNS + 1):  # the first warms up
            for game, steps, found in zip(games, STEPS, rates, strict=True):
                found.append(rate(game, steps, seed))
        slow, fast = (statistics.median(found[1:]) for found in rates)
        print(f"| `{theirs}` | {slow:,.0f} | `{ours}` | {fast:,.0f} | {fast / slow:.0f} |", flush=True)


if __name__ == "__main__":
    main()
