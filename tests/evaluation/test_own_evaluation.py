"""The files of ONNX and JAX that the page of own evaluations shows, as players; and answers of every shape."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from athenan import make
from athenan.evaluation.handwritten import KIND, own_evaluation
from athenan.rules.leaves import answered

PAGE = Path(__file__).parents[2] / "docs" / "algorithms" / "own_evaluation.md"
GAME = "hex:3"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with the files of the page, which this process has not named yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("athenan.loading._named", set())
    for name, text in re.findall(r"<!-- the file (\w+\.py) -->\n```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        (tmp_path / name).write_text(text)
    return tmp_path


def states(count):
    """Encoded states after the first actions of a game."""
    game = make(GAME)
    first = game.initial()
    return np.stack([game.encode(game.play(first, action)) for action in game.actions(first)[:count]])


def write_onnx(file, logits):
    """Writes a network: values are the tanh of the mean of the planes, logits their sums, the same for all actions."""
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    helper, number = onnx.helper, onnx.TensorProto
    game = make(GAME)
    nodes = [
        helper.make_node("Cast", ["planes"], ["floats"], to=number.FLOAT),
        helper.make_node("Flatten", ["floats"], ["flat"]),
        helper.make_node("ReduceMean", ["flat"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("Tanh", ["mean"], ["values"]),
    ]
    outputs = [helper.make_tensor_value_info("values", number.FLOAT, ["n"])]
    weights = np.ones((int(np.prod(game.planes)), game.action_count), np.float32)
    if logits:
        nodes.append(helper.make_node("MatMul", ["flat", "weights"], ["policies"]))
        outputs.append(helper.make_tensor_value_info("policies", number.FLOAT, ["n", game.action_count]))
    graph = helper.make_graph(
        nodes, "network", [helper.make_tensor_value_info("planes", number.INT8, ["n", *game.planes])], outputs,
        [onnx.numpy_helper.from_array(weights, "weights")] if logits else [],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), file)


def require_a_player(name, command, as_json):
    """Plays, analyses and matches with an evaluation of a file."""
    found = as_json("match", GAME, f"evaluation:{name},evaluations=20", "random", "--games", "2")
    assert found["wins"] + found["draws"] + found["losses"] == 2
    assert len(as_json("analyze", GAME, "--evaluation", name, "--iterations", "9")["actions"]) == 9
    status, output, errors = command(
        "play", GAME, "--first", f"evaluation:{name}", "--second", "random", "--iterations", "5"
    )
    assert (status, errors) == (0, "") and "wins after" in output


@pytest.mark.parametrize("logits", [False, True])
def test_a_file_of_onnx_is_a_player(folder, command, as_json, logits):
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    write_onnx(folder / "net.onnx", logits)
    evaluate = own_evaluation(make(GAME), KIND.named("./my_onnx.py:net.onnx").text)
    for count in (1, 2, 5):
        leaves = evaluate(states(count))
        assert leaves.values == pytest.approx(np.tanh(states(count).mean((1, 2, 3))), abs=1e-6)
        assert leaves.policies.shape == ((count, make(GAME).action_count) if logits else (0, 0))
    require_a_player("./my_onnx.py:net.onnx", command, as_json)
    if logits:
        assert as_json("analyze", GAME, "--evaluation", "./my_onnx.py:net.onnx", "--search", "puct")["actions"]


IN_JAX = """
import sys
import numpy as np
from athenan import make
from athenan.cli import main
from athenan.evaluation.handwritten import KIND, own_evaluation
game, *lines = sys.argv[1:]
evaluate = own_evaluation(make(game), KIND.named("./my_jax.py:0.5").text)
np.save("values.npy", evaluate(np.load("planes.npy")).values)
for line in lines:
    assert main(line.split()) in (0, None), line
"""


def test_a_compiled_function_of_jax_is_a_player(folder):
    """JAX runs in another process, because it warns of every fork after it is loaded, and other tests fork."""
    if find_spec("jax") is None:
        pytest.skip("jax is not installed")
    planes = states(5)
    np.save("planes.npy", planes)
    lines = [
        f"match {GAME} evaluation:./my_jax.py:0.5,evaluations=20 random --games 2",
        f"analyze {GAME} --evaluation ./my_jax.py:0.5 --iterations 9",
        f"play {GAME} --first evaluation:./my_jax.py:0.5 --second random --iterations 5",
    ]
    done = subprocess.run([sys.executable, "-c", IN_JAX, GAME, *lines], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(said in done.stdout for said in ("95% interval", "9 iterations", "wins after")), done.stdout
    weights = np.linspace(-0.5, 0.5, planes[0].size)
    values = np.tanh(planes.reshape(5, -1) @ weights / weights.size)
    assert np.load("values.npy") == pytest.approx(values, abs=1e-6)


LOGITS = np.zeros((2, 9))
COLUMN = np.array([[0.5], [0.25]])


@pytest.mark.parametrize(
    "answer",
    [
        [0.5, 0.25], [[0.5], [0.25]], (0.5, 0.25), [np.array([0.5]), np.array([0.25])], COLUMN, COLUMN[:, 0],
        [COLUMN], (COLUMN,), [COLUMN[:, 0], LOGITS], (COLUMN, LOGITS), ([0.5, 0.25], LOGITS.tolist()),
    ],
)  # fmt: skip
def test_values_of_two_states_in_every_form(answer):
    assert answered(answer, 2).values.tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("np.zeros((n, 2))", "must return values"),
        ("np.zeros(n + 1)", "must return 1 values for as many states, not 2"),
        ("0.5", "must return values"), ("None", "must return values"), ("()", "must return 1 values"),
        ("(np.zeros(n), np.zeros(n))", "must return values"),
        ("(np.zeros(n), np.zeros((n + 1, 10)))", "must return values"),
        ("(np.zeros(n), np.zeros((n, 10)), np.zeros(n))", "must return values"),
        ("{'values': np.zeros(n)}", "must return arrays of numbers"), ("['a'] * n", "must return arrays of numbers"),
        ("[[0.5, [0.5]]] * n", "must return arrays of numbers"),
        ("np.full(n, np.nan)", "is NaN or infinite"), ("np.full(n, 1e300)", "is NaN or infinite"),
        ("(np.zeros(n), np.full((n, 10), np.nan))", "some are NaN"), ("planes.no", "it raised AttributeError"),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_refused_in_a_sentence(folder, command, answer, message):
    text = "import numpy as np\ndef evaluation(game):\n    def evaluate(planes):\n        n = len(planes)\n"
    Path("bad.py").write_text(f"{text}        return {answer}\n    return evaluate\n")
    status, output, errors = command("analyze", GAME, "--evaluation", "./bad.py", "--iterations", "3")
    assert (status, output, errors.count("\n")) == (2, "", 1), errors
    assert message in errors and "bad.py" in errors
