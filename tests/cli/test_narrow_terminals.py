"""What narrow terminals show of the command."""

import pytest

from athenan.cli import COMMANDS, calibrate
from athenan.cli.playing import DEFAULT_SECONDS


@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_of_a_help_is_wider_than_the_terminal(name, command, monkeypatch):
    """Terminals broke the paragraphs above the options within words."""
    monkeypatch.setenv("COLUMNS", "60")
    status, output, _ = command(name, "--help")
    lines = output.splitlines()
    assert status == 0
    assert [line for line in lines if len(line) > 60 and not line.startswith("usage: ")] == []


def test_rules_fit_a_narrow_terminal(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    status, output, _ = command("rules", "hex")
    assert status == 0
    assert max(map(len, output.splitlines())) <= 40


def test_defaults_of_a_help_are_values(command):
    for name in ("analyze", "info", "match", "perft", "play", "plot"):
        _, output, _ = command(name, "--help")
        assert "(default: '')" not in output
        assert "(default: )" not in output


def test_the_help_of_limits_tells_the_default_of_each_command(command):
    _, output, _ = command("calibrate", "--help")
    words = " ".join(output.replace("|", " ").replace("│", " ").split())
    assert f"{calibrate._SECONDS} in calibrate" in words
    assert f"{DEFAULT_SECONDS} in match, tournament and grade" in words


def test_tables_of_a_narrow_terminal_are_whole(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    status, output, _ = command("games")
    assert status == 0
    assert "…" not in output
    status, output, _ = command("tournament", "tictactoe", "random", "mcts:1", "--games", "2")
    assert status == 0
    assert max(map(len, output.splitlines())) <= 40
    for title in ("player", "95% interval", "losses", "as second"):
        assert title in output
