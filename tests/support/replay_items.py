"""Matches whose items can be told by their values."""

import random

import numpy as np

from athenan import make
from athenan.learning.examples.examples import Examples
from athenan.learning.replay import Replay
from athenan.rules.game import Game

GAME = make("hex:3")


def add(replay: Replay, length: int) -> None:
    """Adds a match of which every item can be told by its value: match number * 1000 + item."""
    states = np.tile(replay.game.initial(), (length, 1))
    replay.add(Examples(states, (replay.next_number * 1000 + np.arange(length)).astype(np.float32)))


def random_states(game: Game, count: int) -> np.ndarray:
    chance, states, state = random.Random(1), [], game.initial()
    for _ in range(count):
        states.append(state)
        state = game.initial() if game.outcome(state) is not None else state
        state = game.play(state, chance.choice(game.actions(state).tolist()))
    return np.stack(states)
