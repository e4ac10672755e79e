"""Games of the user's own: by file, by module and by entry point; the file is the one of the documentation."""

import pickle
import re
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib.metadata import EntryPoint
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from nim_file import NIM, PAGE

import athenan
from athenan import Game, GameError, check_game, make, perft
from athenan.games import catalogue
from athenan.games.catalogue import GAMES, carries_over, is_game_name, known
from athenan.rules.facts import altered

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


# Its board and its networks.


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
