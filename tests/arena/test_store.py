"""The store of results: claims, what is stored once, several processes, files that are no stores."""

import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path
from threading import Event

import pytest

from athenan.arena import claimants
from athenan.arena.store import Claim, Pairing, PairResult, Store, StoreError
from athenan.play.records import MatchRecord, Ply

ONE = Pairing("tictactoe", ("x", "y"), "seed 0")
OTHER = Pairing("tictactoe", ("x", "z"), "seed 0")


def played(number: int = 0, *scores: int) -> list[MatchRecord]:
    """Records of a pair, which differ by their number."""
    matches = zip((-1, 1), scores or (None, None), strict=True)
    return [MatchRecord("tictactoe", ("x", "y"), (Ply(number, 0, 0.5),), *match) for match in matches]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def test_all_pairs_are_claimed_once_in_turn(path: Path) -> None:
    with Store(path) as store:
        store.want({ONE: 3, OTHER: 2})
        claims = [store.claim() for _ in range(6)]
        assert claims == [Claim(ONE, 0), Claim(OTHER, 0), Claim(ONE, 1), Claim(OTHER, 1), Claim(ONE, 2), None]
        assert store.unfinished() == 5


def test_finished_pairs_stay_finished(path: Path) -> None:
    pairs = {number: played(number) for number in range(3)}
    with Store(path) as store:
        store.want({ONE: 2})
        for _ in range(2):
            claim = store.claim()
            assert claim
            assert store.finish(claim, pairs[claim.number])
        assert not store.finish(Claim(ONE, 1), played(9))
        assert store.claim() is None and store.unfinished() == 0
    with Store(path) as store:
        store.want({ONE: 3, OTHER: 0})
        assert store.claim() == Claim(ONE, 2)
        store.finish(Claim(ONE, 2), pairs[2])
        assert store.pairings() == {ONE: 3, OTHER: 0}
        as_json = {number: json.loads(json.dumps([one.as_json() for one in pair])) for number, pair in pairs.items()}
        assert dict(store.records(ONE)) == as_json
        assert store.results(ONE) == [PairResult(number, (-1, -1), (None, None)) for number in pairs]
        assert store.results(OTHER) == [] == store.results(Pairing("tictactoe", ("n", "m"), ""))


def test_a_pair_that_another_process_finishes_while_results_are_read_has_its_environment(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(path) as store, Store(path) as other:
        store.want({ONE: 2})
        assert store.finish(Claim(ONE, 0), played(0))
        read = Store._read

        def meanwhile(self: Store, query: str, *values: object) -> list[object]:
            if "FROM matches" in query:
                other.finish(Claim(ONE, 1), played(1))
            return read(self, query, *values)

        monkeypatch.setattr(Store, "_read", meanwhile)
        first, second = store.results(ONE)
        assert first.environment is not None and first.environment == second.environment


def test_gains_and_scores_are_those_of_the_first_player_of_the_pairing(path: Path) -> None:
    solo = Pairing("morpion", ("a",), "")
    with Store(path) as store:
        store.want({ONE: 1, solo: 1})
        store.finish(Claim(ONE, 0), played(0, -4, 3))
        store.finish(Claim(solo, 0), played(0, 50, 0)[:1])
        assert store.results(ONE) == [PairResult(0, (-1, -1), (-4, -3))]
        assert store.results(solo) == [PairResult(0, (-1,), (50,))]


def test_claims_are_given_up_at_the_end(path: Path) -> None:
    with Store(path) as first, Store(path) as second:
        first.want({ONE: 1})
        second.want({ONE: 1})
        assert first.claim() and second.claim() is None
        first.close()
        assert second.claim() == Claim(ONE, 0)


def change(path: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(statement, values)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "void"),
    [
        (f"UPDATE claimants SET seen = seen - {claimants.SILENCE + 1}", True),
        (f"UPDATE claimants SET process = {2**22 + 1}", True),  # above the largest number of a process
        ("UPDATE claimants SET process = 1", False),  # of another user
        (f"UPDATE claimants SET process = {2**22 + 1}, machine = 'another'", False),
    ],
)
def test_claims_of_the_gone_and_the_silent_are_void(path: Path, statement: str, void: bool) -> None:
    with Store(path) as silent, Store(path) as other:
        silent.want({ONE: 1})
        other.want({ONE: 1})
        assert silent.claim()
        change(path, statement)
        assert (other.claim() == Claim(ONE, 0)) == void
        if void:  # who returns may still store, but only one does
            assert silent.finish(Claim(ONE, 0), played())
            assert not other.finish(Claim(ONE, 0), played(2))


def test_a_claimant_gives_signs_of_life(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claimants, "BEAT", 0.01)
    with Store(path) as store:
        store.want({ONE: 1})
        store.claim()
        change(path, "UPDATE claimants SET seen = 0")
        with sqlite3.connect(path) as connection:
            while not connection.execute("SELECT seen FROM claimants").fetchone()[0]:
                pass
        connection.close()


def test_the_connection_of_a_sign_of_life_that_fails_is_closed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = Event()

    class Failing:
        def execute(self, *_: object) -> None:
            raise sqlite3.OperationalError("disk I/O error")

        def close(self) -> None:
            closed.set()

    monkeypatch.setattr(claimants, "BEAT", 0.01)
    with Store(path) as store:
        monkeypatch.setattr(store, "_connected", Failing)
        store.want({ONE: 1})
        store.claim()
        assert closed.wait(30)


FILL = """
import sys
from athenan.arena.store import Store
from test_store import ONE, OTHER, played
with Store(sys.argv[1]) as store:
    store.want({ONE: 60, OTHER: 60})
    while claim := store.claim():
        print(claim.pairing.players[1], claim.number, flush=True)
        assert store.finish(claim, played(claim.number))
"""


def test_several_processes_fill_a_new_file_at_once(path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    processes = [
        subprocess.Popen([sys.executable, "-c", FILL, path], stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(3)
    ]
    outputs = [process.communicate(timeout=100)[0].splitlines() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert Counter(line for lines in outputs for line in lines) == {f"{one} {n}": 1 for one in "yz" for n in range(60)}
    with Store(path) as store:
        assert store.pairings() == {ONE: 60, OTHER: 60}


def test_files_that_are_no_stores_are_refused(tmp_path: Path) -> None:
    text, other, newer, damaged = (tmp_path / name for name in ("text", "other", "newer", "damaged"))
    text.write_text("not a database, but a text of some length" * 30)
    change(other, "CREATE TABLE recipes (name TEXT)")
    for path in (newer, damaged):
        Store(path).close()
    change(newer, "PRAGMA user_version = 99")
    change(damaged, "DROP TABLE pairs")
    for path, message in (
        (text, "is not a store of results, or is damaged: file is not a database"),
        (other, "is a database of another program"),
        (newer, "was written by a newer version of athenan"),
        (tmp_path / "no" / "such", "there is no folder"),
        (tmp_path, "is a folder: name a file for the results"),
    ):
        before = path.read_bytes() if path.is_file() else None
        with pytest.raises(StoreError, match=message) as raised:
            Store(path)
        assert str(path) in str(raised.value)
        assert before is None or path.read_bytes() == before
    with Store(damaged) as store, pytest.raises(StoreError, match="no such table: pairs"):
        store.want({ONE: 1})


def test_what_a_file_says_is_checked(path: Path) -> None:
    with Store(path) as store:
        store.want({ONE: 1})
        store.finish(Claim(ONE, 0), played())
        change(path, "UPDATE matches SET score = 'many'")
        with pytest.raises(StoreError, match="no valid result"):
            store.results(ONE)
        change(path, "UPDATE matches SET record = '{'")
        with pytest.raises(StoreError, match="damaged"):
            list(store.records(ONE))
        change(path, "UPDATE pairings SET players = ?", json.dumps([1, 2]))
        with pytest.raises(StoreError, match="not names of players"):
            store.pairings()


def test_a_transaction_is_whole(path: Path) -> None:
    with Store(path) as store:
        with pytest.raises(StoreError, match="syntax"), store.transaction() as connection:
            connection.execute("CREATE TABLE trainings (name TEXT)").execute("nonsense")
        with store.transaction() as connection:
            connection.execute("CREATE TABLE trainings (name TEXT)")
