"""Training: it is repeatable, it learns, and the Python interface to all of it."""

import io
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from rich.console import Console
from small_trainings import (
    Interrupting,
    assert_same_checkpoint,
    document_without_times,
    quiet,
    small,
)  # fmt: skip

from athenan.arena.learnt_players import load_player
from athenan.arena.roster import make_player
from athenan.arena.series import play_series
from athenan.cli import info
from athenan.games.catalogue import make
from athenan.learning.clocks import CLOCKS
from athenan.learning.examples.examples import Batch
from athenan.learning.learner.torch_learner import TorchLearner
from athenan.learning.observers.display import Display
from athenan.learning.progress import Progress, restored_progress
from athenan.learning.recipe import recommended
from athenan.learning.replay import ReplayConfig
from athenan.learning.training import free_directory, resume, train
from athenan.rules.playouts import random_ends
from athenan.runs.checkpoint import CHECKPOINT, CheckpointError, RunDirectory, load, load_progress
from athenan.runs.learnt import learnt_network
from athenan.search.budget import Budget
from athenan.version import environment, version


def test_a_finished_run_says_what_extends_it(tmp_path: Path) -> None:
    train(small(matches=1), tmp_path, quiet())
    for matches, over in ((1, True), (2, False)):
        shown = io.StringIO()
        resume(tmp_path, matches=matches, display=Display(Console(file=shown, width=200)))
        assert ("this run is over: --minutes or --matches" in shown.getvalue()) == over
        assert f"go on with: athenan train --resume {tmp_path} --matches {2 * matches}" in shown.getvalue()
        lines = shown.getvalue().splitlines()
        assert len(lines) == len(set(lines))  # also its state is told once


def test_a_run_names_the_versions_that_trained_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train(small(matches=1), tmp_path, quiet())
    later = environment() | {"athenan": "0.2.0+0123456789ab", "numpy": "9.0"}
    monkeypatch.setattr("athenan.learning.trainer.environment", lambda: later)
    for matches in (2, 3):
        resume(tmp_path, matches=matches, display=quiet())
    progress, new = load_progress(tmp_path), Progress("hex:3", str(tmp_path))
    assert progress["environments"] == [environment(), later]
    info.run([str(tmp_path)])
    assert f"{version()}, then {later['athenan']}, on {later['processor']}" in capsys.readouterr().out
    for damaged in ({"athenan": "0.1.0\nand more"}, "0.1.0"):
        with pytest.raises(CheckpointError, match="progress is damaged"):
            restored_progress(progress | {"environments": [damaged]}, new)
    del progress["environments"]  # as in runs of earlier versions, which named their own version or nothing
    assert restored_progress(progress, new).environments == []
    assert restored_progress(progress | {"versions": ["0.1.0"]}, new).environments == [{"athenan": "0.1.0"}]


def test_random_terminal_states_are_learnt_before_the_first_match(tmp_path: Path) -> None:
    """003, section 9.3.1: the network then knows them, and the clock of the run has not begun."""
    game, shares = make("hex:4"), []
    for states in (0, 20_000):
        config = small("hex:4", matches=1, heuristic="classic", random_ends=states, replay=ReplayConfig(batch_size=50))
        trainer_run = tmp_path / str(states)
        with pytest.raises(KeyboardInterrupt):
            train(config, trainer_run, Interrupting(matches=0))
        progress = load(trainer_run).document["progress"]
        assert (progress["learnt"], progress["matches"], progress["seconds"]) == (states, 0, 0.0)
        ends = random_ends(game, 200, seed=99)
        planes = np.stack([game.encode(end).reshape(-1) for end in ends])
        values = learnt_network(trainer_run, precision="float32").evaluate(planes).values
        shares.append(np.mean(np.sign(values) == [game.outcome(end) for end in ends]))
    assert shares[0] < 0.75
    assert shares[1] > 0.9


def test_the_first_and_the_last_checkpoint_take_no_time_from_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Noting(Display):
        """Notes the times of the reports."""

        def __init__(self) -> None:
            super().__init__(Console(file=io.StringIO()))
            self.times: list[float] = []

        def update(self, progress: Progress) -> None:
            self.times += [progress.seconds, progress.wall_seconds]

        def end(self, progress: Progress) -> None:
            self.update(progress)
            self.saving = progress.checkpoint_seconds

    save, hour, saves, clock = RunDirectory.save, 3600.0, list[int](), time.perf_counter

    def save_slowly(directory: RunDirectory, *given: Any) -> None:
        """Saves, and lets an hour pass."""
        save(directory, *given)
        saves.append(len(saves))

    monkeypatch.setattr(RunDirectory, "save", save_slowly)
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + hour * len(saves))
    monkeypatch.setitem(CLOCKS, "wall", time.perf_counter)
    shown = Noting()
    train(small(matches=1, saving=24 * hour), tmp_path / "run", shown)
    assert len(saves) == 2 and shown.saving >= hour
    assert 0 < max(shown.times) < hour


def test_another_seed_gives_another_training(tmp_path: Path) -> None:
    for seed in (1, 2):
        train(small(matches=2, seed=seed), tmp_path / str(seed), quiet())
    one, other = (load(tmp_path / str(seed)) for seed in (1, 2))
    assert all((one.tensors[name] != other.tensors[name]).any() for name in ("network.last.weight", "search.random"))
    assert one.matches[0]["states"].tobytes() != other.matches[0]["states"].tobytes()


def test_matches_side_by_side(tmp_path: Path) -> None:
    """Two trainings are the same; a resumed one begins the matches in play anew, and goes on."""
    config = small(matches=8, parallel_matches=3)
    for name in ("one", "other"):
        train(config, tmp_path / name, quiet())
    assert_same_checkpoint(tmp_path / "one", tmp_path / "other")
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "parts", Interrupting(matches=5))
    resume(tmp_path / "parts", display=quiet())
    parts = load(tmp_path / "parts")
    progress = parts.document["progress"]
    assert progress["matches"] == 8
    assert len(progress["lengths"]) == len(progress["losses"]) == len(parts.matches) == 8
    assert len(parts.tensors["search.random"]) == 3


def test_a_limit_in_time_ends_in_the_middle_of_a_match(tmp_path: Path) -> None:
    config = small(minutes=0.5 / 60, evaluations=None, action={"seconds": 0.005})
    train(config, tmp_path / "run", quiet())
    progress = load(tmp_path / "run").document["progress"]
    resume(tmp_path / "run", minutes=progress["seconds"] / 60 + 0.5 / 60, display=quiet())
    after = load(tmp_path / "run").document["progress"]
    assert after["seconds"] >= progress["seconds"]
    assert after["matches"] >= progress["matches"]


def test_a_run_that_has_reached_its_time_plays_no_further_match(tmp_path: Path) -> None:
    """The time of the match that the end has interrupted counts, or the resumed run would play that match."""
    train(small(minutes=0.01, evaluations=None, action={"seconds": 0.2}), tmp_path, quiet())
    before, shown = load(tmp_path).document["progress"], io.StringIO()
    assert before["seconds"] >= 0.6
    resume(tmp_path, display=Display(Console(file=shown, width=200)))
    assert "this run is over: --minutes or --matches" in shown.getvalue()
    assert load(tmp_path).document["progress"]["matches"] == before["matches"]


# -- The Python interface --------------------------------------------------------------------------------------------


def test_train_show_resume_and_play(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    run, shown = tmp_path / "run", io.StringIO()
    config = small(matches=3, strength={"seconds": 1e-6, "games": 2, "opponent": "random"})
    assert train(config, run, Display(Console(file=shown, width=80), every=0)) == run
    assert resume(run, matches=5, display=Display(Console(file=shown, width=80))) == run
    *lines, last, _, _ = shown.getvalue().splitlines()
    assert "3 of 3 matches" in " ".join(lines)
    assert "5 of 5 matches" in last
    assert re.search("vs random at match [45]: ", last)

    progress = load(run).document["progress"]
    assert (progress["matches"], len(progress["lengths"]), len(progress["losses"])) == (5, 5, 5)
    assert progress["measurement"]["matches"] in (4, 5)  # resumed after 3; the pause is as long as the first took
    assert progress["evaluations"] > 0
    events = EventAccumulator(str(run / "tensorboard")).Reload()
    assert [event.step for event in events.Scalars("learning/loss")] == [1, 2, 3, 4, 5]
    assert [event.value for event in events.Scalars("learning/loss")] == pytest.approx(progress["losses"])
    assert "strength/random" in events.Tags()["scalars"]

    hexagons = make("hex:3")
    players = [load_player(run, hexagons, Budget(evaluations=50)), make_player("random", hexagons)]
    result = play_series(hexagons, players, games=6)
    assert result.score > 0.5


def test_measurements_change_nothing(tmp_path: Path) -> None:
    config = small(matches=3, strength={"seconds": 1e-6, "games": 2, "opponent": "mcts:10"})
    for name, measure in (("measured", True), ("alone", False)):
        train(config, tmp_path / name, quiet(), measure)
        resume(tmp_path / name, matches=4, display=quiet(), measure=measure)
    measured, alone = (load(tmp_path / name) for name in ("measured", "alone"))
    assert measured.document["progress"].pop("measurement")["opponent"] == "mcts:10"
    assert alone.document["progress"].pop("measurement") is None
    assert document_without_times(measured) == document_without_times(alone)
    assert all(tensor.tobytes() == alone.tensors[name].tobytes() for name, tensor in measured.tensors.items())


def test_names_that_stand_for_nothing_are_refused_at_the_start(tmp_path: Path) -> None:
    for change, message in (
        ({"strength": {"opponent": "mtcs:200", "seconds": 60.0}}, "there is no player 'mtcs:200'"),
        ({"run": {"game": "chess"}}, "there is no game 'chess'"),
        ({"run": {"network": "d"}}, "network 'd' does not exist"),
        ({"run": {"heuristic": "score"}}, "hex:3 has no score"),
        ({"learning": {"device": "cuda:77"}}, "device 'cuda:77' is not here"),
    ):
        with pytest.raises(ValueError, match=message):
            train(small(matches=1).changed(**change), tmp_path / "run", quiet())
    assert not list(tmp_path.iterdir())


def test_a_directory_is_not_used_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert free_directory("hex:3,swap=false") == Path("runs/hex-3-swap-false")
    run = train(small(matches=1), display=quiet())
    assert run == Path("runs/hex-3")
    assert free_directory("hex:3") == Path("runs/hex-3-2")
    before = (run / CHECKPOINT).read_bytes()
    with pytest.raises(CheckpointError, match="resume it with --resume, or choose another"):
        train(small(matches=1), run, quiet())
    with RunDirectory(run), pytest.raises(CheckpointError, match="another process is training in it"):
        resume(run, display=quiet())
    assert (run / CHECKPOINT).read_bytes() == before


def test_nothing_is_made_without_a_search_budget(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a budget needs seconds, iterations or evaluations"):
        train(recommended("hex:3", matches=1, timed=False), tmp_path / "run", quiet())
    with pytest.raises(CheckpointError, match="there is no run directory"):
        resume(tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_divergence_is_said_and_not_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(small(matches=2), tmp_path / "run", quiet())
    before = (tmp_path / "run" / CHECKPOINT).read_bytes()

    def diverge(learner: TorchLearner, batch: Batch) -> float:
        torch.nn.init.constant_(learner.network.last.weight, float("nan"))
        return 1.0

    monkeypatch.setattr(TorchLearner, "step", diverge)
    with pytest.raises(ValueError, match="no longer finite: begin anew with a lower learning_rate"):
        resume(tmp_path / "run", matches=3, display=quiet())
    assert (tmp_path / "run" / CHECKPOINT).read_bytes() == before
