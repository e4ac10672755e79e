"""Pre-initialisation: random terminal states, whose values the network learns before the first match (003, 9.3.1)."""

from collections.abc import Iterator

import numpy as np

from athenan.learning.examples.examples import Batch, Examples
from athenan.learning.replay import ReplayConfig
from athenan.learning.replay.encoding import Symmetries, augment, encoded
from athenan.rules.game import Game
from athenan.rules.playouts import random_ends
from athenan.rules.terminal import TerminalValue, value_of_end


def terminal_batches(
    game: Game, terminal: TerminalValue, states: int, replay: ReplayConfig, seed: int
) -> Iterator[Batch]:
    """Minibatches of the final states of uniformly random matches with f_t, `states` in all, always the same ones.

    They are as large as replay's, and with its augmentation each state is seen through a random symmetry.
    """
    symmetries, mode = Symmetries.of(game, replay.colours), "none" if replay.augmentation == "none" else "random"
    random = np.random.default_rng([seed, 2])  # [seed, 1] is for action selection
    for first in range(0, states, replay.batch_size):
        ends = random_ends(game, min(replay.batch_size, states - first), int(random.integers(2**63)))
        values = np.array([value_of_end(game, terminal, end) for end in ends], np.float32)
        seen = augment(len(ends), symmetries.count(ends), random, mode)
        yield encoded(game, symmetries, Examples(ends, values), seen)
