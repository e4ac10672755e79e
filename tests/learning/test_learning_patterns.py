"""Trainings of pattern networks: exact resumption, saving at intervals, carrying, what is refused."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pattern_phases import phase_of
from sizes import size
from small_trainings import Interrupting, assert_same_checkpoint, changed, quiet, small

from athenan import Budget, Game, export_network, learnt_network, make, make_search
from athenan.cli import main
from athenan.evaluation.architectures import Patterns
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.learning.config import LearningSettings
from athenan.learning.examples.examples import Batch
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.recipe import recommended
from athenan.learning.training import resume, train
from athenan.rules.leaf import Native
from athenan.rules.playouts import encoded_states, random_states
from athenan.runs.checkpoint import CheckpointError, load
from athenan.runs.export import DESCRIPTION
from athenan.runs.learnt import playing_search, saved_network
from athenan.search.algorithms.bandits import Puct

PATTERNS = {
    "network": "patterns:walks=6,entries=729,phases=2", "learning_rate": 1.0, "augmentation": "none", "averaging": 0.9,
}  # fmt: skip


def patterns(game="connect_four:5x4", **changes):
    return small(game, **{**PATTERNS, **changes})


VECTORS = "patterns:walks=6,entries=81,phases=2,vector=8"
SHALLOW = "shallow:hidden=32"
BY_POLICY = {"search": "puct:noise=0.25", "target": "terminal", "policy_target": "visits", "iterations": 15}


@pytest.mark.parametrize("network", [PATTERNS["network"], VECTORS])
def test_a_training_of_a_policy_that_was_interrupted_goes_on_exactly(tmp_path: Path, network: str) -> None:
    config = patterns(matches=9, network=network, **BY_POLICY)
    whole = train(config, tmp_path / "whole", quiet())
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "parts", Interrupting(4))
    resume(tmp_path / "parts", display=quiet())
    assert_same_checkpoint(whole, tmp_path / "parts")
    assert (load(whole).tensors["network.policy"] != 0).any()


def test_a_learnt_policy_plays_inside_the_search(tmp_path: Path) -> None:
    run = train(patterns(matches=4, **BY_POLICY), tmp_path / "run", quiet())
    assert playing_search(run) == Puct()
    learnt = learnt_network(run, heads=("values", "policies"))
    search = make_search(learnt.game, learnt.evaluate, learnt.heuristic, Puct())
    search.reset(learnt.game.initial())
    search.run(Budget(iterations=200))
    assert search.evaluations >= 200 and search.evaluate is not None and not search.evaluate.batches
    with pytest.raises(ValueError, match="with a policy cannot be exported: train one by descent"):
        export_network(run, tmp_path / "net.pt2")


def test_several_threads_learn_policies(tmp_path: Path) -> None:
    shared = {"actors": 2, "threads": 2, "overlap": True, "learning_threads": 2}
    run = train(patterns(matches=6, **BY_POLICY, **shared), tmp_path / "run", quiet())
    assert (load(run).tensors["network.policy"] != 0).any()


@pytest.mark.parametrize("algorithm", ["alphazero", "gumbel"])
def test_alphazero_learns_patterns_with_a_policy(tmp_path: Path, algorithm: str) -> None:
    config = recommended("connect_four:5x4", matches=9, timed=False, algorithm=algorithm, network="patterns:walks=6")
    assert config.heads == ("values", "policies") and config.playing.parallel_matches == 1
    small_run = {"run": {"threads": 1}, "playing": {"memory": 64}, "strength": {"seconds": 0}}
    run = train(changed(config, iterations=10, **small_run), tmp_path / "run", quiet())
    assert learnt_network(run, heads=("values", "policies")).evaluate(
        np.zeros((2, 3 * 20), np.int8)
    ).policies.shape == (2, 5)  # fmt: skip


def test_a_policy_is_left_out_where_a_network_carries_over_to_other_actions(tmp_path: Path) -> None:
    run = train(patterns("hex:4", matches=2, **BY_POLICY), tmp_path / "run", quiet())
    assert saved_network(run).network.heads == ("values", "policies")
    carried = saved_network(run, make("hex:4,swap=false"))
    assert carried.network.heads == ("values",)
    states = encoded_states(make("hex:4"), random_states(make("hex:4"), 20))
    assert np.array_equal(carried.network(states).values, saved_network(run).network(states).values)


def test_a_policy_is_not_carried_from_values_alone(tmp_path: Path) -> None:
    run = train(patterns(matches=1), tmp_path / "run", quiet())
    with pytest.raises(CheckpointError, match="its network has the heads values, not values and policies"):
        train(patterns(matches=1, initial=str(run), **BY_POLICY), tmp_path / "other", quiet())


def test_a_training_begins_with_the_policy_of_another(tmp_path: Path) -> None:
    run = train(patterns(matches=4, averaging=0.0, **BY_POLICY), tmp_path / "run", quiet())
    again = patterns(matches=1, averaging=0.0, initial=str(run), **{**BY_POLICY, "learning_rate": 1e-9})
    begun = train(again, tmp_path / "begun", quiet())
    first, policy = (load(path).tensors["network.policy"] for path in (run, begun))
    assert np.allclose(first, policy, atol=1e-3) and np.abs(first).max() > 0.01


def rate_of(network: str) -> float:
    """A learning rate: Adam's for a shallow network."""
    return 0.001 if network == SHALLOW else 1.0


@pytest.mark.parametrize("network", [PATTERNS["network"], VECTORS, SHALLOW])
@pytest.mark.parametrize("saving", [0.0, 3600.0])
def test_a_training_that_was_interrupted_goes_on_exactly(
    tmp_path: Path, saving: float, network: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("athenan.search.walking.acting._PATIENT", 64)  # several times a match, which is short here
    config = patterns(matches=9, saving=saving, network=network, learning_rate=rate_of(network))
    whole = train(config, tmp_path / "whole", quiet())
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "parts", Interrupting(4))
    assert load(tmp_path / "parts").document["progress"]["matches"] == 4
    resume(tmp_path / "parts", display=quiet())
    assert_same_checkpoint(whole, tmp_path / "parts")
    learnt = "output" if network == SHALLOW else "weights"
    assert (load(whole).tensors[f"network.{learnt}"] != 0).any()


def learner_of(game: Game, threads: int) -> NativeLearner:
    settings = LearningSettings(learning_rate=1.0, learning_threads=threads)
    return NativeLearner(game, Patterns(walks=6, entries=729, phases=2, features=False), 1.0, True, settings)


def test_threads_learn_what_one_learns_where_they_share_no_weights() -> None:
    """The first half of the batch is of the first phase, the second of the other: each has tables of its own."""
    game = make("connect_four:5x4")
    one, two = learner_of(game, 1), learner_of(game, 2)
    planes = encoded_states(game, random_states(game, 400))
    assert isinstance(one.network, PatternNetwork)
    phases = np.array([phase_of(one.network, state.reshape(game.planes)) for state in planes])
    half = min((phases == 0).sum(), (phases == 1).sum())
    batch = np.concatenate([planes[phases == phase][:half] for phase in range(2)])
    targets = np.random.default_rng(0).uniform(-1, 1, 2 * half).astype(np.float32)
    losses = []
    for learner in (one, two):
        learner.begin_phase()
        losses.append([learner.step(Batch(batch, targets)) for _ in range(3)])
        learner.end_phase()
    assert np.allclose(losses[0], losses[1]) and losses[0][2] < losses[0][0]
    assert np.array_equal(one.weights.learnt, two.weights.learnt)


def test_threads_that_share_weights_learn_nearly_as_well_as_one() -> None:
    game = make("connect_four")
    planes = encoded_states(game, random_states(game, 500))
    targets = np.where(planes.reshape(500, 3, -1)[:, 0, :7].sum(axis=1) > 2, 0.8, -0.6).astype(np.float32)
    errors = []
    for threads in (1, 3):
        learner = learner_of(game, threads)
        learner.begin_phase()
        for _ in range(30):
            learner.step(Batch(planes, targets))
        learner.end_phase()
        errors.append(np.mean((learner.network(planes).values - targets) ** 2))
    assert errors[1] < 1.2 * errors[0] < 0.2 * np.mean(targets**2)


@pytest.mark.parametrize("network", [PATTERNS["network"], VECTORS])
def test_several_actors_and_threads_train(tmp_path: Path, network: str) -> None:
    shared = {"actors": 2, "threads": 2, "overlap": True, "learning_threads": 2}
    run = train(patterns(matches=6, network=network, **shared), tmp_path / "run", quiet())
    progress = load(resume(run, matches=8, display=quiet())).document["progress"]
    assert progress["matches"] == 8 and progress["learnt"] > 0


def test_what_was_learnt_evaluates_inside_the_search(tmp_path: Path) -> None:
    run = train(patterns(matches=4), tmp_path / "run", quiet())
    learnt = learnt_network(run)
    assert isinstance(learnt.evaluate, Native)
    search = make_search(learnt.game, learnt.evaluate, learnt.heuristic)
    search.reset(learnt.game.initial())
    search.run(Budget(evaluations=200))
    assert search.evaluations >= 200 and search.evaluate is not None and not search.evaluate.batches


@pytest.mark.parametrize("network", [PATTERNS["network"], VECTORS, SHALLOW])
def test_a_training_begins_with_the_network_of_another(tmp_path: Path, network: str) -> None:
    config = patterns(matches=4, averaging=0.0, network=network, learning_rate=rate_of(network))
    run = train(config, tmp_path / "run", quiet())
    again = patterns(matches=1, averaging=0.0, initial=str(run), learning_rate=1e-9, network=network)
    begun = train(again, tmp_path / "begun", quiet())
    planes = encoded_states(make("connect_four:5x4"), random_states(make("connect_four:5x4"), 50))
    first, values = (learnt_network(path).evaluate(planes).values for path in (run, begun))
    assert np.allclose(first, values, atol=1e-3) and np.abs(first).max() > 0.01


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "connect_four:6x5"}, "the network of connect_four:5x4 is of its board"),
        ({"network": "patterns:walks=7"}, "train with --network patterns:walks=6"),
        ({"network": "c"}, "train with --network patterns:walks=6"),
        ({"network": VECTORS}, "train with --network patterns:walks=6"),
        ({"network": SHALLOW}, "train with --network patterns:walks=6"),
    ],
)
def test_a_training_cannot_begin_with_other_patterns(tmp_path: Path, changes: dict[str, str], message: str) -> None:
    run = train(patterns(matches=2), tmp_path / "run", quiet())
    game = changes.pop("game", "connect_four:5x4")
    with pytest.raises(CheckpointError, match=message):
        train(small(game, **{**PATTERNS, **changes}, matches=1, initial=str(run)), tmp_path / "other", quiet())
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("game", "changes", "message"),
    [
        ("pig", {}, "no planes of 0 and 1"),
        ("connect_four:5x4", {"search": "descent:evaluate=action_values"}, "gives no action values"),
        ("connect_four:5x4", {**BY_POLICY, "losses": {"policies": 0.5}}, "policies needs a network of PyTorch"),
        ("connect_four:5x4", {"losses": {"values_by": "divergence"}}, "values_by needs a network of PyTorch"),
        ("connect_four:5x4", {**BY_POLICY, "network": SHALLOW}, "a shallow network gives values only"),
        ("connect_four:5x4", {"network": "patterns:entries=16777216,memory=1"}, "memory allows 1"),
        ("connect_four:5x4", {"network": "patterns:vector=64,memory=1"}, "a smaller vector, or memory="),
        ("connect_four:5x4", {"network": "patterns:vector=3"}, "vector must be 1, 8, 16, 32 or 64"),
        ("connect_four:5x4", {"device": "cuda"}, "device must be cpu for this network"),
        ("connect_four:5x4", {"precision": "bfloat16"}, "precision must be float32 for this network"),
        ("connect_four:5x4", {"learning_precision": "bfloat16"}, "learning_precision must be float32"),
        ("connect_four:5x4", {"network": "c", "learning_threads": 2}, "learning_threads needs a pattern network"),
        ("connect_four:5x4", {"network": SHALLOW, "learning_threads": 2}, "learning_threads needs a pattern network"),
    ],
)
def test_what_patterns_cannot_is_told_before_the_training(
    tmp_path: Path, game: str, changes: dict[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        train(small(game, **{**PATTERNS, **changes}, matches=1), tmp_path / "run", quiet())
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("network", [PATTERNS["network"], SHALLOW])
def test_a_native_network_trains_and_plays_without_pytorch(tmp_path: Path, network: str) -> None:
    run = train(patterns(matches=2, network=network), tmp_path / "run", quiet())
    program = f"""
import sys
from athenan.arena.roster import make_player
from athenan.games.catalogue import make
from athenan.learning.training import resume
player = make_player({str(run)!r}, make("connect_four:5x4"))
resume({str(run)!r}, matches=3)
assert "torch" not in sys.modules, "PyTorch was loaded"
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr


@pytest.mark.parametrize(
    "network", [VECTORS, *size((), (SHALLOW, PATTERNS["network"], f"{PATTERNS['network']},length=11"))]
)
def test_a_run_of_patterns_is_exported(tmp_path: Path, network: str) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    run = train(patterns(matches=4, network=f"{network},features=false"), tmp_path / "run", quiet())
    export_network(run, tmp_path / "net.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "net.onnx"))
    described = json.loads(session.get_modelmeta().custom_metadata_map[DESCRIPTION])
    game = make("connect_four:5x4")
    planes = encoded_states(game, random_states(game, 30)).reshape(-1, *game.planes)
    (values,) = session.run(None, {"planes": planes})
    assert described["network"] == f"{network},features=false"
    assert np.allclose(values, learnt_network(run).evaluate(planes).values, atol=1e-4)


@pytest.mark.parametrize("name", ["rows", "averages", "dense", "steps"])
@pytest.mark.parametrize("damage", ["missing", "other", "not finite"])
def test_what_is_learnt_of_vectors_is_checked(name: str, damage: str) -> None:
    game = make("connect_four:5x4")
    learner = NativeLearner(game, Patterns(walks=6, entries=81, vector=8), 1.0, True, LearningSettings())
    saved = learner.as_arrays()
    array = saved.pop(f"learner.{name}")
    if damage == "other":
        saved[f"learner.{name}"] = array[1:]
    elif damage == "not finite" and array.dtype == np.float32:
        saved[f"learner.{name}"] = np.full_like(array, np.nan)
    elif damage == "not finite":
        saved[f"learner.{name}"] = array - 1
    with pytest.raises(ValueError, match=r"what is learnt of the weights|the weights that are learnt"):
        learner.restore(saved)


def test_the_recipe_follows_the_network() -> None:
    config = recommended("othello:6", minutes=5, threads=2, network="patterns:walks=10")
    assert config.run.network == "patterns:walks=10" and config.run.saving == 30
    assert config.playing.parallel_matches == 1 and config.replay.augmentation == "none"
    assert recommended("othello:6", minutes=5, network="c").run.network == "c"


def test_the_recipe_chooses_patterns_where_they_won() -> None:
    rows = "patterns:entries=6561,vector=8,lines=true,windows=false"
    assert recommended("othello:8", minutes=5).run.network == rows
    assert recommended("shobu", minutes=5).run.network == "patterns:layers=true"
    assert recommended("hex:7", minutes=5).run.network == "patterns:entries=512,vector=16"
    estimated = "patterns:entries=4096,vector=16,layers=true,estimate=true"
    assert all(recommended(name, minutes=5).run.network == estimated for name in ("arimaa", "go:9", "xiangqi"))
    for choice in ({"torch": True}, {"evaluate": "action_values"}, {"algorithm": "exit"}, {"algorithm": "uct"}):
        assert recommended("othello:8", minutes=5, **choice).run.network.startswith("c")
    for algorithm in ("alphazero", "gumbel"):  # their long runs have no larger networks, which are not measured there
        network = recommended("breakthrough:8x8", algorithm=algorithm).run.network
        assert network == "patterns:entries=4096,vector=16,layers=true"


@pytest.mark.parametrize(
    ("length", "long"), [({"minutes": 19}, False), ({"matches": 99}, False), ({"minutes": 20}, True), ({}, True)]
)
def test_long_runs_of_some_games_have_a_larger_network(length: dict[str, Any], long: bool) -> None:
    vectors = "patterns:entries=4096,vector=16"
    walks, usual = f"{vectors},layers=true" + ",walks=128" * long, "patterns:entries=512,vector=16"
    assert recommended("breakthrough:6x6", **length).run.network == walks
    assert recommended("clobber", **length).run.network == (f"{vectors},phases=4" if long else usual)
    material = f"{vectors},layers=true,estimate=true"
    assert recommended("xiangqi", **length).run.network == ("patterns" if long else material)


def test_long_runs_that_learn_vectors_from_trees_cool_down() -> None:
    cooldown = lambda **given: recommended(**{"game": "hex:7", "minutes": 20, **given}).learning.cooldown
    assert cooldown() == cooldown(algorithm="ubfm") == cooldown(game="breakthrough:8x8", matches=10**6) == 0.33
    for other in ({"minutes": 19}, {"minutes": None}, {"minutes": None, "matches": 10**6}, {"algorithm": "alphazero"}):
        assert cooldown(**other) == 0.0
    assert cooldown(network="c") == cooldown(network="patterns") == cooldown(game="einstein:5") == 0.0


def test_a_training_that_begins_with_patterns_has_their_recipe(tmp_path: Path) -> None:
    run = train(patterns(matches=1), tmp_path / "run", quiet())
    config = recommended("connect_four:5x4", minutes=5, initial=str(run))
    assert config.run.network == PATTERNS["network"] and config.learning.learning_rate == 1.0
    assert config.action == recommended("connect_four:5x4", minutes=5).action


@pytest.mark.parametrize(
    "options",
    [
        ["--search", "descent:evaluate=action_values"],
        ["--learner", "adam:precision=bfloat16"],
        ["--losses.policies", "2"],
    ],
)
def test_options_of_other_networks_choose_one(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "othello:6", "--minutes", "5", *options, "--help-all"]) == 0
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "a file of your own. (default: c" in shown
