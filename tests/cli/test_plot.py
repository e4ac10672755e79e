"""`athenan plot`: the curves of runs as figures and as a table."""

import csv
import os
import shutil
from xml.etree import ElementTree

import pytest
from small_trainings import Interrupting, quiet, small

from athenan.cli import main
from athenan.learning.training import resume, train
from athenan.runs.checkpoint import load
from athenan.runs.curves import curves


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs; the first was continued, the second is measured."""
    folder = tmp_path_factory.mktemp("runs")
    train(small("tictactoe", matches=2), folder / "one", quiet())
    resume(folder / "one", None, 4, display=quiet())
    config = small("tictactoe", matches=3, seed=3, strength={"opponent": "random", "games": 2, "seconds": 1e-9})
    train(config, folder / "two", quiet())
    return str(folder / "one"), str(folder / "two")


def test_curves_are_those_of_the_training(runs):
    found = curves(runs[0])
    assert [point.matches for point in found["match/length"]] == [1, 2, 3, 4]
    times = [point.seconds for point in found["match/length"]]
    assert times == sorted(times)
    progress = load(runs[0]).document["progress"]
    assert found["match/length"][-1].value == pytest.approx(sum(progress["lengths"]) / 4)
    assert "strength/random" in curves(runs[1])


def test_curves_end_where_the_checkpoint_does(tmp_path, caplog):
    """Otherwise a resumed run plays these matches again, and TensorBoard warns of points that are out of order."""
    with pytest.raises(KeyboardInterrupt):  # while the matches of the second phase are played
        train(small("tictactoe", matches=9, phase_matches=3, saving=100.0), tmp_path, Interrupting(matches=4))
    saved = load(tmp_path).document["progress"]
    assert saved["matches"] == 3
    assert [point.matches for point in curves(tmp_path)["match/length"]] == [3]
    resume(tmp_path, display=quiet())
    assert [point.matches for point in curves(tmp_path)["match/length"]] == [3, 9]
    assert not caplog.records


@pytest.mark.parametrize("against", ["minutes", "matches"])
def test_plot_writes_figures_and_a_table(runs, tmp_path, capsys, against):
    name = tmp_path / "found.here"
    assert main(["plot", *runs, "--output", str(name), "--against", against]) == 0
    files = {path.suffix: path for path in tmp_path.iterdir()}
    assert f"{name}.svg" in capsys.readouterr().out
    assert sorted(files) == [".csv", ".png", ".svg"]
    assert files[".png"].read_bytes().startswith(b"\x89PNG")
    texts = {element.text for element in ElementTree.parse(files[".svg"]).iter("{http://www.w3.org/2000/svg}text")}
    assert {"strength/random", "learning/loss", "match/length", against, *runs} <= texts
    with open(files[".csv"]) as file:
        rows = list(csv.DictReader(file))
    lengths = [row for row in rows if (row["run"], row["curve"]) == (runs[0], "match/length")]
    assert [(int(row["matches"]), float(row["value"])) for row in lengths] == [
        (point.matches, point.value) for point in curves(runs[0])["match/length"]
    ]


def test_names_of_runs_are_shown_as_they_are(runs, tmp_path, monkeypatch, capsys):
    """Whatever matplotlib would make of them, and whatever a file system allows."""
    monkeypatch.chdir(tmp_path)
    names = ["_hidden", "m$\\frac$", os.fsdecode(b"r\xe4ns")]
    for name in names:
        shutil.copytree(runs[1], name)
    assert main(["plot", *names]) == 0
    texts = {element.text for element in ElementTree.parse("curves.svg").iter("{http://www.w3.org/2000/svg}text")}
    shown = {"_hidden", "m$\\frac$", "r\\udce4ns"}
    assert shown <= texts
    with open("curves.csv", encoding="utf-8") as file:
        assert {row["run"] for row in csv.DictReader(file)} == shown
    players = ["tictactoe", *names, "random", "--games", "2", "--iterations", "1"]
    assert main(["tournament", *players, "--store", "results", "--html", "page.html"]) == 0
    assert "r\\udce4ns" in (tmp_path / "page.html").read_text()


def test_what_has_no_curves_is_refused(tmp_path, capsys):
    for arguments, message in (
        ([str(tmp_path)], "has no curves: give the directory of a run that has played a match"),
        ([], "which run? For example: athenan plot runs/hex-7"),
        ([str(tmp_path), "--output", "."], "--output must end with the name of a file without its ending, not '.'"),
    ):
        assert main(["plot", *arguments]) == 2
        assert message in capsys.readouterr().err
