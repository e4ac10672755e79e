"""Win chances of runs: learnt during a training and by the command, saved with the network, calibrated elsewhere."""

from pathlib import Path

import numpy as np
import pytest
from sizes import size
from small_trainings import quiet, small

from athenan.arena.calibrating import samples_of
from athenan.evaluation.chances import Chances
from athenan.files.formats import read_matches
from athenan.learning.observers import calibrating
from athenan.learning.observers.keeping import Keeping
from athenan.learning.progress import Progress
from athenan.learning.training import resume, train
from athenan.play.latest import LATEST
from athenan.runs.checkpoint import CheckpointError, RunDirectory, amend, load, load_network, load_progress
from athenan.runs.learnt import learnt_network

TABLE = Chances((-1.0, 1.0), (0.2, 0.8), 100)
GAME = "connect_four:5x4"


def patterns(**changes):
    given = {"network": "patterns:walks=6,entries=729,phases=2", "learning_rate": 1.0, "augmentation": "none"}
    return small(GAME, **given, averaging=0.9, **changes)


@pytest.fixture
def at_once(monkeypatch):
    """Trainings play own matches from their beginning, as many as self-play."""
    monkeypatch.setattr(calibrating, "_FIRST", 0.0)
    monkeypatch.setattr(calibrating, "_SHARE", 1.0)
    monkeypatch.setattr(calibrating, "_EVERY", 2)


@pytest.fixture
def from_few(monkeypatch):
    monkeypatch.setattr(calibrating, "learnt_chances", lambda samples: TABLE if samples.count > 2 else None)


@pytest.mark.usefixtures("at_once", "from_few")
def test_a_training_notes_win_chances_and_learns_the_same(tmp_path: Path) -> None:
    config = patterns(matches=10)
    one = train(config, tmp_path / "with", quiet())
    other = train(config, tmp_path / "without", quiet(), measure=False)
    assert learnt_network(one).chances == TABLE
    assert learnt_network(other).chances is None
    for name, tensor in load_network(other).tensors.items():
        np.testing.assert_array_equal(load_network(one).tensors[name], tensor)
    with RunDirectory(one) as directory:
        keeping = Keeping(1.0)
        keeping.begin(directory, load(one))
        keeping.end(Progress(GAME, str(one), seconds=60.0))
    assert learnt_network(f"{one}@1").chances == TABLE
    resume(one, matches=11, display=quiet(), measure=False)
    assert learnt_network(one).chances == TABLE


def test_win_chances_are_written_into_a_checkpoint(tmp_path: Path) -> None:
    run = train(patterns(matches=2), tmp_path / "run", quiet(), measure=False)
    before = load(run)
    amend(run, lambda document: {"progress": {**document["progress"], "chances": TABLE.as_json()}})
    after = load(run)
    assert learnt_network(run).chances == TABLE
    assert set(after.tensors) == set(before.tensors) and list(after.matches) == list(before.matches)
    with RunDirectory(run), pytest.raises(CheckpointError, match="another process is training"):
        amend(run, lambda document: {"progress": {}})
    copy = tmp_path / "copy.safetensors"
    copy.write_bytes((run / "checkpoint.safetensors").read_bytes())
    amend(copy, lambda document: {"progress": {**document["progress"], "chances": {"values": [1]}}})
    with pytest.raises(CheckpointError, match="win chances are damaged"):
        learnt_network(copy)


def test_matches_without_values_of_players_teach_nothing(tmp_path: Path) -> None:
    run = train(patterns(matches=2), tmp_path / "run", quiet(), measure=False)
    assert len(samples_of(read_matches(run / LATEST))) == 0


def test_a_run_is_calibrated_on_matches_that_it_has_not_seen(tmp_path: Path, command, as_json) -> None:
    """A real run, small as it is: on other matches the error is well below what chances of 1/2 would have."""
    run = str(train(patterns(matches=size(80, 150)), tmp_path / "run", quiet(), measure=False))
    assert "has no win chances yet" in command("calibrate", run, "--check")[2]
    learnt = as_json("calibrate", run, "--games", "150", "--iterations", "3")
    assert learnt["saved"] and learnt["chances"]["points"] == sorted(learnt["chances"]["points"])
    plot = tmp_path / "plot.svg"
    checked = as_json(
        "calibrate", run, "--games", "150", "--iterations", "3", "--check", "--seed", "1", "--plot", str(plot)
    )
    assert not checked["saved"] and checked["chances"] == learnt["chances"]
    assert checked["calibration_error"] < 0.12
    assert checked["brier"] < 0.25
    assert "</svg>" in plot.read_text()
    shown = command("analyze", run, "--iterations", "20")[1]
    assert "win chance of the first player" in shown
    found = as_json("analyze", run, "--moves", "2", "--iterations", "20")
    assert 0 <= found["win_chance"] <= 1
    assert all(0 <= one["win_chance"] <= 1 for one in found["actions"])
    file = tmp_path / "matches.jsonl"
    command("match", GAME, run, "random", "--games", "60", "--iterations", "3", "--records", str(file))
    again = as_json("calibrate", run, "--records", str(file), "--check")
    assert again["matches"] <= 60 and again["chances"] == learnt["chances"]
    _, _, errors = command("calibrate", run, "--records", str(Path(run) / LATEST))
    assert "no player has given a value" in errors


def test_what_could_not_be_saved_is_refused_before_the_matches(tmp_path: Path, command) -> None:
    run = str(train(patterns(matches=2), tmp_path / "run", quiet(), measure=False))
    assert "--games must be at least 50 to learn win chances, not 40" in command("calibrate", run, "--games", "40")[2]
    assert "ends with .svg or .png, not 'c.foo'" in command("calibrate", run, "--plot", "c.foo")[2]
    assert "none/c.svg: there is no folder none" in command("calibrate", run, "--plot", "none/c.svg")[2]
    with RunDirectory(run):
        assert "another process is training" in command("calibrate", run)[2]


def test_a_level_is_refused_because_it_draws_actions(tmp_path: Path, command) -> None:
    run = train(patterns(matches=1), tmp_path / "run", quiet(), measure=False)
    refusal = "win chances are learnt from play without chance: leave out level=club"
    for options in ([], ["--check"], ["--records", "matches.jsonl"]):
        assert refusal in command("calibrate", f"{run},seconds=0.1,level=club", *options)[2]
        drawn = "leave out temperature=0.5"
        assert drawn in command("calibrate", f"{run},temperature=0.5", *options)[2]
    assert "has no win chances yet" in command("calibrate", f"{run},level=strongest", "--check")[2]
    assert "there is no option 'levle'" in command("calibrate", f"{run},levle=club")[2]


def test_the_progress_of_a_run_that_learns_meanwhile_is_kept(tmp_path: Path, command, monkeypatch) -> None:
    run = train(patterns(matches=20), tmp_path / "run", quiet(), measure=False)

    def meanwhile(*matches):
        resume(run, matches=21, display=quiet(), measure=False)
        return samples_of(*matches)

    monkeypatch.setattr("athenan.cli.calibrate.samples_of", meanwhile)
    errors = command("calibrate", str(run), "--games", "50", "--iterations", "3")[2]
    assert "has learnt since these matches were begun: calibrate it again" in errors
    assert load_progress(run)["matches"] == 21


def test_a_game_of_one_player_has_no_win_chances(tmp_path: Path, command) -> None:
    run = train(small("morpion:4D,size=9", matches=1), tmp_path / "run", quiet(), measure=False)
    assert "has one player" in command("calibrate", str(run))[2]
