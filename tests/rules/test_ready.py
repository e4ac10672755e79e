"""Compiled code that comes with the package: a package whose folder `compiled` holds the code of one game."""

import os
import platform
import subprocess
import sys
from pathlib import Path
from shutil import copy, copytree

import pytest

import athenan
from athenan.rules.ready import BASELINES, folder_name

PACKAGE = Path(athenan.__file__).parent
BASELINE = BASELINES.get(platform.machine())
PLAY = """
import sys
import llvmlite.binding
if "weak" in sys.argv:
    llvmlite.binding.get_host_cpu_features = llvmlite.binding.targets.FeatureMap
from athenan import make
from athenan.rules import ready
from athenan.rules.compilation import Watch
compiled = []
with Watch(lambda one: compiled.append(one) if one else None):
    game = make("tictactoe")
    assert game.moves(game.parse_moves("b2 a1")) == "b2 a1"
print(len(compiled), ready.READY is not None)
"""

pytestmark = pytest.mark.skipif(BASELINE is None, reason="this architecture has no baseline")


def played(package, cache, *words, **variables):
    """The number of kernels that a process with a package compiled, and whether it found ready code."""
    environment = os.environ | {"PYTHONPATH": str(package.parent), "NUMBA_CACHE_DIR": str(cache)} | variables
    done = subprocess.run([sys.executable, "-c", PLAY, *words], env=environment, capture_output=True, check=False)
    assert not done.returncode, done.stderr.decode()
    count, ready = done.stdout.split()
    return int(count), ready == b"True"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A package with ready code of tic-tac-toe, and the number of kernels that it took."""
    assert BASELINE
    package = tmp_path_factory.mktemp("installed") / "athenan"
    package.mkdir()
    for entry in PACKAGE.iterdir():
        if entry.name not in ("__pycache__", "compiled"):
            (package / entry.name).symlink_to(entry)
    cache = tmp_path_factory.mktemp("cache")
    count, ready = played(package, cache, NUMBA_CPU_NAME=BASELINE.name, NUMBA_CPU_FEATURES="")
    assert count > 3 and not ready
    folder = package / "compiled" / folder_name(BASELINE)
    folder.mkdir(parents=True)
    for file in cache.glob("**/*.nb[ic]"):
        copy(file, folder)
    return package, count


def test_ready_code_is_read_and_nothing_is_compiled(package, tmp_path):
    assert played(package[0], tmp_path) == (0, True)


def test_a_processor_without_the_features_compiles(package, tmp_path):
    if not (BASELINE and BASELINE.features):
        pytest.skip("every processor of this architecture has them")
    assert played(package[0], tmp_path, "weak") == (package[1], False)


def test_whoever_asks_for_another_processor_gets_it(package, tmp_path):
    assert played(package[0], tmp_path, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == (package[1], False)


def test_ready_code_of_other_sources_is_not_used(package, tmp_path):
    changed = tmp_path / "athenan"
    changed.mkdir()
    for entry in package[0].iterdir():
        if entry.name != "rules":
            (changed / entry.name).symlink_to(entry)
    copytree(PACKAGE / "rules", changed / "rules")
    with (changed / "rules" / "state.py").open("a") as file:
        file.write("# changed\n")
    assert played(changed, tmp_path / "cache") == (package[1], True)
