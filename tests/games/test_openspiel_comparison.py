"""The comparison with OpenSpiel's AlphaZero (benchmarks/openspiel_alphazero.py), without a network."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from athenan import Budget, make
from athenan.arena.series import play_series
from athenan.play.player import PlayerError, RandomPlayer

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "openspiel_alphazero.py"
STAND_IN = """
import json, sys
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if len(request["actions"]) > 4:
        sys.exit(3)
    print(json.dumps({"action": len(request["actions"]), "value": 0.5, "simulations": request["simulations"]}),
          flush=True)
"""
"""Answers the number of actions before, and ends at the sixth."""


@pytest.fixture
def comparison(monkeypatch):
    spec = spec_from_file_location("openspiel_alphazero", SCRIPT)
    assert spec and spec.loader
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def stand_in(comparison, monkeypatch, tmp_path):
    """Replaces OpenSpiel's process by a script."""

    def replace(text):
        monkeypatch.setattr(comparison, "WORKER", tmp_path / "worker.py")
        comparison.WORKER.write_text(text)
        return comparison

    return replace


def test_the_player_asks_its_process(stand_in):
    comparison, game = stand_in(STAND_IN), make("connect_four")
    player = comparison.OpenSpielPlayer("theirs", comparison.Worker(game, None))
    player.new_match(game, 1)
    state = game.initial()
    for number in range(5):
        move = player.select(state, Budget(iterations=7))
        assert (move.action, move.value) == (number, 0.5)
        state = game.play(state, move.action)
        player.observe(move.action, state)
    assert player.simulations == [7] * 5
    with pytest.raises(PlayerError, match="not by evaluations"):
        player.select(state, Budget(evaluations=7))
    for _ in range(2):  # as its process ends, and after it
        with pytest.raises(comparison.WorkerError, match="ended with status 3"):
            player.select(state, Budget(iterations=7))
    player.close()


def test_what_cannot_be_compared_is_said(stand_in):
    comparison = stand_in("""print('{"error": "pip install jax"}')""")
    with pytest.raises(comparison.WorkerError, match="pip install jax"):
        comparison.Worker(make("connect_four"), None)
    for name in ("hex:5", "tictactoe", "connect_four:5x4"):
        with pytest.raises(ValueError, match="is not compared with OpenSpiel; games are connect_four"):
            comparison.openspiel_name(make(name))


@pytest.fixture
def worker(comparison):
    """Starts processes of OpenSpiel with random rollouts, and ends them."""
    pytest.importorskip("pyspiel")
    started = []

    def start(game):
        started.append(comparison.Worker(game, None))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.mark.parametrize("name", ["connect_four", "hex:4,swap=false"])
def test_openspiel_plays_the_same_game(comparison, worker, name):
    game = make(name)
    own = worker(game)
    comparison.check_rules(game, own, 20)
    player = comparison.OpenSpielPlayer("theirs", own)
    series = play_series(game, [player, RandomPlayer()], 4, Budget(iterations=100), seed=1)
    assert series.score == 1
    assert max(player.simulations) == 100
    player.new_match(game, 1)
    player.select(game.initial(), Budget(seconds=0.05))
    assert player.simulations[-1] > 1


def test_other_rules_are_found(comparison, worker, monkeypatch):
    monkeypatch.setitem(comparison.GAMES, "hex:4,swap=false", "hex(board_size=5)")
    game = make("hex:4,swap=false")
    with pytest.raises(ValueError, match=r"after \[\] actions and player are"):
        comparison.check_rules(game, worker(game))
