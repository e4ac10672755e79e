"""Random play beside OpenSpiel, stepped from Python as its users do: `pip install open_spiel`, then run this file.

Prints, for each game that both have, steps a second of both on one core (medians of three) and their ratio. OpenSpiel's
Amazons plays three actions a turn, ours two; its Go ends a match when an earlier board comes back; its backgammon
moves two checkers an action, ours one, and a roll is an action of both.
"""

import random
import statistics
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


def ours(specification: str) -> int:
    """Plays STEPS random actions; returns their number."""
    game = make(specification)
    random_play(game, streams(1, 1), STEPS)
    return STEPS


def theirs(name: str) -> int:
    """Plays random matches for SECONDS; returns the number of actions."""
    game, steps, end = pyspiel.load_game(name), 0, time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))  # all dice here are fair
            steps += 1
    return steps


def rate(play: Callable[[str], int], game: str) -> float:
    """Steps a second; the median of three, after one to warm up."""
    play(game)
    rates = []
    for _ in range(3):
        began = time.perf_counter()
        rates.append(play(game) / (time.perf_counter() - began))
    return statistics.median(rates)


def main() -> None:
    """Prints the table."""
    print("| game | athenan | OpenSpiel from Python | ratio |\n| --- | --- | --- | --- |")
    for specification, name in GAMES.items():
        mine, other = rate(ours, specification), rate(theirs, name)
        print(f"| `{specification}` | {mine:,.0f} | {other:,.0f} | {mine / other:.1f} |", flush=True)


if __name__ == "__main__":
    main()
