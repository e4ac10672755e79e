"""Files and messages as somebody else may have written them: valid samples, changed at one place, and their readers."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from athenan import make
from athenan.arena.pairs import Conditions, Pair, played
from athenan.arena.recording import Recording
from athenan.arena.roster import make_player
from athenan.arena.store import Pairing
from athenan.arena.tournaments.conditions import in_words
from athenan.arena.tournaments.schedule import pairings, play_tournament
from athenan.arena.tournaments.standings import standings
from athenan.engines.queries import messages as queries
from athenan.experiments.files import read_file
from athenan.experiments.plan import check
from athenan.experiments.store import Results
from athenan.experiments.trainings import trainings
from athenan.files.formats import read_matches
from athenan.grading.positions import packaged, read_positions
from athenan.networks.card import read_card
from athenan.networks.catalogue import files, shipped
from athenan.play.latest import LATEST, LatestMatch, read_latest
from athenan.play.openings import OpeningChoice
from athenan.play.records import MatchRecord
from athenan.runs.checkpoint import CHECKPOINT, load_progress
from athenan.runs.checkpoint.file_format import read as read_checkpoint
from athenan.runs.checkpoint.file_format import write as write_checkpoint
from athenan.runs.description import describe
from athenan.runs.learnt import playing_search, saved_network
from athenan.search.budget import Budget
from athenan.web import messages

Path_ = tuple[Any, ...]
NESTED = "nested"
"""Stands for a value that is nested very deeply."""


class Kind(NamedTuple):
    """A kind of content: a valid one as data, and what reads it after it was written into a folder."""

    sample: Any
    read: Callable[[Any, Path], object]


GAME = make("tictactoe")
CONDITIONS = Conditions(Budget(iterations=5), OpeningChoice("random", 1, 1), seed=1)
PAIRING = Pairing(GAME.name, ("mcts:5", "random"), CONDITIONS.text)


def records() -> list[MatchRecord]:
    return played(Pair(GAME.name, PAIRING.players, 0, (), CONDITIONS))


def as_json(data: Any) -> str:
    return json.dumps(data).replace(f'"{NESTED}"', "[" * 50_000 + "]" * 50_000)


def as_toml(value: Any) -> str:
    """A value in TOML. Tables are inline, so that every value can be in any place."""
    match value:
        case bool() | str():
            return json.dumps(value) if value != NESTED else "[" * 5000 + "]" * 5000
        case int() | float():
            return str(value)
        case list() | tuple():
            return f"[{', '.join(map(as_toml, value))}]"
        case dict():
            return "{" + ", ".join(f"{json.dumps(name)} = {as_toml(one)}" for name, one in value.items()) + "}"
    return '"none"'


def places(data: Any, at: Path_ = ()) -> Iterator[Path_]:
    """The places of all values inside the data."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list | tuple) else ()
    for name, value in inner:
        yield (*at, name)
        yield from places(value, (*at, name))


def value_at(data: Any, place: Path_) -> Any:
    for name in place:
        data = data[name]
    return data


def with_value(data: Any, place: Path_, value: Any) -> Any:
    """A copy of the data with another value at a place."""
    changed = inner = json.loads(json.dumps(data))
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    return changed


def with_name(data: Any, place: Path_, name: str) -> Any:
    """A copy of the data in which the entry of an object at a place has another name."""
    changed = inner = json.loads(json.dumps(data))
    for one in place[:-1]:
        inner = inner[one]
    if isinstance(inner, dict):
        inner[name] = inner.pop(place[-1])
    return changed


# -- Kinds ---------------------------------------------------------------------------------------------------------

EXPERIMENT = {
    "title": "two searches", "source": "", "notes": "", "family": "own", "baseline": "one", "average": 2,
    "differences": True, "games": ["tictactoe", "hex:3"], "repetitions": 1, "minutes": 1, "clock": "wall", "points": 1,
    "opponents": "all", "evaluations": 5, "seed": 3, "positions": 0,
    "common": {"search": "descent:completion=false", "run": {"network": "patterns", "heuristic": "classic"},
               "strength": {"opponent": "random", "seconds": 60.0}, "playing": {"exploitation": 0.5}},
    "by_game": {"tictactoe": {"learning": {"target": "root"}}},
    "players": {"": "search=ubfm", "other": "search=(alphabeta:depth=2),evaluations=9"},
    "groups": {"both": ["one", "two"]},
    "published": {"levels": {"tictactoe": {"one": 55.5}}},
    "combinations": {
        "one": {"algorithm": "descent", "evaluate": "children", "torch": False},
        "two": {"search": {"algorithm": "ubfm"}, "player": "search=uct", "games": ["tictactoe"], "apart": False},
    },
}  # fmt: skip


def read_experiment(data: Any, folder: Path) -> None:
    file = folder / "mine.toml"
    file.write_text("\n".join(f"{json.dumps(name)} = {as_toml(value)}" for name, value in data.items()))
    experiment = read_file(file)
    check(experiment)
    list(trainings(experiment, folder / "experiment"))


def match_line() -> dict[str, Any]:
    record = records()[0]
    return {"pair": 0, "part": 0, "conditions": json.loads(CONDITIONS.text), **json.loads(record.as_line(GAME))}


def read_matches_of(data: Any, folder: Path) -> None:
    file = folder / "matches.jsonl"
    file.write_text(as_json(data) + "\n", encoding="utf-8", errors="surrogatepass")
    list(read_matches(file))


def read_recording(data: Any, folder: Path) -> None:
    file = folder / "recording.jsonl"
    file.write_text(as_json(data) + "\n" + as_json(data | {"part": 1}) + "\n")
    with Recording(file, PAIRING):
        pass


def latest_line() -> dict[str, Any]:
    return json.loads(LatestMatch(3, 1.5, records()[0], 0.5).as_line(GAME))


def read_latest_of(data: Any, folder: Path) -> None:
    (folder / LATEST).write_text(as_json(data) + "\n")
    read_latest(folder)


def positions() -> list[Any]:
    file = packaged("connect_four:7x6")
    assert file is not None
    return [json.loads(line) for line in file.read_text().splitlines()[:3]]


def read_positions_of(data: Any, folder: Path) -> None:
    file = folder / "positions.jsonl"
    file.write_text("".join(f"{as_json(line)}\n" for line in data))
    read_positions(file)


def read_query(data: Any, folder: Path) -> None:
    queries.read(as_json(data))


def read_message(data: Any, folder: Path) -> None:
    messages.read(as_json(data))


def card() -> Any:
    return json.loads(json.dumps(asdict(shipped(files()[0]).card)))


def read_card_of(data: Any, folder: Path) -> None:
    read_card(data)


QUERY = {
    "id": "a", "moves": ["b2", "c3"], "fen": "", "analyzeTurns": [0, 1], "priority": 3, "priorities": [1, 2],
    "reportDuringSearchEvery": 0.5, "iterations": 100, "seconds": 1.5,
}  # fmt: skip
MESSAGE = {"type": "open", "request": 1, "game": "hex:3", "moves": "a1", "fen": ""}

KINDS: dict[str, Callable[[], Kind]] = {
    "experiment": lambda: Kind(EXPERIMENT, read_experiment),
    "match": lambda: Kind(match_line(), read_matches_of),
    "recording": lambda: Kind(match_line(), read_recording),
    "latest match": lambda: Kind(latest_line(), read_latest_of),
    "positions": lambda: Kind(positions(), read_positions_of),
    "query": lambda: Kind(QUERY, read_query),
    "message": lambda: Kind(MESSAGE, read_message),
    "card": lambda: Kind(card(), read_card_of),
}


# -- Runs ----------------------------------------------------------------------------------------------------------


def read_run(folder: Path) -> None:
    """Reads a run in the ways in which commands and pages do."""
    saved = saved_network(folder)
    saved.network(np.zeros((1, *saved.game.planes), np.int8))
    describe(folder, whole=False)
    playing_search(folder)
    load_progress(folder)
    make_player(f"{folder},evaluations=3", saved.game, named=False).close()


def changed_run(source: Path, folder: Path, document: Any = None, tensors: Any = None) -> Path:
    """A copy of a run with another document or other tensors, and the right digest."""
    before, content, _, _ = read_checkpoint(source / CHECKPOINT)
    folder.mkdir(exist_ok=True)
    document = content if document is None else document
    write_checkpoint(folder / CHECKPOINT, before if tensors is None else tensors, document, {})
    return folder


# -- Stores --------------------------------------------------------------------------------------------------------


def filled_store(folder: Path) -> Path:
    """A store of an experiment, with results of every kind."""
    with Results(folder) as store:
        meeting = pairings(GAME, PAIRING.players, CONDITIONS)
        list(play_tournament(store, GAME, dict.fromkeys(meeting, 2), CONDITIONS))
        with store.transaction() as connection:
            solved = json.dumps(positions()[1])
            connection.execute("INSERT INTO positions VALUES ('connect_four:7x6', 0, 0, ?)", (solved,))
            connection.execute("INSERT INTO grades VALUES ('tictactoe', 'random', 'all', 3, 4, 1)")
            connection.execute("INSERT INTO claimants VALUES (7, 'here', 1, 0)")
    return store.path


def cells(file: Path) -> list[tuple[str, str]]:
    """The columns of all tables of a store."""
    with closing(sqlite3.connect(file)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return [(table, row[1]) for table in tables for row in connection.execute(f"PRAGMA table_info({table})")]


def change_cell(file: Path, table: str, column: str, value: Any) -> bool:
    """Changes a column of one row; False if the database does not allow it."""
    with closing(sqlite3.connect(file)) as connection:
        try:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            found = connection.execute(f"SELECT {column} FROM {table} LIMIT 1").fetchone()
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {column} IS ?", (value, found[0]))
            connection.commit()
        except (sqlite3.Error, TypeError):
            return False
    return True


def read_store(folder: Path) -> None:
    """Reads a store in the ways in which commands do."""
    with Results(folder) as store:
        for pairing in store.pairings():
            in_words(pairing.conditions)
            store.results(pairing)
            list(store.records(pairing))
        meeting = pairings(GAME, PAIRING.players, CONDITIONS)
        store.remarks(meeting)
        standings(store, GAME.name, sorted(PAIRING.players), meeting).as_json()
        store.grades("tictactoe", "all")
        store.environments()
        store.solved("connect_four:7x6", 0)
        store.want(dict.fromkeys(meeting, 3))
        store.claim()


def some_of(everything: Sequence[Any], count: int, seed: int) -> list[Any]:
    """So many of the cases, chosen at random, or all."""
    random = np.random.default_rng(seed)
    chosen = random.permutation(len(everything))[:count]
    return [everything[number] for number in sorted(chosen)]
