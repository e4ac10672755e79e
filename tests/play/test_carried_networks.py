"""Networks that play their game with other options, to which they carry over."""

from pathlib import Path

import numpy as np
import pytest
import torch
from small_trainings import small

from athenan import Budget, load_player, make, make_player, play_match
from athenan.cli import main
from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.heads import ActionSpace
from athenan.evaluation.heuristics import make_heuristic
from athenan.evaluation.networks import Network, build_network
from athenan.learning.config import TrainingConfig
from athenan.learning.learner.torch_learner import TorchLearner
from athenan.learning.trainer import Trainer
from athenan.play.player import PlayerError
from athenan.runs.checkpoint import CheckpointError, RunDirectory
from athenan.runs.learnt import learnt_network
from athenan.runs.run import RunSettings
from athenan.search.algorithms.bandits import Puct
from athenan.web.choices import Choices

HEADS = ("values", "policies", "action_values")
NETWORKS = ["c:filters=8,dense=16", "c:filters=8,dense=16,padded=true"]
"""The second keeps the board's size, so that only `swap` has a dense neuron."""


def saved(
    path: Path, game_name: str, network: str = NETWORKS[0], heuristic_name: str = "classic",
    heads: tuple[str, ...] = HEADS,
) -> Network:  # fmt: skip
    """Saves a random network as if a run had learnt it."""
    game = make(game_name)
    heuristic = make_heuristic(heuristic_name, game)
    torch.manual_seed(3)
    made = build_network(
        parse_architecture(network), game.planes, heuristic.scale, heuristic.bounded, heads, ActionSpace.of(game)
    )
    tensors = {f"network.{name}": tensor.numpy() for name, tensor in made.state_dict().items()}
    run = RunSettings(game.name, network=network, heuristic=heuristic_name)
    with RunDirectory(path) as directory:
        document = {"configuration": TrainingConfig(run=run).as_json(), "heuristic": heuristic.as_json()}
        directory.save(tensors, document, {})
    return made


@pytest.mark.parametrize("network", NETWORKS)
def test_a_network_without_the_swap_answers_as_with_it(network: str, tmp_path: Path) -> None:
    evaluate = Evaluator(saved(tmp_path / "run", "hex:4", network), "cpu", "float32", heads=HEADS)
    plain = make("hex:4,swap=false")
    learnt = learnt_network(tmp_path / "run", "cpu", "float32", heads=HEADS, game=plain)
    assert learnt.game.name == plain.name
    planes = np.stack([plain.encode(plain.after(moves)) for moves in ("", "b2", "a1 c3")])
    with_swap, without = evaluate.answers(planes), learnt.evaluate.answers(planes)  # type: ignore[attr-defined]
    np.testing.assert_allclose(without["values"], with_swap["values"], rtol=1e-5, atol=1e-6)
    for head in ("policies", "action_values"):
        assert without[head].shape == (3, 16) and with_swap[head].shape == (3, 17)
        np.testing.assert_allclose(without[head], with_swap[head][:, :16], rtol=1e-5, atol=1e-6)


def test_a_game_with_more_actions_is_played_by_values_alone(tmp_path: Path) -> None:
    saved(tmp_path / "run", "hex:4,swap=false")
    game = make("hex:4")
    player = load_player(tmp_path / "run", game, Budget(evaluations=40))
    play_match(game, (player, make_player("random", game)), seed=1)
    with pytest.raises(CheckpointError, match=r"run has no policies for hex:4, which this search needs"):
        load_player(tmp_path / "run", game, search=Puct())


def test_a_player_says_once_that_its_network_has_learnt_other_options(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    saved(tmp_path / "run", "hex:4")
    for name in ("hex:4", "hex:4,swap=false", "hex:4,swap=false"):
        game = make(name)
        play_match(game, (make_player(f"{tmp_path}/run,evaluations=30", game), make_player("random", game)), seed=1)
    line = f"{tmp_path}/run has learnt hex:4: its network plays hex:4,swap=false"
    assert [record.getMessage() for record in caplog.records] == [line]
    with pytest.raises(PlayerError, match="has learnt hex:4, not hex:5"):
        load_player(tmp_path / "run", make("hex:5"))
    with pytest.raises(CheckpointError, match="it has learnt hex:4, not havannah:4"):
        learnt_network(tmp_path / "run", game=make("havannah:4"))


def test_scores_are_in_the_units_of_the_game_that_is_played(tmp_path: Path) -> None:
    """Half points of komi make the rules count half points, and the network has learnt shares of the largest score."""
    saved(tmp_path / "run", "go:3,komi=2", heuristic_name="score")
    of_points, of_halves = (
        learnt_network(tmp_path / "run", "cpu", "float32", game=make(name)) for name in ("go:3,komi=2", "go:3,komi=2.5")
    )
    planes = of_points.game.encode(of_points.game.initial())[None]
    values = [float(learnt.evaluate(planes).values[0]) for learnt in (of_points, of_halves)]
    assert values[1] / values[0] == pytest.approx(23 / 11, rel=1e-4)  # of 2 (9 + 2.5) half points and 9 + 2 points


def test_a_training_begins_with_a_network_of_other_options(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    network = NETWORKS[1]
    config = small("hex:4,swap=false", network=network, evaluate="action_values", initial=str(tmp_path / "old"))
    assert "action_values" in config.heads
    old = saved(tmp_path / "old", "hex:4", network, config.run.heuristic, config.heads).state_dict()
    with RunDirectory(tmp_path / "new") as directory:
        trainer = Trainer(config, make("hex:4,swap=false"), directory)
    assert isinstance(trainer.learner, TorchLearner)
    new = trainer.learner.average.state_dict()
    assert len(new) < len(old)
    assert all(torch.equal(tensor, old[name]) for name, tensor in new.items())
    line = f"{tmp_path}/old has learnt hex:4: with its network begins a training of hex:4,swap=false"
    assert line in caplog.text


def test_commands_take_a_run_of_other_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved(tmp_path / "run", "hex:4")
    run = f"{tmp_path}/run"
    assert main(["match", "hex:4,swap=false", run, "random", "--games", "2", "--evaluations", "30"]) == 0
    assert "in hex:4,swap=false" in capsys.readouterr().out
    analysed = ["analyze", "hex:4,swap=false", "--network", run, "--evaluations", "50"]
    assert main(analysed) == 0
    assert "an estimate" in capsys.readouterr().out
    assert main(["analyze", "hex:5", "--network", run]) == 2
    assert "it has learnt hex:4, not hex:5" in capsys.readouterr().err
    assert main(["analyze", run, "--network", run]) == 2
    assert "--network goes with a game" in capsys.readouterr().err


def test_a_page_offers_runs_of_other_options(tmp_path: Path) -> None:
    for name, learnt in (("swap", "hex:4"), ("plain", "hex:4,swap=false"), ("larger", "hex:5")):
        saved(tmp_path / name, learnt)
    choices = Choices("hex:4,swap=false", folder=tmp_path)
    game = make("hex:4,swap=false")
    assert set(choices.networks_of(game)) == {"run:swap", "run:plain"}
    networks = choices.networks_of(game)
    assert choices.carried_to(game, networks) == {"run:swap": "Hex 4"}
    assert choices.make_session("run:swap", game).think(Budget(evaluations=30)).actions
