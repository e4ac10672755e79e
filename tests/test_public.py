"""For whoever imports athenan: names that type checkers see, a stated home for each, an environment left as it is."""

import ast
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from sysconfig import get_path
from typing import Any

import pytest

import athenan
from athenan.games.catalogue import make
from athenan.play.player import RandomPlayer

PACKAGE = Path(athenan.__file__).parent
CACHE = Path(__file__).parents[1] / ".mypy_cache" / "of_users"
"""Where mypy keeps what it knows of the package, as it does for its own run."""
PAGE = (Path(__file__).parent.parent / "docs" / "python.md").read_text()
PROGRAM = """
import athenan
from athenan import Budget, Search, analyze, make, make_player, play_series

game = make("hex:3")
reveal_type(game)
reveal_type(game.text(game.after("a1")))
reveal_type(analyze(game, "a1", Budget(seconds=1.0)).best)
reveal_type(Search(game).root())
reveal_type(play_series(game, [make_player("random", game), make_player("random", game)]).score)
reveal_type(athenan.GAMES)
athenan.nonsense
make(3)
"""
INSTALLED = """
[mypy]
strict = true
[mypy-athenan.*]
follow_imports = silent
[mypy-torch.*]
follow_imports = skip
"""
"""How a program is checked: athenan as if installed, and PyTorch, which no line of it needs, not read."""
SEEN = [
    '5: note: Revealed type is "athenan.rules.game.Game"',
    '6: note: Revealed type is "str"',
    '7: note: Revealed type is "str | None"',
    '8: note: Revealed type is "athenan.search.trees.node.Node"',
    '9: note: Revealed type is "float"',
    '10: note: Revealed type is "dict[str, str]"',
    '11: error: Module has no attribute "nonsense"  [attr-defined]',
    '12: error: Argument 1 to "make" has incompatible type "int"; expected "str | Game"  [arg-type]',
]
UNTYPED: Any = athenan
"""The package as a program sees it that has no types."""


def python(program, **environment):
    """What a program of Python prints, in a process of its own without our setting for its threads."""
    others = {key: value for key, value in os.environ.items() if key != "OMP_WAIT_POLICY"}
    return subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, env=others | environment
    ).stdout


def names_for_type_checkers():
    """Name -> module, of the imports below `if TYPE_CHECKING`."""
    (block,) = [
        node for node in ast.parse((PACKAGE / "__init__.py").read_text()).body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    ]  # fmt: skip
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    assert all(alias.asname == alias.name for node in imports for alias in node.names)  # which exports it again
    return {alias.name: node.module for node in imports for alias in node.names}


def test_type_checkers_see_the_names_that_are_loaded():
    seen = names_for_type_checkers()
    assert {"__version__", *seen} == set(UNTYPED.__all__)
    for name, module in seen.items():
        assert getattr(athenan, name) is getattr(import_module(module), name)
    assert set(UNTYPED.__all__) <= set(dir(athenan))
    assert (PACKAGE / "py.typed").exists()


def test_a_program_of_a_user_gets_types_and_not_any(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    (tmp_path / "program.py").write_text(PROGRAM.lstrip())
    (tmp_path / "mypy.ini").write_text(INSTALLED)
    installed = PACKAGE.parent == Path(get_path("purelib"))  # then mypy finds it, and refuses this path
    where = {} if installed else {"MYPYPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=mypy.ini", "--no-error-summary", f"--cache-dir={CACHE}",
         "program.py"],
        cwd=tmp_path, env=os.environ | where, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.replace("program.py:", "").splitlines() == SEEN, done.stderr


def test_importing_changes_no_environment_variable():
    names = ", ".join(UNTYPED.__all__)
    python(f"import os; before = dict(os.environ); from athenan import {names}; assert dict(os.environ) == before")


@pytest.mark.parametrize(("given", "used"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "ACTIVE"}, "ACTIVE")])
def test_threads_of_the_command_sleep_while_they_wait(given, used):
    program = "import os; from athenan.cli import main; main(['--version']); print(os.environ['OMP_WAIT_POLICY'])"
    assert python(program, **given).split()[-1] == used


def test_workers_sleep_while_they_wait(monkeypatch):
    from worker_jobs import variable

    from athenan.jobs import run

    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    assert list(run(variable, ["OMP_WAIT_POLICY"], workers=1)) == [("OMP_WAIT_POLICY", "PASSIVE")]
    assert "OMP_WAIT_POLICY" not in os.environ


def homes():
    """The modules that the page on Python lists as public."""
    table = PAGE.partition("## The public names")[2]
    return set(re.findall(r"`(athenan(?:\.\w+)+)`", table))


def test_all_that_the_page_on_python_uses_is_exported_or_has_a_public_home():
    examples, exported = PAGE.partition("## The public names")[0], {f"athenan.{name}" for name in UNTYPED.__all__}
    used = set(re.findall(r"`(athenan(?:\.\w+)+)", examples))
    for module, names in re.findall(r"from (athenan(?:\.\w+)*) import (.*)", examples):
        used |= {f"{module}.{name}" for name in names.split(", ")}
    assert len(used) > 15
    for name in used - exported:
        assert name in homes() or name.rpartition(".")[0] in homes(), name
    for name in homes():
        assert import_module(name).__doc__


GAME, RANDOM = make("tictactoe"), RandomPlayer()
WRONG = {
    "make_player": (lambda: UNTYPED.make_player(3, GAME), "the name of a player must be a str"),
    "path": (lambda: UNTYPED.make_player(Path("runs/x"), GAME), "must be a str, such as 'mcts:1000', not PosixPath("),
    "player's game": (lambda: UNTYPED.make_player("random", "tictactoe"), "game must be a Game, such as athenan.make("),
    "load_player": (lambda: UNTYPED.load_player("runs/x", "tictactoe"), "game must be a Game"),
    "Search": (lambda: UNTYPED.Search("tictactoe"), "game must be a Game"),
    "make_search": (lambda: UNTYPED.make_search("tictactoe"), "game must be a Game"),
    "settings": (lambda: UNTYPED.make_search(GAME, settings="ubfm"), "must be a SearchSettings, such as Ubfm()"),
    "Search's settings": (lambda: UNTYPED.Search(GAME, settings="ubfm"), "settings must be a SearchSettings"),
    "parse_search": (lambda: UNTYPED.parse_search(3), "a search must be a str"),
    "play_match": (lambda: UNTYPED.play_match("tictactoe", [RANDOM] * 2), "game must be a Game"),
    "players": (lambda: UNTYPED.play_match(GAME, ["random"] * 2), "a player must be made first, by make_player("),
    "play_series": (lambda: UNTYPED.play_series("tictactoe", [RANDOM] * 2), "game must be a Game"),
    "limit": (lambda: UNTYPED.analyze(GAME, "", 5), "must be a Budget, such as Budget(seconds=1), not 5"),
    "Session": (lambda: UNTYPED.Session("tictactoe"), "searcher must be a Searcher, such as Search(make('hex:7'))"),
    "SearchPlayer": (lambda: UNTYPED.SearchPlayer("mine", GAME), "searcher must be a Searcher"),
    "a search as player": (
        lambda: UNTYPED.play_series(GAME, [UNTYPED.Search(GAME), RANDOM]),
        "a player must be a Player, such as make_player('random', game)",
    ),
    "games": (lambda: UNTYPED.play_series(GAME, [RANDOM] * 2, 2.0), "games must be a whole number, not 2.0"),
    "random opening": (
        lambda: UNTYPED.play_series(GAME, [RANDOM] * 2, random_opening="1"),
        "the number of random actions must be a whole number, not '1'",
    ),
    "a match's limit": (lambda: UNTYPED.play_match(GAME, [RANDOM] * 2, limit=5), "must be a Budget"),
    "a series' limit": (lambda: UNTYPED.play_series(GAME, [RANDOM] * 2, limit=0.5), "must be a Budget"),
    "Budget": (lambda: UNTYPED.Budget(seconds="1"), "a budget is a number, such as Budget(seconds=1), not '1'"),
    "evaluate": (lambda: UNTYPED.analyze(GAME, evaluate="athenan"), "evaluate must be a function, such as "),
    "terminal": (lambda: UNTYPED.analyze(GAME, terminal="score"), "must be a TerminalValue, such as make_heuristic("),
    "memory": (lambda: UNTYPED.analyze(GAME, memory="64"), "memory must be a whole number, not '64'"),
    "threads": (lambda: UNTYPED.analyze(GAME, threads="2"), "threads must be a whole number, not '2'"),
    "Search's threads": (lambda: UNTYPED.Search(GAME, threads="2"), "threads must be a whole number, not '2'"),
    "slots": (lambda: UNTYPED.Search(GAME, slots="2"), "slots must be a whole number, not '2'"),
    "seed": (lambda: UNTYPED.Search(GAME, seed="2"), "seed must be a whole number, not '2'"),
    "chances": (lambda: UNTYPED.analyze(GAME, chances=0.5), "chances must be a Chances, such as learnt_network("),
    "depth": (lambda: UNTYPED.perft(GAME, 2.5), "depth must be a whole number, not 2.5"),
    "perft": (lambda: UNTYPED.perft("tictactoe", 3), "game must be a Game"),
    "check_game": (lambda: UNTYPED.check_game("tictactoe"), "game must be a Game"),
    "check_search": (lambda: UNTYPED.check_search(3), "search must be a SearchSettings"),
    "draw": (lambda: UNTYPED.draw("tictactoe"), "game must be a Game"),
    "moves": (
        lambda: UNTYPED.make("tictactoe").after(["b2", "a1"]),
        "must be a str, such as 'c2 b3', not ['b2', 'a1']",
    ),
    "position": (lambda: UNTYPED.analyze(GAME, ["b2"]), "must be a ndarray"),
    "train": (lambda: UNTYPED.train("tictactoe"), "config must be a TrainingConfig, such as recommended('hex:7')"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_value_of_a_wrong_type_gets_one_sentence(case):
    call, message = WRONG[case]
    with pytest.raises(TypeError) as raised:
        call()
    assert message in str(raised.value) and "\n" not in str(raised.value)
