"""Trainings learn: values near those of perfect play, and matches won by the default recipes."""

from functools import reduce
from pathlib import Path

import numpy as np
import pytest
import torch
from exhaustive_search import exhaustive
from small_trainings import (
    quiet,
    small,
)  # fmt: skip

from athenan.arena.learnt_players import load_player
from athenan.arena.roster import make_player
from athenan.arena.series import play_series
from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.networks import build_network
from athenan.games.catalogue import make
from athenan.learning.recipe import recommended
from athenan.learning.replay import ReplayConfig
from athenan.learning.training import train
from athenan.rules.playouts import random_match
from athenan.runs.checkpoint import load
from athenan.runs.learnt import learnt_network
from athenan.search.budget import Budget


@pytest.mark.parametrize(("name", "share"), [pytest.param("tictactoe", 0.8, marks=pytest.mark.slow), ("hex:3", 0.5)])
def test_values_approach_those_of_perfect_play(name: str, share: float, tmp_path: Path) -> None:
    """In 25 matches; `share` is how much of an untrained network's squared error may be left."""
    game, replay = make(name), ReplayConfig(memory_matches=10, duplication=6, batch_size=32)
    config = small(
        name, matches=25, heuristic="classic", evaluations=100, learning_rate=0.003, l2=0.0001, replay=replay
    )
    train(config, tmp_path / "run", quiet())
    losses = load(tmp_path / "run").document["progress"]["losses"]
    assert np.mean(losses[-5:]) < 0.5 * np.mean(losses[:5])

    solve, random = exhaustive(game), np.random.default_rng(5)
    openings = [actions[: random.integers(1, len(actions))] for actions in (random_match(game, n) for n in range(60))]
    states = {reduce(game.play, actions, game.initial()).tobytes() for actions in openings}
    positions = [np.frombuffer(state, np.int8) for state in sorted(states)]
    perfect = np.array([solve(state) for state in positions])
    planes = np.stack([game.encode(state) for state in positions])
    learnt = learnt_network(tmp_path / "run", "cpu", "float32").evaluate(planes).values
    torch.manual_seed(0)
    untrained = build_network(parse_architecture(config.run.network), game.planes, 1.0, True)
    before = untrained(torch.from_numpy(planes).float().reshape(-1, *game.planes)).detach().numpy()
    assert np.mean((learnt - perfect) ** 2) < share * np.mean((before - perfect) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "minutes", "points"),
    [("hex:5", 1.0, 0.75), ("connect_four:6x5", 3.0, 0.5), ("breakthrough:5x5", 3.0, 0.5), ("othello:6", 3.0, 0.5)],
)
def test_default_recipes_learn(name: str, minutes: float, points: float, tmp_path: Path) -> None:
    """Safe bounds, for slow and busy machines too."""
    train(recommended(name, minutes=minutes), tmp_path / "run", quiet())
    game = make(name)
    player = load_player(tmp_path / "run", game, Budget(evaluations=1000))
    result = play_series(game, [player, make_player("mcts:200", game)], games=60)
    assert result.score >= points, result.summary()
