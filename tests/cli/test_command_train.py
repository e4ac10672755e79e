"""`athenan train`: its settings, what it saves, and its help."""

import re
from dataclasses import fields

from small_trainings import TINY

import athenan
from athenan.learning.config import TrainingConfig
from athenan.runs.checkpoint import CHECKPOINT, load
from athenan.settings import within


def test_expert_iteration_trains_for_given_matches_or_minutes(command, tmp_path, monkeypatch):
    """As if neither minutes nor matches were given."""
    monkeypatch.chdir(tmp_path)
    few = ["--matches", "2", "--phase-matches", "1", "--parallel-matches", "1", "--exit.rollouts", "10"]
    assert command("train", "tictactoe", "--algorithm", "exit", *few, "--strength.seconds", "0")[0] == 0
    status, _, errors = command("train", "tictactoe", "--algorithm", "exit")
    assert (status, "give minutes or matches" in errors) == (2, True)


def test_train_and_resume(command, tmp_path, monkeypatch, files_read):
    monkeypatch.chdir(tmp_path)
    status, output, _ = command("train", "hex:3", "--matches", "2", *TINY)
    assert status == 0
    assert "athenan play runs/hex-3" in output
    assert command("train", "hex:3", "--matches", "1", *TINY)[0] == 0
    assert (tmp_path / "runs" / "hex-3-2" / CHECKPOINT).exists()
    files_read.clear()
    assert command("train", "--resume", "runs/hex-3", "--matches", "3")[0] == 0
    assert [file.name for file in files_read].count(CHECKPOINT) == 1
    for others in (["--seed", "3"], ["--seed=0"], ["--strength.games", "20"]):  # the last two are defaults
        status, _, errors = command("train", "--resume", "runs/hex-3", *others)
        assert (status, "only --minutes, --matches, --salvage" in errors) == (2, True)
    assert command("train", "hex:3", "--resume", "runs/hex-3")[0] == 0
    status, _, errors = command("train", "hex:4", "--resume", "runs/hex-3")
    assert (status, "runs/hex-3 is a run of hex:3, not of hex:4" in errors) == (2, True)
    status, _, errors = command("train", "hex:3", "--run", "runs/hex-3", *TINY)
    assert (status, "holds another run" in errors) == (2, True)


def test_limits_of_an_action_are_written_with_their_component(command, tmp_path):
    options = [option.replace("--action.evaluations", "--action.iterations") for option in TINY]
    assert command("train", "hex:3", "--matches", "1", "--run", str(tmp_path / "run"), *options)[0] == 0
    configuration = load(tmp_path / "run").document["configuration"]
    assert configuration["action"] == {"seconds": None, "iterations": 50, "evaluations": None}
    for option in ("--seconds", "--iterations", "--evaluations"):
        assert "there is no option" in command("train", "hex:3", option, "5")[2]


def test_train_takes_another_search(command, tmp_path):
    options = ("--matches", "1", "--action.evaluations", "1", "--strength.seconds", "0", "--run", str(tmp_path / "run"))
    assert command("train", "tictactoe", "--search", "(descent:action_values,refining=2)", *options)[0] == 0
    text = load(tmp_path / "run").document["configuration"]["search"]
    assert text == "descent:evaluate=action_values,refining=2"


def test_train_refines_where_action_values_are_the_default(command, tmp_path):
    options = ("--matches", "1", "--action.evaluations", "1", "--strength.seconds", "0")
    values = ("--evaluate", "action_values", "--run", str(tmp_path / "run"))
    assert command("train", "gomoku:7", *values, *options)[0] == 0
    text = load(tmp_path / "run").document["configuration"]["search"]
    assert text == "descent:evaluate=action_values,refining=16,refining_random=4"
    status, _, error = command("train", "tictactoe", *options, "--search", "ubfm:refining=2")
    wanted = "--search 'ubfm:refining=2': refining must be 0 unless evaluate is action_values\n"
    assert (status, error) == (2, f"athenan: error: {wanted}")


def test_the_help_of_train_shows_the_recipe(command):
    for minutes in (5.0, 1440.0):
        status, output, _ = command("train", "othello:6", "--minutes", str(minutes), "--help")
        recipe = athenan.recommended("othello:6", minutes)
        assert status == 0
        shown = " ".join(output.replace("│", " ").split())
        assert f"(default: {recipe.action.seconds})" in shown
        assert f"(default: {recipe.run.heuristic})" in shown


PREFIXED = ("action", "losses", "exit", "strength")


def test_the_help_of_train_fits_two_screens_and_help_all_has_every_setting(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for line in ("train --help", "train othello:6 --minutes 5 --help"):
        output = command(*line.split())[1]
        assert sum(max(1, -(-len(line) // 80)) for line in output.splitlines()) <= 2 * 24
    everything = command("train", "hex:3", "--help-all")[1]
    config = TrainingConfig()
    assert re.search(r"--search\b", everything)
    for component in fields(config):
        if component.name == "search":
            continue
        prefix = f"{component.name}." if component.name in PREFIXED else ""
        inside = within(getattr(config, component.name).__class__)
        for setting in fields(getattr(config, component.name)):
            option = f"--{prefix}{setting.name.replace('_', '-')}"
            shown = {"--initial": "--from", "--method": "--replay"}.get(option, option)
            shown = f"  {inside[setting.name].name}=" if setting.name in inside else rf"{shown}\b"
            assert option == "--game" or re.search(shown, everything), option
