"""The example of PPO learns, is kept, measured and brought back as a player."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from athenan import Budget, make, make_player, play_match
from athenan.arena.roster import PLAYERS

FILE = Path(__file__).parent.parent.parent / "examples" / "ppo_connect_four.py"


@pytest.fixture
def example(monkeypatch):
    spec = importlib.util.spec_from_file_location("ppo_connect_four", FILE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "ppo_connect_four", module)
    spec.loader.exec_module(module)
    for name, value in {"ROWS": 32, "STEPS": 24, "EPOCHS": 2}.items():
        monkeypatch.setattr(module, name, value)
    return module


def test_advantages_are_those_of_slow_sums(example, monkeypatch):
    monkeypatch.setattr(example, "MIRROR", 0.0)
    batch, agent = example.StateBatch(example.GAME, 32), example.Agent()
    batch.reset(seed=3)
    seen = {name: one.reshape(24, 32, *one.shape[1:]) for name, one in example.collect(agent, batch).items()}
    values, advantages = seen["values"].numpy(), seen["advantages"].numpy()
    again = example.StateBatch(example.GAME, 32)
    again.reset(seed=3)
    rewards, ends = np.zeros((24, 32)), np.zeros((24, 32), bool)
    for step in range(24):
        movers = again.players.copy()
        again.step(seen["actions"][step].numpy())
        rewards[step], ends[step] = again.rewards[np.arange(32), movers], again.ends
    checked = 0
    for row in range(32):
        for step in range(24):
            over = [one for one in range(step, 24) if ends[one, row]]
            if over:  # sides alternate: the errors of each later step count with alternating signs
                expected = 0.0
                for one in range(step, over[0] + 1):
                    following = 0.0 if one == over[0] else -values[one + 1, row]
                    error = rewards[one, row] + following - values[one, row]
                    expected += (-example.TRACE) ** (one - step) * error
                assert advantages[step, row] == pytest.approx(expected, abs=1e-4)
                checked += 1
    assert checked > 100


def test_it_trains_and_comes_back_as_a_player(example, tmp_path, monkeypatch):
    monkeypatch.setattr(example, "GAME", make("connect_four"))
    clock = iter(range(0, 10**6, 30))
    monkeypatch.setattr(example.time, "process_time", lambda: next(clock))  # each look at the clock takes half a minute
    example.train(tmp_path, minutes=2, seed=1, threads=1)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["1.safetensors", "2.safetensors"]
    agent = example.loaded(tmp_path / "2.safetensors")
    assert 0 <= example.measure(agent, "random", matches=8) <= 1
    monkeypatch.setitem(PLAYERS, "ppo", example.PpoPlayer)
    game = make("connect_four")
    players = make_player(f"ppo:{tmp_path / '2.safetensors'}", game), make_player("random", game)
    assert len(play_match(game, players, seed=1, limit=Budget(iterations=1)).actions) > 6
