"""What is released: wheel and sdist hold the whole package, which works in an empty environment, without PyTorch."""

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from urllib.request import urlopen

import pytest

from athenan.version import commit_of

pytest.importorskip("hatchling", reason="hatchling is not installed (an extra of development)")

ROOT = Path(__file__).parent.parent
LARGEST = 5_000_000 + 30_000_000
"""Bytes that a package may take: what is not a network, and all networks (`test_shipped_networks.TOGETHER`)."""
ALONE = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def output(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with the sdist and the wheel of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    output(sys.executable, "-m", "hatchling", "build", "-d", str(folder), cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    """The wheel, from the tree."""
    (found,) = built.glob("*.whl")
    return found


def names_in(wheel):
    """The files of the package in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if name.startswith("athenan/")}


def test_the_wheel_holds_the_package_and_its_data(wheel):
    source = ROOT / "src"
    files = {str(path.relative_to(source)) for path in source.glob("athenan/**/*") if path.is_file()}
    commit = {"athenan/commit.txt"} if (ROOT / ".git").exists() else set()
    assert names_in(wheel) == {name for name in files if "__pycache__" not in name} | commit
    assert {"athenan/py.typed", "athenan/web/static/board.html", "athenan/grading/solved/hex-7.jsonl"} <= files
    assert wheel.stat().st_size < LARGEST


def test_the_wheel_of_the_sdist_is_the_same(built, wheel, tmp_path):
    (sdist,) = built.glob("*.tar.gz")
    assert sdist.stat().st_size < LARGEST
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    assert (folder / "CHANGELOG.md").exists() and (folder / "tests" / "conftest.py").exists()
    output(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path), cwd=folder)
    (again,) = tmp_path.glob("*.whl")
    assert names_in(again) == names_in(wheel)
    commits = [commit_in(one) for one in (wheel, again)]
    assert commits == [commit_of(ROOT)] * 2


def commit_in(wheel):
    """The commit that a wheel holds."""
    with zipfile.ZipFile(wheel) as archive:
        return (
            archive.read("athenan/commit.txt").decode().strip() if "athenan/commit.txt" in archive.namelist() else None
        )


@pytest.mark.slow
def test_an_empty_environment_learns_plays_and_grades(wheel, tmp_path):
    """With the dependencies of the package alone, which pip fetches."""
    output(sys.executable, "-m", "venv", str(tmp_path / "venv"))
    bin_ = tmp_path / "venv" / "bin"
    output(str(bin_ / "pip"), "install", "-q", "--constraint", str(ROOT / "constraints.txt"), str(wheel), env=ALONE)
    installed = {one["name"].lower() for one in json.loads(output(str(bin_ / "pip"), "list", "--format", "json"))}
    assert "athenan" in installed and not installed & {"torch", "matplotlib", "onnx", "ray"}
    for line in (
        "games",
        "train hex:3 --network patterns --matches 3 --strength.seconds 0",
        "match hex:3 runs/hex-3 random --games 2 --iterations 10",
        "analyze runs/hex-3 --iterations 10",
        "grade connect_four mcts:10 --count 4",
    ):
        output(str(bin_ / "athenan"), *line.split(), cwd=tmp_path, env=ALONE)
    serving = [str(bin_ / "athenan"), "web", "runs/hex-3", "--port", "0"]
    with subprocess.Popen(serving, cwd=tmp_path, env=ALONE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        address = server.stdout.readline().split()[1]
        with urlopen(address) as page:
            assert "board.js" in page.read().decode()
        server.terminate()
