"""Experiments against programs of others, from the command to the report."""

import shutil
from pathlib import Path

import pytest

from athenan.cli import main
from athenan.experiments.store import Results


def program(name):
    """The path of an installed program; Debian keeps games where PATH may lack them."""
    return shutil.which(name, path="/usr/games:/usr/bin:/usr/local/bin") or pytest.skip(f"{name} is not installed")


@pytest.mark.parametrize(
    ("name", "game", "protocol", "command"),
    [
        ("003-table-8", "go:5,superko=simple", "gtp", "gnugo --mode gtp --chinese-rules --capture-all-dead --level 1"),
        pytest.param("004-figure-5", "breakthrough:8x8", "uci", "fairy-stockfish", marks=pytest.mark.slow),
    ],
)
def test_an_experiment_is_played_against_a_program(name, game, protocol, command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    binary, *options = command.split()
    opponent = f"{protocol}:{' '.join([program(binary), *options])}"
    small = ["--games", game, "--minutes", "0.01", "--points", "1", "--pairs", "2", "--seconds", "0.02"]
    small += ["--set", "run.network=patterns:entries=512", "replay.augmentation=none"]  # workers that need no PyTorch
    assert main(["experiment", name, *small, "--workers", "1", "--opponents", opponent]) == 0
    report = capsys.readouterr().out
    assert "matches: 4 of 4" in report and "Matches against opponents" in report and opponent in report
    with Results(Path("experiments", f"{name}-laptop")) as results:
        ((pairing, count),) = results.pairings().items()
        played = [record for _, records in results.records(pairing) for record in records]
    assert (count, pairing.players[1]) == (2, opponent)
    assert [record["players"].index(opponent) for record in played] == [1, 0, 1, 0]
    assert not any(record["forfeit"] for record in played)
    assert main(["experiment", name, "report", *small, "--opponents", opponent]) == 0


@pytest.mark.slow
def test_the_rounds_of_a_table_are_played_and_options_replace_them(tmp_path, monkeypatch, capsys):
    """000's Table 10 has two search times; a limit that is given is the only one."""
    monkeypatch.chdir(tmp_path)
    few = ["--combinations", "Descent", "ExIt, 100", "--opponents", "ExIt, 100"]
    few += ["--games", "hex:3", "--minutes", "0.02"]
    common = ["--set", "action.iterations=5", "action.seconds=none", "--workers", "1"]
    assert main(["experiment", "000-table-10", *few, *common, "--pairs", "1"]) == 0
    table = capsys.readouterr().out.split("Matches against opponents")[1]
    assert "0.02 s" in table and "0.1 s" in table
    assert main(["experiment", "000-table-10", *few, *common, "--pairs", "1", "--iterations", "3"]) == 0
    table = capsys.readouterr().out.split("Matches against opponents")[1]
    assert "3 iterations" in table and "0.1 s" not in table
