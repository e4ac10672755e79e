"""Networks kept at intervals of a training, and players with them."""

import numpy as np
import pytest
from clocks import count_time
from small_trainings import quiet, small

from athenan.arena.roster import make_player
from athenan.games.catalogue import make
from athenan.learning.observers.keeping import Keeping
from athenan.learning.progress import Progress
from athenan.learning.training import resume, train
from athenan.play.match import play_match
from athenan.play.player import PlayerError
from athenan.runs.checkpoint import Checkpoint, CheckpointError, RunDirectory, kept, load, load_network, load_progress
from athenan.search.budget import Budget


def checkpoint(seconds, weight):
    document = {"configuration": {}, "heuristic": None, "progress": {"seconds": seconds}}
    tensors = {"network.bias": np.full(2, weight, np.float32), "optimizer.bias": np.zeros(2, np.float32)}
    return Checkpoint(tensors, document, {})


def after(seconds):
    return Progress(game="hex:7", directory="", seconds=seconds)


def test_keeps_the_last_network_before_each_time(tmp_path):
    with RunDirectory(tmp_path / "run") as run:
        keeping = Keeping(1.0)
        keeping.begin(run, checkpoint(0, 0))
        for seconds in (50, 70, 100, 250):
            keeping.checkpoint(checkpoint(seconds, seconds), after(seconds))
        keeping.end(after(301))
        again = Keeping(1.0)
        again.begin(run, checkpoint(301, 301))  # as a resumed training does
        again.end(after(361))
        (tmp_path / "run" / "networks" / "1.safetensors").unlink()
        third = Keeping(1.0)
        third.begin(run, checkpoint(370, 370))
        third.end(after(400))  # the others stay what they are
        run.save(checkpoint(361, 0).tensors, {"configuration": {}}, {})
    found = {minutes: float(load_network(file).tensors["bias"][0]) for minutes, file in kept(tmp_path / "run").items()}
    assert found == {2.0: 100, 3.0: 100, 4.0: 100, 5.0: 250, 6.0: 301}
    assert load_progress(f"{tmp_path}/run@2")["seconds"] == 100
    with pytest.raises(CheckpointError, match="no network of 7 minutes: it kept networks after 2, 3, 4, 5, 6"):
        load_network(f"{tmp_path}/run@7")


def test_a_training_keeps_networks_that_play(tmp_path, monkeypatch):
    count_time(monkeypatch, 0.01)
    path = train(small("tictactoe", minutes=0.03, keep=0.01, clock="processor"), tmp_path / "x", quiet())
    assert list(kept(path)) == [0.01, 0.02, 0.03]
    game = make("tictactoe")
    last, run = make_player(f"{path}@0.030,search=alphabeta:depth=1", game), make_player(f"{path}", game)
    assert play_match(game, (last, run), limit=Budget(iterations=1)).players == (last.name, run.name)
    np.testing.assert_array_equal(weights(f"{path}@0.03"), weights(path))
    progress = load(path).document["progress"]
    assert progress["processor_seconds"] > 0 and progress["wall_seconds"] > 0 and progress["examples"] > 0
    resume(path, minutes=0.05, display=quiet())
    assert list(kept(path)) == [0.01, 0.02, 0.03, 0.04, 0.05]
    with pytest.raises(PlayerError, match="there is no player"):
        make_player(f"{tmp_path}/y@0.01", game)


def test_the_time_of_a_run_may_be_processor_time(tmp_path):
    path = train(small("tictactoe", matches=1, clock="processor"), tmp_path / "x", quiet())
    progress = load(path).document["progress"]
    assert progress["processor_seconds"] == pytest.approx(progress["seconds"], abs=0.2)


def test_a_training_that_seldom_saves_keeps_new_networks(tmp_path, monkeypatch):
    """They are of the moment that their names say, not of the last checkpoint in an interval of `saving`."""
    count_time(monkeypatch, 0.01)
    config = small("tictactoe", minutes=0.04, keep=0.01, clock="processor", saving=3600.0)
    path = train(config, tmp_path / "x", quiet())
    found = {minutes: load_progress(f"{path}@{minutes}")["seconds"] for minutes in kept(path)}
    assert list(found) == [0.01, 0.02, 0.03, 0.04]
    assert all(0 < seconds <= 60 * minutes for minutes, seconds in found.items())
    seconds = list(found.values())
    assert seconds == sorted(set(seconds))


def weights(path):
    return np.concatenate([array.ravel() for _, array in sorted(load_network(path).tensors.items())])
