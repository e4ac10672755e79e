"""What slow commands say where there is no terminal: how far they have come."""

import re

import pytest


@pytest.fixture
def progress(command, monkeypatch):
    """Runs a command that says something 20 times a second, and returns what."""
    monkeypatch.setattr("athenan.cli.progress.SECONDS_BETWEEN_LINES", 0.05)

    def run(*arguments):
        status, _, errors = command(*arguments)
        found = [re.fullmatch(r"after \d minutes?: (.*)", line) for line in errors.splitlines()]
        lines = [line[1] for line in found if line]
        assert status == 0 and 0 < len(lines) == len(found), errors
        return lines

    return run


def test_a_long_analysis(progress):
    lines = progress("analyze", "hex:9", "--network", "none", "--seconds", "1")
    assert set(lines[:-1]) - {"searching hex:9"}
    so_far = r"\d s, [\d,]+ iterations?, [\d,]+ states?: value \+0\.000, best \w+"
    assert all(line == "searching hex:9" or re.fullmatch(so_far, line) for line in lines)


def test_measurements_of_speed(progress):
    lines = progress("bench", "tictactoe", "connect_four:4x4", "--seconds", "0.1")
    ahead = ["measured 0 of 2 games, now tictactoe", "measured 1 of 2 games, now connect_four:4x4"]
    assert list(dict.fromkeys(lines))[:2] == ahead


def test_a_review_in_json_which_it_prints_at_the_end(progress, command, tmp_path):
    records = str(tmp_path / "records")
    assert command("match", "hex:6", "random", "random", "--games", "2", "--records", records)[0] == 0
    lines = progress("analyze", "hex:6", "--match", records, "--json", "--seconds", "0.05", "--network", "none")
    assert all(re.fullmatch(r"reviewed \d+ of \d+ actions", line) for line in lines)
