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
from athenan.experiments.contests import contests
from athenan.experiments.data import TABLES, data
from athenan.experiments.description import Combination, Experiment, ExperimentError, Procedure, Round
from athenan.experiments.figures import figures
from athenan.experiments.files import read_file
from athenan.experiments.outcome import gather
from athenan.experiments.plan import Machines, perform
from athenan.experiments.report import page, text, write
from athenan.experiments.store import Results
from athenan.experiments.tables import tables
from athenan.experiments.trainings import TRAININGS, slug
from athenan.games.catalogue import make
from athenan.play.records import MatchRecord
from athenan.report.data import as_json
from athenan.runs.checkpoint import kept, load_progress
from athenan.statistics import score_interval
from athenan.version import environment


def described(repetitions=2, points=2, **procedure):
    return Experiment(
        name="made",
        combinations={"A": Combination(), "B": Combination({"algorithm": "ubfm"})},
        procedure=Procedure(("tictactoe",), repetitions=repetitions, minutes=1.0, points=points, **procedure),
        baseline="B",
    )


def fill(experiment, directory, result):
    """Stores a result for every contest: result(one, other) is the gain of the first in both matches."""
    directory.mkdir(exist_ok=True)
    with Results(directory) as results:
        wanted = {contest.pairing: contest for contest in contests(experiment, "tictactoe")}
        results.want(dict.fromkeys(wanted, 1))
        while claim := results.claim():
            contest = wanted[claim.pairing]
            gain = result(contest.one, contest.other)
            pair = claim.pairing.players
            results.finish(
                claim, [MatchRecord("tictactoe", pair, (), gain), MatchRecord("tictactoe", pair[::-1], (), -gain)]
            )


def strength(one):
    return one.minutes * (2 if one.contestant.name == "A" else 1)


def test_levels_curves_and_comparisons_are_those_of_the_results(tmp_path):
    experiment = described(repetitions=3)
    fill(experiment, tmp_path, lambda one, other: int(np.sign(strength(one) - strength(other))))
    outcome = gather(experiment, tmp_path)
    assert outcome.played == outcome.wanted == 15 + 2 * 2 * 3
    np.testing.assert_allclose(outcome.finals["tictactoe"]["A"], [(3 + 2 * 0.5) / 5] * 3)
    np.testing.assert_allclose(outcome.finals["tictactoe"]["B"], [(2 * 0.5) / 5] * 3)
    np.testing.assert_allclose(outcome.curves["tictactoe"]["A"], [[0.25, 0.75]] * 3)  # as strong as B, then best
    np.testing.assert_allclose(outcome.curves["tictactoe"]["B"], [[0.0, 0.25]] * 3)
    made = {table.title: table for table in tables(outcome)}
    assert made["At the end of the training"].rows == (
        ("tictactoe", "80.0%", "20.0%"),  # no intervals of equal repetitions
    )  # fmt: skip
    assert made["Gain over B"].rows == (("tictactoe", "+60.0%, p = 0.25"),)
    assert made["Learning speed beside B"].rows == (("tictactoe", "2"),)
    assert [figure.name for figure in figures(outcome)] == ["curves"]


def test_an_opponent_from_outside(tmp_path):
    experiment = replace(described(opponents="mcts:10"), differences=True)
    fill(experiment, tmp_path, lambda one, other: 1 if one.contestant.name == "A" else 0)
    outcome = gather(experiment, tmp_path)
    assert outcome.wanted == 2 * 2 * 2
    np.testing.assert_allclose(outcome.curves["tictactoe"]["A"], 1.0)
    assert "+100.0%" in text(outcome) and "+0.0%" in text(outcome)


def test_matches_against_an_opponent_are_told_by_colour(tmp_path):
    """As 003's Tables 8 to 11: first, second, mean, interval, matches and p-value, at each search time."""
    combinations = {"A": Combination()}
    experiment = replace(
        described(repetitions=1, points=1, opponents="mcts:10"), combinations=combinations, baseline=None,
        rounds=(Round(1.0, 3), Round(2.0, 2)), published={"matches at 2 s": {"tictactoe": {"first": 98, "p": 1e-20}}},
    )  # fmt: skip
    tmp_path.mkdir(exist_ok=True)
    with Results(tmp_path) as results:
        wanted = {contest.pairing: contest.procedure.pairs for contest in contests(experiment, "tictactoe")}
        assert sorted(wanted.values()) == [2, 3]
        results.want(wanted)
        while claim := results.claim():
            pair = claim.pairing.players  # wins as first; as second it loses all at 1 s, and draws the first at 2 s
            second = 0 if "2.0" in claim.pairing.conditions and claim.number == 0 else 1
            results.finish(
                claim, [MatchRecord("tictactoe", pair, (), 1), MatchRecord("tictactoe", pair[::-1], (), second)]
            )
    outcome = gather(experiment, tmp_path)
    assert (outcome.played, outcome.wanted) == (5, 5)
    table = next(tables(outcome))
    assert table.header[4:] == ("first", "second", "points", "win", "draw", "loss", "interval", "matches", "p")
    one, other, paper = table.rows
    assert one[:4] == ("tictactoe, A", "mcts:10", "1", "1 s") and other[3] == "2 s"
    assert one[4:10] == ("100.0%", "0.0%", "50.0%", "50.0%", "0.0%", "50.0%") and one[11:] == ("6", "1")
    assert other[4:10] == ("100.0%", "25.0%", "62.5%", "50.0%", "25.0%", "25.0%") and other[11:] == ("4", "1")
    low, high = score_interval([0.75, 0.5], 2)
    assert other[10] == f"{100 * low:.1f} to {100 * high:.1f}"
    assert paper == ("paper", "", "", "", "98%", *[""] * 7, "1.00e-20")


def test_remarks_of_an_opponent_are_reported_once(tmp_path):
    experiment = replace(described(repetitions=2, points=1, opponents="mcts:10"), baseline=None)
    with Results(tmp_path) as results:
        wanted = dict.fromkeys((contest.pairing for contest in contests(experiment, "tictactoe")), 2)
        results.want(wanted)
        while claim := results.claim():
            pair = claim.pairing.players
            said = ("mcts:10 refuses <b>", *["mcts:10 is slow"] * claim.number)
            results.finish(claim, [
                MatchRecord("tictactoe", pair, (), 1, remarks=said), MatchRecord("tictactoe", pair[::-1], (), 1),
            ])  # fmt: skip
    outcome = gather(experiment, tmp_path)
    assert outcome.remarks == ("mcts:10 refuses <b>", "mcts:10 is slow")
    told, shown = text(outcome), page(outcome)
    assert [told.count(one) for one in outcome.remarks] == [1, 1]
    assert shown.count("mcts:10 refuses &lt;b&gt;") == shown.count("mcts:10 is slow") == 1


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
    assert warning.startswith("A at tictactoe: search trees may fill up")
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
        scores = [score for pairing in of_half for one in results.results(pairing) for score in one.scores]
    assert len(scores) == 4 and half_best == max(scores) and half_mean == pytest.approx(np.mean(scores), abs=0.06)
    trained = [load_progress(f"{run}@0.01")["matches"] for run in sorted(tmp_path.glob(f"{TRAININGS}/*/*/*"))]
    assert half_matches == pytest.approx(np.mean(trained), abs=0.6)
    (drawn,) = figures(outcome)
    assert "mean score" in drawn.title and "matches of training" in page(outcome)


def test_groups_are_means_of_their_members_and_a_combination_may_be_the_opponent(tmp_path):
    experiment = replace(described(points=1), groups={"both": ("A", "B")})
    fill(experiment, tmp_path / "all", lambda one, other: int(np.sign(strength(one) - strength(other))))
    assert "50.0%" in text(gather(experiment, tmp_path / "all"))
    rival = replace(experiment, procedure=replace(experiment.procedure, opponents="B"), groups={})
    assert {contest.one.contestant.name for contest in contests(rival, "tictactoe")} == {"A"}
    assert len(list(contests(rival, "tictactoe"))) == 4


def test_nothing_found_yet_is_reported(tmp_path):
    outcome = gather(described(), tmp_path)
    assert "trainings: 0 of 4" in text(outcome)
    assert "There is nothing to report yet." in page(outcome)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A small experiment, done in this process."""
    directory = tmp_path_factory.mktemp("experiment")
    (directory / "small.toml").write_text(SMALL)
    experiment = read_file(directory / "small.toml")
    stages = []
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
    stages = []
    perform(experiment, tmp_path, Machines(), stages.append)
    assert "solved positions" not in {stage.what for stage in stages}
    assert ("graded networks", 4, 4) in {(stage.what, stage.done, stage.whole) for stage in stages}
    grades = gather(experiment, tmp_path).grades["connect_four:7x6"]["A"]
    assert grades.shape == (2, 2) and ((grades > 0) & (grades < 1)).all()


def test_what_is_done_is_not_done_again(done):
    experiment, directory, _ = done
    before = {path: path.stat().st_mtime_ns for path in directory.glob("trainings/**/*") if path.is_file()}
    stages = []
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


def test_an_opponent_from_outside_is_a_column_of_the_data(tmp_path):
    experiment = described(repetitions=1, points=1, opponents="mcts:10")
    fill(experiment, tmp_path, lambda one, other: 1)
    pairs, trainings, grades, _ = map(as_json, data(experiment, tmp_path))
    assert [(one["combination"], one["opponent"], one["opponent_minutes"]) for one in pairs] == [
        ("A", "mcts:10", None), ("B", "mcts:10", None),
    ]  # fmt: skip
    assert trainings == grades == []


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
