"""Games of the user's own: by file, by module and by entry point; the file is the one of the documentation."""

import io
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib.metadata import EntryPoint
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import athenan
from athenan import Game, GameError, check_game, make, perft
from athenan.cli import main
from athenan.games import catalogue
from athenan.games.catalogue import GAMES, carries_over, is_game_name, known
from athenan.rules.facts import altered

PAGE = Path(__file__).parents[2] / "docs" / "games" / "own_game.md"
FOUND = re.search(r"<!-- the file nim.py -->\n```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
NIM = FOUND[1] if FOUND else ""
TICTACTOE = "from athenan.games.tictactoe import make\n"


@pytest.fixture
def nim(tmp_path: Path) -> Path:
    """The file of the documentation."""
    file = tmp_path / "nim.py"
    file.write_text(NIM)
    return file


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    """A file with some text."""

    def write(text: str) -> Path:
        file = tmp_path / "mine.py"
        file.write_text(text)
        return file

    return write


def run(arguments: Sequence[str | Path], folder: Path, cache: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command in a new process, in a folder, with a cache of its own for what it compiles."""
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": str(cache)} if cache else {})}
    return subprocess.run(
        [sys.executable, "-m", "athenan", *map(str, arguments)],
        env=environment, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


def matches(heaps: tuple[int, ...], moves: int) -> int:
    """The number of ways to play so many moves of Nim."""

    @cache
    def count(heaps: tuple[int, ...], moves: int) -> int:
        if not moves:
            return 1
        smaller = ((at, left) for at in range(len(heaps)) for left in range(heaps[at]))
        return sum(count((*heaps[:at], left, *heaps[at + 1 :]), moves - 1) for at, left in smaller)

    return count(heaps, moves)


def test_the_file_is_short() -> None:
    assert 0 < len(NIM.splitlines()) <= 65


@pytest.mark.parametrize("settings", ["", ":3", ":4,misere=true", ":1"])
def test_nim_is_right(settings: str, nim: Path) -> None:
    game = make(f"{nim}{settings}")
    check_game(game)
    size = game.planes[1]
    depth = min(4, game.max_length)
    assert perft(game, depth) == [matches(tuple(range(1, size + 1)), moves) for moves in range(1, depth + 1)]
    everything = game.after(" ".join(f"{'abcde'[heap]}{heap + 1}" for heap in range(size)))
    last_mover = 1 if size % 2 else -1
    assert game.outcome(everything) == (-last_mover if "misere=true" in settings else last_mover)


def test_names(nim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    game = make("./nim.py:3,misere=true")
    assert game.name == f"{nim}:3,misere=true"
    assert make("nim.py").name == f"{nim}:5"
    (tmp_path / "A folder, with ü=1").mkdir()
    monkeypatch.chdir(tmp_path / "A folder, with ü=1")
    assert make(game.name).name == make("../nim.py:3,MISERE=True").name == game.name
    assert make(game.name).table is not None and make(game.name).action_name.__module__ == str(nim)
    Path("Nim.py").write_text(NIM)
    other = make("Nim.py:2")
    assert other.name == f"{Path.cwd() / 'Nim.py'}:2"
    assert make(other.name).name == other.name


def test_a_file_is_loaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "once.py"
    file.write_text(NIM + f"\nwith open({str(tmp_path / 'loads')!r}, 'a') as loads:\n    loads.write('x')\n")
    (tmp_path / "link.py").symlink_to(file)
    monkeypatch.chdir(tmp_path)
    for name in (file, "once.py:2", "./link.py", f"{tmp_path}/../{tmp_path.name}/once.py"):
        make(str(name))
    assert (tmp_path / "loads").read_text() == "x"


def test_modules_of_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mygames").mkdir()
    (tmp_path / "mygames" / "__init__.py").write_text("")
    (tmp_path / "mygames" / "Nim.py").write_text(NIM)
    monkeypatch.syspath_prepend(tmp_path)
    assert not is_game_name("mygames.nothing") and is_game_name("mygames.Nim:3")
    assert make("mygames.Nim").name == "mygames.Nim:5"
    assert make("athenan.games.hex:5").name == "hex:5"
    with pytest.raises(GameError, match=r"^mygames.nothing cannot be loaded: ModuleNotFoundError: No module named"):
        make("mygames.nothing")


@pytest.fixture
def entry(nim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package whose entry points are games."""
    nim.rename(tmp_path / "nim_of_a_package.py")
    (tmp_path / "nims-1.0.dist-info").mkdir()
    (tmp_path / "nims-1.0.dist-info" / "METADATA").write_text("Name: nims\nVersion: 1.0\n")
    (tmp_path / "nims-1.0.dist-info" / "entry_points.txt").write_text(
        "[athenan.games]\nNim = nim_of_a_package\nmake-nim = nim_of_a_package:make\nlost = no_such_module\nhex = json\n"
    )
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("entry")
def test_entry_points() -> None:
    assert is_game_name("Nim:3") and not is_game_name("nim:3")
    assert is_game_name("./nim.py:3") and not is_game_name("runs/nim,search=./wandering.py")
    assert make("Nim").name == known("Nim").name == "Nim:5"
    assert make("hex").name == "hex:11"
    with pytest.raises(GameError, match=r"^make-nim: it has no function make, which would return the game$"):
        make("make-nim")
    with pytest.raises(GameError, match=r"^lost cannot be loaded: ModuleNotFoundError: No module named"):
        make("lost")


def test_names_of_the_table_look_up_no_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(**_: str) -> list[EntryPoint]:
        raise AssertionError

    monkeypatch.setattr(catalogue, "entry_points", forbidden)
    for name in GAMES:
        assert is_game_name(name) and known(make(name).name).name == make(name).name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it has no function make, which would return the game"),
        ("make = 5", "it has no function make, which would return the game"),
        ("1 / 0", "FILE cannot be loaded: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "FILE cannot be loaded: SystemExit: 3"),
        ("raise KeyError", "FILE cannot be loaded: KeyError"),
        ("import no_such_module", "FILE cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'"),
        ("def make(:", "FILE cannot be loaded: SyntaxError: invalid syntax (mine.py, line 1)"),
        ("def make():\n    return 'a game'", "its make must return an athenan.Game, not 'a game'"),
        ("def make(size: int):\n    return size", "its make raised TypeError: make() missing 1 required positional"),
        ("def make():\n    return {}['x']", "its make raised KeyError: 'x'"),
        ("def make():\n    raise ValueError('no such size')", "no such size"),
        ("def make(size=3):\n    pass", "size of make has no annotation, such as size: int"),
        ("def make(size: list = ()):\n    pass", "size of make must be annotated with bool, int, float, str, tuple["),
        ("def make(size: 'Strange' = 3):\n    pass", "an annotation of make cannot be read: name 'Strange' is not"),
        ("make = int", "no signature found for builtin type"),
        ("from athenan.games import tictactoe\ndef make(title: str = 'a,b'):\n    return tictactoe.make()",
         "the settings 'a,b' cannot be written"),
        (NIM.replace("actions, play, ", "actions, "), "its table lacks the kernel play"),
        (NIM.replace("    state[:] = 0\n", "    yield 0\n"), "TypeError: the kernel initial must not yield"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said(text: str, message: str, written: Callable[[str], Path]) -> None:
    file = written(text)
    with pytest.raises(GameError) as error:
        make(str(file))
    said = str(error.value)
    assert message.replace("FILE", str(file)) in said and str(file) in said
    assert "\n" not in said
    sys.modules.pop(str(file), None)


def test_rules_that_numba_refuses_are_told_in_a_sentence(written: Callable[[str], Path]) -> None:
    wrong = NIM.replace("    state[:] = 0\n", "    state[:] = 0\n    state.append(3)\n")
    game = make(str(written(wrong)))
    with pytest.raises(GameError, match=r"its rules cannot be compiled: .*'append'.*mine\.py\", line \d+$") as error:
        game.initial()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("./nothing.py", r"^there is no file /.*/nothing\.py$"),
        ("./nothing.py:5", r"^there is no file /.*/nothing\.py$"),
        ("folder.py", r"^there is no file /.*/folder\.py$"),
        ("a\0b.py", "is not the path of a file"),
        ("~nobody-of-this-name/nim.py", "is not the path of a file"),
        ("a:b/nim.py", "^there is no game 'a'; the games are"),
        ("./a:b/nim.py", "there is no game './a'; the path of a game's file ends with .py and has no colon"),
        ("./nim", "there is no game './nim'; the path of a game's file ends with .py and has no colon"),
        ("", "^there is no game ''; the games are"),
        ("a..b", "^there is no game 'a..b'"),
        ("os.path", "^os.path: it has no function make"),
    ],
)
def test_names_of_no_game_are_refused(name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder.py").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GameError, match=message):
        make(name)
    with pytest.raises(GameError):
        known(name)


def test_a_folder_with_a_colon_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a:b").mkdir()
    monkeypatch.chdir(tmp_path / "a:b")
    Path("nim.py").write_text(NIM)
    with pytest.raises(GameError, match="the path of this file must not have a colon"):
        make("nim.py")


def test_game_names_are_told_from_other_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nim.py").write_text(NIM)
    Path("run.py").mkdir()
    Path("json.tool").mkdir()
    games = ["hex", "HEX:5", " hex ", "hex:nonsense", "nim.py", "./nim.py:5", "lost.py", "json.decoder", "hex.py"]
    others = ["runs/hex", "./hex", "run.py", "json.tool", "json.nothing", "runs.old", "", "..", "mcts:1000", "a\0b"]
    others += ["x" * 9999, "x" * 9999 + ".y"]
    assert [name for name in games if not is_game_name(name)] == []
    assert [name for name in others if is_game_name(name)] == []


# What a run or a record names.


def test_known_games(written: Callable[[str], Path], tmp_path: Path) -> None:
    file = written(f"from pathlib import Path\nPath({str(tmp_path / 'ran')!r}).touch()\n" + TICTACTOE)
    assert known("hex:5").name == "hex:5"
    refused = "is code in the file .*, which a file may not load by itself; allow it by naming it"
    with pytest.raises(GameError, match=refused):
        known(str(file))
    assert not (tmp_path / "ran").exists()
    with pytest.raises(GameError, match=r"is code in the module this\.that, which a file may not load by it"):
        known("this.that:5")
    make(str(file))
    assert known(str(file)).name == str(file)


def test_the_file_of_a_run_may_have_been_moved(nim: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved" / "nim_of_a_run.py"
    moved.parent.mkdir()
    nim.rename(moved)
    make(str(moved))
    assert known("/another/computer/nim_of_a_run.py:4").name == f"{moved}:4"
    (tmp_path / "nim_of_a_run.py").write_text(NIM)
    with pytest.raises(GameError, match="may not load by itself"):
        known(str(tmp_path / "nim_of_a_run.py"))


# Other processes.


def first_name(game: Game) -> str:
    return game.action_name(game.initial(), int(game.actions(game.initial())[0]))


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_games_of_files_go_to_other_processes(method: str, nim: Path) -> None:
    game = make(f"{nim}:3")
    assert pickle.loads(pickle.dumps(game)).name == game.name
    with ProcessPoolExecutor(1, mp_context=get_context(method)) as workers:
        assert workers.submit(first_name, game).result() == "a1"


def test_kernels_of_a_file_are_kept(nim: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first, second = (run(["perft", "./nim.py", "-d", "2"], tmp_path, cache) for _ in range(2))
    assert "Preparing rules" in first.stderr and first.stdout.splitlines()[1].split() == ["2", "190"]
    assert second.stderr == "" and second.stdout.splitlines()[:2] == first.stdout.splitlines()[:2]
    before = nim.stat()
    nim.write_text(NIM.replace("= heap + 1", "= 2  +   0"))
    os.utime(nim, ns=(before.st_atime_ns, before.st_mtime_ns + 1))  # as if at once
    third = run(["perft", "./nim.py", "-d", "1"], tmp_path, cache)
    assert "Preparing rules" in third.stderr and third.stdout.splitlines()[0].split() == ["1", "10"]


@pytest.mark.slow
def test_kernels_of_a_package_are_compiled_again_if_any_of_its_files_changes(tmp_path: Path) -> None:
    package, cache = tmp_path / "heaps", tmp_path / "cache"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "start.py").write_text("OBJECTS = 2\n")
    (package / "nim.py").write_text("from heaps.start import OBJECTS\n" + NIM.replace("= heap + 1", "= OBJECTS"))
    counts = [run(["perft", "heaps.nim", "-d", "1"], tmp_path, cache).stdout.split()[1]]
    (package / "start.py").write_text("OBJECTS = 1  # in each heap\n")
    counts.append(run(["perft", "heaps.nim", "-d", "1"], tmp_path, cache).stdout.split()[1])
    assert counts == ["10", "5"]


# Commands.


def test_a_game_is_told(nim: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", f"{nim}:3"]) == 0
    output = capsys.readouterr().out
    assert output.startswith(f"{nim}:3\n\nNim: heaps of 1, 2, ..., n objects;")
    assert "  size: a whole number from 1 to 8 (default 5)\n  misere: true or false (default false)" in output
    assert main(["games", "hex"]) == 0
    assert "the notation is HexGui's and OpenSpiel's" in " ".join(capsys.readouterr().out.split())
    assert main(["games", str(nim.parent / "nothing.py")]) == 2
    assert "there is no file" in capsys.readouterr().err


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the file of the documentation and a run of it, `learnt`."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "nim.py").write_text(NIM)
    done = run(["train", "./nim.py", "--matches", "3", "--action.evaluations", "50", "--run", "learnt"], folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_a_game_of_a_file_is_trained(trained: Path) -> None:
    assert (trained / "learnt").is_dir()


def test_a_game_of_a_file_is_played_and_analysed(trained: Path, command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command as in a process of its own, where only its own words allow a file."""
    monkeypatch.chdir(trained)
    monkeypatch.setattr(sys, "stdin", io.StringIO())

    def alone(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("athenan.loading._named", set())
        found: tuple[int, str, str] = command(*words)
        return found

    status, output, errors = alone("match", "./nim.py", "learnt,iterations=1", "mcts:20", "--games", "2")
    assert (status, "95% interval" in output) == (0, True), errors
    status, output, errors = alone("analyze", "./nim.py:2")
    assert (status, "proven win for the" in output) == (0, True), errors
    for words in (["analyze", "learnt"], ["play", "learnt", "--first", "random", "--iterations", "1"]):
        status, _, errors = alone(*words)
        assert (status, "--rules" in errors, errors.count("\n")) == (2, True, 1)
        status, _, errors = alone(*words, "--rules", "./nim.py")
        assert status == 0, errors


def test_the_board_of_the_documentation_is_drawn() -> None:
    found = re.search(r"<!-- the board of two cells -->\n```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found
    names: dict[str, Any] = {}
    exec(found[1], names)
    game = altered(make("tictactoe"), board=names["board"])
    state = game.initial()
    state[8] = 1
    picture = ElementTree.fromstring(athenan.draw(game, state, clickable=True).svg)
    drawn = [one.attrib.get("class", "") for one in picture.iter()]
    assert drawn.count("place") == 2 and drawn.count("area wall") == 1 and drawn.count("line plain") == 1
    assert [one.attrib["aria-label"] for one in picture.iter() if one.attrib.get("class") == "place"] == [
        "a1: empty", "b1: Black disc",
    ]  # fmt: skip


def test_a_network_of_nim_carries_over_to_misere(nim: Path) -> None:
    one, other = make(f"{nim}:4"), make(f"{nim}:4,misere=true")
    assert carries_over(one, other) and not carries_over(one, make(f"{nim}:5"))


def test_a_wrong_action_name_is_refused_in_a_sentence(command: Callable[..., Any], tmp_path: Path) -> None:
    name = "grid.column_name(action // size) + str(action % size + 1)"
    for number, (wrong, message) in enumerate((("2", "must return a text, not 2"), ("{}[2]", "raised KeyError: 2"))):
        file = tmp_path / f"wrong{number}.py"
        file.write_text(NIM.replace(name, wrong))
        said = f"athenan: error: {file}:2: its action_name {message}\n"
        assert command("analyze", f"{file}:2") == (2, "", said)


def test_a_kernel_with_other_parameters_is_refused_in_a_sentence(command: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(NIM.replace("def play(params, state, action, following)", "def play(params, state, action)"))
    must = "TypeError: the kernel play must take the 4 arguments of its signature, not (params, state, action)"
    said = f"athenan: error: {file} cannot be loaded: {must}\n"
    assert command("check", f"{file}:2") == command("play", f"{file}:2") == (2, "", said)


def test_a_board_that_fails_late_is_refused_in_a_sentence(command: Callable[..., Any], tmp_path: Path) -> None:
    file, played, picture = tmp_path / "late.py", tmp_path / "late.jsonl", tmp_path / "late.svg"
    board = "rules.Board((), lambda state: rules.Scene() if state[2] < 2 else {}['x'])"
    file.write_text(NIM.replace("action_planes=where", f"board={board}, action_planes=where"))
    played.write_text(f'{{"game":"{file}:3","moves":"a1 b1","players":["a","b"],"outcome":null}}\n')
    fault = f"{file}:3: its board.scene raised KeyError: 'x'\n"
    assert command("check", f"{file}:3") == (2, "", f"athenan: error: {fault}")
    status, output, errors = command("convert", str(played), str(picture), "--game", f"{file}:3")
    assert (status, output, errors.count("\n"), picture.exists()) == (2, "", 1, False) and errors.endswith(fault)
