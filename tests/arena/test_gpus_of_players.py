"""Workers of a Ray cluster that play ask for GPUs if a player may take one; nothing here needs a GPU or Ray."""

import pytest
from small_trainings import quiet, small

from athenan import make
from athenan.arena.learnt_players import takes_gpu
from athenan.cli.playing import Playing
from athenan.learning.training import train
from athenan.play.player import PlayerError

CUDA = ",device=cuda"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run with a network on PyTorch."""
    config = small(matches=1, network="c:filters=1,dense=1")
    return str(train(config, tmp_path_factory.mktemp("runs") / "run", quiet()))


def test_players_on_pytorch_may_take_a_gpu(run):
    game = make("hex:7")
    found = {name: takes_gpu(name, game) for name in (run, run + CUDA, f"{run},device=cpu", "athenan", "mcts:10")}
    assert list(found.values()) == [True, True, False, False, False]
    with pytest.raises(PlayerError, match="there is no option 'devise'"):
        takes_gpu(f"{run},devise=cpu", game)


def test_workers_that_play_ask_for_gpus_only_on_ray_and_for_such_players(run, monkeypatch):
    asked = []
    monkeypatch.setattr("athenan.cli.playing.jobs.run", lambda *_, gpu: asked.append(gpu))
    for ray, players in (("auto", ("athenan", run)), ("auto", ("athenan", "random")), (None, ("athenan", run))):
        Playing(ray=ray).spread(make("hex:7"), players)([])
    assert asked == [True, False, False]
