"""`athenan match` and `athenan tournament`: what they play, repeat and report."""

import errno
import json
import os
import sys

import pytest
from small_trainings import quiet, small

from athenan.arena.results import Duel, causes_of
from athenan.learning.training import train
from athenan.play.records import MatchRecord


def test_match(command, as_json, run, tmp_path):
    found = as_json("match", "tictactoe", "mcts:300", "random", "--games", "10")
    assert found["wins"] + found["draws"] + found["losses"] == found["games"] == 10
    assert found["score"] == (found["wins"] + found["draws"] / 2) / 10 > 0.5
    assert found["interval"][0] < found["score"] <= found["interval"][1]
    arguments = ("match", "tictactoe", run, "random", "--games", "4", "--evaluations", "60")
    assert as_json(*arguments)["games"] == 4
    patterns = str(train(small("tictactoe", matches=1, network="patterns"), tmp_path / "run", quiet()))
    arguments = ("match", "tictactoe", patterns, "random", "--games", "4", "--evaluations", "60")
    alone, together = as_json(*arguments), as_json(*arguments, "--workers", "2")  # workers that need no PyTorch
    assert all(alone[name] == together[name] for name in ("wins", "draws", "losses", "length"))
    status, output, errors = command("match", "tictactoe", "random", "random", "--games", "2")
    assert (status, errors) == (0, "")
    assert "95% interval" in output


def test_a_match_ends_when_it_is_clear_who_is_stronger(command, as_json):
    line = ("match", "tictactoe", "mcts:300", "random", "--sprt", "0", "200", "--openings", "every")
    found = as_json(*line, "--games", "400")
    assert found["sprt"]["accepted"] == "elo1"
    assert found["sprt"]["log_likelihood_ratio"] > found["sprt"]["bounds"][1] == pytest.approx(2.944, abs=1e-3)
    assert found["games"] < 200
    assert found["openings"] == min(9, found["games"] // 2)
    assert "SPRT accepted: Elo difference 200 rather than 0" in command(*line, "--games", "400")[1]
    assert "SPRT undecided between 0 and 200" in command(*line, "--games", "2")[1]


def test_a_match_continues_from_its_records(as_json, tmp_path):
    openings, file = tmp_path / "openings", str(tmp_path / "records")
    openings.write_text("a1\nb2 # the middle\n")
    line = ("match", "tictactoe", "mcts:5", "random", "--openings", str(openings), "--records", file)
    assert as_json(*line)["games"] == 4
    found = as_json(*line, "--games", "10", "--workers", "2")
    assert (found["games"], found["openings"]) == (10, 2)
    assert as_json(*line, "--games", "10") == found
    lines = [json.loads(one) for one in (tmp_path / "records").read_text().splitlines()]
    assert sorted((one["pair"], one["part"]) for one in lines) == [(pair, part) for pair in range(5) for part in (0, 1)]
    assert all(one["moves"].startswith(("a1", "b2")[one["pair"] % 2]) for one in lines)


def test_a_tournament_is_reported_if_its_page_cannot_be_written(command, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "page.html")

    monkeypatch.setattr("athenan.cli.tournament.write", full)
    line = ("tournament", "tictactoe", "random", "mcts:1", "--games", "2", "--html", str(tmp_path / "page.html"))
    status, output, errors = command(*line)
    assert (status, errors) == (2, "athenan: error: page.html: No space left on device\n")
    assert "Ratings" in output


def test_a_match_says_which_results_are_forfeits(command, as_json, tmp_path):
    """A program that answers everything, and every move with z9, loses all of its matches without playing."""
    program = tmp_path / "bad.py"
    program.write_text(
        "import sys\nfor line in sys.stdin:\n"
        "    print('= z9' if line.startswith('genmove') else '= true', end='\\n\\n', flush=True)\n"
    )
    line = ("match", "hex:3", "random", f"gtp:{sys.executable} {program}", "--games", "24")
    status, output, errors = command(*line)
    assert status == 0
    assert "forfeited 24 matches, 24 by an illegal action; the last: gtp:" in output
    told = errors.splitlines()
    assert len(told) == 10 and told[0].startswith("match 1 of 24 is forfeited: gtp:")
    assert told[-1].endswith("which is not legal; further forfeits are only counted")
    record = MatchRecord("hex:3", ("random", "bad"), (), 1, forfeit="bad has ended")
    other = MatchRecord("hex:3", ("bad", "random"), (), -1, forfeit="the clock of bad ran out")
    series = Duel("hex:3", ("random", "bad"), 0, (record, other))
    assert series.in_brief().startswith("2 won (2 by forfeit), 0 drawn, 0 lost, 100.0% of points")
    assert (series.forfeits_of(0), series.forfeits_of(1)) == ([], series.forfeits)
    assert causes_of(series.forfeits) == "1 by a crash, 1 by time"
