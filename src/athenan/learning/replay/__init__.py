"""Experience replay: learning data of the last matches again after each match.

>>> import numpy as np
>>> from athenan import make
>>> from athenan.learning.examples.examples import Examples
>>> game = make("hex:3")
>>> replay = make_replay(game, ReplayConfig(memory_matches=2, duplication=1, batch_size=4), seed=1)
>>> states = np.stack([game.initial(), game.after("b2")])
>>> replay.add(Examples(states, np.array([0.5, 1.0], np.float32)))
>>> [(batch.planes.shape, batch.values.shape) for batch in replay.batches()]
[((2, 75), (2,))]
"""

from athenan.learning.replay.memory import Replay
from athenan.learning.replay.methods import make_replay
from athenan.learning.replay.settings import ReplayConfig

__all__ = ["Replay", "ReplayConfig", "make_replay"]
