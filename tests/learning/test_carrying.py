"""Carrying a network to another training, and to boards of other sizes."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from exhaustive_search import exhaustive, late
from small_trainings import Interrupting, assert_same_arrays, assert_same_checkpoint, quiet, small

from athenan.cli.train import run as command
from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.heads import ActionSpace
from athenan.evaluation.heuristics import make_heuristic
from athenan.evaluation.layers import MeanMaxPooling
from athenan.evaluation.networks import Network, build_network
from athenan.games.catalogue import make
from athenan.learning.config import TrainingConfig
from athenan.learning.learner.torch_learner import TorchLearner
from athenan.learning.recipe import recommended
from athenan.learning.trainer import Trainer
from athenan.learning.training import resume, train
from athenan.runs.checkpoint import CHECKPOINT, CheckpointError, RunDirectory, load, load_network, weights_of
from athenan.runs.learnt import learnt_network
from athenan.runs.run import RunSettings
from athenan.search.algorithms.best_first import BestFirstSettings

FCN = "fcn:filters=8,convolutions=2,blocks=1,dense=16"
HEADS = ("values", "policies", "action_values")


def built(game_name: str, network: str = FCN, heads: tuple[str, ...] = HEADS) -> Network:
    game = make(game_name)
    heuristic = make_heuristic("additive_depth", game)
    architecture = parse_architecture(network)
    return build_network(architecture, game.planes, heuristic.scale, heuristic.bounded, heads, ActionSpace.of(game))


@pytest.mark.parametrize("game", ["hex", "hex:{},swap=false", "gomoku", "othello", "go", "havannah", "breakthrough"])
def test_the_weights_do_not_depend_on_the_size(game: str) -> None:
    names = [game.format(size) if "{}" in game else f"{game}:{size}" for size in (6, 8)]
    shapes = [{name: tensor.shape for name, tensor in built(name).state_dict().items()} for name in names]
    assert shapes[0] == shapes[1]


def test_pooling_takes_the_mean_and_the_maximum_of_each_plane() -> None:
    planes = torch.randn(2, 3, 4, 5)
    pooled = MeanMaxPooling()(planes.to(memory_format=torch.channels_last))
    torch.testing.assert_close(pooled[:, :3], planes.mean((2, 3)))
    torch.testing.assert_close(pooled[:, 3:], planes.flatten(2).max(2).values)


def test_values_are_of_the_scale_of_the_size() -> None:
    """The same weights give the same outputs, which each size's scale makes values."""
    small_board, large_board = built("hex:4"), built("hex:6")
    large_board.load_state_dict(small_board.state_dict())
    planes = torch.rand(5, 3, 8, 8)
    assert large_board.scale > small_board.scale
    torch.testing.assert_close(large_board(planes) / large_board.scale, small_board(planes) / small_board.scale)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of Hex 4 x 4, whose network is an average."""
    path = tmp_path_factory.mktemp("initial") / "hex-4"
    train(small("hex:4", network=FCN, averaging=0.9, matches=3), path, quiet())
    return path


def torch_learner(trainer: Trainer) -> TorchLearner:
    """The learner of a training of layers."""
    assert isinstance(trainer.learner, TorchLearner)
    return trainer.learner


def test_both_weights_are_carried_and_the_optimizer_is_new(trained: Path, tmp_path: Path) -> None:
    old = load(trained).tensors
    config = small("hex:6", network=FCN, averaging=0.9, initial=str(trained))
    with RunDirectory(tmp_path / "run") as directory:
        trainer = Trainer(config, make("hex:6"), directory)
    learner = torch_learner(trainer)
    average, weights = (
        {name: tensor.numpy() for name, tensor in network.state_dict().items()}
        for network in (learner.average, learner.network)
    )
    assert_same_arrays(average, weights_of(old, "network."))
    assert_same_arrays(weights, weights_of(old, "learner."))
    assert any((average[name] != weights[name]).any() for name in average)
    assert learner.state_dict() == {}
    game = make("hex:6")
    values = trainer.actors[0].evaluator(game.encode(game.initial())[None]).values
    assert values is not None and np.isfinite(values).all()


def test_without_an_average_the_weights_that_play_are_carried(trained: Path, tmp_path: Path) -> None:
    config = small("hex:4", network=FCN, averaging=0.0, initial=str(trained))
    with RunDirectory(tmp_path / "run") as directory:
        trainer = Trainer(config, make("hex:4"), directory)
    weights = {name: tensor.numpy() for name, tensor in torch_learner(trainer).network.state_dict().items()}
    assert_same_arrays(weights, load_network(trained).tensors)


def test_the_average_of_a_carried_network_moves_slowly(trained: Path, tmp_path: Path) -> None:
    """The first step moves that of a new network nearly to the weights, and that of a carried one by 1 - decay."""
    config = small("hex:4", network=FCN, averaging=0.999, initial=str(trained), matches=1)
    train(config, tmp_path / "carried", quiet())
    old, new = (weights_of(load(path).tensors, "network.") for path in (trained, tmp_path / "carried"))
    moved = max(float(np.abs(new[name] - old[name]).max()) for name in old)
    weights = weights_of(load(tmp_path / "carried").tensors, "learner.")
    assert 0 < moved < 0.1 * max(float(np.abs(weights[name] - old[name]).max()) for name in old)


def test_a_resumed_run_does_not_need_the_first_one(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "old")
    config = small("hex:3", network=FCN, averaging=0.9, initial=str(tmp_path / "old"), matches=5)
    train(config, tmp_path / "whole", quiet())
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "parts", Interrupting(matches=2))
    shutil.rmtree(tmp_path / "old")
    resume(tmp_path / "parts", display=quiet())
    assert_same_checkpoint(tmp_path / "whole", tmp_path / "parts")
    assert load(tmp_path / "parts").document["configuration"]["run"]["initial"] == str(tmp_path / "old")
    assert learnt_network(tmp_path / "parts").game.name == "hex:3"


def test_the_recipe_takes_network_and_heuristic_of_the_run(tmp_path: Path) -> None:
    saved(tmp_path, RunSettings("hex:4", network=FCN, heuristic="multiplicative_depth"), built("hex:4"))
    run = recommended("hex:7", minutes=1, initial=str(tmp_path)).run
    assert (run.game, run.network, run.heuristic, run.initial) == (
        "hex:7", FCN, "multiplicative_depth", str(tmp_path),
    )  # fmt: skip
    assert recommended("hex:7", minutes=1).run.initial is None


def test_a_run_of_another_family_is_named_before_its_heuristic(tmp_path: Path) -> None:
    saved(tmp_path, RunSettings("othello:4", network=FCN, heuristic="score"), built("othello:4"))
    with pytest.raises(CheckpointError, match=r"cannot begin with .*: that is a run of othello:4; give one of hex"):
        recommended("hex:4", minutes=1, initial=str(tmp_path))


def test_the_recipe_evaluates_as_the_run_did(trained: Path, tmp_path: Path) -> None:
    """Also where the board is large enough for action values, which a network must have learnt."""
    search = recommended("hex:11", minutes=1, initial=str(trained)).search
    assert isinstance(search, BestFirstSettings) and search.evaluate == "children"
    train(small("hex:4", network=FCN, evaluate="action_values", matches=1), tmp_path / "values", quiet())
    config = recommended("hex:5", timed=False, initial=str(tmp_path / "values")).changed(action={"iterations": 1})
    assert isinstance(config.search, BestFirstSettings) and config.search.evaluate == "action_values"
    with RunDirectory(tmp_path / "run") as directory:
        assert "action_values" in torch_learner(Trainer(config, make("hex:5"), directory)).network.heads


def saved(path: Path, run: RunSettings, network: Network) -> None:
    """Saves a network as if a run had learnt it."""
    tensors = {f"network.{name}": tensor.numpy() for name, tensor in network.state_dict().items()}
    with RunDirectory(path) as directory:
        directory.save(tensors, {"configuration": TrainingConfig(run=run).as_json()}, {})


C = "c:filters=8,dense=16"
VALUES = ("values",)
REFUSED = [
    ("hex:4", C, VALUES, "hex:6", C, "the weights of its network c:filters=8,dense=16 depend on the board's size; "
     "give a run of hex:6, or one of another size with the network fcn"),
    ("hex:5", C, VALUES, "hex:7", C, "the weights of its network c:filters=8,dense=16 depend on the board's size"),
    ("hex:4", C, VALUES, "hex:4", FCN, f"its network is {C}, not {FCN}; train with --network {C}"),
    ("othello:6", FCN, VALUES, "hex:4", FCN, "that is a run of othello:6; give one of hex"),
    ("ataxx:4", FCN, VALUES, "ataxx:4,blocked=b2", FCN, "states of ataxx:4 have 4 planes, not 5; "
     "give a run of ataxx:4,blocked=b2"),
    ("breakthrough:4x4", FCN, HEADS, "breakthrough:4x5", C, "its network is fcn"),
    ("hex:4", FCN, HEADS, "hex:6", FCN, "its network has the heads values and action values and policies, not values"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "old_network", "heads", "new", "network", "message"), REFUSED)
def test_what_does_not_fit_is_refused(
    old: str, old_network: str, heads: tuple[str, ...], new: str, network: str, message: str, tmp_path: Path
) -> None:
    saved(tmp_path / "old", RunSettings(old, network=old_network), built(old, old_network, heads))
    config = small(new, network=network, initial=str(tmp_path / "old"), matches=1)
    with pytest.raises(CheckpointError) as raised:
        train(config, tmp_path / "new", quiet())
    assert f"a training of {new} cannot begin with {tmp_path / 'old'}: {message}" in str(raised.value)
    assert not (tmp_path / "new").exists()


def test_a_run_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"there is no file .*none"):
        train(small("hex:3", initial=str(tmp_path / "none"), matches=1), tmp_path / "new", quiet())


@pytest.mark.slow
def test_a_carried_network_knows_more_than_a_random_one(tmp_path: Path) -> None:
    """The signs of its values of late positions of a larger board, which are solved exactly; one seed, 5 networks."""
    network = "fcn:filters=16,convolutions=3,dense=32"
    train(small("hex:4,swap=false", network=network, evaluations=200, matches=100), tmp_path / "4", quiet())
    game = make("hex:5,swap=false")
    value = exhaustive(game)
    positions = [state for seed in range(400) if len(game.actions(state := late(game, seed, left=4))) <= 8]
    assert len(positions) >= 100
    gains = np.array([value(state) for state in positions])
    planes = np.stack([game.encode(state) for state in positions])

    def right(network: Network) -> float:
        with torch.no_grad():
            values = network(torch.from_numpy(planes).float()).numpy()
        return float((np.sign(values) == gains).mean())

    carried, random = built(game.name, network, VALUES), []
    weights = load_network(tmp_path / "4").tensors
    carried.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    for seed in range(5):
        torch.manual_seed(seed)
        random.append(right(built(game.name, network, VALUES)))
    assert right(carried) > max(random) + 0.1, (right(carried), random)


def test_the_command_reads_the_weights_once(trained: Path, tmp_path: Path, files_read: list[Path]) -> None:
    options = [
        "--action.evaluations",
        "40",
        "--strength.seconds",
        "0",
        "--matches",
        "1",
        "--run",
        str(tmp_path / "new"),
    ]
    command(["hex:5", "--from", str(trained), *options])
    assert files_read.count(trained / CHECKPOINT) == 1
    run = load(tmp_path / "new").document["configuration"]["run"]
    assert (run["game"], run["network"], run["initial"]) == ("hex:5", FCN, str(trained))
