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
def runs(tmp_path_factory):
    """A run with a network on PyTorch, and one whose network compiled code evaluates."""
    folder = tmp_path_factory.mktemp("runs")
    configs = {name: small(matches=1).changed(run={"network": name}) for name in ("c:filters=1,dense=1", "patterns")}
    return [str(train(config, folder / f"run{number}", quiet())) for number, config in enumerate(configs.values())]


def test_players_on_pytorch_may_take_a_gpu(runs):
    game, (layers, native) = make("hex:3"), runs
    found = {name: takes_gpu(name, game) for name in (layers, layers + CUDA, f"{layers},device=cpu", native, "mcts:10")}
    assert list(found.values()) == [True, True, False, False, False]
    assert not takes_gpu("athenan", make("connect_four"))
    with pytest.raises(PlayerError, match="there is no option 'devise'"):
        takes_gpu(f"{layers},devise=cpu", game)


def test_workers_that_play_ask_for_gpus_only_on_ray_and_for_such_players(runs, monkeypatch):
    asked = []
    monkeypatch.setattr("athenan.cli.playing.jobs.run", lambda *_, gpu: asked.append(gpu))
    layers, native = runs
    for ray, players in (("auto", (native, layers)), ("auto", (native, "random")), (None, (native, layers))):
        Playing(ray=ray).spread(make("hex:3"), players)([])
    assert asked == [True, False, False]
