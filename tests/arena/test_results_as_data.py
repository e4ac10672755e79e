"""Tournaments and grades as data, and what ran when results were stored."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from shipped_network import saved

from athenan.arena.learnt_players import parts_of
from athenan.arena.store import Claim, Pairing, Store, StoreError
from athenan.cli import main
from athenan.play.records import MatchRecord
from athenan.runs.checkpoint import CHECKPOINT
from athenan.version import environment

PAIR = Pairing("tictactoe", ("x", "y"), "seed 0")


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, str]]:
    assert main([*arguments]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_a_tournament_as_data(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names, store = ("random", "mcts:2", "mcts:30"), str(tmp_path / "results")
    line = ("tournament", "tictactoe", *names, "--iterations", "1", "--store", store)
    pairs = rows(capsys, *line, "--games", "4", "--csv")
    assert len(pairs) == 3 * 2 and {one["game"] for one in pairs} == {"tictactoe"}
    assert {one["limit"] for one in pairs} == {"1 iteration for each action"}
    assert {(one["athenan"], one["processor"]) for one in pairs} == {
        (environment()["athenan"], environment()["processor"])
    }
    assert main([*line, "--games", "0", "--json"]) == 0
    counted = {one["player"]: one for one in json.loads(capsys.readouterr().out)["players"]}
    for name, one in counted.items():
        gains = [
            sign * int(pair[colour])
            for pair in pairs
            for sign, side in ((1, "player"), (-1, "opponent"))
            for colour in ("gain_first", "gain_second")
            if pair[side] == name
        ]
        assert [gains.count(gain) for gain in (1, 0, -1)] == [one["wins"], one["draws"], one["losses"]]
    players = rows(capsys, *line, "--games", "0", "--csv", "--table", "players")
    assert {one["player"]: float(one["elo"]) for one in players} == {name: one["elo"] for name, one in counted.items()}
    assert main([*line, "--games", "0", "--latex"]) == 0
    assert r"\caption{Ratings." in capsys.readouterr().out


def test_scores_of_one_player_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    line = ("tournament", "morpion:4D,size=9", "random", "--games", "3", "--csv")
    found = rows(capsys, *line)
    assert [(one["player"], one["opponent"], one["gain_first"]) for one in found] == [("random", "", "")] * 3
    assert all(int(one["score_first"]) > 0 and one["score_second"] == "" for one in found)
    (player,) = rows(capsys, *line, "--table", "players")
    assert float(player["mean"]) == pytest.approx(sum(int(one["score_first"]) for one in found) / 3)


def test_the_parts_of_a_players_name_are_columns(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    (run / "networks").mkdir()
    (run / "networks" / "0.5.safetensors").write_bytes((run / CHECKPOINT).read_bytes())
    assert parts_of(f"{run},search=ubfm") == (str(run), None, "search=ubfm")
    assert parts_of(f"{run}@0.5") == (str(run), 0.5, None)
    assert parts_of("mcts:30") == parts_of("athenan:club") == parts_of("athenan@123456") == (None, None, None)


def test_grades_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    line = ("grade", "connect_four", "mcts:30", "random", "--count", "4", "--csv")
    grades, answers = rows(capsys, *line), rows(capsys, *line, "--table", "answers")
    assert [one["player"] for one in grades] == ["mcts:30", "random"] and len(answers) == 8
    for grade in grades:
        kept = [one["kept"] for one in answers if one["player"] == grade["player"]]
        assert (kept.count("true"), len(kept)) == (int(grade["kept"]), int(grade["positions"]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--csv --json", "give one of --csv and --json: each prints another format"),
        ("--table pairs", "--table needs --csv, --json or --latex"),
        ("--csv --table matches", "--table must be pairs or players, not 'matches'"),
    ],
)
def test_formats_exclude_each_other(capsys: pytest.CaptureFixture[str], options: str, message: str) -> None:
    assert main(["tournament", "tictactoe", "random", "mcts:2", *options.split()]) == 2
    assert capsys.readouterr().err == f"athenan: error: {message}\n"


# -- What ran --------------------------------------------------------------------------------------------------------


def fill(path: Path, number: int) -> None:
    with Store(path) as store:
        store.want({PAIR: number + 1})
        records = [MatchRecord("tictactoe", ("x", "y"), (), outcome) for outcome in (1, -1)]
        assert store.finish(Claim(PAIR, number), records)


def change(path: Path, *statement: Any) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(*statement)


def test_a_pair_keeps_what_ran_when_it_was_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "results"
    fill(path, 0)
    later = environment() | {"numpy": "9.0"}
    monkeypatch.setattr("athenan.arena.schema.environment", lambda: later)
    fill(path, 1)
    fill(path, 2)
    with Store(path) as store:
        assert [store.environments()[one.environment or 0] for one in store.results(PAIR)] == [
            environment(), later, later,
        ]  # fmt: skip
        change(path, "UPDATE environments SET described = '{\"numpy\": 3}' WHERE id = 1")
        with pytest.raises(StoreError, match="is damaged: versions and processor must be short texts"):
            store.environments()


def test_a_store_of_the_first_version_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "results"
    fill(path, 0)
    change(path, "DROP TABLE environments")
    change(path, "ALTER TABLE pairs DROP COLUMN environment")
    change(path, "PRAGMA user_version = 1")
    fill(path, 1)
    with Store(path) as store:
        old, new = store.results(PAIR)
        assert (old.gains, old.environment) == ((1, 1), None)
        assert store.environments() == {new.environment: environment()}
