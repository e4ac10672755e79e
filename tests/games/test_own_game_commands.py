"""Commands on a game of a user's file, and what they keep of its compiled code."""

import io
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from nim_file import NIM

from athenan.cli import main


@pytest.fixture
def nim(tmp_path: Path) -> Path:
    """The file of the documentation."""
    file = tmp_path / "nim.py"
    file.write_text(NIM)
    return file


def run(arguments: Sequence[str | Path], folder: Path, cache: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command in a new process, in a folder, with a cache of its own for what it compiles."""
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": str(cache)} if cache else {})}
    return subprocess.run(
        [sys.executable, "-m", "athenan", *map(str, arguments)],
        env=environment, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


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
