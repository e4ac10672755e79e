"""`--threads` of every command: what evaluates with them, and when they would be idle."""

import pytest
import torch
from small_trainings import TINY

from athenan.evaluation.networks import Network


@pytest.mark.parametrize(
    ("line", "idle"),
    [
        ("analyze othello:8 --threads 2 --iterations 10", True),
        ("analyze othello:8 --threads 2 --seconds 0.01", False),
        ("analyze othello:8 --iterations 10", False),
        ("match othello:6 evaluation:squares random --threads 2 -g 2 --iterations 1", False),  # one thread in any case
        ("match othello:8 athenan,evaluations=1 random --threads 2 -g 2", True),
        ("match othello:8 athenan,evaluations=1 athenan --threads 2 -g 2 --seconds 0.001", False),
        ("tournament othello:8 athenan,evaluations=1 random --threads 2 -g 2", True),
        ("grade connect_four athenan,evaluations=1 --threads 2 --count 1", True),
    ],
)
def test_threads_that_would_be_idle_are_told(command, line, idle):
    status, _, errors = command(*line.split())
    said = "athenan: --threads 2 has no effect: several threads search only within a limit in seconds\n"
    assert (status, said in errors, "no effect" in errors) == (0, idle, idle)


@pytest.mark.parametrize(
    ("line", "idle"),
    [
        ("analyze pig --threads 2 --iterations 10", True),
        ("analyze pig --threads 2 --seconds 0.01", True),
        ("analyze pig --iterations 10", False),
        ("match pig athenan,evaluations=1 mcts:1 --threads 2 -g 2", True),
        ("match pig random random --threads 2 -g 2", False),
    ],
)
def test_threads_that_are_idle_because_of_chance_are_told(command, line, idle):
    status, _, errors = command(*line.split())
    said = "athenan: --threads 2 has no effect: in games of chance only alpha-beta searches with several threads"
    assert (status, errors.startswith(said), "no effect" in errors) == (0, idle, idle)


@pytest.mark.parametrize(
    ("line", "idle"),
    [
        ("analyze go:7 --threads 2 --seconds 0.01", True),
        ("analyze go:7 --search ubfm --threads 2 --seconds 0.01", False),
        ("match othello:6 mcts:10 mcts:20 --threads 2 -g 2", True),
        ("match othello:6 athenan mcts:10 --threads 2 -g 2 --seconds 0.001", False),
        ("match othello:6 evaluation:squares mcts:10 --threads 2 -g 2 --iterations 1", False),
        ("play tictactoe --first mcts:1 --second random --threads 2 --seconds 0.001", True),
    ],
)
def test_threads_that_are_idle_because_rollouts_have_one_are_told(command, line, idle):
    status, _, errors = command(*line.split())
    said = "athenan: --threads 2 has no effect: a search by rollouts has one thread\n"
    assert (status, said in errors, "no effect" in errors) == (0, idle, idle)


@pytest.mark.slow
def test_every_command_evaluates_with_one_thread_unless_told_otherwise(command, run, tmp_path, monkeypatch):
    """Every command evaluates with one thread, whatever PyTorch would take, unless --threads says more."""
    answers, used = Network.answers, set()

    def recording(self, planes, names):
        used.add(torch.get_num_threads())
        return answers(self, planes, names)

    monkeypatch.setattr(Network, "answers", recording)
    monkeypatch.chdir(tmp_path)
    for arguments in (
        ("match", "tictactoe", run, "random", "--games", "2", "--iterations", "2"),
        ("match", "tictactoe", run, "random", "--games", "4", "--iterations", "2", "--workers", "2"),
        ("play", run, "--first", "random", "--second", run, "--iterations", "2"),
        ("analyze", run, "--iterations", "2"),
        ("bench", "tictactoe", "--seconds", "0.01", "--network", "c"),
        ("train", "tictactoe", "--matches", "1", *TINY),
    ):
        for threads, given in ((1, ()), (3, ("--threads", "3"))):
            torch.set_num_threads(2)
            used.clear()
            assert command(*arguments, *given)[0] == 0
            assert used == {threads}, arguments
    torch.set_num_threads(1)
