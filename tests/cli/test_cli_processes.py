"""The command as a process: its streams, signals, start, and what it imports and compiles."""

import os
import signal
import subprocess
import sys

import pytest
from command_output import without_compiling
from processes import PATIENCE

from athenan.cli import main
from athenan.runs.checkpoint import load


def written_to(stream, *arguments):
    """The exit status and standard error of the command, whose standard output is a stream and buffered, as usual."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-m", "athenan", *arguments]
    done = subprocess.run(command, check=False, stdout=stream, stderr=subprocess.PIPE, text=True, env=environment)
    return done.returncode, done.stderr


@pytest.mark.parametrize(("line", "status"), [("games", 1), ("games --help", 0), ("nonsense", 2)])
def test_a_reader_that_leaves_is_no_error(line, status):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        found, errors = written_to(closed, *line.split())
    assert found == status
    assert errors.startswith("athenan: error: there is no command") if status == 2 else errors == ""


def test_a_full_disk_gets_one_line():
    with open("/dev/full", "wb") as full:
        assert written_to(full, "games") == (2, "athenan: error: No space left on device\n")


@pytest.mark.parametrize(("line", "status"), [("games", 2), ("nonsense", 2), ("games --help", 2)])
def test_full_outputs_do_not_change_the_status(line, status):
    """A command that could not write its output fails, and says so by its status, even if nothing else can be said."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "athenan", *line.split()], check=False, stdout=full, stderr=full, timeout=300
        )
    assert done.returncode == status


def closed(arguments, streams):
    """Runs the command in a process of its own whose streams of these numbers are closed."""
    code = f"""
import os, sys
for stream in {streams!r}:
    os.close(stream)
os.execv(sys.executable, [sys.executable, "-m", "athenan", *{arguments!r}])
"""
    return subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    "line", ["games", "games --json", "perft hex:3 -d 2", "analyze hex:2", "match hex:2 random mcts:9 -g 2", "--help"]
)
def test_a_closed_standard_output_is_no_error(line, capsys, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", None)  # what Python makes of a closed one
        assert main(line.split()) == 0
        sys.stdout.close()
    assert without_compiling(capsys.readouterr().err) == ""


def test_a_process_with_a_closed_standard_output_ends_well():
    done = closed(["match", "hex:2", "random", "mcts:9", "-g", "2"], (1,))
    assert (done.returncode, without_compiling(done.stderr)) == (0, "")


def test_other_closed_streams_are_no_error():
    assert closed(["nonsense"], (1, 2)).returncode == 2
    done = closed(["play", "hex:2", "--second", "random"], (0,))
    assert (done.returncode, without_compiling(done.stderr)) == (0, "")
    assert "You left" in done.stdout


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("train --help", "Seconds (tau)."),
        ("bench tictactoe --seconds 0.01", " us"),
        ("perft hex:τ", "size must be a whole number from 2 to 19, not 'tau'"),
        ("perft hex:3 --depth deep", "error: --depth must be a whole number from 1 to 1,000, not 'deep'"),
        ("perft", "error: which game? For example: athenan perft hex:7; `athenan games` lists the games"),
    ],
)
def test_errors_and_help_are_readable_in_ascii(line, shown):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "150"}
    command = [sys.executable, "-m", "athenan", *line.split()]
    done = subprocess.run(command, check=False, capture_output=True, env=environment)
    text = (done.stdout + done.stderr).decode("ascii")
    assert done.returncode == 2 * ("error" in shown or "hex:τ" in line)
    assert shown in text
    assert "\\u" not in text and "\\x" not in text


PERFT = """
import importlib, signal
from athenan.cli import main
from athenan.runs.checkpoint import load

signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where tests run unseen
module = importlib.import_module("athenan.rules.perft")
count = module._perft

def first(*given):
    module._perft = count
    level = count(*given)
    print("it counts", flush=True)
    return level

module._perft = first
raise SystemExit(main(["perft", "hex:11", "--depth", "8"]))
"""


def test_ctrl_c_ends_perft():
    command = [sys.executable, "-c", PERFT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            assert process.stdout.readline() == "it counts\n"
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert (process.returncode, without_compiling(errors)) == (130, "athenan: interrupted\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without telling it")
@pytest.mark.one_of(3)
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("options", [[], ["--workers", "2"], ["--workers", "2", "--exchange"]])
def test_a_signal_that_ends_a_training_saves_it(tmp_path, options, name):
    """As batch systems, containers and closed terminals end a command; no match has been saved before."""
    train = "train hex:3 --matches 1000000 --action.evaluations 9 --threads 1 --saving 9999 --strength.seconds 0"
    command = [sys.executable, "-m", "athenan", *train.split(), "--run", str(tmp_path / "run")]
    number = signal.Signals[name]
    before = signal.signal(number, signal.SIG_DFL)  # under nohup it is ignored, also by the training
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    signal.signal(number, before)
    with process:
        assert process.stdout
        try:
            assert any(" | length " in line for line in process.stdout)
            process.send_signal(number)
            _, errors = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert (process.returncode, without_compiling(errors)) == (128 + number, f"athenan: ended by {name}\n")
    assert load(tmp_path / "run").document["progress"]["matches"] > 0


def in_a_new_process(code):
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, without_compiling(done.stderr)) == (0, "")
    return done.stdout


def test_starts_without_torch():
    """One process tries one command after the other."""
    lines = ["games", "perft hex:3", "analyze hex:2", "match hex:3 random mcts:9 --games 2"]
    in_a_new_process(
        "import sys; from athenan.cli import main\n"
        f"for line in {lines!r}:\n"
        "    assert main(line.split()) == 0, line\n"
        "    assert 'torch' not in sys.modules and 'tensorboard' not in sys.modules, line"
    )


def test_the_package_runs_as_a_module():
    command = [sys.executable, "-m", "athenan", "perft", "nogame"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_second_start_compiles_nothing():
    """Nor does it load what numba compiles with."""
    code = """
import sys
from numba.core import event
with event.install_recorder("numba:compile") as compiled:
    import pkgutil, importlib, athenan
    for module in pkgutil.walk_packages(athenan.__path__, "athenan."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in athenan.GAMES:
        game = athenan.make(name)
        athenan.analyze(game, budget=athenan.Budget(iterations=3))
        athenan.perft(game, 2)
        players = [athenan.make_player(name, game) for name in ("mcts:2", "random")]
        athenan.play_series(game, players[: game.players], games=2)
print(len(compiled.buffer), "numba.np.arraymath" in sys.modules)
"""
    assert any(in_a_new_process(code) == "0 False\n" for _ in range(2))  # the first may have to compile
