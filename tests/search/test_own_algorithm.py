"""A search algorithm in a few lines outside of the core, beside a literal transcription."""

import json
import pickle
import shlex
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import epsilon_greedy_search
import pytest
from best_first_transcription import Transcription, assert_same_tree
from evaluators import hash_values, of_values
from search_players import search_player

from athenan import Budget, Search, make
from athenan.arena.roster import make_player
from athenan.cli import main
from athenan.play.player import PlayerError
from athenan.play.search_player import SearchPlayer
from athenan.runs.checkpoint import load
from athenan.search.named import SEARCHES, parse_search, search_text


class Wandering(Transcription):
    """Algorithm 1 with an ε-greedy choice of the action to follow."""

    def best_action(self, s):
        if self.random.below(1000) < 125:
            return self.actions(s)[self.random.below(len(self.actions(s)))]
        return self.extreme(s)(self.actions(s), key=lambda a: self.va[s, a])


@pytest.mark.parametrize("levels", [3, 1 << 20])
@pytest.mark.parametrize("specification", ["tictactoe", "connect_four:4x4", "hex:3", "othello:4", "breakthrough:4x4"])
def test_it_is_the_transcription(specification, levels):
    game, evaluate = make(specification), partial(hash_values, levels=levels)
    search = Search(game, of_values(evaluate), settings=epsilon_greedy_search.Wandering(), memory=1 << 26, seed=3)
    reference = Wandering(game, evaluate, search.forest.random[0])
    search.reset(game.initial())
    search.run(Budget(iterations=200))
    reference.run(reference.root(game.initial()), "ubfm", False, 200)
    assert_same_tree(search, reference, completion=False)


PAGE = Path(__file__).parents[2] / "docs" / "algorithms" / "own_search.md"


def test_it_is_the_example_of_the_page_in_at_most_60_lines():
    code = PAGE.read_text().partition("```python\n")[2].partition("```")[0]
    assert Path(epsilon_greedy_search.__file__).read_text().partition('"""\n\n')[2] == code
    assert len(code.splitlines()) <= 60


def test_the_check_of_the_page_passes(file):
    Path("mine.py").rename("wandering.py")
    code = PAGE.read_text().split("```python\n")[2].partition("```")[0]
    exec(code)


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The example as a user's file, in the working directory; the process forgets that it was named."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("athenan.loading._named", set())
    shutil.copyfile(epsilon_greedy_search.__file__, tmp_path / "mine.py")
    yield "./mine.py"
    sys.modules.pop(str(tmp_path / "mine.py"), None)


QUICK = ["--network", "c:filters=8,dense=16", "--memory", "16", "--threads", "1", "--strength.seconds", "0"]


def test_the_command_takes_it_with_its_setting(file, tmp_path, capsys):
    assert main(["analyze", "tictactoe", "--search", f"{file}:0.5", "--iterations", "50", "--json"]) in (0, None)
    assert json.loads(capsys.readouterr().out)["iterations"] == 50
    options = ["--matches", "2", "--action.evaluations", "20", "--search", f"{file}:epsilon=0.25", *QUICK]
    assert main(["train", "tictactoe", "--run", "run", *options]) in (0, None)
    assert load("run").document["configuration"]["search"] == f"{tmp_path}/mine.py:epsilon=0.25"
    player = search_player(f"run,search={file}:epsilon=0.75,iterations=9", make("tictactoe"))
    assert (settings_of(player).epsilon, player.limit) == (0.75, Budget(iterations=9))
    assert type(settings_of(search_player("run", make("tictactoe")))).__name__ == "Wandering"
    match = ["match", "tictactoe", f"run,search={file}:1", "run,search=ubfm", "--games", "2", "--iterations", "5"]
    assert main(match) in (0, None)
    assert main(["train", "--resume", "run", "--matches", "3", "--search", file]) in (0, None)
    assert load("run").document["progress"]["matches"] == 3


def test_a_run_does_not_load_it_by_itself(file, monkeypatch, capsys):
    options = ["--matches", "1", "--action.evaluations", "9", "--search", file, *QUICK]
    assert main(["train", "tictactoe", "--run", "run", *options]) in (0, None)
    monkeypatch.setattr("athenan.loading._named", set())
    with pytest.raises(PlayerError, match=r"run: search \S+mine.py is code that a file may not load by itself: allow"):
        make_player("run", make("tictactoe"))
    with pytest.raises(PlayerError, match="code that a file may not load by itself"):
        make_player(f"run,search={file}", make("tictactoe"), named=False)
    for own in (True, False):
        player = make_player("run,search=ubfm", make("tictactoe"), named=own)
        assert isinstance(player, SearchPlayer) and settings_of(player) == SEARCHES["ubfm"]()
    assert main(["analyze", "run", "--search", "ubfm", "--iterations", "3"]) in (0, None)
    assert main(["train", "tictactoe", "--from", "run", "--run", "other", *options[:4]]) in (0, None)
    assert settings_of(search_player(f"run,search={file}", make("tictactoe"))).epsilon == 0.125


def settings_of(player: SearchPlayer) -> Any:
    """The settings of its search, whose class may be in a file."""
    assert isinstance(player.searcher, Search)
    return player.searcher.settings


def test_the_printed_commands_name_it(file, tmp_path, monkeypatch, capsys):
    options = ["--matches", "1", "--action.evaluations", "9", "--search", f"{file}:epsilon=0.5,completion=false"]
    assert main(["train", "tictactoe", "--run", "my run", *options, *QUICK]) in (0, None)
    printed = capsys.readouterr().out.splitlines()
    mine = f"{tmp_path}/mine.py"
    player = f"my run,search={mine}:epsilon=0.5"  # without what was for learning only
    rows = {what: shlex.split(row)[1:] for what, _, row in (line.partition(": ") for line in printed)}
    assert rows["go on with"] == ["train", "--resume", "my run", "--search", mine, "--matches", "2"]
    assert rows["play against it"] == ["play", player]
    assert rows["measure it"] == ["match", "tictactoe", player, "mcts:1000"]
    for command in (rows["go on with"], [*rows["measure it"], "--games", "2", "--iterations", "5"]):
        monkeypatch.setattr("athenan.loading._named", set())
        assert main(command) in (0, None)
    assert "measure it: athenan match tictactoe 'my run,search=" in capsys.readouterr().out


@pytest.mark.slow
def test_a_run_is_calibrated_with_it(file, monkeypatch, capsys):
    options = ["--matches", "30", "--action.evaluations", "9", "--search", file, *QUICK]
    assert main(["train", "connect_four:4x4", "--run", "run", *options]) in (0, None)
    monkeypatch.setattr("athenan.loading._named", set())
    play = ["--games", "50", "--iterations", "2", "--json"]
    assert main(["calibrate", "run", *play]) == 2
    assert "allow it by naming it" in capsys.readouterr().err
    player = f"run,search={file}:0.5"
    assert main(["calibrate", player, *play]) in (0, None)
    told = json.loads(capsys.readouterr().out)
    assert (told["run"], told["saved"]) == (player, True) and told["matches"] > 20
    assert load("run").document["progress"]["chances"] == told["chances"]
    match = ["match", "connect_four:4x4", player, "run,search=ubfm", "--games", "40", "--iterations", "2"]
    assert main([*match, "--records", "matches.jsonl"]) in (0, None)
    capsys.readouterr()
    values = []
    for name in (player, "run,search=ubfm", "run"):
        assert main(["calibrate", name, "--records", "matches.jsonl", "--check", "--json"]) in (0, None)
        values.append(json.loads(capsys.readouterr().out)["values"])
    assert values[0] + values[1] == values[2] and min(values) > 0


@pytest.mark.parametrize(
    ("text", "refused"),
    [("mine.py", False), ("mine.py:0.25", False), ("mine.py:0.125", True), ("other.py", True), ("descent", True)],
)
def test_a_resumed_run_keeps_its_settings(file, text, refused, monkeypatch, capsys):
    options = ["--matches", "1", "--action.evaluations", "9", "--search", f"{file}:epsilon=0.25"]
    assert main(["train", "tictactoe", "--run", "run", *options, *QUICK]) in (0, None)
    shutil.copyfile("mine.py", "other.py")
    for named_before in (True, False):
        if not named_before:
            monkeypatch.setattr("athenan.loading._named", set())
        status = main(["train", "--resume", "run", "--search", text, "--matches", "1"])
        assert status == (2 if refused else 0), capsys.readouterr().err
        errors = capsys.readouterr().err
        assert (f"mine.py:epsilon=0.25, not with {text}" in errors) == refused


def test_a_resumed_run_takes_its_search_from_another_folder(file, monkeypatch, capsys):
    options = ["--matches", "1", "--action.evaluations", "9", "--search", f"{file}:epsilon=0.25"]
    assert main(["train", "tictactoe", "--run", "run", *options, *QUICK]) in (0, None)
    Path("moved").mkdir()
    Path("mine.py").rename("moved/mine.py")
    monkeypatch.setattr("athenan.loading._named", set())
    assert main(["train", "--resume", "run", "--matches", "2"]) == 2
    assert "or --search" in capsys.readouterr().err
    assert main(["train", "--resume", "run", "--search", "moved/mine.py", "--matches", "2"]) in (0, None)
    assert "--search" in capsys.readouterr().out


def test_another_process_takes_it(file):
    """As an actor of its own does, which is sent the configuration."""
    settings = parse_search(f"{file}:0.5")
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).epsilon)"
    told = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(settings), capture_output=True, check=True)
    assert told.stdout == b"0.5\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("./mine.py:epsilon=2", "search './mine.py:epsilon=2': epsilon must be from 0 to 1, not 2"),
        ("./mine.py:speed=2", "there is no option 'speed'; its options are epsilon, completion"),
        ("./other.py", "there is no file .*other.py"),
        ("./empty.py", "empty.py must have one class that derives from WalkSettings, not none"),
        ("./broken.py", "broken.py cannot be loaded: ZeroDivisionError"),
    ],
)
def test_what_is_refused(file, text, message):
    Path("empty.py").write_text("from athenan.search.settings import WalkSettings\n")
    Path("broken.py").write_text("1 / 0\n")
    with pytest.raises(ValueError, match=message):
        parse_search(text)


def test_a_class_without_a_name_has_no_text():
    with pytest.raises(ValueError, match="has no name: add its class to SEARCHES, or put it into a file of its own"):
        search_text(epsilon_greedy_search.Wandering())


def test_an_entry_in_the_table_gives_it_a_name(monkeypatch):
    monkeypatch.setitem(SEARCHES, "wandering", epsilon_greedy_search.Wandering)
    assert search_text(parse_search("wandering:0.5")) == "wandering:epsilon=0.5"
