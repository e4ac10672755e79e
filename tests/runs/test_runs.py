"""What runs tell of themselves: the commands runs and info, and the files for readers."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from small_trainings import quiet, small

from athenan.cli import main
from athenan.cli.info import duration
from athenan.learning.observers.events import EventWriter
from athenan.learning.training import resume, train
from athenan.runs.checkpoint import CHECKPOINT, CONFIGURATION, RunDirectory, load
from athenan.runs.curves import SECONDS, curves
from athenan.runs.description import describe, differences, flat, runs_in


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two runs, one of them measured and in a subfolder."""
    folder = tmp_path_factory.mktemp("runs")
    train(small("tictactoe", matches=2), folder / "one", quiet())
    config = small("tictactoe", matches=2, seed=3, strength={"opponent": "random", "games": 2, "seconds": 1e-9})
    train(config, folder / "deeper" / "two", quiet())
    return folder


def called(capsys, *arguments):
    status = main([str(one) for one in arguments])
    output, errors = capsys.readouterr()
    assert (status, errors) == (0, "")
    return output


def test_runs_lists_those_of_a_folder(folder, capsys, monkeypatch):
    assert runs_in(folder) == [folder / "deeper" / "two", folder / "one"]
    measured, other = json.loads(called(capsys, "runs", folder, "--json"))
    assert (measured["run"], measured["game"], measured["matches"]) == (str(folder / "deeper" / "two"), "tictactoe", 2)
    assert measured["strength"]["opponent"] == "random"
    assert other["strength"] is None
    monkeypatch.setenv("COLUMNS", "200")
    shown = called(capsys, "runs", folder)
    assert re.search(r"2 games against random, after \d match", shown)
    assert "not measured" in shown


def test_runs_tells_why_one_cannot_be_read(folder, capsys, tmp_path):
    for name, data in (("damaged", b"nonsense"), ("whole", (folder / "one" / CHECKPOINT).read_bytes())):
        (tmp_path / name).mkdir()
        (tmp_path / name / CHECKPOINT).write_bytes(data)
    damaged, whole = json.loads(called(capsys, "runs", tmp_path, "--json"))
    assert "not a checkpoint of athenan, or is damaged" in damaged["damage"]
    assert whole["matches"] == 2
    assert "damaged:restoreitfromacopy" in "".join(called(capsys, "runs", tmp_path).split())


def test_runs_of_an_empty_folder_tells_how_to_begin(capsys, tmp_path):
    assert "athenan train hex:7" in called(capsys, "runs", tmp_path)


def test_info_tells_the_configuration(folder, capsys):
    document = load(folder / "one").document
    found = json.loads(called(capsys, "info", folder / "one", "--json"))
    assert found["differences"] == {}
    assert found["runs"][0]["configuration"] == document["configuration"]
    assert found["runs"][0]["evaluations"] == document["progress"]["evaluations"] > 0
    shown = called(capsys, "info", folder / "one")
    assert "2 matches (limit: 2 matches)" in shown
    for setting in ("network=c:filters=8,dense=16", "evaluations=40", "searchdescent"):
        assert setting in "".join(shown.split())


def test_info_tells_how_runs_differ(folder, capsys):
    two = folder / "one", folder / "deeper" / "two"
    found = json.loads(called(capsys, "info", *two, "--json"))["differences"]
    assert found == {
        "run.seed": ["0", "3"], "strength.opponent": ["mcts:200", "random"], "strength.games": ["20", "2"],
        "strength.seconds": ["0", "1e-09"],
    }  # fmt: skip
    assert "strength.opponent" in (shown := called(capsys, "info", *two))
    assert "learning_rate" not in shown
    assert "All settings are the same" in called(capsys, "info", two[0], two[0])


def test_info_tells_of_an_old_run_what_its_version_did_not_save(folder, capsys, tmp_path):
    shutil.copytree(folder / "one", tmp_path / "old")
    with RunDirectory(tmp_path / "old") as run:
        found = run.load()
        saved = found.document["configuration"]
        del saved["exit"], saved["learning"]["learner"]
        run.save(found.tensors, found.document, found.matches)
    shown = json.loads(called(capsys, "info", tmp_path / "old", folder / "one", "--json"))
    assert shown["differences"] == {}
    assert shown["runs"][0]["configuration"] == shown["runs"][1]["configuration"]


def test_the_configuration_lies_in_the_run_as_json(tmp_path):
    config = small("tictactoe", matches=1)
    directory = train(config, tmp_path / "run", quiet())
    assert json.loads((directory / CONFIGURATION).read_text()) == config.as_json()
    resume(directory, None, 2, display=quiet())
    assert json.loads((directory / CONFIGURATION).read_text())["run"]["matches"] == 2


def test_tensorboard_has_the_configuration(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    reader = EventAccumulator(str(folder / "one" / "tensorboard"))
    reader.Reload()
    content = reader.SummaryMetadata("_hparams_/session_start_info").plugin_data.content
    settings = HParamsPluginData.FromString(content).session_start_info.hparams
    assert {name: value.string_value for name, value in settings.items()} == flat(
        describe(folder / "one").configuration
    )


def test_differences_are_of_all_settings():
    assert differences([{"a": "1", "b": "2"}, {"a": "1", "c": "3"}]) == {"b": ["2", ""], "c": ["", "3"]}


def test_durations_have_their_two_largest_units():
    seconds = (0, 59.6, 3600, 3661, 86_400 * 3 + 5)
    assert [duration(one) for one in seconds] == ["0 s", "1 min 0 s", "1 h", "1 h 1 min", "3 d"]


def test_reading_a_run_needs_no_code_of_its_game(tmp_path, monkeypatch, capsys):
    """A run names a file that does not exist, which a player of it would need."""
    directory = train(small("tictactoe", matches=1), tmp_path / "run", quiet())
    with RunDirectory(directory) as run:
        found = run.load()
        found.document["configuration"]["run"]["game"] = "./gone.py"
        run.save(found.tensors, found.document, found.matches)
    assert "./gone.py" in called(capsys, "info", Path(directory))


def test_no_run_is_looked_for_in_a_run(folder, tmp_path):
    shutil.copytree(folder / "one", tmp_path / "one")
    (tmp_path / "one" / "copy").mkdir()
    shutil.copy(tmp_path / "one" / CHECKPOINT, tmp_path / "one" / "copy")
    assert runs_in(tmp_path) == [tmp_path / "one"] == runs_in(tmp_path / "one")


def test_curves_of_a_folder_whose_name_is_not_utf8(tmp_path):
    """A shell can make a name of any bytes, and the settings of a run may hold it, too."""
    folder = tmp_path / os.fsdecode(b"r\xe4ns")
    writer = EventWriter(folder / "tensorboard")
    writer.add_settings({"run.initial": str(folder)}, ["learning/loss"])
    for step in (1, 2):
        writer.add_scalar(SECONDS, 0.5 * step, step)
        writer.add_scalar(f"strength/{folder.name}", 0.25, step)
    writer.close()
    found = curves(folder)
    assert found[SECONDS] == [(1, 0.5, 0.5), (2, 1.0, 1.0)]
    assert found["strength/r\\udce4ns"] == [(1, 0.5, 0.25), (2, 1.0, 0.25)]
