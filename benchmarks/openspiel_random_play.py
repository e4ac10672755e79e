"""Random play beside OpenSpiel, stepped from Python as its users do: `pip install open_spiel`, then run this file.

Prints, for each game that both have, steps a second of processor time of both (medians of three, taken in turns) and
their ratio. OpenSpiel's Amazons plays three actions a turn, ours two; its Go ends a match when an earlier board comes
back; its backgammon moves two checkers an action, ours one, and a roll is an action of both.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable

import pyspiel

from athenan import make
from athenan.rules.playouts import random_play
from athenan.rules.randomness import streams

GAMES = {
    "tictactoe": "tic_tac_toe",
    "connect_four": "connect_four",
    "othello:8": "othello",
    "hex:11": "hex(board_size=11)",
    "breakthrough:8": "breakthrough",
    "clobber:10": "clobber(rows=10,columns=10)",
    "amazons:10": "amazons",
    "lines_of_action": "lines_of_action",
    "gomoku:15,opening=free": "gomoku(size=15,anti=false)",
    "havannah:8": "havannah(board_size=8,swap=true)",
    "go:9": "go(board_size=9)",
    "xiangqi": "xiangqi",
    "einstein:placement=random,nearest=false": "einstein_wurfelt_nicht",
    "pig": "pig",
    "backgammon": "backgammon",
}
STEPS = 300_000
SECONDS = 0.7


def ours(specification: str) -> Callable[[], int]:
    """Plays STEPS random actions; returns their number."""
    game, random_numbers = make(specification), streams(1, 1)

    def play() -> int:
        random_play(game, random_numbers, STEPS)
        return STEPS

    return play


def theirs(name: str) -> Callable[[], int]:
    """Plays random matches for SECONDS; returns the number of actions."""
    game = pyspiel.load_game(name)

    def play() -> int:
        steps, end = 0, time.process_time() + SECONDS
        while time.process_time() < end:
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(random.choice(state.legal_actions()))  # all dice here are fair
                steps += 1
        return steps

    return play


def rate(play: Callable[[], int]) -> float:
    """Steps a second of processor time."""
    began = time.process_time()
    return play() / (time.process_time() - began)


def main() -> None:
    """Prints the table, of the games named on the command line or of all."""
    print("| game | athenan | OpenSpiel from Python | ratio |\n| --- | --- | --- | --- |")
    for specification in sys.argv[1:] or GAMES:
        mine, other = ours(specification), theirs(GAMES[specification])
        rate(mine)
        pairs = [(rate(mine), rate(other)) for _ in range(3)]
        first, second = (statistics.median(rates) for rates in zip(*pairs, strict=True))
        print(f"| `{specification}` | {first:,.0f} | {second:,.0f} | {first / second:.1f} |", flush=True)


if __name__ == "__main__":
    main()
