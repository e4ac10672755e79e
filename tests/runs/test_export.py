"""Networks for other programs: the files evaluate as athenan does, without athenan."""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch
from small_trainings import changed, quiet, small

from athenan import export_network, learnt_network, make, plain_network
from athenan.cli import main
from athenan.evaluation.evaluator import Evaluator
from athenan.learning.recipe import recommended
from athenan.learning.training import train
from athenan.runs.export import DESCRIPTION
from athenan.runs.learnt import LearntNetwork

WITHOUT_ATHENAN = """
import json, sys, torch
import torch.export
extra = {"athenan.json": ""}
program = torch.export.load(sys.argv[1], extra_files=extra)
description = json.loads(extra["athenan.json"])
planes = torch.zeros(3, *description["input"]["shape"][1:], dtype=torch.int8)
answers = program.module()(planes)
assert not any(name.startswith("athenan") for name in sys.modules)
print(json.dumps(dict(zip(description["outputs"], [answer.tolist() for answer in answers]))))
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run whose network has values and policies."""
    network = "c:filters=8,dense=16,padded=true"
    recipe = recommended("connect_four:4x4", matches=1, timed=False, algorithm="alphazero", network=network)
    config = changed(
        recipe, evaluations=20, strength={"seconds": 0}, device="cpu",
        precision="float32", learning_precision="float32", threads=1,
    )  # fmt: skip
    return train(config, tmp_path_factory.mktemp("runs") / "run", quiet())


def some_states(game, count=9, seed=0):
    """Encoded states of a random match, repeated."""
    random, state, planes = np.random.default_rng(seed), game.initial(), list[np.ndarray]()
    while len(planes) < count:
        planes.append(game.encode(state))
        state = game.play(state, game.draw(state, random))
        state = game.initial() if game.outcome(state) is not None else state
    return np.stack(planes)


def expected(run, names):
    """What athenan's own evaluator says, and the states."""
    learnt = learnt_network(run, device="cpu", precision="float32", heads=names)
    planes = some_states(learnt.game)
    return planes, answers_of(learnt, planes)


def answers_of(learnt: LearntNetwork, planes: np.ndarray) -> dict[str, np.ndarray]:
    """The answers of all heads of a network of layers."""
    assert isinstance(learnt.evaluate, Evaluator)
    return learnt.evaluate.answers(planes)


def assert_onnx_agrees(run, file):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    pytest.importorskip("onnxscript", reason="onnxscript is not installed")
    described = export_network(run, file)
    session = runtime.InferenceSession(file, providers=["CPUExecutionProvider"])
    assert json.loads(session.get_modelmeta().custom_metadata_map[DESCRIPTION]) == described
    names = [output.name for output in session.get_outputs()]
    assert names == list(described["outputs"])
    planes, wanted = expected(run, names)
    for count in (len(planes), 1):
        for name, answer in zip(names, session.run(names, {"planes": planes[:count]}), strict=True):
            assert np.allclose(answer, wanted[name][:count], rtol=0, atol=1e-4)


def test_onnx_evaluates_as_athenan_does(run, tmp_path):
    assert_onnx_agrees(run, tmp_path / "network.onnx")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["c:filters=8", "r1:filters=8", "fcn:filters=8", "mlp:dense=16", "morpion:filters=8"])
def test_every_architecture_in_onnx(name, tmp_path):
    run = train(small("hex:4", network=name, matches=1), tmp_path / "run", quiet())
    assert_onnx_agrees(run, tmp_path / "network.onnx")


def test_pytorch_alone_evaluates_as_athenan_does(run, tmp_path):
    file = tmp_path / "network.pt2"
    described = export_network(run, file)
    told = subprocess.run([sys.executable, "-c", WITHOUT_ATHENAN, file], check=True, capture_output=True, text=True)
    answers = json.loads(told.stdout)
    assert list(answers) == list(described["outputs"]) == ["values", "policies"]
    learnt = learnt_network(run, device="cpu", precision="float32", heads=list(answers))
    wanted = answers_of(learnt, np.zeros((3, *learnt.game.planes), np.int8))
    for name, answer in answers.items():
        assert np.allclose(answer, wanted[name], rtol=0, atol=1e-4)


def test_a_plain_module(run):
    module = plain_network(run)
    planes, wanted = expected(run, module.names)
    with torch.no_grad():
        answers = dict(zip(module.names, module(torch.from_numpy(planes)), strict=True))
    for name, answer in answers.items():
        assert np.allclose(answer, wanted[name], rtol=0, atol=1e-4)
    assert (np.abs(wanted["values"]) <= module.scale).all() and module.bounded


def test_what_the_command_prints_is_in_the_file(run, tmp_path, capsys):
    file = tmp_path / "network.pt2"
    assert main(["export", str(run), str(file), "--json"]) == 0
    told, extra = json.loads(capsys.readouterr().out), {DESCRIPTION: ""}
    torch.export.load(file, extra_files=extra)
    assert json.loads(extra[DESCRIPTION]) == told
    assert told["game"] == make("connect_four:4x4").name
    assert told["outputs"] == {"values": ["n"], "policies": ["n", 4]}


@pytest.mark.parametrize(
    ("file", "message"),
    [("network.xyz", "the file must end with .onnx or .pt2"), ("none/network.pt2", "there is no folder")],
)
def test_bad_files_are_refused(run, tmp_path, capsys, file, message):
    assert main(["export", str(run), str(tmp_path / file)]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("network", ["patterns:entries=512,features=false", "patterns:vector=8,features=false"])
def test_patterns_are_exported_without_a_warning(network, tmp_path, recwarn):
    """PyTorch warns of weights that are views of others, and says that it may write the wrong ones."""
    run = train(small("hex:3", network=network, matches=1, augmentation="none"), tmp_path / "run", quiet())
    export_network(run, tmp_path / "network.pt2")
    assert not [str(one.message) for one in recwarn]


def test_an_error_names_the_file_and_not_a_temporary_one(run, tmp_path, capsys):
    (tmp_path / "there.pt2").mkdir()
    assert main(["export", str(run), str(tmp_path / "there.pt2")]) == 2
    assert capsys.readouterr().err == f"athenan: error: {tmp_path}/there.pt2: it is a folder: name a file in it\n"


def test_a_file_that_was_there_stays_if_writing_fails(run, tmp_path, monkeypatch):
    file = tmp_path / "network.onnx"
    file.write_text("before")
    monkeypatch.setattr("athenan.extras.find_spec", lambda name: name != "onnxscript" or None)
    with pytest.raises(ValueError, match=r"pip install 'athenan\[export\]'"):
        export_network(run, file)
    assert file.read_text() == "before" and list(tmp_path.iterdir()) == [file]
