"""The layers of the package: imports point one way, and what should start fast does."""

import ast
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

import athenan
from athenan.games.catalogue import GAMES

PACKAGE = Path(athenan.__file__).parent
ROOMS = {
    "settings": [],
    "system": [],
    "jobs": [],
    "report": [],
    "rules": [],
    "games": ["rules", "drawing"],
    "drawing": ["rules"],
    "search": ["rules"],
    "evaluation": ["rules"],
    "runs": ["rules", "games", "search", "evaluation"],
    "play": ["report", "rules", "games", "drawing", "search", "evaluation", "runs"],
    "networks": ["rules", "games", "evaluation", "runs", "play"],
    "files": ["rules", "drawing", "games", "play"],
    "engines": ["rules", "games", "search", "evaluation", "play", "files"],
    "statistics": [],
    "arena": [
        "jobs",
        "report",
        "rules",
        "games",
        "search",
        "evaluation",
        "runs",
        "networks",
        "play",
        "files",
        "engines",
        "statistics",
    ],
    "grading": ["report", "rules", "games", "search", "evaluation", "play", "statistics", "arena"],
    "web": [
        "rules",
        "games",
        "drawing",
        "search",
        "evaluation",
        "runs",
        "networks",
        "play",
        "files",
        "engines",
        "arena",
    ],
    "environments": ["rules", "games", "search", "evaluation", "runs", "networks", "play", "arena"],
    "learning": ["jobs", "rules", "games", "search", "evaluation", "runs", "networks", "play", "files", "arena"],
    "experiments": [
        "jobs",
        "report",
        "rules",
        "games",
        "search",
        "evaluation",
        "runs",
        "networks",
        "play",
        "arena",
        "statistics",
        "grading",
        "learning",
    ],
}
FOR_ALL = ("settings", "system", "loading", "extras", "reading", "replacing", "growing", "version")
"""What each folder may import, and what all may; the command and `bench` may import anything."""


def module_name(file):
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(file): file for file in PACKAGE.glob("**/*.py")}


@cache
def tree_of(file):
    return ast.parse(file.read_text())


@cache
def all_imported(file, types=False):
    """The modules that a file imports, lazily or not; those for its types alone only if `types`."""
    tree, found = tree_of(file), []
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in for_types and not types:
            continue
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            both = [(f"{node.module}.{alias.name}", str(node.module)) for alias in node.names]
            found += [longer if longer in FILES else module for longer, module in both]
    return found


def imported(file, package="athenan", types=False):
    """The modules of a package that a file imports, lazily or not; those for its types alone only if `types`."""
    return [name for name in all_imported(file, types) if name.split(".")[0] == package]


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_one_way(room):
    for file in (PACKAGE / room).glob("**/*.py"):
        for name in imported(file, types=True):
            other = [*name.split("."), ""][1]
            assert other in (room, *FOR_ALL, *ROOMS[room]), f"{file.name} imports {name}"


def test_games_are_made_by_their_names():
    """But for players that are programs for one game, and for files, whose formats are that game's. The words of games
    are found by their names.
    """
    for name, file in FILES.items():
        if not name.startswith(("athenan.games", "athenan.engines", "athenan.files")):
            others = [one for one in imported(file) if one.startswith("athenan.games")]
            assert set(others) <= {"athenan.games.catalogue", "athenan.games.about"}, name


def test_only_some_rooms_import_torch():
    importing = {file.relative_to(PACKAGE).parts[0] for file in FILES.values() if any(imported(file, "torch"))}
    assert importing == {"evaluation", "runs", "learning"}


def test_every_folder_has_its_place():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders - {"cli"} == set(ROOMS)


@pytest.mark.parametrize("room", [*ROOMS, "cli"])
def test_the_tests_of_a_room_are_in_the_folder_with_its_name(room):
    assert list((Path(__file__).parent / room).glob("test_*.py"))


def test_there_is_no_circle_of_imports():
    """Imports for types count, except those of the package itself, which names all that is public."""
    graph = {name: set(imported(file, types=True)) & set(FILES) - {name} for name, file in FILES.items()}
    graph["athenan"] = set(imported(FILES["athenan"]))
    list(TopologicalSorter(graph).static_order())  # raises CycleError


@pytest.mark.parametrize(
    "statement",
    [
        "import athenan",
        "from athenan import make; make('hex:7')",
        "from athenan import Search, perft, check_game",
        "import athenan.cli.web, athenan.web.server; from athenan.runs.description import game_name",
    ],
)
def test_starts_without_torch(statement):
    check = f"import sys\n{statement}\nassert 'torch' not in sys.modules\nassert 'tensorboard' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True)


def test_exports_exist():
    untyped: Any = athenan
    for name in untyped.__all__:
        assert getattr(athenan, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        untyped.nonsense  # noqa: B018


def test_no_name_shadows_one_that_is_imported_from_typing():
    trees = {name: tree_of(file) for name, file in FILES.items()}
    imports = [node for tree in trees.values() for node in tree.body if isinstance(node, ast.ImportFrom)]
    of_typing = {alias.name for node in imports if node.module == "typing" for alias in node.names}
    assert "Protocol" in of_typing
    for name, tree in trees.items():
        for node in tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else [node]
            given = {getattr(target, "id", getattr(target, "name", "")) for target in targets}
            assert not given & of_typing, name


def test_no_two_classes_share_a_name():
    classes = [(node.name, name) for name, file in FILES.items() for node in tree_of(file).body
               if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]  # fmt: skip
    modules = dict[str, list[str]]()
    for name, module in classes:
        modules.setdefault(name, []).append(module)
    assert len(modules) > 300
    assert {name: found for name, found in modules.items() if len(found) > 1} == {}


def is_compiled(function):
    """Whether numba types a function: it is decorated as a kernel or as what kernels call."""
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name in ("kernel", "helper", "inlined"):
            return True
    return False


def test_only_kernels_and_their_helpers_go_without_types():
    functions = [
        (file, node)
        for file in PACKAGE.glob("**/*.py")
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.FunctionDef) and node.returns is None
    ]
    assert len(functions) > 400
    assert not [f"{file.name}: {function.name}" for file, function in functions if not is_compiled(function)]


NAMING = {"make": "athenan.games.catalogue", "parse_search": "athenan.search.named"}
"""Functions that load code whose name they are given, and their modules."""


def names_code(file):
    """Whether a file gives such a function, or `make_player`, a name that is not written there."""
    own = {
        alias.asname or alias.name
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if NAMING.get(alias.name) == node.module
    }
    for node in ast.walk(tree_of(file)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        named = not any(one.arg == "named" for one in node.keywords)
        if node.func.id in own and not isinstance(node.args[0], ast.Constant | ast.Subscript):
            return True
        if node.func.id == "make_player" and named and len(node.args) == 2:
            return True
    return False


NAMED_BY_THE_USER = {
    "athenan.arena.learnt_players",  # if the user named the player
    "athenan.arena.preparing",  # the player of `athenan play`
    "athenan.arena.roster",
    "athenan.environments.spaces",
    "athenan.experiments.paper",
    "athenan.files.pdn.matches",  # a name from a table
    "athenan.files.sgf.games",  # the same, with settings of numbers
    "athenan.learning.config",  # what `changed` is given
    "athenan.learning.recipe",
    "athenan.learning.training",
    "athenan.play.session",
    "athenan.testing",  # as a user of Python names games and searches
}
"""Modules outside the command whose functions take names from the user."""


def test_only_what_users_call_loads_code_by_name():
    """A name from a file, a page or another program is looked up by `known`, `known_search` or `named=False`."""
    found = {name for name, file in FILES.items() if names_code(file)}
    assert {name for name in found if not name.startswith(("athenan.cli", "athenan.bench"))} <= NAMED_BY_THE_USER


NAMING_GAMES = {
    "athenan.evaluation.architectures": 2,  # architectures of the papers, which are called after games
    "athenan.engines.aei.client": 1,  # the command go
    "athenan.engines.aei.server": 1,
    "athenan.engines.hub.server": 1,
    "athenan.engines.uci.server": 1,
}
"""Module outside games and experiments, whose subject is matches of certain games -> how often it names a game."""


def names_of_games(file):
    """How many texts of a file, docstrings apart, are the name of a game of the package, with settings or without."""
    tree = tree_of(file)
    described = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in described]
    return sum(isinstance(text, str) and text.partition(":")[0] in GAMES for text in texts)


def test_the_house_asks_a_game_and_does_not_know_it_by_its_name():
    """So a game in a user's file has the same rights. What is known of a game stands in its `Forms` and `Advice`."""
    found = {name: names_of_games(file) for name, file in FILES.items()}
    assert found["athenan.games.catalogue"] >= len(GAMES)
    apart = ("athenan.games", "athenan.experiments")
    assert {name: count for name, count in found.items() if count and not name.startswith(apart)} == NAMING_GAMES
