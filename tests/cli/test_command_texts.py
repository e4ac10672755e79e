"""What every command says: its help, its version, and words that agree with their numbers."""

import pytest

import athenan
from athenan.cli import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_help(command, name):
    status, output, errors = command(name, "--help")
    assert (status, errors) == (0, "")
    assert f"usage: athenan {name}" in output
    assert name in command()[1]


def test_version(command):
    assert command("--version") == (0, f"athenan {athenan.__version__}\n", "")


def test_one_of_a_kind_is_singular(command):
    assert ", 1 iteration, " in command("analyze", "tictactoe", "--network", "none", "--iterations", "1")[1]
    analysed = command("analyze", "tictactoe", "--network", "none", "--iterations", "1", "--rows", "8")[1]
    assert "and 1 more action (--rows 0 shows all)" in analysed
    graded = command("grade", "connect_four", "random", "--iterations", "1", "--count", "1")
    assert "connect_four:7x6, 1 iteration an action" in graded[1] and "1 of 1 position, " in graded[2]
