"""Experiments: what is to be done, what is found, and how it is reported."""

import csv
import io
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import epsilon_greedy_search
import numpy as np
import pytest
from clocks import count_time
from sizes import size
from small_experiment import SMALL

from athenan import loading
from athenan.cli import main
from athenan.experiments.data import TABLES
from athenan.experiments.description import Combination, Experiment, ExperimentError, Procedure
from athenan.experiments.figures import figures
from athenan.experiments.files import read_file
from athenan.experiments.outcome import gather
from athenan.experiments.plan import Machines, Stage, perform
from athenan.experiments.report import page, write
from athenan.experiments.store import Results
from athenan.experiments.tables import tables
from athenan.experiments.trainings import TRAININGS, slug
from athenan.games.catalogue import make
from athenan.play.records import MatchRecord
from athenan.runs.checkpoint import kept, load_progress
from athenan.version import environment


def test_searches_that_memory_cuts_short_are_announced_and_counted(tmp_path, capsys, monkeypatch):
    count_time(monkeypatch, 0.001)
    small = {"run": {"network": "patterns"}, "playing": {"memory": 1, "parallel_matches": 32}}
    experiment = Experiment(
        name="made",
        combinations={
            "A": Combination({"algorithm": "alphazero", "action": {"iterations": 600}, **small}),
            "B": Combination({"action": {"seconds": 0.001}, "run": small["run"]}),
        },
        procedure=Procedure(("tictactoe",), repetitions=2, minutes=0.005, clock="processor"),
    )
    perform(experiment, tmp_path, Machines(), lambda stage: None)
    warnings = [line for line in capsys.readouterr().err.splitlines() if "search trees may fill up" in line]
    assert len(warnings) == 1  # once for both repetitions, and B has enough
    warning = warnings[0]
    assert warning.startswith("A in tictactoe: search trees may fill up")
    assert "32 side by side of 600 iterations" in warning and "--set playing.memory" in warning
    costs = next(table for table in tables(gather(experiment, tmp_path)) if table.title == "Trainings")
    cut_short = {row[1]: row[costs.header.index("cut short")] for row in costs.rows}
    assert int(cut_short["A"].replace(",", "")) > 0 and cut_short["B"] == "0"


def test_scores_of_one_player_are_told_by_matches_of_training(tmp_path, monkeypatch):
    count_time(monkeypatch, 0.004)
    game = "morpion:5D,size=16"
    experiment = Experiment(
        name="made", combinations={"A": Combination({"run": {"network": "c:filters=2,dense=4"}})}, players={"": ""},
        procedure=Procedure((game,), repetitions=2, minutes=0.02, points=2, pairs=2, iterations=1, clock="processor"),
        common={"action": {"iterations": 1, "seconds": None}, "playing": {"parallel_matches": 1}},
    )  # fmt: skip
    perform(experiment, tmp_path, Machines(), lambda stage: None)
    outcome = gather(experiment, tmp_path)
    assert outcome.alone and outcome.played == outcome.wanted == 2 * 2 * 2
    made = {table.title: table for table in tables(outcome)}
    assert set(made) == {"At the end of the training", "Along the training", "Trainings"}
    (half, half_matches, half_mean, half_best), (end, *_) = (
        map(float, row[1:]) for row in made["Along the training"].rows
    )
    assert (half, end) == (0.01, 0.02)
    with Results(tmp_path) as results:
        of_half = [pairing for pairing in results.pairings() if "@0.01" in pairing.players[0]]
        found = [score for pairing in of_half for one in results.results(pairing) for score in one.scores]
        scores = [score for score in found if score is not None]
    assert len(scores) == 4 and half_best == max(scores) and half_mean == pytest.approx(np.mean(scores), abs=0.06)
    trained = [load_progress(f"{run}@0.01")["matches"] for run in sorted(tmp_path.glob(f"{TRAININGS}/*/*/*"))]
    assert half_matches == pytest.approx(np.mean(trained), abs=0.6)
    (drawn,) = figures(outcome)
    assert "mean score" in drawn.title and "matches of training" in page(outcome)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A small experiment, done in this process."""
    directory = tmp_path_factory.mktemp("experiment")
    (directory / "small.toml").write_text(SMALL)
    experiment = read_file(directory / "small.toml")
    stages = list[Stage]()
    perform(experiment, directory, Machines(), stages.append)
    return experiment, directory, stages


def test_an_experiment_from_beginning_to_end(done):
    experiment, directory, stages = done
    ends = {stage.what: (stage.done, stage.whole) for stage in stages}
    assert ends == {
        "trainings": (4, 4), "solved positions": (3, 3), "pairs of matches": (6 + 16, 22), "graded networks": (12, 12),
    }  # fmt: skip
    for run in sorted(directory.glob(f"{TRAININGS}/tictactoe/*/*")):
        # On a slow machine the last match may end after a fourth moment.
        assert list(kept(run))[:3] == pytest.approx([0.004 / 3, 0.008 / 3, 0.004])
        assert load_progress(run)["processor_seconds"] <= 0.004 * 60 + 0.1
    outcome = gather(experiment, directory)
    assert not any(np.isnan(levels).any() for of in outcome.curves.values() for levels in of.values())
    assert not any(np.isnan(shares).any() for of in outcome.grades.values() for shares in of.values())
    assert sum(outcome.finals["tictactoe"][name].mean() for name in ("A", "B") if name in outcome.finals) <= 2


@pytest.mark.slow
def test_networks_are_graded_by_the_positions_of_the_package(tmp_path, monkeypatch):
    count_time(monkeypatch, 0.001)
    settings = {"run": {"network": "c:filters=4,dense=8"}, "action": {"seconds": 0.001}}
    procedure = Procedure(("connect_four",), 2, 0.004, "processor", points=2, positions=size(8, 30), iterations=1)
    experiment = Experiment("packaged", {"A": Combination(settings)}, procedure)
    stages = list[Stage]()
    perform(experiment, tmp_path, Machines(), stages.append)
    assert "solved positions" not in {stage.what for stage in stages}
    assert ("graded networks", 4, 4) in {(stage.what, stage.done, stage.whole) for stage in stages}
    grades = gather(experiment, tmp_path).grades["connect_four:7x6"]["A"]
    assert grades.shape == (2, 2) and ((grades > 0) & (grades < 1)).all()


def test_what_is_done_is_not_done_again(done):
    experiment, directory, _ = done
    before = {path: path.stat().st_mtime_ns for path in directory.glob("trainings/**/*") if path.is_file()}
    stages = list[Stage]()
    perform(experiment, directory, Machines(), stages.append)
    assert all(stage.done == stage.whole for stage in stages)
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_records_are_of_the_names_in_the_store(done):
    _, directory, _ = done
    game = make("tictactoe")
    with Results(directory) as results:
        for pairing in results.pairings():
            for _, records in results.records(pairing):
                read = [MatchRecord.from_json(record, game) for record in records]
                assert [one.players for one in read] == [pairing.players, pairing.players[::-1]]


def test_a_folder_of_other_settings_is_refused(done):
    experiment, directory, _ = done
    other = replace(experiment, common={**experiment.common, "learning": {"l2": 0.5}})
    with pytest.raises(ExperimentError, match=r"was trained with other settings \(learning.l2 is 0.001, not 0.5\)"):
        perform(other, directory, Machines(), lambda stage: None)


def test_the_page_needs_no_other_file(done):
    experiment, directory, _ = done
    outcome = gather(experiment, directory)
    content = page(outcome)
    assert "<svg" in content and "currentColor" in content
    references = re.findall(r'(?:src|href)="(?!#)([^"]*)"', content)
    assert not references
    assert not re.findall(r"url\((?!#)", content)
    written = write(outcome, directory / "report.html")
    assert {path.name for path in written} == {"report.html", "report.txt", "report-curves.svg", "report-grades.svg"}


def test_the_command(done, capsys, tmp_path):
    _, directory, _ = done
    small = str(directory / "small.toml")
    assert main(["experiment", small, "report", "--directory", str(directory)]) == 0
    assert "Graded by a solver" in capsys.readouterr().out
    assert main(["experiment", "--list"]) == 0
    assert "001-table-2" in capsys.readouterr().out
    assert main(["experiment", "003-table-3", "--scale", "paper", "--help"]) == 0
    assert "2880" in capsys.readouterr().out


def rows(capsys, directory, table):
    arguments = ["experiment", str(directory / "small.toml"), "report", "--directory", str(directory)]
    assert main([*arguments, "--csv", "--table", table]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_results_as_data_are_those_of_the_report(done, capsys):
    experiment, directory, _ = done
    outcome = gather(experiment, directory)
    pairs, trainings, grades, ran = (rows(capsys, directory, name) for name in TABLES)
    assert len(pairs) == outcome.played
    for name, levels in outcome.finals["tictactoe"].items():
        for number, level in enumerate(levels, 1):
            points = [
                (sign * int(pair[gain]) + 1) / 2
                for pair in pairs if pair["final"] == "true" for gain in ("gain_first", "gain_second")
                for sign, side in ((1, ""), (-1, "opponent_"))
                if (pair[f"{side}combination"], pair[f"{side}repetition"]) == (name, str(number))
            ]  # fmt: skip
            assert np.mean(points) == pytest.approx(level)
    last = {(one["combination"], int(one["repetition"])): one for one in trainings}  # rows are in the order of time
    for name, costs in outcome.costs["tictactoe"].items():
        for number, cost in enumerate(costs, 1):
            assert float(last[name, number]["matches"]) == cost[0] and last[name, number]["game"] == "tictactoe"
    assert len(trainings) == len(grades) == 12
    assert float(grades[0]["share"]) == outcome.grades["tictactoe"][grades[0]["combination"]][0, 0]
    assert ran == [{"environment": "1", **environment()}]
    assert {one["environment"] for one in (*pairs, *trainings, *grades)} == {"1"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["003-table-3", "report", "--csv", "--table", "games"], "--table must be pairs or trainings or grades or env"),
        ([], "which experiment?"),
        (["004"], "there is no experiment '004'; there are 003-table-2"),
        (["none.toml"], "No such file"),
        (["003-table-3", "report"], "there is nothing to report"),
        (["003-table-3", "--combinations", "Ascent"], "has no combination 'Ascent'; it has Descent"),
        (["003-table-3", "--set", "replay.size=3"], "--set needs COMPONENT.SETTING=VALUE"),
        (["003-table-3", "--cores", "1000"], "--cores must be at most"),
        (["003-table-3", "--games", "chess"], "there is no game 'chess'"),
        (["003-table-3", "--games", "morpion:5D,size=16", "--positions", "3"], "--positions must be 0 for morpion"),
        (["003-table-3", "--games", "connect_four", "--positions", "1001"], "--positions must be at most 1,000 for"),
        (["003-table-3", "--minutes", "0"], "--minutes must be from"),
        (["003-table-3", "--opponents", "nobody", "--games", "tictactoe"], "there is no player 'nobody'"),
        (["003-table-3", "--opponents", "gtp:true", "--games", "tictactoe"], "gtp:true has ended"),
        (["003-table-8"], "is played against MoHex 3HNN, a program that speaks GTP, such as --opponents"),
        (["003-table-11"], "is played against Sharp, a program that speaks AEI, such as --opponents"),
        (["003-table-8", "--games", "morpion:5D,size=16", "--opponents", "random"], "--opponents must be all"),
        (["003-table-3", "--games", "hex:3", "morpion:5D,size=16"], "games must all be for two players, or all for"),
    ],
)
def test_bad_input_gets_one_line(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["experiment", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_names_of_folders():
    assert [slug(name) for name in ("MCTS, tree", "ε-greedy", "hex:5,swap=false", "../x", "Descent & D")] == [
        "mcts-tree", "epsilon-greedy", "hex-5-swap-false", "x", "descent-d",
    ]  # fmt: skip


@pytest.mark.slow
def test_an_own_search_of_a_file_runs_in_workers_if_the_command_names_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(loading, "_named", set())
    mark = tmp_path / "ran"
    own = Path(epsilon_greedy_search.__file__).read_text()
    Path("own.py").write_text(f"{own}\nfrom pathlib import Path\nPath({str(mark)!r}).touch()\n")
    Path("mine.toml").write_text(
        """
        games = ["tictactoe"]
        repetitions = 1
        minutes = 0.002
        clock = "processor"
        evaluations = 5
        common.run.network = "patterns:walks=4"
        [combinations.own]
        search = "./own.py:epsilon=0.5"
        [combinations.other]
        """
    )
    line = ["experiment", "mine.toml", "--directory", "here", "--workers", "1"]
    assert main(line) == 2
    assert "own.py is code that a file may not load by itself" in capsys.readouterr().err and not mark.exists()
    assert main([*line, "--rules", "./own.py"]) == 0
    assert mark.exists()
    outcome = gather(read_file(tmp_path / "mine.toml"), tmp_path / "here")
    assert outcome.played == outcome.wanted == 1


@pytest.mark.slow
def test_an_experiment_that_is_killed_goes_on(tmp_path):
    """Killed at many random moments, it ends with everything done once, and trainings of their full length."""
    (tmp_path / "small.toml").write_text(SMALL.replace("0.004", "0.04").replace('"tictactoe"', '"tictactoe", "hex:3"'))
    command = [sys.executable, "-m", "athenan", "experiment", "small.toml", "--directory", "here", "--workers", "2"]
    random = np.random.default_rng(1)
    for _ in range(12):
        process = subprocess.Popen(
            command, cwd=tmp_path, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(float(random.uniform(3, 15)))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run(command, cwd=tmp_path, check=True, timeout=900)
    experiment = read_file(tmp_path / "small.toml")
    outcome = gather(experiment, tmp_path / "here")
    assert outcome.played == outcome.wanted == 2 * (6 + 16)
    assert [len(costs) for of in outcome.costs.values() for costs in of.values()] == [2] * 4
    with Results(tmp_path / "here") as results:
        assert all(count == 1 for count in results.pairings().values())
        assert len(results.solved("hex:3", 0)) == 3
    assert not any(np.isnan(shares).any() for of in outcome.grades.values() for shares in of.values())
    assert "Gain over UBFM" in (tmp_path / "here" / "report.txt").read_text()
