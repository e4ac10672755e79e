"""The layers of the package: imports point one way, and what should start fast does."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import athenan

PACKAGE = Path(athenan.__file__).parent
LAYERS = {
    "rules": {"settings"},
    "games": {"rules", "settings"},
    "search": {"rules", "settings"},
    "evaluation": {"rules", "settings"},
    "runs": {"rules", "games", "search", "evaluation", "settings"},
    "play": {"rules", "games", "search", "evaluation", "runs", "settings"},
    "learning": {"rules", "games", "search", "evaluation", "runs", "play", "settings"},
}


def imported(file):
    """The athenan modules that a file imports, lazily or not."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.startswith("athenan."))


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_point_one_way(layer):
    for file in (PACKAGE / layer).glob("**/*.py"):
        for name in imported(file):
            other = name.split(".")[1]
            assert other == layer or other in LAYERS[layer], f"{file.name} imports {name}"


def test_every_folder_has_its_place():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders - {"cli"} == set(LAYERS)


@pytest.mark.parametrize(
    "statement",
    ["import athenan", "from athenan import make; make('hex:7')", "from athenan import Search, perft, check_game"],
)
def test_starts_without_torch(statement):
    check = f"import sys\n{statement}\nassert 'torch' not in sys.modules\nassert 'tensorboard' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True)


def test_exports_exist():
    for name in athenan.__all__:
        assert getattr(athenan, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        athenan.nonsense  # noqa: B018


def is_compiled(function):
    """Whether numba types a function: it is decorated as a kernel or as what kernels call."""
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (called.attr if isinstance(called, ast.Attribute) else called.id) in ("kernel", "helper"):
            return True
    return False


def test_only_kernels_and_their_helpers_go_without_types():
    functions = [
        (file, node)
        for file in PACKAGE.glob("**/*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef) and node.returns is None
    ]
    assert len(functions) > 400
    assert not [f"{file.name}: {function.name}" for file, function in functions if not is_compiled(function)]
