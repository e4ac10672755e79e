"""Self-play by a search without a network, and what must hold of its matches."""

from collections import Counter

import numpy as np
from evaluators import hash_values

from athenan.learning.examples.examples import Examples
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.rules.game import Game
from athenan.rules.leaves import Leaves
from athenan.search.algorithms.best_first import Descent
from athenan.search.walking.walk_search import Search


def never() -> bool:
    return False


def evaluate(planes: np.ndarray) -> Leaves:
    return Leaves(hash_values(planes))


def random_choice(seed: int):
    random = np.random.default_rng(seed)
    return lambda root, played: int(random.integers(len(root.actions)))


def descent(game: Game, slots: int = 1, memory: int = 1 << 22, seed: int = 0) -> Search:
    return Search(game, evaluate, settings=Descent(), slots=slots, memory=memory, seed=seed)


def assert_whole(game: Game, match: FinishedMatch) -> None:
    """Its actions are legal and lead to its outcome; all states that it went through were learnt."""
    state, path = game.initial(), []
    for action in match.actions:
        assert game.outcome(state) is None
        path.append(state.tobytes())
        state = game.play(state, action)
    assert game.outcome(state) == match.outcome
    path.append(state.tobytes())
    assert set(path) <= {learnt.tobytes() for learnt in match.examples.states}
    assert match.examples.states.dtype == np.int8
    assert match.examples.values.dtype == np.float32
    assert len(match.examples.states) == len(match.examples.values)


def as_counter(data: Examples) -> Counter[tuple[bytes, float]]:
    return Counter((state.tobytes(), float(value)) for state, value in zip(data.states, data.values, strict=True))
