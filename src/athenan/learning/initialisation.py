"""Pre-initialisation: random terminal states, whose values the network learns before the first match (003, 9.3.1)."""

from collections.abc import Iterator

import numpy as np

from athenan.learning.examples import Batch, Examples
from athenan.learning.replay.encoding import augment, encoded
from athenan.rules.game import Game
from athenan.rules.playouts import random_ends
from athenan.rules.terminal import TerminalValue, value_of_end


def terminal_batches(
    game: Game, terminal: TerminalValue, states: int, size: int, augmented: bool, seed: int
) -> Iterator[Batch]:
    """Minibatches of the final states of uniformly random matches with f_t, `states` in all, always the same ones.

    If `augmented`, each is seen through a random symmetry.
    """
    random = np.random.default_rng([seed, 2])  # [seed, 1] is that of action selection
    for first in range(0, states, size):
        ends = random_ends(game, min(size, states - first), int(random.integers(2**63)))
        values = np.array([value_of_end(game, terminal, end) for end in ends], np.float32)
        symmetries = augment(len(ends), len(game.plane_symmetries), random, "random" if augmented else "none")
        yield encoded(game, Examples(ends, values), symmetries)
