"""Actors in other processes: their matches are learnt, their deaths cost little, and they end with the training."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import all_end
from small_trainings import Interrupting, changed, quiet, small

from athenan.cli import main
from athenan.games.catalogue import make
from athenan.jobs import JobError, Machines
from athenan.learning.observers.display import Display
from athenan.learning.progress import Progress
from athenan.learning.self_play import remote_actors
from athenan.learning.self_play.protocol import FinishedMatch, Spent
from athenan.learning.self_play.remote_actors import Order, Played, RemoteActors, Snapshot
from athenan.learning.trainer import Trainer
from athenan.learning.training import resume, train
from athenan.runs.checkpoint import CheckpointError, RunDirectory, load

SEVERAL = small(matches=8, overlap=True, renewal=0.05)
NATIVE = {"network": "patterns:walks=4,entries=81"}
"""Changes of a training whose processes need no PyTorch, which takes them two seconds to load."""
TWO = Machines(2)


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    assert not multiprocessing.active_children()


class Killing(Display):
    """Kills an actor's process after so many matches, and interrupts the training some after it is seen."""

    def __init__(self, matches: int) -> None:
        super().__init__(quiet().console)
        self.matches, self.killed, self.seen = matches, 0, 0

    def update(self, progress: Progress) -> None:
        super().update(progress)
        self.seen = max(self.seen, progress.lost_actors)
        if progress.matches >= self.matches and not self.killed:
            process = multiprocessing.active_children()[0]
            assert process.pid
            self.killed = process.pid
            os.kill(process.pid, signal.SIGKILL)
        if self.seen and progress.matches >= 4 * self.matches:
            raise KeyboardInterrupt


def test_matches_of_remote_actors_are_learnt_and_a_dead_actor_is_replaced(tmp_path: Path) -> None:
    """With other random numbers, and other matches, each."""
    config, killing = small(matches=10**6, overlap=True, renewal=0.05, **NATIVE), Killing(4)
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "run", killing, machines=TWO)
    run = load(tmp_path / "run")
    progress = run.document["progress"]
    matches = progress["matches"]
    assert matches >= 16 and len(progress["lengths"]) == len(progress["lags"]) == min(matches, 100)
    assert killing.seen == progress["lost_actors"] == 1
    assert progress["evaluations"] > matches * 40 and progress["search_seconds"] > 0
    different = {match["states"].tobytes() for match in run.matches.values()}
    assert len(different) > min(matches, len(run.matches)) / 2
    resume(tmp_path / "run", matches=matches + 1, display=quiet())  # by a thread of this process
    assert load(tmp_path / "run").document["progress"]["matches"] == matches + 1


@pytest.mark.slow
def test_an_interruption_ends_all_processes(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(SEVERAL, tmp_path / "run", Interrupting(2), machines=Machines(1))
    assert not multiprocessing.active_children()
    assert 2 <= load(tmp_path / "run").document["progress"]["matches"] < 8


KILLED = """
import sys
from athenan.jobs import Machines
from athenan.learning.training import train
from small_trainings import changed, quiet, small

if __name__ == "__main__":
    config = small(matches=10**6, overlap=True, renewal=0.05)
    train(config, sys.argv[1], quiet(), machines=Machines(2))
"""


@pytest.mark.slow
def test_a_killed_training_goes_on(tmp_path: Path) -> None:
    """Its actors end with it, and all that was saved is there."""
    run, script = tmp_path / "run", tmp_path / "script.py"
    script.write_text(KILLED)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, str(script), str(run)], env=environment) as parent:
        while not (run / "matches" / "000003.safetensors").exists():
            assert parent.poll() is None
            time.sleep(0.02)
        actors = children(parent.pid)
        parent.kill()
    assert len(actors) >= 2
    assert all_end(actors)
    saved = load(run).document["progress"]["matches"]
    assert saved >= 3
    resume(run, matches=saved + 2, display=quiet(), machines=Machines(1))
    assert load(run).document["progress"]["matches"] == saved + 2


def children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for file in tasks for child in file.read_text().split()]


# -- The two sides, in this process ----------------------------------------------------------------------------------


@pytest.fixture
def trainer(tmp_path: Path) -> Iterator[Trainer]:
    with RunDirectory(tmp_path / "run") as directory:
        yield Trainer(SEVERAL, make("hex:3"), directory)


def test_an_actor_plays_with_the_weights_that_it_gets(trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_actors, "_KEPT", [])
    order = Order(trainer.config, trainer.heuristic.as_json(), (3, 4))
    planes = trainer.game.encode(trainer.game.initial())[None]
    values = []
    begun = remote_actors.play(order, trainer._snapshot())
    assert not begun.matches and begun.spent == Spent()  # it says that it has started
    for version in (0, 1):
        weights = {name: array + np.float32(0.01 * version) for name, array in trainer._snapshot().weights.items()}
        played = remote_actors.play(order, Snapshot(version, weights, None, 0))
        assert played.version == version and played.spent.evaluations > 0
        for match in played.matches:
            match.examples.check(trainer.game)
            assert trainer.game.outcome(trainer.game.after(trainer.game.moves(match.actions))) == match.outcome
        (actor,) = remote_actors._KEPT
        values.append(actor._actor.evaluator(planes).values[0])
    assert values[0] == trainer.actors[0].evaluator(planes).values[0] != values[1]


class Fake:
    """A team of two actors that deliver as many matches as they are asked for."""

    def __init__(self, match: FinishedMatch) -> None:
        self.match, self.size, self.deaths, self.asked = match, 2, 0, 0

    def finished(self, seconds: float) -> list[tuple[None, Played]]:
        self.asked += 1
        return [(None, Played([self.match] * 2, 0, Spent(10, 4, 0, 1.0, 3.0)))] * 2

    def __enter__(self) -> "Fake":
        return self

    def __exit__(self, *error: Any) -> None:
        pass


def test_actors_do_not_run_ahead_of_learning(trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    match = FinishedMatch([0], 1, trainer.replay, [0])  # type: ignore[arg-type]
    fake, asked = Fake(match), 0
    monkeypatch.setattr(remote_actors, "team", lambda *given, **named: fake)

    def interrupted() -> bool:
        nonlocal asked
        asked += 1
        return asked > 10

    with RemoteActors(trainer.components, TWO, trainer._snapshot, 0) as actors:
        assert actors.next_match(interrupted, lambda: False) is None  # the learner is not ready
        assert fake.asked == 1
        trainer._phases = 3
        actors.renew()
        for _ in range(4):
            assert actors.next_match(lambda: False, lambda: True) is match
            assert actors.lag == 3
        assert actors.spent == Spent(20, 8, 0, 1.0, 3.0)
        assert fake.asked == 1
        assert actors.next_match(lambda: False, lambda: True) is match
        assert fake.asked == 2


# -- The command -----------------------------------------------------------------------------------------------------


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    train(changed(SEVERAL, matches=1, renewal=1.0), run, quiet())
    assert main(["train", "--resume", str(run), "--matches", "6", "--workers", "1"]) == 0
    shown = capsys.readouterr().out
    assert "1 actor in another process, networks" in shown and "phases old" in shown
    progress = load(run).document["progress"]
    assert progress["matches"] == 6
    assert np.all(np.array(progress["lags"]) >= 0)


def test_remote_actors_are_refused_where_they_cannot_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "hex:3", "--workers", "2", "--ray", "auto"]) == 2
    assert "--workers are processes on this machine, --ray names a cluster" in capsys.readouterr().err
    assert main(["train", "hex:3", "--workers", "-1"]) == 2
    assert "--workers must be from 0 to 1,024, not -1" in capsys.readouterr().err
    by_processor = changed(SEVERAL, clock="processor", minutes=1, renewal=1.0)
    with pytest.raises(ValueError, match="clock must be wall where other processes play"):
        train(by_processor, tmp_path / "run", quiet(), machines=TWO)
    train(changed(by_processor, matches=1), tmp_path / "run", quiet())
    with pytest.raises(CheckpointError, match="clock must be wall where other processes play"):
        resume(tmp_path / "run", display=quiet(), machines=TWO)
    with pytest.raises(JobError, match=r"no Ray cluster answers at 127\.0\.0\.1:9"):
        train(SEVERAL, tmp_path / "other", quiet(), machines=Machines(ray="127.0.0.1:9"))
    assert not (tmp_path / "other").exists()
