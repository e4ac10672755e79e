"""Networks, targets, replay methods and heuristics of a user's file, wherever a training goes."""

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from athenan.cli import main
from athenan.evaluation.architectures import KIND as NETWORK_KIND
from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.networks import build_network
from athenan.experiments.description import ExperimentError
from athenan.experiments.files import read_file
from athenan.experiments.trainings import trainings
from athenan.games.catalogue import make
from athenan.learning.components import Components
from athenan.learning.config import TrainingConfig
from athenan.learning.recipe import recommended
from athenan.learning.replay import Replay
from athenan.learning.replay.divided import DividedReplay
from athenan.learning.replay.methods import KIND, make_replay
from athenan.learning.replay.settings import ReplayConfig
from athenan.learning.self_play.remote_actors import Order, Snapshot, play
from athenan.runs.checkpoint import load
from athenan.runs.learnt import learnt_network

DOCS = Path(__file__).parents[2] / "docs" / "algorithms"
GAME = "breakthrough:4x4"
QUICK = ["--action.evaluations", "20", "--memory", "16", "--threads", "1", "--strength.seconds", "0"]


def example(page: str) -> str:
    """The file that a page of the documents shows."""
    found = re.search(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    assert found
    return found[1]


PAGES = ["own_network.md", "own_target.md", "own_replay.md", "own_heuristic.md", "own_search.md", "own_evaluation.md"]
PARTS = {
    "--network": "./mine.py:width=8", "--target": "./mine.py:0.25", "--replay": "./mine.py:keep=2,batch_size=16",
    "--heuristic": "./mine.py:worth=2", "--search": "./mine.py:epsilon=0.25",
}  # fmt: skip
OPTIONS = [word for pair in PARTS.items() for word in pair]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with the examples of all pages as one file, which this process has not named yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("athenan.loading._named", set())
    (tmp_path / "mine.py").write_text("\n\n".join(example(page) for page in PAGES))
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith(str(tmp_path))]:
        del sys.modules[name]


def test_five_parts_of_one_file_are_trained_resumed_and_played(folder, monkeypatch, command):
    assert main(["train", GAME, *OPTIONS, *QUICK, "--matches", "2", "--run", "run"]) in (0, None)
    saved = load("run").document["configuration"]
    file = str(folder / "mine.py")
    assert [saved["run"]["network"], saved["learning"]["target"]] == [f"{file}:width=8", f"{file}:0.25"]
    assert [saved["replay"]["method"], saved["run"]["heuristic"]] == [f"{file}:keep=2", f"{file}:worth=2"]
    assert saved["replay"]["batch_size"] == 16
    assert load("run").tensors["network.body.0.module.1.weight"].shape[0] == 8
    resumed, played = ["train", "--resume", "run", "--matches", "3"], ["analyze", "run", "--iterations", "3", "--json"]
    match = ["match", GAME, "run", "evaluation:./mine.py:0.5", "--games", "2", "--iterations", "3"]
    person = ["play", "run", "--iterations", "3"]
    for words in (resumed, played, person, match):
        monkeypatch.setattr("athenan.loading._named", set())
        monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
        status, _, errors = command(*words)
        assert (status, errors.count("\n")) == (2, 1) and "is code that a file may not load by itself" in errors
        status, output, errors = command(*words, "--rules", "./mine.py")
        assert status in (0, None), errors
    assert load("run").document["progress"]["matches"] == 3
    assert "95% interval" in output


def test_workers_get_the_five_parts(folder):
    assert main(["train", GAME, *OPTIONS, *QUICK, "--matches", "2", "--workers", "2", "--run", "run"]) in (0, None)
    assert load("run").document["progress"]["matches"] == 2


def test_processes_that_learn_get_the_parts_and_go_on_with_what_an_own_replay_remembers(folder):
    """Layers of PyTorch cannot be exchanged, so the network is the package's."""
    options = [word for option, text in PARTS.items() for word in (option, text) if option != "--network"]
    exchange = ["--workers", "2", "--exchange"]
    training = ["train", GAME, "--network", "patterns:walks=4", *options, *QUICK, *exchange]
    assert main([*training, "--matches", "6", "--run", "run"]) in (0, None)
    assert 1 <= len(load("run").matches) <= 2  # keep=2, one match for each process that has learnt
    resumed = ["train", "--resume", "run", "--matches", "8", "--rules", "./mine.py", *exchange]
    assert main(resumed) in (0, None)
    assert load("run").document["progress"]["matches"] == 8 and 1 <= len(load("run").matches) <= 2


def kept_by(replay: Replay) -> int:
    """The setting of the method in the user's file."""
    keep = vars(replay)["keep"]
    assert isinstance(keep, int)
    return keep


def test_own_settings_of_replay_are_divided_among_workers(folder):
    KIND.named("./mine.py:keep=5")
    for method, kept in (("./mine.py:keep=5", [2, 3]), ("./mine.py", [1, 2]), ("./mine.py:keep=1", [1, 1])):
        config = ReplayConfig(method=method, memory_matches=7)
        parts = DividedReplay(make(GAME), config, 0, 2).parts
        assert [kept_by(part) for part in parts] == kept and [part.config.memory_matches for part in parts] == [3, 4]
        assert kept_by(make_replay(make(GAME), config, 0)) == sum(kept) or kept == [1, 1]


SHORT = f"""
games = ["{GAME}"]
repetitions = 1
minutes = 0.002
evaluations = 5
"""
OWN = """
[combinations.own]
run.network = "./mine.py:width=8"
run.heuristic = "./mine.py"
learning.target = "./mine.py:0.25"
replay.method = "./mine.py:batch_size=16,keep=2"
search = "./mine.py"
"""


def test_an_experiment_takes_the_parts_that_the_command_names(folder, command):
    Path("mine.toml").write_text(SHORT + OWN + 'learning.learner = "adam:rate=0.25"')
    with pytest.raises(ExperimentError, match="code that a file may not load by itself"):
        list(trainings(read_file(Path("mine.toml")), folder))
    report = ["experiment", "mine.toml", "report", "--directory", "here", "--rules", "./mine.py"]
    assert "there is nothing to report" in command(*report)[2]
    (one,) = trainings(read_file(Path("mine.toml")), folder / "here")
    assert one.config.code == (str(folder / "mine.py"),)
    assert one.config.learning.target == f"{folder}/mine.py:0.25"
    assert one.config.replay == replace(one.config.replay, method=f"{folder}/mine.py:keep=2", batch_size=16)
    assert one.config.learning.learning_rate == 0.25


def test_an_experiment_of_five_parts_runs_in_workers(folder, command):
    other = '[combinations.other]\nrun.network = "patterns:walks=4"'
    Path("mine.toml").write_text(SHORT + 'clock = "processor"\n' + OWN + other)
    line = ["experiment", "mine.toml", "--directory", "here", "--workers", "1", "--json", "--table", "pairs"]
    status, output, errors = command(*line, "--rules", "./mine.py")
    assert status in (0, None), errors
    (pair,) = json.loads(output)
    assert {pair["combination"], pair["opponent"]} >= {"own"}, pair


def test_a_network_with_a_policy_is_learnt_by_alphazero(folder):
    policy = """
from torch import nn

class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(32, 8)

class Network(nn.Module):
    def __init__(self, planes, actions):
        super().__init__()
        cells = planes[0] * planes[1] * planes[2]
        self.value, self.policy = nn.Linear(cells, 1), nn.Linear(cells, actions)

    def forward(self, planes):
        flat = planes.flatten(1)
        return self.value(flat), self.policy(flat)
"""
    Path("both.py").write_text(policy)
    few = ["--action.iterations", "4", "--parallel-matches", "1", "--actors", "1", "--phase-matches", "1"]
    options = [*few, "--memory", "16", "--threads", "1", "--strength.seconds", "0", "--matches", "2", "--run", "run"]
    assert main(["train", GAME, "--algorithm", "alphazero", "--network", "./both.py", *options]) in (0, None)
    game = make(GAME)
    learnt = learnt_network("run", heads=("values", "policies"))
    leaves = learnt.evaluate(game.encode(game.initial())[None])
    assert (leaves.values.shape, leaves.policies.shape) == ((1,), (1, game.action_count))


HEAD = "import numpy as np\nfrom torch import nn\n"
TARGET = "from athenan.learning.examples.targets import Target\nclass Mine(Target):\n"
REPLAY = "from athenan.learning.replay import Replay\nclass Mine(Replay):\n"
NETWORK = f"{HEAD}class Mine(nn.Linear):\n    def __init__(self, planes): super().__init__(planes[2], 1)\n"
FLAT = (
    f"{HEAD}class Mine(nn.Linear):\n"
    "    def __init__(self, planes: tuple[int, int, int]): super().__init__(planes[0] * planes[1] * planes[2], 1)\n"
)
HEURISTIC = (
    "from athenan.evaluation.heuristics import Definition, Numbers\nfrom athenan.rules.compiler import kernel\n"
    "from athenan.rules.terminal import TERMINAL_VALUE\n@kernel(TERMINAL_VALUE)\n"
    "def mine(rules, state, outcome, constants):\n    return {}\nmine = Definition(mine{})\n"
)
TAKEN = REPLAY + "    def __init__(self, game, config, seed, memory: int = 1): pass\n    def pick(self): return []\n"
NO_ROOM = REPLAY + "    def pick(self): return []\n    def is_full(self, *given): return [][0]\n"
NO_DOCUMENT = REPLAY + "    def pick(self): return []\n    def state_document(self): return {1: {2}}\n"
BATCH_NORM = f"{HEAD}class Mine(nn.BatchNorm2d):\n    def __init__(self): super().__init__(3)\n"
NO_EXAMPLES = TARGET + "    def finished(self, search, slot, end): return None\n"
UNKNOWN = f"{HEAD}class Mine(nn.Linear):\n    def __init__(self, width): pass\n"
BAD = [
    ("--network", "", "must have one class that derives from torch.nn.Module"),
    ("--network", "1 / 0\n", "cannot be loaded: ZeroDivisionError"),
    ("--network", "import not_there\n", "cannot be loaded: ModuleNotFoundError"),
    ("--network", UNKNOWN, "has no annotation"),
    ("--network", f"{HEAD}class Mine(nn.Linear):\n    def __init__(self, width: int): pass\n", "raised TypeError"),
    ("--network", NETWORK, r"must return values \[n\] or \[n, 1\]"),
    ("--network", NETWORK + "    def forward(self, x): return x.no\n", "raised AttributeError"),
    ("--network", NETWORK + "    def forward(self, x): return x.sum((1, 2, 3)) / 0\n", "must return finite numbers"),
    ("--network", NETWORK + "    def forward(self, x): return x.sum((1, 2, 3)), x[:, 0, 0]\n", "must return logits"),
    ("--network", BATCH_NORM, "no buffers such"),
    ("--network", FLAT + "    def forward(self, x): return super().forward(x.flatten(1)).detach()\n", "no gradient"),
    ("--network", FLAT + "    def forward(self, x): return super().forward(x.flatten(1)) / (len(x) < 5)\n", "finite"),
    ("--network", FLAT + "    def forward(self, x): return [][len(x)]\n", r"raised IndexError.* of the shape \[1, 3"),
    ("--network", FLAT + "    def forward(self, x): return super().forward(x.flatten(1))[:5]\n", r"must return values"),
    ("--network", f"{HEAD}class Mine(nn.Sequential):\n    def __init__(self): pass\n", r"does its __init__ call super"),
    ("--target", "", "must have one class that derives from Target, not none"),
    ("--target", TARGET + "    notes_actions = True\n", "one class that derives from Target, not none"),
    ("--target", NO_EXAMPLES, "must return Examples, not NoneType"),
    ("--target", TARGET + "    def finished(self, search, slot, end): return end.no\n", "raised AttributeError"),
    ("--replay", "", "must have one class that derives from Replay, not none"),
    ("--replay", REPLAY + "    def pick(self): return 5\n", r"pick\(\) must be a tuple, not 5"),
    ("--replay", NO_DOCUMENT, "raised TypeError"),
    ("--replay", NO_ROOM, "raised IndexError"),
    ("--replay", REPLAY + "    def pick(self): return []\n    def state_document(self): return float('nan')\n", "JSON"),
    ("--replay", REPLAY + "    def pick(self): raise SystemExit(0)\n", "raised SystemExit"),
    ("--replay", TAKEN, "memory is a setting of every replay: choose another name"),
    ("--heuristic", "", "must have one Definition of a heuristic"),
    ("--heuristic", HEURISTIC.format("-outcome", ""), "must keep the order of the gain"),
    ("--heuristic", HEURISTIC.format("np.nan", "").replace("from", "import numpy as np\nfrom", 1), "a finite number"),
    ("--heuristic", HEURISTIC.format("1e30 * outcome", ""), r"a finite number, from -1e\+15 to 1e\+15"),
    ("--heuristic", HEURISTIC.format("3.0 * outcome", ", bounded=True"), r"must be within \[-1, 1\]"),
    ("--heuristic", HEURISTIC.format("outcome", ", count=2"), "must have count=0"),
    ("--heuristic", HEURISTIC.format("outcome", ", lambda game: 1 / 0"), "its numbers raised ZeroDivisionError"),
    ("--heuristic", HEURISTIC.format("'a'", ""), "its kernel cannot be compiled: No conversion from Literal"),
    ("--heuristic", HEURISTIC.format("outcome", ", lacking=3"), "its lacking raised TypeError"),
    ("--heuristic", HEURISTIC.format("outcome", ", lacking=lambda game: 3"), "must return a text or None, not 3"),
    ("--search", example("own_search.md").replace("return best\n", "return 1_000_000\n"), "position 1000000 of"),
    ("--search", example("own_search.md").replace("plain = ", "plain = []["), "cannot be loaded: SyntaxError"),
    ("--search", example("own_search.md").replace("plain = best", "return 5\n        plain = best"), "not 5"),
]  # fmt: skip
"""Option, file, and what is wrong with it."""


@pytest.mark.parametrize(("option", "code", "message"), BAD)
def test_a_part_that_is_not_what_it_claims_leaves_nothing_behind(folder, option, code, message, command):
    Path("bad.py").write_text(code)
    network = [] if option == "--network" else ["--network", "c:filters=1,convolutions=1,dense=1"]
    status, _, errors = command("train", GAME, option, "./bad.py", *network, *QUICK, "--matches", "1", "--run", "run")
    assert (status, errors.count("\n")) == (2, 1), errors
    assert re.search(message, errors) and "bad.py" in errors
    assert not Path("run").exists() and not Path("runs").exists()


@pytest.mark.parametrize("raised", ["RuntimeError('late')", "SystemExit(0)"])
def test_a_part_that_raises_later_is_told_in_a_sentence(folder, raised, command):
    Path("late.py").write_text(
        "from athenan.learning.examples.targets import RootTarget\ncount = 0\nclass Mine(RootTarget):\n"
        "    def finished(self, search, slot, end):\n        global count\n        count += 1\n"
        f"        if count > 3: raise {raised}\n        return super().finished(search, slot, end)\n"
    )
    options = ["--network", "c:filters=1,convolutions=1,dense=1", *QUICK]
    status, _, errors = command("train", GAME, "--target", "./late.py", *options, "--matches", "9", "--run", "run")
    assert status == 2 and "Traceback" not in errors
    assert re.search(rf"error: \S+late.py, line \d+: raised {re.escape(raised[:10])}", errors), errors


LATE_TARGET = (
    "from dataclasses import replace\nimport numpy as np\nfrom athenan.learning.examples.targets import RootTarget\n"
    "count = 0\nclass Mine(RootTarget):\n    def finished(self, *given):\n        global count\n        count += 1\n"
    "        one = super().finished(*given)\n        return {} if count > 3 else one\n"
)
LATE_REPLAY = (
    "from dataclasses import replace\nimport numpy as np\nfrom athenan.learning.replay import Replay\n"
    "class Mine(Replay):\n    def is_full(self, items): return False\n    def pick(self):\n"
    "        return [(one, {} if len(self.memory) > 3 else np.arange(len(one))) for one in self.memory.values()]\n"
)
LATE_BATCHES = LATE_REPLAY.format("np.arange(len(one))") + (
    "    def batches(self):\n        for one in super().batches():\n"
    "            yield {} if len(self.memory) > 3 else one\n"
)
LATE = [
    ("--target", LATE_TARGET, "None", "finished must return Examples, not NoneType"),
    ("--target", LATE_TARGET, "one.take(np.zeros(0, int))", "at least one state"),
    ("--target", LATE_TARGET, "replace(one, values=list(one.values))", r"float32\[n\], not .* and list"),
    ("--target", LATE_TARGET, "replace(one, values=one.values.astype(object))", r"float32\[n\], not .* and object\["),
    ("--target", LATE_TARGET, "replace(one, values=one.values * np.nan)", "values from -1e.15 to 1e.15"),
    ("--target", LATE_TARGET, "replace(one, values=one.values + np.float32(1e30))", "values from -1e.15 to 1e.15"),
    ("--replay", LATE_REPLAY, "None", r"pick\(\)\[0\]\[1\] must be a ndarray, not None"),
    ("--replay", LATE_REPLAY, "np.arange(len(one)) + 9999", r"each from 0 to \d+, not array\(\[ *9999, "),
    ("--replay", LATE_REPLAY, "np.arange(len(one)) - 1", r"each from 0 to \d+, not array\(\[-1, "),
    ("--replay", LATE_REPLAY, "np.arange(len(one))[None]", r"int64\[n\], each from 0 to \d+, not array\(\[\["),
    ("--replay", LATE_REPLAY, "np.array([object()])", r"int64\[n\], each from 0 to \d+, not array\(\[<object"),
    ("--replay", LATE_BATCHES, "None", "must give objects of the class Batch"),
    ("--replay", LATE_BATCHES, "replace(one, planes=one.planes[:, 1:])", r"planes of a batch are int8\[\d+, 48\], not"),
    ("--replay", LATE_BATCHES, "replace(one, values=one.values.astype(float))", "values of a batch .*, not float64"),
    ("--replay", LATE_BATCHES, "replace(one, values=one.values + np.float32(1e30))", r"a batch are from -1e\+15 to"),
]  # fmt: skip
"""Option, file, what it gives after a few matches, and what is wrong with that."""


@pytest.mark.one_of(3)
@pytest.mark.parametrize(("option", "code", "given", "message"), LATE)
def test_a_part_that_gives_wrong_data_later_is_named_and_the_run_is_kept(folder, option, code, given, message, command):
    Path("late.py").write_text(code.format(given))
    options = ["--network", "c:filters=1,convolutions=1,dense=1", *QUICK, "--matches", "9", "--run", "run"]
    status, _, errors = command("train", GAME, option, "./late.py", *options)
    told = errors.splitlines()[-1]
    assert status == 2 and "Traceback" not in errors
    assert re.match(rf"athenan: error: {re.escape(str(folder))}/late.py: .*{message}", told), told
    assert load("run").document["progress"]["matches"] >= 2


def test_a_network_that_fails_later_says_so(folder):
    Path("late.py").write_text(
        FLAT + "    def forward(self, x): return [super().forward(x.flatten(1))][int(x[0, 0, 0, 0])]\n"
    )
    game, architecture = make("tictactoe"), parse_architecture(NETWORK_KIND.named("./late.py").text)
    network = build_network(architecture, game.planes, 1.0, False)
    with pytest.raises(ValueError, match=r"^network \S+late.py raised IndexError: .*, for planes of the shape \[7, 3"):
        network(torch.ones(7, *game.planes))


@pytest.mark.parametrize("option", PARTS)
def test_a_setting_that_a_part_lacks_is_refused_by_its_option(folder, option, command):
    for text, message in (
        ("./mine.py:speed=3", "'speed'"),
        ("./none.py", "there is no file"),
        ("magic", "'magic'"),
    ):
        status, _, errors = command("train", GAME, option, text, *QUICK, "--matches", "1", "--run", "run")
        assert (status, errors.count("\n")) == (2, 1) and message in errors
        named = errors.startswith(f"athenan: error: {option} ")
        assert named or message == "there is no file" or option == "--heuristic"
    assert not Path("run").exists()


def test_a_worker_without_the_file_says_so(folder):
    """As on another machine of a cluster: a worker makes the components of the training first."""
    config = recommended(GAME, matches=1, timed=False, network="./mine.py:width=8").changed(
        run={"heuristic": "./mine.py"}, learning={"target": "./mine.py"}, replay={"method": "./mine.py"}
    )
    numbers = Components(config, make(GAME), None, new=True).heuristic.as_json()
    Path("mine.py").unlink()
    sys.modules.pop(str(folder / "mine.py"), None)
    with pytest.raises(ValueError, match=r"^(heuristic )?.*there is no file .*mine\.py$") as raised:
        play(Order(config, numbers, (0, 0)), Snapshot(0, {}, None, 0))
    assert "\n" not in str(raised.value)


def test_a_run_without_its_file_says_so(folder, monkeypatch, command):
    assert main(["train", GAME, *OPTIONS, *QUICK, "--matches", "1", "--run", "run"]) in (0, None)
    Path("mine.py").unlink()
    status, _, errors = command("train", "--resume", "run", "--matches", "2", "--rules", "./mine.py")
    assert (status, errors.count("\n")) == (2, 1) and "there is no file" in errors
    monkeypatch.setattr("athenan.loading._named", set())
    assert json.loads(json.dumps(load("run").document["configuration"]))
    with pytest.raises(ValueError, match="code that a file may not load by itself"):
        TrainingConfig.from_json(load("run").document["configuration"])
