"""Trainings that are interrupted or killed, or whose files are damaged: what was saved goes on, bit for bit."""

import gc
import io
import os
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from sizes import size
from small_trainings import Interrupting, assert_same_arrays, assert_same_checkpoint, quiet, small

from athenan.learning.learner.torch_learner import TorchLearner
from athenan.learning.observers.display import Display
from athenan.learning.replay import ReplayConfig
from athenan.learning.trainer import Trainer
from athenan.learning.training import resume, train
from athenan.runs.checkpoint import Checkpoint, CheckpointError, RunDirectory, load
from athenan.search.algorithms.bandits import Puct
from athenan.search.algorithms.best_first import Ubfm

VARIANTS = {
    "default": small(matches=7),
    "overlap": small(matches=7, overlap=True),
    "cooling": small(matches=7, overlap=True, cooldown=0.8),
    "plain": small(
        "tictactoe", matches=7, search=Ubfm(completion=False), completed_selection=False,
        selection="epsilon_greedy", exploitation="annealed", heuristic="multiplicative_depth", iterations=8,
        target="terminal",
        replay=ReplayConfig("pairs", memory_pairs=400, sampling_rate=0.5, batch_size=32, augmentation="random"),
    ),
    "games": small(
        "othello:4", matches=7, selection="softmax", exploitation=0.7, temperature=0.3, averaging=0.0, target="root",
        network="r1:filters=8,blocks=1,pointwise=4,dense=8",
        replay=ReplayConfig("games", memory_matches=4, sampling_rate=0.5, augmentation="none"),
    ),
    "exchanging": small("hex:3", matches=7, replay=ReplayConfig(batch_size=32, colours=True), random_ends=300),
    "remembering": small("tictactoe", matches=7, resolved_period=3),
    "mobile": small("breakthrough:3x5", matches=7, heuristic="cumulative_mobility", random_ends=300),
    "alphazero": small(
        "connect_four:4x4", matches=7, iterations=9, search=Puct(completion=False, noise=0.25), target="terminal",
        policy_target="visits", selection="visits", drawn_actions=3, completed_selection=False,
        heuristic="classic", replay=ReplayConfig("stratified", duplication=2, augmentation="random"),
    ),
    "forgetting": small(
        "tictactoe", matches=7, iterations=8, target="tree_with_leaves", replay=ReplayConfig("none", batch_size=32),
    ),
}  # fmt: skip


@pytest.mark.parametrize("variant", list(VARIANTS)[:: size(3, 1)])
def test_a_resumed_run_equals_an_uninterrupted_one(
    variant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, whole, parts = VARIANTS[variant], tmp_path / "whole", tmp_path / "parts"
    train(config, whole, quiet())

    with pytest.raises(KeyboardInterrupt):  # before the first match has ended
        train(config, parts, Interrupting(matches=0))
    with pytest.raises(KeyboardInterrupt):
        resume(parts, display=Interrupting(matches=2))
    assert load(parts).document["progress"]["matches"] == 2
    if config.playing.exploitation != "annealed" and not config.learning.cooldown:  # which depend on the length
        resume(parts, matches=4, display=quiet())
        assert load(parts).document["progress"]["matches"] == 4
    files = 1 if config.replay.method == "none" else 2  # that are written after a match
    for place, name, calls in (
        (TorchLearner, "step", 2),
        (os, "replace", 2 * files),
    ):  # while learning, and while saving
        with monkeypatch.context() as patched:
            patched.setattr(place, name, interrupted(getattr(place, name), calls))
            with pytest.raises(KeyboardInterrupt):
                resume(parts, matches=7, display=quiet())
    resume(parts, matches=7, display=quiet())
    assert_same_checkpoint(whole, parts)
    resume(parts, matches=7, display=quiet())  # is over: nothing more happens
    resume(parts, matches=3, display=quiet())
    assert load(parts).document["progress"]["matches"] == 7


@pytest.mark.parametrize("method", ["stratified", "games", "pairs"])
def test_a_run_goes_on_without_a_damaged_match_file(method: str, tmp_path: Path) -> None:
    config = small(matches=4, replay=ReplayConfig(method))
    train(config, tmp_path, quiet())
    before = load(tmp_path)
    (tmp_path / "matches" / "000001.safetensors").write_bytes(b"half")
    with pytest.raises(CheckpointError, match=r"000001\.safetensors .*damaged.*--salvage"):
        resume(tmp_path, matches=6, display=quiet())
    shown = io.StringIO()
    resume(tmp_path, matches=4, display=Display(Console(file=shown, width=200)), salvage=True)
    items = len(before.matches[1]["symmetries"])
    assert f"lost: the data of matches 1, {items:,} of the items in replay memory" in shown.getvalue()
    resume(tmp_path, matches=6, display=quiet(), salvage=True)
    after = load(tmp_path)
    assert list(after.matches) == [0, 2, 3, 4, 5]
    assert_same_arrays(before.matches[3], after.matches[3])
    assert after.document["progress"]["learnt"] > before.document["progress"]["learnt"]


def test_a_damaged_waiting_match_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = train(small(matches=1, overlap=True), tmp_path / "run", quiet())
    whole = load(run)
    monkeypatch.setattr(RunDirectory, "load", lambda self, salvage: whole)
    states, values = whole.tensors["waiting.states"], whole.tensors["waiting.values"]
    infinite = np.full_like(values, np.inf)
    for other_states, other_values in (
        (states, infinite), (states[:0], values[:0]), (states[:-1], values), (states[:, :8], values)
    ):  # fmt: skip
        whole.tensors.update({"waiting.states": other_states, "waiting.values": other_values})
        with pytest.raises(CheckpointError, match="waiting"):
            resume(run, display=quiet())


def test_an_interrupted_start_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trainer, "_save", interrupted(Trainer._save, 1))
    with pytest.raises(KeyboardInterrupt):
        train(small(), tmp_path / "runs" / "hex-3", quiet())
    assert not list(tmp_path.iterdir())


def interrupted(function: Callable[..., object], calls: int) -> Callable[..., object]:
    """The function, with Ctrl-C pressed in the last of so many calls."""
    left = iter(range(calls - 1))

    def replacement(*given: object) -> object:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return function(*given)

    return replacement


KILLED = """
import os, random, select, signal, sys, time
from pathlib import Path
import tensorboard.summary.writer.event_file_writer
from athenan.runs.checkpoint import CHECKPOINT, load
from athenan.learning.training import resume, train
from small_trainings import quiet, small

class Reporting(type(quiet())):  # writes the number of matches that the trainer has finished, and says so
    def update(self, progress):
        os.pwrite(report, progress.matches.to_bytes(8, "little"), 0)
        os.write(said, b".")

def child():
    if (directory / CHECKPOINT).exists():
        resume(directory, display=Reporting())
    else:
        train(small(overlap=directory.name == "overlap"), directory, Reporting())

def finished():
    return int.from_bytes(os.pread(report, 8, 0), "little")

folder, kills, random = Path(sys.argv[1]), int(sys.argv[2]), random.Random(7)
heard, said = os.pipe()
train(small(matches=1), folder / "warm", quiet())  # so that the processes made by fork start fast
for kill in range(2 * kills):
    if kill % kills == 0:
        directory = folder / ("overlap" if kill else "default")
        report, saved = os.open(f"{directory}.report", os.O_RDWR | os.O_CREAT), 0
    process = os.fork()
    if not process:
        try:
            child()
        finally:
            os._exit(1)  # only a kill ends it
    while kill % 2 and finished() <= saved:
        assert select.select([heard], [], [], 120)[0]
        os.read(heard, 4096)
    time.sleep(random.uniform(0, 0.15))  # at any moment
    os.kill(process, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
    before = saved
    saved = load(directory).document["progress"]["matches"] if (directory / CHECKPOINT).exists() else 0
    assert saved in (finished(), finished() + 1), (saved, finished())
    assert not kill % 2 or saved > before, saved
    os.pwrite(report, saved.to_bytes(8, "little"), 0)
"""


def test_a_training_killed_many_times_loses_only_the_match_in_play(tmp_path: Path) -> None:
    """Nothing is lost but the match in play, and in another process the same comes out of it, bit for bit."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(size(2, 6))]
    script = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert script.returncode == 0, script.stderr
    for name in ("default", "overlap"):
        killed, whole = tmp_path / name, tmp_path / f"{name} whole"
        matches = load(killed).document["progress"]["matches"] + 1
        resume(killed, matches=matches, display=quiet())
        train(small(matches=matches, overlap=name == "overlap"), whole, quiet())
        assert_same_checkpoint(killed, whole)
        kept = {f"{number:06d}.safetensors" for number in load(killed).matches}
        assert {file.name for file in (killed / "matches").iterdir()} == kept


def test_a_resumed_training_does_not_hold_the_matches_of_its_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replay forgets them one by one, and a second reference would keep their memory."""
    train(small(matches=2), tmp_path / "run", display=quiet())
    load_run, held = RunDirectory.load, list[weakref.ref[Checkpoint]]()

    def loaded(directory: RunDirectory, salvage: bool = False) -> Checkpoint:
        checkpoint = load_run(directory, salvage)
        held.append(weakref.ref(checkpoint))
        return checkpoint

    def run(trainer: Trainer, observers: object) -> None:
        gc.collect()
        assert len(held) == 1 and held[0]() is None

    monkeypatch.setattr(RunDirectory, "load", loaded)
    monkeypatch.setattr(Trainer, "run", run)
    resume(tmp_path / "run", matches=3, display=quiet())
