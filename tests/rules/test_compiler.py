"""How kernels are compiled: when, with what, and where they are kept."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from all_kernels import MODULES, kernels_of
from numba import typeof, types

from athenan.rules.compiler import Kernel, kernel
from athenan.rules.kernels import INITIAL
from athenan.rules.leaves import Leaves


def compiled_code(one: Kernel) -> bytes:
    """What the cache keeps of a kernel: its machine code with the names of all that it calls."""
    one.compile()
    (file,) = Path(one.stats.cache_path).glob(f"{one._cache._impl.filename_base}-*.nbc")
    return file.read_bytes()


def run(arguments: Sequence[str], cache: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """A new process that keeps its compiled code in a folder of its own."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, input=text, capture_output=True, text=True, check=False
    )


def test_there_are_kernels_to_look_at() -> None:
    assert sum(len(list(kernels_of(module))) for module in MODULES) > 150


def test_a_kernel_takes_the_arguments_of_its_signature() -> None:
    def fewer(params):
        pass

    def more(params, state, size=3):
        pass

    def any_number(params, state, *others):
        pass

    for function, given in (
        (fewer, "(params)"),
        (more, "(params, state, size=3)"),
        (any_number, "(params, state, *oth"),
    ):
        message = f"the kernel {function.__name__} must take the 2 arguments of its signature, not {given}"
        with pytest.raises(TypeError, match=f"^{re.escape(message)}"):
            kernel(INITIAL)(function)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("module", MODULES)
def test_no_kernel_counts_references(module: str) -> None:
    for one in kernels_of(module):
        assert b"NRT_" not in compiled_code(one), f"{module}.{one.py_func.__name__}"


def test_a_kernel_cannot_allocate(tmp_path: Path) -> None:
    code = "from athenan import rules\nfrom athenan.rules import compiler\nimport numpy as np\n"
    code += "@rules.kernel(rules.INITIAL)\ndef initial(params, state):\n    state[0] = np.zeros(3)[0]\n"
    code += "initial.compile()\n"
    assert "NumbaTypeError" in run(["-"], tmp_path, code).stderr


SILENT = [
    (["games"], 0),
    (["games", "--json"], 0),
    (["perft", "--help"], 0),
    (["match", "--help"], 0),
    (["train", "--help"], 0),
    (["play", "nogame"], 2),
    (["match", "hex:5", "random", "nobody"], 2),
    (["train", "hex:1"], 2),
    (["train", "hex:5", "--nonsense"], 2),
    (["train", "hex:5", "--strength.opponent", "human"], 2),
]
COMMANDS = """
import sys
from ast import literal_eval
from athenan.cli import main

for arguments, status in literal_eval(sys.argv[1]):
    print("the command", arguments, file=sys.stderr)
    assert main(arguments) == status, arguments
"""


def test_lists_helps_and_errors_compile_nothing(tmp_path: Path) -> None:
    done = run(["-c", COMMANDS, repr(SILENT)], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Preparing rules" not in done.stderr, done.stderr
    assert not list(tmp_path.glob("**/*.nbc"))


def test_a_first_start_says_that_it_compiles_and_a_second_does_not(tmp_path: Path) -> None:
    first, second = (run(["-m", "athenan", "perft", "tictactoe", "-d", "2"], tmp_path) for _ in range(2))
    assert first.stdout.splitlines()[:2] == second.stdout.splitlines()[:2]
    assert first.stderr.count("\n") == 1 and "Preparing rules" in first.stderr
    assert second.stderr == ""


HEX = {
    *(f"__init__.{name}" for name in ("actions", "play", "encode", "sample")), "usual.empty_board",
    "usual.last_mover_wins", "distances.features",
}  # fmt: skip
RULES = HEX | {
    "calls.initial", "calls.actions", "calls.play", "calls.outcome", "calls.probabilities", "calls.sample",
    "randomness.random_outcome", "direct._list_actions", "direct._play_if_legal", "direct._read_outcome",
}  # fmt: skip
WALK = {
    "walk.advance", "forest.clear", "forest.set_root", "forest.play_at_root", "forest.start_search",
    "chance.take_probabilities", "calls.encode",
    "terminal.terminal_value", "best_first.follow_best_open", "best_first.update_completed", "best_first.back_up_proof",
}  # fmt: skip
ROLLOUTS = {"rollouts.expand", "rollouts.roll_out", "calls.score"}
LEARNING = {
    "walk.receive", "leaves.all_finite", "forest.fullness_of", "forest.has_room_for_root", "best_first.goes_on",
    "heuristics._additive_depth", "playouts._random_ends", "drawing.shuffle", "encoding.encode_batch",
    "selection._narrow", "selection._ordinal",
}  # fmt: skip


FIRST_STARTS = [
    (["match", "hex:3", "mcts:10", "random", "-g", "2"], RULES | ROLLOUTS),
    (["analyze", "hex:3", "--iterations", "2"], RULES | WALK | {"best_first.ends", "terminal.gain"}),
    (
        ["train", "hex:3", "--matches", "1", "--strength.seconds", "0", "--network", "c", "--run", "RUN"],
        RULES | WALK | LEARNING,
    ),
]


def kernel_of(file: Path) -> str:
    """The kernel that a file of a cache is for."""
    return file.name.partition("-")[0]


@pytest.mark.slow
def test_a_first_start_compiles_what_it_uses(tmp_path: Path) -> None:
    require_what_is_compiled(tmp_path, FIRST_STARTS[:1])


@pytest.mark.slow
def test_every_first_start_compiles_what_it_uses(tmp_path: Path) -> None:
    require_what_is_compiled(tmp_path, FIRST_STARTS)


def require_what_is_compiled(tmp_path: Path, starts: list[tuple[list[str], set[str]]]) -> None:
    """What a command needs and an earlier one has compiled is copied to its cache, which saves half of the time."""
    for number, (arguments, kernels) in enumerate(starts):
        cache = tmp_path / f"cache {number}"
        for file in tmp_path.glob(f"cache {number - 1}/**/*.nb?"):
            if kernel_of(file) in kernels:
                copy = cache / file.relative_to(tmp_path / f"cache {number - 1}")
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, copy)
        done = run(["-m", "athenan", *(str(tmp_path / "run") if one == "RUN" else one for one in arguments)], cache)
        assert done.returncode == 0, done.stderr
        assert "Preparing rules" in done.stderr
        assert {kernel_of(file) for file in cache.glob("**/*.nbi")} == kernels


RECORDS = np.zeros((2, 3), np.dtype([("a", np.int8), ("b", np.float32)]))
ARGUMENTS = [
    np.zeros((3, 4), np.int8), np.zeros((3, 4), np.int8).T, np.zeros((3, 4), np.int8)[:, ::2], RECORDS, RECORDS["b"],
    np.frombuffer(b"only read", np.int8), (np.zeros(3), 2), Leaves(), 3,
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(ARGUMENTS)))
def test_a_kernel_is_bound_to_arguments_of_its_types_alone(place: int) -> None:
    """The types are those that numba finds."""
    wanted = typeof(ARGUMENTS[place])
    taken = kernel(types.void(wanted))(nothing)
    for argument in ARGUMENTS:
        if typeof(argument) == wanted:
            taken.bound(argument)()
        else:
            with pytest.raises(TypeError, match="nothing takes a"):
                taken.bound(argument)


def nothing(argument: object) -> None: ...


def test_threads_that_first_use_a_kernel_at_once_all_get_it() -> None:
    @kernel(INITIAL)
    def initial(params, state):
        state[0] = params[0]

    def use(number: int) -> int:
        state = np.zeros(8, np.int8)
        initial(np.array([number]), state)
        return int(state[0])

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(use, range(8))) == list(range(8))


NO_CACHE = """
import numba.core.caching as caching

def refuse(locator):
    raise OSError(30, "Read-only file system")

caching._CacheLocator.ensure_cache_path = refuse
from athenan.cli import main
raise SystemExit(main(["perft", "tictactoe", "-d", "3"]))
"""


def test_without_a_cache_that_can_be_written_it_works_and_says_so_once(tmp_path: Path) -> None:
    done = run(["-c", NO_CACHE], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "504" in done.stdout
    assert done.stderr.count("cannot be kept") == 1 and "NUMBA_CACHE_DIR" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Preparing rules and search for this processor\n" in done.stderr  # not once


def test_a_file_that_an_editor_has_open_keeps_its_code(tmp_path: Path) -> None:
    """Emacs puts a link to nothing beside it."""
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nfrom athenan import rules\n@rules.kernel(rules.INITIAL)\ndef initial(params, state):\n"
        "    state[0] = 7\nstate = np.zeros(8, np.int8)\ninitial(np.zeros(0, np.int64), state)\nprint(state[0])\n"
    )
    (tmp_path / ".#mine.py").symlink_to("me@host.1:1")
    (tmp_path / "folder.py").mkdir()
    done = run([str(tmp_path / "mine.py")], tmp_path / "cache")
    assert (done.returncode, done.stdout, "cannot be kept" in done.stderr) == (0, "7\n", False), done.stderr
    assert list((tmp_path / "cache").rglob("*.nbc"))


TYPED_IN = """
import numpy as np
from athenan import rules

@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[0] = params[0]

state = np.zeros(8, np.int8)
initial(np.array([7]), state)
print(state[0], initial.address > 0)
"""


def test_a_file_under_two_names_has_two_caches(tmp_path: Path) -> None:
    """Compiled code names the module of what it uses, which another process may know by another name."""
    rules = tmp_path / "rules.py"
    rules.write_text(
        "from athenan.rules.compiler import kernel, helper\nfrom athenan.rules.kernels import INITIAL\n"
        "@helper\ndef first(state):\n    state[0] = 7\n"
        "@kernel(INITIAL)\ndef initial(params, state):\n    first(state)\n"
    )
    for package in ("one", "two"):
        code = (
            "import importlib.util, sys, types\nimport numpy as np\n"
            f"sys.modules['{package}'] = types.ModuleType('{package}')\n"
            f"spec = importlib.util.spec_from_file_location('{package}.rules', {str(rules)!r})\n"
            f"module = sys.modules['{package}.rules'] = importlib.util.module_from_spec(spec)\n"
            "spec.loader.exec_module(module)\nstate = np.zeros(9, np.int8)\n"
            "module.initial.compile()\nmodule.initial(np.zeros(8, np.int64), state)\nprint(state[0])\n"
        )
        found = run(["-c", code], tmp_path / "cache")
        assert found.stdout.split() == ["7"], found.stderr
    assert len(list((tmp_path / "cache").glob("**/*.nbi"))) == 2


def test_code_that_names_a_module_that_has_moved_is_compiled_anew(tmp_path: Path) -> None:
    """Another version of the package may have other modules."""
    for module in ("pairs", "couples"):
        (tmp_path / f"{module}.py").write_text(
            "from typing import NamedTuple\nclass Pair(NamedTuple):\n    one: int\n    other: int\n"
        )
        (tmp_path / "adding.py").write_text(
            f"from numba import types\nfrom {module} import Pair\nfrom athenan.rules.compiler import kernel\n"
            "@kernel(types.int64(types.NamedUniTuple(types.int64, 2, Pair)))\n"
            "def add(pair):\n    return pair.one + pair.other\n"
        )
        code = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nimport adding\nprint(adding.add(adding.Pair(3, 4)))"
        found = run(["-c", code], tmp_path / "cache")
        assert found.stdout.split() == ["7"], found.stderr
        (tmp_path / f"{module}.py").unlink()
    assert len(list((tmp_path / "cache").glob("**/*.nbi"))) == 1


def test_kernels_from_standard_input_are_compiled(tmp_path: Path) -> None:
    done = run(["-"], tmp_path, TYPED_IN)
    assert (done.stdout, done.stderr) == ("7 True\n", "")


def test_kernels_of_a_notebook_are_compiled(tmp_path: Path) -> None:
    cell = f"exec(compile({TYPED_IN!r}, '/tmp/ipykernel_1/1.py', 'exec'))"
    done = run(["-c", cell], tmp_path)
    assert (done.stdout, done.stderr) == ("7 True\n", "")
