"""Tournaments: who meets whom, what results say, several processes, kills, the command and its reports."""

import html
import json
import os
import random
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from athenan.arena.pairs import Conditions
from athenan.arena.store import Store
from athenan.arena.tally import PairTally
from athenan.arena.tournaments import report
from athenan.arena.tournaments.conditions import in_words
from athenan.arena.tournaments.schedule import TournamentProgress, pairings, play_tournament
from athenan.arena.tournaments.standings import DuelStandings, SoloStandings, standings
from athenan.cli import main
from athenan.games.catalogue import make
from athenan.play.openings import OpeningChoice
from athenan.play.player import PlayerError
from athenan.search.budget import Budget

GAME, SOLO = make("tictactoe"), make("morpion:4D,size=9")
QUICK = Conditions(Budget(iterations=1))
NAMES = ["random", "mcts:2", "mcts:30"]


def test_who_meets_whom() -> None:
    def met(*names: str, gauntlet: bool = False) -> list[tuple[str, ...]]:
        return [pairing.players for pairing in pairings(GAME, names, QUICK, gauntlet)]

    assert met("b", "a", "c") == [("a", "b"), ("b", "c"), ("a", "c")]
    assert met("b", "a", "c", gauntlet=True) == [("a", "b"), ("b", "c")]
    assert [pairing.players for pairing in pairings(SOLO, ("b", "a"), QUICK)] == [("b",), ("a",)]
    for names, message in ((["a"], "needs at least 2 players"), (["a", "b", "a"], "the player a is named twice")):
        with pytest.raises(PlayerError, match=message):
            met(*names)


def played(store: Store, names: list[str], pairs: int = 2) -> list[TournamentProgress]:
    meeting = pairings(GAME, names, QUICK)
    return list(play_tournament(store, GAME, dict.fromkeys(meeting, pairs), QUICK))


def test_a_tournament_is_continued(tmp_path: Path) -> None:
    with Store(tmp_path / "results") as store:
        steps = played(store, NAMES[:2])
        assert [(step.unfinished, step.own) for step in steps] == [(2, 0), (1, 1), (0, 2), (0, 2)]
        before = dict(store.records(pairings(GAME, NAMES[:2], QUICK)[0]))
    with Store(tmp_path / "results") as store:
        assert [step.own for step in played(store, NAMES[::-1], 3)][-1] == 7  # three players, and a third pair
        after = dict(store.records(pairings(GAME, NAMES[:2], QUICK)[0]))
        assert {number: after[number] for number in before} == before
        assert set(store.pairings().values()) == {3}
        assert [one.own for one in played(store, NAMES, 3)] == [0]
        openings = [[match["plies"][0]["action"] for match in pair] for pair in after.values()]
        assert all(first == second for first, second in openings) and len({first for first, _ in openings}) == 3


# -- What results say ------------------------------------------------------------------------------------------------


def some() -> DuelStandings:
    """Of a, b and c: a has beaten b as the first player, and drawn; c has beaten a twice."""
    return DuelStandings("tictactoe", ("a", "b", "c"), {(0, 1): PairTally([(1, 0)]), (2, 0): PairTally([(1, 1)])})


def test_counts_and_points() -> None:
    found = some()
    assert (found.games, found.counts(0), found.counts(0, 1), found.counts(1, colour=1)) == (
        4, (1, 1, 2), (1, 1, 0), (0, 0, 1),
    )  # fmt: skip
    assert (found.points == np.array([[0, 1.5, 0], [0.5, 0, 0], [2, 0, 0]])).all()
    assert found.ranking == [2, 0, 1]
    data = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert [one["player"] for one in data["players"]] == ["c", "a", "b"]
    assert data["players"][1]["as_first"] == {"games": 2, "wins": 1, "draws": 0, "losses": 1, "score": 0.5}
    assert [one["players"] for one in data["pairings"]] == [["c", "a"], ["a", "b"]]
    assert data["pairings"][0]["superiority"] > 0.5


def test_ratings_know_the_pairs() -> None:
    """Pairs of one win each say that both are equal; as many pairs won and lost as a whole say less."""

    def width(*pairs: tuple[int, int]) -> float:
        found = DuelStandings("tictactoe", ("a", "b"), {(0, 1): PairTally(pairs)})
        assert found.ratings and found.superiority is not None and found.superiority[0, 1] == 0.5
        return found.ratings[0].interval[1] - found.ratings[0].interval[0]

    assert 5 * width(*[(1, -1)] * 50) < width(*[(1, 1), (-1, -1)] * 25)


def test_final_scores() -> None:
    """By hand: of two pairs with 3 and -1, and with 2 and 0 points for the first player named."""
    found = DuelStandings("backgammon", ("a", "b"), {(0, 1): PairTally([(1, -1), (1, 1)], [1.0, 1.0])})
    assert found.tally(0, 1).mean_final_score == (1.0, (1.0, 1.0))
    assert found.tally(1, 0) == PairTally([(1, -1), (-1, -1)], [-1.0, -1.0])
    assert "+1.00 (+1.00 to +1.00)" in report.text(found) and "Final scores" in report.html(found, {})
    [pairing] = json.loads(json.dumps(found.as_json(), allow_nan=False))["pairings"]
    assert (pairing["points"], pairing["points_interval"]) == (1.0, [1.0, 1.0])
    assert some().as_json()["pairings"][0]["points"] is None and "Final scores" not in report.text(some())


def test_the_final_scores_of_a_tournament(tmp_path: Path) -> None:
    conditions, game = Conditions(Budget(iterations=1), OpeningChoice("random", 1)), make("othello:4")
    with Store(tmp_path / "results") as store:
        meeting = pairings(game, ["random", "mcts:5"], conditions)
        list(play_tournament(store, game, dict.fromkeys(meeting, 3), conditions))
        found = standings(store, game.name, ["random", "mcts:5"], meeting)
        told = [
            (first["score"] - second["score"]) / 2 for _, (first, second) in store.records(meeting[0])
        ]  # of mcts:5, which is first in the store
    assert isinstance(found, DuelStandings)
    assert found.tally(1, 0).final_scores == told and found.tally(0, 1).final_scores == [-mean for mean in told]


UNTIMED = """
import sys
moves = ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"]
taken = set()
for line in sys.stdin:
    word, *rest = line.split()
    answer = ""
    if word == "clear_board":
        taken.clear()
    elif word == "play":
        taken.add(rest[-1].lower())
    elif word == "genmove":
        answer = next(move for move in moves if move not in taken)
        taken.add(answer)
    elif word.startswith("time"):
        print("? unknown command\\n", flush=True)
        continue
    print("= " + answer + "\\n", flush=True)
"""


def test_remarks_of_programs_are_reported_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "untimed.py").write_text(UNTIMED)
    name = f"gtp:{shlex.join([sys.executable, str(tmp_path / 'untimed.py')])}"
    line = ["tournament", "tictactoe", name, "random", "--games", "4", "--seconds", "0.1"]
    line += ["--store", str(tmp_path / "results"), "--html", str(tmp_path / "report.html")]
    refusal = f"{name} is not told its time: to 'time_settings 0 1 1' it answers 'unknown command'"
    assert main(line) == 0
    assert capsys.readouterr().out.count(refusal) == 1
    assert (tmp_path / "report.html").read_text().count(html.escape(refusal)) == 1
    assert main([*line, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["remarks"] == [refusal]
    quiet = ["tournament", "tictactoe", "mcts:2", "random", "--games", "2"]
    assert main(quiet) == 0 and "Remarks" not in capsys.readouterr().out


def test_standings_are_told_before_all_have_played() -> None:
    found = DuelStandings("tictactoe", ("a", "b"), {(0, 1): PairTally()})
    assert (found.ratings, found.superiority, found.games) == (None, None, 0)
    assert json.loads(json.dumps(found.as_json()))["players"][0]["elo"] is None
    assert "–" in report.text(found) and "<svg" not in report.html(found, {})
    solo = SoloStandings(SOLO.name, ("a", "b"), {0: [], 1: [5]})
    assert solo.ranking == [1, 0]
    assert json.loads(json.dumps(solo.as_json(), allow_nan=False))["players"][1]["mean"] is None
    assert "5.00" in report.text(solo) and "<svg" in report.html(solo, {})


def test_results_are_those_of_the_named_players(tmp_path: Path) -> None:
    """The store has players in the order of their names; here they are as they were named."""
    conditions = Conditions(Budget(iterations=1), OpeningChoice("every"))
    names = ["random", "mcts:200"]
    with Store(tmp_path / "results") as store:
        meeting = pairings(GAME, names, conditions)
        list(play_tournament(store, GAME, dict.fromkeys(meeting, 9), conditions))
        found = standings(store, GAME.name, names, meeting)
    assert isinstance(found, DuelStandings)
    assert found.games == 18 and found.ranking == [1, 0] and found.counts(1)[0] > 12
    assert sum(found.counts(0, colour=0)) == 9


# -- The command -----------------------------------------------------------------------------------------------------


def tell(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["tournament", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store, page = str(tmp_path / "results"), tmp_path / "page.html"
    options = ["--store", store, "--iterations", "1", "--html", str(page)]
    data = tell(capsys, "tictactoe", *NAMES, "--games", "4", *options)
    assert data["games"] == 12 and data["conditions"]["limit"] == {"iterations": 1}
    assert tell(capsys, "tictactoe", *NAMES, "--games", "4", "--workers", "2", *options) == data
    again = tell(capsys, "tictactoe", "--games", "0", *options)  # the players in another order
    assert [one["elo"] for one in again["players"]] == pytest.approx([one["elo"] for one in data["players"]])
    for one, other in zip(again["pairings"], data["pairings"], strict=True):
        assert one == {**other, "superiority": pytest.approx(other["superiority"])}
    text = page.read_text()
    assert text.count("<svg") == 2 and "prefers" not in text and "color-scheme: light dark" in text
    assert not any(source in text for source in ('src="', "@import", "<script", "<link"))
    gauntlet = tell(capsys, "tictactoe", *NAMES, "--games", "4", "--gauntlet", "--iterations", "1")
    assert gauntlet["games"] == 8
    assert main(["tournament", "tictactoe", "--games", "0", *options]) == 0
    assert "Likelihood of superiority" in capsys.readouterr().out


def test_the_command_for_one_player(capsys: pytest.CaptureFixture[str]) -> None:
    data = tell(capsys, "morpion:4D,size=9", "random", "mcts:20", "--games", "3")
    assert [one["player"] for one in data["players"]] == ["mcts:20", "random"]
    assert data["games"] == 6 and data["players"][0]["mean"] > data["players"][1]["mean"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("hex:3 random", "needs at least 2 players"),
        ("hex:3 random random", "the player random is named twice"),
        ("hex:3 random nobody", "there is no player 'nobody'"),
        ("hex:3 random nobody --store new", "there is no player 'nobody'"),
        ("hex:3 random mcts:3 --store new --anchor mcts:4", "--anchor must be one of the players, not mcts:4"),
        ("hex:3 random human", "a person plays with `athenan play` only"),
        ("hex:3 random mcts:3 --games 3", "--games must be even"),
        ("hex:3", "name players"),
        ("hex:3 --gauntlet", "name the players of a gauntlet"),
        ("hex:3 --store nothing", "nothing does not exist; name the players"),
        ("hex:3 random mcts:3 --store no/where", "there is no folder no"),
        ("hex:3 random mcts:3 --html no/where", "there is no folder no"),
        ("hex:3 random mcts:3 --store .", "is a folder: name a file"),
        ("hex:3 random mcts:3 --openings nothing", "nothing: No such file"),
        ("hex:3 random mcts:3 --clock 5 --seconds 1", "--clock replaces --seconds"),
        ("hex:3 random mcts:3 --clock 5 --time processor", "--clock counts wall-clock time"),
        ("hex:3 random mcts:3 --ray 127.0.0.1:1", "no Ray cluster answers at 127.0.0.1:1"),
        ("hex:3 random mcts:3 --store new --ray 127.0.0.1:1", "no Ray cluster answers at 127.0.0.1:1"),
        ("hex:3 random mcts:3 --ray somewhere", "the address of a Ray cluster is HOST:PORT"),
        ("hex:3 random mcts:3 --clock x", "--clock must be seconds, such as 60"),
    ],
)
def test_bad_input_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tournament", *line.split()]) == 2
    (error,) = [one for one in capsys.readouterr().err.splitlines() if "Preparing rules" not in one]
    assert message in error and error.startswith("athenan: error: ")
    assert list(tmp_path.iterdir()) == []


def test_a_store_without_such_results_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = str(tmp_path / "results")
    Store(store).close()
    assert main(["tournament", "hex:3", "--store", store]) == 2
    assert capsys.readouterr().err.endswith(f"{store} has no results of hex:3: name players\n")


def test_the_conditions_of_a_store_are_told_in_words(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = str(tmp_path / "results")
    tell(capsys, "tictactoe", "random", "mcts:1", "--games", "2", "--iterations", "1", "--store", store)
    line = ["tictactoe", "--store", store, "--clock", "5", "--openings", "every", "--resign", "2", "--adjudicate"]
    assert main(["tournament", *line]) == 2
    asked = (
        "(limit a clock of 5+0 s for each match; openings every first action; seed 0; "
        "players end a match by a proof, resign below -2)"
    )
    stored = "(limit 1 iteration for each action; openings random, of 1 action; seed 0)"
    error = capsys.readouterr().err
    assert f"under these conditions {asked}: name players, or give the conditions of its results {stored}\n" in error


def test_conditions_that_others_stored_are_told_as_they_are() -> None:
    for text in ("seed 0", "[]", '{"openings": {}}', '{"limit": 3}'):
        assert in_words(text) == repr(text)


# -- Several commands, and kills -------------------------------------------------------------------------------------


PLAYERS = ["random", "mcts:1", "mcts:30000", "mcts:40000"]
PAIRS = 25


def start(store: Path, *more: str) -> subprocess.Popen[str]:
    """A tournament in a group of processes of its own."""
    line = ["tournament", "tictactoe", *PLAYERS, "--games", str(2 * PAIRS), "--store", str(store), *more]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    return subprocess.Popen(
        [sys.executable, "-m", "athenan", *line], env=environment, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def check_whole(path: Path) -> None:
    """That every pair is there exactly once, with both matches, which the rules allow."""
    with Store(path) as store:
        found = store.pairings()
        assert found == dict.fromkeys(pairings(GAME, PLAYERS, Conditions(Budget(seconds=0.1))), PAIRS)
        for pairing in found:
            assert [result.number for result in store.results(pairing)] == list(range(PAIRS))
            assert all(len(result.gains) == 2 for result in store.results(pairing))
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM matches").fetchone() == (2 * PAIRS * len(found),)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def finished(path: Path) -> int:
    """The number of pairs in a store that others may be writing."""
    if not path.exists():
        return 0
    with Store(path) as store:
        return sum(store.pairings().values())


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_tournament_killed_in_twenty_places(tmp_path: Path, workers: str) -> None:
    """Each time after some more pairs, and some time: in the middle of a match, of a transaction, of starting."""
    path, draw = tmp_path / "results", random.Random(int(workers))
    records: dict[Any, Any] = {}
    for place in range(20):
        process = start(path, "--workers", workers)
        before, wanted = finished(path), draw.choice([0, 1, 5])
        while finished(path) < before + wanted and process.poll() is None:
            time.sleep(0.01)
        time.sleep(draw.uniform(0, 0.1 if wanted else 3))
        assert process.poll() is None, "the tournament ended too early to be killed twenty times"
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        with Store(path) as store:  # what was stored stays as it is
            now = {(pairing, n): pair for pairing in store.pairings() for n, pair in store.records(pairing)}
        assert {key: now[key] for key in records} == records, place
        records = now
    process = start(path, "--workers", workers)
    output, errors = process.communicate(timeout=500)
    assert process.returncode == 0, errors
    assert "mcts:40000" in output
    check_whole(path)


@pytest.mark.slow
def test_a_killed_worker_costs_its_pair_only(tmp_path: Path) -> None:
    path = tmp_path / "results"
    process = start(path, "--workers", "2")
    for _ in range(3):
        before = finished(path)
        while finished(path) < before + 3 and process.poll() is None:
            time.sleep(0.01)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        workers = [int(one) for one in children if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]
        os.kill(workers[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=500)
    assert process.returncode == 0, errors
    check_whole(path)


@pytest.mark.slow
def test_two_commands_fill_one_store_at_once(tmp_path: Path) -> None:
    path = tmp_path / "results"
    processes = [start(path), start(path, "--workers", "2")]
    outputs = [process.communicate(timeout=500) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    assert outputs[0][0] == outputs[1][0]  # each reports all results
    check_whole(path)
