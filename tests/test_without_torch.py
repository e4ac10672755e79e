"""An installation without PyTorch: pattern networks learn, play, analyse and are graded; other networks say why not."""

import subprocess
import sys
from pathlib import Path

import pytest

from athenan import extras
from athenan.cli import main

PROGRAM = """
from importlib.machinery import PathFinder

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name in {absent} else super().find_spec(name, path, target)

import sys
sys.meta_path[sys.meta_path.index(PathFinder)] = Finder
from athenan.cli import main
{run}
"""
TRAINED = "--seed 1 --threads 1 --strength.seconds 0 --action.iterations 10"


def without(*absent, run):
    """The result of a program in a process that has none of these packages."""
    program = PROGRAM.format(absent=absent, run=run)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def test_patterns_need_no_pytorch(tmp_path):
    run = str(tmp_path / "run")
    commands = [
        f"train hex:3 --network patterns --matches 2 --run {run} {TRAINED}",
        f"train hex:3 --from {run} --matches 1 --run {run}2 {TRAINED}",
        f"train hex:3 --algorithm alphazero --matches 1 --run {run}3 {TRAINED}",
        f"train --resume {run} --matches 3",
        f"info {run}",
        f"match hex:3 {run} random --games 2 --iterations 5",
        f"tournament hex:3 {run} random --games 2 --iterations 5",
        f"analyze {run} --iterations 5 --json",
        "grade connect_four random --count 4",
        "bench hex:3 --seconds 0.001",
        "games hex",
        "experiment --list",
    ]
    done = without("torch", "matplotlib", run=f"for line in {commands}:\n    assert main(line.split()) == 0, line")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def of_layers(tmp_path_factory):
    """A run of the C-network."""
    run = str(tmp_path_factory.mktemp("runs") / "c")
    assert main(f"train hex:3 --network c:filters=4,dense=4 --matches 1 --run {run} {TRAINED}".split()) == 0
    return run


def test_what_needs_pytorch_says_how_to_get_it(of_layers, tmp_path):
    remedy = (
        "needs PyTorch, which is not installed: pip install 'athenan[torch]' "
        "(add --extra-index-url https://download.pytorch.org/whl/cpu for the small build without CUDA)"
    )
    refused = {
        f"train hex:3 --network c --matches 1 --run {tmp_path}/new": (
            f"the architecture c {remedy}, or train one that needs none: --network patterns\n"
        ),
        "bench hex:3 --network c": f"the architecture c {remedy}, or take one that needs none: --network patterns\n",
        f"match hex:3 {of_layers} random --games 2": (
            f"the network of {of_layers} cannot be used: the architecture c:filters=4,dense=4 {remedy}\n"
        ),
        f"train --resume {of_layers} --matches 2": (
            f"the configuration of {of_layers} cannot be used: the architecture c:filters=4,dense=4 {remedy}\n"
        ),
        f"export {of_layers} {tmp_path}/hex.onnx": f"writing a network for other programs {remedy}\n",
    }
    done = without("torch", run=f"print([main(line.split()) for line in {list(refused)}])")
    assert done.stdout == f"{[2] * len(refused)}\n"
    assert done.stderr.splitlines(keepends=True) == [f"athenan: error: {sentence}" for sentence in refused.values()]
    assert not Path(tmp_path, "new").exists()


def test_a_public_name_that_needs_pytorch_says_so():
    done = without("torch", run="import athenan\nathenan.plain_network")
    assert "MissingError: athenan.plain_network needs PyTorch, which is not installed" in done.stderr
    assert without("torch", run="import athenan\ndir(athenan)").returncode == 0


def test_figures_say_how_to_get_matplotlib(of_layers, tmp_path):
    remedy = "needs matplotlib, which is not installed: pip install 'athenan[plots]'\n"
    refused = {
        f"plot {of_layers}": f"drawing the curves of runs {remedy}",
        f"tournament hex:3 random --html {tmp_path}/report.html": f"--html, a report with figures, {remedy}",
        "experiment 003-table-3": f"the report of an experiment {remedy}",
    }
    done = without("matplotlib", run=f"print([main(line.split()) for line in {list(refused)}])")
    assert done.stderr.splitlines(keepends=True) == [f"athenan: error: {sentence}" for sentence in refused.values()]


def test_every_extra_is_one_of_the_package():
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    assert all(f"\n{extra} = [" in text for _, extra in extras.EXTRAS.values())
