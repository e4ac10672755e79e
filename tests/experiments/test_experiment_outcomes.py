"""What is found and reported of given results of matches."""

from dataclasses import replace

import numpy as np

from athenan.experiments.contests import contests
from athenan.experiments.data import data
from athenan.experiments.description import Combination, Experiment, Procedure, Round
from athenan.experiments.figures import figures
from athenan.experiments.outcome import gather
from athenan.experiments.report import page, text
from athenan.experiments.store import Results
from athenan.experiments.tables import tables
from athenan.play.records import MatchRecord
from athenan.report.data import as_json
from athenan.statistics import score_interval


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


def test_an_opponent_from_outside_is_a_column_of_the_data(tmp_path):
    experiment = described(repetitions=1, points=1, opponents="mcts:10")
    fill(experiment, tmp_path, lambda one, other: 1)
    pairs, trainings, grades, _ = map(as_json, data(experiment, tmp_path))
    assert [(one["combination"], one["opponent"], one["opponent_minutes"]) for one in pairs] == [
        ("A", "mcts:10", None), ("B", "mcts:10", None),
    ]  # fmt: skip
    assert trainings == grades == []
