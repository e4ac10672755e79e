"""Positions of backgammon after a roll, for tests."""

import runpy
from pathlib import Path

from athenan import Game, make
from athenan.games.backgammon import positions
from athenan.games.backgammon.positions import Position
from athenan.rules import State

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "backgammon_plays.py"))


GAME = make("backgammon")


def after(position: Position, dice: tuple[int, int], player: int = 0, game: Game = GAME) -> State:
    return positions.roll(game, positions.before_roll(game, position, player), dice)
