"""Short trainings learn to play better moves, which a solver judges: `pytest -m slow tests/learning/test_learns.py`.

The network chooses by one iteration: of the children's values, and of wins and losses in one move; a policy chooses
its most probable action, without a search. A move is good if it keeps the gain under perfect play, which is proven for
each position and each of its moves. Trainings are limited by
evaluations, so that they are the same at any speed of the machine, but for the order in which it adds numbers.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from small_trainings import changed, quiet

from athenan import Budget, Game, Search, make
from athenan.learning.config import TrainingConfig
from athenan.learning.recipe import recommended
from athenan.learning.training import train
from athenan.rules.game import State
from athenan.rules.playouts import random_match
from athenan.runs.learnt import learnt_network
from athenan.search.algorithms.bandits import Puct
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.trees.node import Node

pytestmark = pytest.mark.slow
GAME = "connect_four:5x4"
PLAYED = 8
"""Actions before a position: enough for proofs in milliseconds, few enough that most wins are far."""
POSITIONS = 200
BETTER = 0.06
"""How much larger the share of good moves must be than that of a network that has learnt nothing."""

Position = tuple[State, list[bool]]
Share = Callable[[Path, list[Position]], float]


def gain(solver: Search, state: State) -> int | None:
    """The gain under perfect play; None if it is not proven."""
    if solver.game.outcome(state) is not None:
        return solver.game.outcome(state)
    solver.reset(state)
    solver.run(Budget(seconds=60))
    return solver.root().proven


def random_positions(game: Game) -> Iterator[State]:
    """Positions of random matches, of which each has some actions behind it."""
    random = np.random.default_rng(0)
    while True:
        actions = random_match(game, int(random.integers(1 << 30)))
        played = int(random.integers(PLAYED, game.max_length))
        if played < len(actions):
            yield game.replay(actions[:played])


@pytest.fixture(scope="module")
def positions() -> list[Position]:
    """Positions in which moves differ in their gain, and which of them are good."""
    game, found = make(GAME), list[Position]()
    solver = Search(game, memory=1 << 26)
    for state in random_positions(game):
        gains: list[Any] = [gain(solver, game.play(state, int(action))) for action in game.actions(state)]
        assert None not in gains
        if len(set(gains)) > 1:
            best = (max, min)[game.player(state)](gains)
            found.append((state, [one == best for one in gains]))
        if len(found) == POSITIONS:
            return found
    raise AssertionError


def config(algorithm: str, **changes: object) -> TrainingConfig:
    """A few hundred matches with a small network, whose last weights play; more where only their states are learnt."""
    matches = 2000 if algorithm in ("alphazero", "gumbel", "exit") else 200
    recipe = recommended(GAME, matches=matches, timed=False, algorithm=algorithm, torch=True)
    settings = {
        **({} if recipe.action.iterations else {"evaluations": 60}),
        "network": "c:filters=16,dense=32", "precision": "float32", "learning_precision": "float32",
        "device": "cpu", "threads": 1, "overlap": False, "memory": 64, "averaging": 0.0, "learning_rate": 0.003,
        "strength": {"seconds": 0}, **changes,
    }  # fmt: skip
    return changed(recipe, **settings)


def by_values(run: Path, positions: list[Position]) -> float:
    """The share of good moves among those that the values of a run's network choose."""
    learnt, random = learnt_network(run, "cpu", "float32"), np.random.default_rng(0)
    search = Search(learnt.game, learnt.evaluate, learnt.heuristic, Ubfm(play="best"), memory=1 << 24)
    return _share(search, positions, lambda root: search.choose(root, random))


def by_policy(run: Path, positions: list[Position]) -> float:
    """The share of good moves among the most probable ones by the policy of a run's network."""
    learnt = learnt_network(run, "cpu", "float32", heads=("values", "policies"))
    search = Search(learnt.game, learnt.evaluate, learnt.heuristic, Puct(), memory=1 << 24)
    return _share(search, positions, lambda root: int(root.priors.argmax()))


def _share(search: Search, positions: list[Position], choose: Callable[[Node], int]) -> float:
    good = 0
    for state, moves in positions:
        search.reset(state)
        search.run(Budget(iterations=1))
        good += moves[choose(search.root())]
    return good / len(positions)


@pytest.fixture
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize(
    ("algorithm", "share", "better"),
    [
        ("descent", by_values, BETTER), ("ubfm", by_values, BETTER), ("alphabeta", by_values, BETTER),
        ("uct", by_values, BETTER), ("alphazero", by_policy, BETTER), ("gumbel", by_policy, BETTER),
        ("exit", by_policy, BETTER),
    ],
)  # fmt: skip
def test_learns(algorithm: str, share: Share, better: float, positions: list[Position], tmp_path: Path) -> None:
    untrained = train(config(algorithm, matches=1, learning_rate=1e-12), tmp_path / "untrained", quiet())
    trained = train(config(algorithm), tmp_path / "trained", quiet())
    assert share(trained, positions) >= share(untrained, positions) + better
