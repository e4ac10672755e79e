"""Ctrl-C: the command shows what it has found, and its status is 130."""

import itertools
import json
import os
import re
import signal
import sys
import time
import weakref

import pytest
from file_matches import random_file_match
from small_trainings import quiet, small

import athenan.cli.bench
import athenan.cli.calibrate
import athenan.cli.grade
import athenan.cli.match
import athenan.cli.perft
import athenan.cli.review
import athenan.cli.tournament
from athenan import make
from athenan.cli.interruption import Ended, ctrl_c_calls, ending_interrupts
from athenan.files.formats import write_matches
from athenan.learning.training import train
from athenan.play import session


def cut_after(count, function):
    """A generator that yields what `function` yields first, `count` times, and is then interrupted."""

    def interrupted(*arguments):
        yield from itertools.islice(function(*arguments), count)
        raise KeyboardInterrupt

    return interrupted


def interrupted_after(count, function):
    """A function that answers `count` times, and is interrupted the next time."""
    left = iter(range(count))

    def answer(*given):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return function(*given)

    return answer


def test_an_interruption_is_status_130(command, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("athenan.cli.perft.perft", interrupted)
    assert command("perft", "hex:3") == (130, "", "athenan: interrupted\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without telling it")
def test_a_signal_whose_exception_python_drops_still_ends():
    class Thing:
        pass

    def called_back(reference):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)

    usual, things, began = sys.unraisablehook, [Thing()], list[bool]()
    watched = weakref.ref(things[0], called_back)

    def work():
        things.clear()  # what is raised meanwhile goes nowhere
        began.append(watched() is None)
        time.sleep(10)

    with pytest.raises(Ended) as end, ending_interrupts():
        work()
    assert (began, end.value.signal) == ([True], signal.SIGTERM)
    assert sys.unraisablehook is usual and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_the_first_ctrl_c_stops_the_search_and_the_second_interrupts(ctrl_c):
    stopped = []
    with ctrl_c_calls(lambda: stopped.append(1)):
        ctrl_c()
        assert stopped == [1]
        with pytest.raises(KeyboardInterrupt):
            ctrl_c()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_interrupted_analysis_shows_what_it_has_found(command, monkeypatch, ctrl_c, options):
    """It would last an hour."""
    search = session.run

    def interrupted(searcher, budget, watch, clock):
        pressed = iter([ctrl_c])

        def pressing(seconds: float) -> None:
            next(pressed, int)()
            watch(seconds)

        return search(searcher, budget, pressing, clock)

    monkeypatch.setattr(session, "run", interrupted)
    line = ("analyze", "hex:7", "--network", "none", "--seconds", "3600", "--threads", "1", *options)
    status, output, errors = command(*line)
    assert (status, errors) == (130, "\nathenan: interrupted\n")
    if options:
        found = json.loads(output)
        assert found["best"] and len(found["actions"]) == 49 and found["iterations"] > 0
    else:
        assert "best line: " in output and "The search ended before a proof" in output


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_interrupted_review_shows_the_plies_that_it_has_searched(command, monkeypatch, tmp_path, options):
    monkeypatch.setattr("athenan.cli.review.annotate", cut_after(2, athenan.cli.review.annotate))
    file, written = tmp_path / "match.sgf", tmp_path / "written.sgf"
    write_matches(file, [random_file_match(make("hex:3"), 1)])
    line = ("analyze", "hex:3", "--network", "none", "--match", str(file), "--output", str(written), *options)
    status, output, errors = command(*line)
    assert (status, errors, written.exists()) == (130, "athenan: interrupted\n", False)
    assert len(json.loads(output)["plies"] if options else re.findall(r"(?m)^ +\d+  ", output)) == 2


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_interrupted_perft_shows_the_lengths_that_it_has_counted(command, monkeypatch, options):
    monkeypatch.setattr("athenan.cli.perft.perft", interrupted_after(3, athenan.cli.perft.perft))
    status, output, errors = command("perft", "tictactoe", "--depth", "9", *options)
    assert (status, errors) == (130, "athenan: interrupted\n")
    if options:
        found = json.loads(output)
        assert (found["counts"], found["partial"]) == ([9, 72, 504], True)
    else:
        assert re.findall(r"(?m)^ +(\d) +(\d+)$", output) == [("1", "9"), ("2", "72"), ("3", "504")]


def test_an_interrupted_match_leaves_its_score(command, monkeypatch):
    monkeypatch.setattr("athenan.cli.match.play_pairs", cut_after(2, athenan.cli.match.play_pairs))
    status, output, errors = command("match", "tictactoe", "random", "random", "--games", "1000")
    score, end = errors.splitlines()
    assert (status, output, end) == (130, "", "athenan: interrupted")
    assert re.fullmatch(r"4 of 1,000: \d won, \d drawn, \d lost, [\d.]+% of points \[.*\]", score)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_interrupted_grades_are_of_the_positions_so_far(command, monkeypatch, options):
    grade = athenan.cli.grade.do_grade
    monkeypatch.setattr("athenan.cli.grade.do_grade", interrupted_after(33, grade))
    line = ("grade", "connect_four", "random", "mcts:2", "mcts:3", "--count", "30", *options)
    status, output, errors = command(*line)
    assert (status, errors.splitlines()[-1]) == (130, "athenan: interrupted")
    if options:
        found = json.loads(output)
        assert found["partial"] and found["positions"] == 30
        assert [(one["player"], one["positions"]) for one in found["players"]] == [("random", 30), ("mcts:2", 3)]
    else:
        assert "an action; partial, not all of 30 positions" in output.splitlines()[0]
        assert "mcts:2" in output and "mcts:3" not in output


def test_grades_that_are_interrupted_at_once_show_nothing(command, monkeypatch):
    monkeypatch.setattr("athenan.cli.grade.do_grade", interrupted_after(0, athenan.cli.grade.do_grade))
    assert command("grade", "connect_four", "random", "--count", "3") == (130, "", "athenan: interrupted\n")


def test_an_interrupted_calibration_learns_from_the_matches_so_far(command, monkeypatch, tmp_path):
    """With too few it learns nothing, but can compare them."""
    run = str(train(small("tictactoe", matches=1), tmp_path / "run", quiet(), measure=False))
    play = athenan.cli.calibrate.own_matches

    def output_after(matches, *options):
        monkeypatch.setattr("athenan.cli.calibrate.own_matches", cut_after(matches, play))
        status, output, errors = command("calibrate", run, "--iterations", "2", *options)
        assert (status, errors) == (130, "athenan: interrupted\n")
        return output

    assert output_after(40) == ""
    found = json.loads(output_after(60, "--json"))
    assert found["saved"] and found["partial"] and 50 <= found["matches"] <= 60
    assert "; partial, not all of 300 matches" in output_after(1, "--check")
    assert output_after(0, "--check") == ""


def test_an_interrupted_tournament_shows_its_standings(command, monkeypatch):
    """Without --store its matches would be lost."""
    monkeypatch.setattr("athenan.cli.tournament.play_tournament", cut_after(3, athenan.cli.tournament.play_tournament))
    status, output, errors = command("tournament", "tictactoe", "random", "mcts:1", "--games", "1000", "--json")
    assert (status, json.loads(output)["games"]) == (130, 4)
    assert errors == "athenan: interrupted\n"


def test_an_interrupted_bench_shows_the_games_that_it_has_measured(command, monkeypatch):
    monkeypatch.setattr("athenan.cli.bench.measure", interrupted_after(1, athenan.cli.bench.measure))
    status, output, errors = command("bench", "tictactoe", "hex:3", "--seconds", "0.01", "--json")
    assert (status, errors) == (130, "athenan: interrupted\n")
    assert [one["game"] for one in json.loads(output)["games"]] == ["tictactoe"]
