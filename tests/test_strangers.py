"""What strangers wrote is read, or refused in one sentence; and none of it runs code that nobody named."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from changed_files import (
    GAME,
    KINDS,
    NESTED,
    cells,
    change_cell,
    changed_run,
    filled_store,
    places,
    read_run,
    read_store,
    some_of,
    value_at,
    with_name,
    with_value,
)
from file_matches import random_file_match
from fuzzing import require_sentence
from sizes import size
from small_trainings import quiet, small

from athenan import loading, make
from athenan.arena.roster import make_player
from athenan.arena.store import Store
from athenan.cli import main
from athenan.files.formats import as_text, matches_in
from athenan.games.catalogue import known
from athenan.learning.training import resume, train
from athenan.runs.checkpoint import CHECKPOINT
from athenan.runs.checkpoint.file_format import read as read_checkpoint
from athenan.search.named import known_search
from athenan.settings import one_line

VALUES: list[Any] = [
    None, True, -1, 3, 2**63, -(2**63), 10**30, 10**400, 1e308, 0.5, float("nan"), float("inf"), "", "x" * 5000,
    "\ud800", "\0", [], {}, [[]], [None], [10**400], {"": None}, {"a": NESTED}, NESTED,
]  # fmt: skip
"""What a changed file has in the place of a value."""
CODE = [
    "./pwn.py", "./pwn.py:3", "(./pwn.py:a=1)", "search=./pwn.py", "evaluations=3,search=(./pwn.py)", "pwned",
    "pwned.sub", "pwned.sub:3", "gtp:./pwn.sh", "uci:./pwn.sh,timeout=3", "mcts:5,search=pwned.sub",
    "evaluation:x,search=./pwn.py", "link.py",
]  # fmt: skip
"""Names by which a file could run code."""


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file that all code in the present folder would make, whoever runs it."""
    mark = tmp_path / "ran"
    leave = f"from pathlib import Path\nPath({str(mark)!r}).touch()\n"
    (tmp_path / "pwn.py").write_text(leave)
    (tmp_path / "link.py").symlink_to("pwn.py")
    (tmp_path / "pwned").mkdir()
    for name in ("__init__.py", "sub.py"):
        (tmp_path / "pwned" / name).write_text(leave)
    (tmp_path / "pwn.sh").write_text(f"#!/bin/sh\ntouch {mark}\n")
    (tmp_path / "pwn.sh").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield mark
    assert not mark.exists()


def require_read_or_refused(read: Any, *given: Any) -> bool:
    """Whether something is read; if it is not, one sentence of the package says why."""
    try:
        read(*given)
    except ValueError as error:
        assert not isinstance(error, UnicodeError)
        assert type(error).__module__.partition(".")[0] in ("athenan", "builtins"), repr(error)
        require_sentence(one_line(error))
        return False
    return True


# -- Damage --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_a_changed_value_is_read_or_refused(name: str, tmp_path: Path) -> None:
    kind = KINDS[name]()
    kind.read(kind.sample, tmp_path)
    cases = [(place, value) for place in places(kind.sample) for value in VALUES]
    for place, value in some_of(cases, size(30, 100), seed=1):
        require_read_or_refused(kind.read, with_value(kind.sample, place, value), tmp_path)
    for value in VALUES:
        if name not in ("experiment", "positions", "recording"):  # whose whole is always a table or a list
            require_read_or_refused(kind.read, value, tmp_path)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = small("tictactoe", matches=2, network="patterns:walks=4")
    return train(config, tmp_path_factory.mktemp("trained") / "run", quiet(), measure=False)


def test_a_changed_document_of_a_run_is_read_or_refused(run: Path, tmp_path: Path) -> None:
    _, document, _, _ = read_checkpoint(run / CHECKPOINT)
    read_run(changed_run(run, tmp_path / "run"))
    finite = [value for value in VALUES if str(value) not in ("nan", "inf", NESTED, "\ud800")]
    for place, value in some_of(
        [(place, value) for place in places(document) for value in finite], size(25, 80), seed=2
    ):
        require_read_or_refused(read_run, changed_run(run, tmp_path / "run", with_value(document, place, value)))


def changed_arrays(array: np.ndarray[Any, Any]) -> Iterator[np.ndarray[Any, Any]]:
    """Arrays of the same type and shape with other numbers, then arrays of another type or shape."""
    least, most = (0, 1) if array.dtype == bool else (-np.inf, np.inf)
    if np.issubdtype(array.dtype, np.integer):
        least, most = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
    for value in (least, most, 0, 1):
        for all_of_it in (True, False):
            changed = array.copy()
            changed.reshape(-1)[slice(None) if all_of_it else slice(-1, None)] = value
            yield changed
    if array.size > 1:
        ramp = array.copy()
        ramp.reshape(-1)[-2:] = least, most
        yield ramp
        yield ramp[..., ::-1].copy()
    yield from (array[:0], array[..., None], array.reshape(-1)[:-1], np.concatenate([array, array]))
    yield from (array.astype(np.float64), array.astype(np.int8))


def test_changed_arrays_of_a_network_are_read_or_refused(run: Path, tmp_path: Path) -> None:
    tensors, _, _, _ = read_checkpoint(run / CHECKPOINT)
    own = [name for name in tensors if name.startswith("network.")]
    assert any(name.endswith("pieces") for name in own)
    cases = [(name, array) for name in own for array in changed_arrays(tensors[name])]
    outcomes = [
        require_read_or_refused(read_run, changed_run(run, tmp_path / "run", tensors={**tensors, name: array}))
        for name, array in some_of(cases, size(25, 80), seed=3)
    ]
    assert 0 < sum(outcomes) < len(outcomes)


def test_pieces_beyond_every_number_are_refused(run: Path, tmp_path: Path) -> None:
    tensors, _, _, _ = read_checkpoint(run / CHECKPOINT)
    (name,) = (one for one in tensors if one.endswith("pieces"))
    for pieces in ([0, -(2**63), 2**63 - 1], [0, 0, 2**63 - 1], [0, -1, 3], [0, 4, 3]):
        changed = changed_run(run, tmp_path / "run", tensors={**tensors, name: np.array(pieces)})
        assert not require_read_or_refused(read_run, changed)


CELLS = [
    None, -1, 2**63 - 1, 1e308, "", "x", b"\xff\xfe", "[1]", "null", '"x"', '{"remarks": 3}', '{"remarks": [[]]}',
    "[" * 100_000, '{"a": 1e999}', "NaN", '["mcts:5"]', '["a", "b", "c"]',
]  # fmt: skip


def test_changed_cells_of_a_store_are_read_or_refused(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    read_store(tmp_path)
    shutil.copyfile(store, whole := tmp_path / "whole")
    cases = [(table, column, value) for table, column in cells(store) for value in CELLS]
    changed = 0
    for table, column, value in some_of(cases, size(45, 130), seed=4):
        for other in tmp_path.glob("results.sqlite*"):
            other.unlink()
        shutil.copyfile(whole, store)
        if change_cell(store, table, column, value):
            changed += 1
            require_read_or_refused(read_store, tmp_path)
    assert changed > 15


def test_a_store_with_views_or_triggers_is_refused(tmp_path: Path) -> None:
    import sqlite3

    with Store(tmp_path / "results.sqlite"):
        pass
    with sqlite3.connect(tmp_path / "results.sqlite") as connection:
        connection.execute(
            "CREATE TRIGGER endless AFTER INSERT ON pairings BEGIN"
            " INSERT INTO claimants WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
            " SELECT i, '', 0, 0 FROM n; END"
        )
    with pytest.raises(ValueError, match="views or triggers"):
        Store(tmp_path / "results.sqlite")


# -- Code that nobody named ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_no_text_of_a_file_or_message_runs_code(name: str, mark: Path, tmp_path: Path) -> None:
    kind = KINDS[name]()
    for turn, place in enumerate(places(kind.sample)):
        text = name == "experiment" or isinstance(value_at(kind.sample, place), str)
        for number, code in enumerate(CODE if text else CODE[:1]):
            if number and (number + turn) % size(3, 1):
                continue  # the next place has it
            require_read_or_refused(kind.read, with_value(kind.sample, place, code), tmp_path)
            if number == 0:
                require_read_or_refused(kind.read, with_value(kind.sample, place, [code]), tmp_path)
                require_read_or_refused(kind.read, with_name(kind.sample, place, code), tmp_path)
        assert not mark.exists(), place


def test_no_text_of_a_run_runs_code(run: Path, mark: Path, tmp_path: Path) -> None:
    _, document, _, _ = read_checkpoint(run / CHECKPOINT)
    for place in places(document["configuration"], ("configuration",)):
        changed = changed_run(run, tmp_path / "run", with_value(document, place, CODE[0]))
        require_read_or_refused(read_run, changed)
        assert not mark.exists(), place
    for place in (("configuration", "run", "game"), ("configuration", "search")):
        for code in CODE:
            require_read_or_refused(read_run, changed_run(run, tmp_path / "run", with_value(document, place, code)))
            with pytest.raises(ValueError, match="cannot be used"):
                resume(tmp_path / "run", matches=1)
            assert not mark.exists(), place


def test_no_text_of_a_store_runs_code(mark: Path, tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    shutil.copyfile(store, whole := tmp_path / "whole")
    goes_on = ["tournament", GAME.name, "--games", "2", "--iterations", "5", "--seed", "1", "--store", str(store)]
    assert main(goes_on) == 0
    for table, column in cells(store):
        for text in (*CODE[:2], '["gtp:./pwn.sh", "random"]', '["evaluation:x,search=./pwn.py", "random"]'):
            for other in tmp_path.glob("results.sqlite*"):
                other.unlink()
            shutil.copyfile(whole, store)
            if not change_cell(store, table, column, text):
                continue
            require_read_or_refused(read_store, tmp_path)
            if (table, column) == ("pairings", "players"):  # a tournament goes on with the players of its store
                assert main(goes_on) == 2
            assert not mark.exists(), (table, column)


@pytest.mark.parametrize("kind", [".sgf", ".pdn", ".txt"])
def test_no_text_of_a_match_file_runs_code(kind: str, mark: Path) -> None:
    game = make("draughts" if kind == ".pdn" else "hex:3")
    text = as_text([random_file_match(game, 1, plies=6)], kind)
    for code in CODE[::4]:
        for found in re.finditer(r"(?<=\[)[^\[\]]*(?=\])|(?<=\")[^\"]*(?=\")|[^\s\[\]\"]+", text):
            changed = text[: found.start()] + code + text[found.end() :]
            require_read_or_refused(lambda content: list(matches_in(content, kind)), changed.encode())
    assert not mark.exists()


@pytest.mark.parametrize("code", CODE)
def test_names_of_others_are_only_looked_up(code: str, mark: Path) -> None:
    for read in (known, known_search, lambda text: make_player(text, GAME, named=False)):
        assert not require_read_or_refused(read, code) or code.startswith("mcts")


def test_what_the_user_named_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(loading, "_named", set())
    Path("own.py").write_text("from athenan.games.tictactoe import make\n")
    with pytest.raises(ValueError, match="a file may not load by itself"):
        known("./own.py")
    loading.allow_written("./own.py:3")
    assert known("./own.py").name == f"{tmp_path}/own.py"
    with pytest.raises(ValueError, match=r"there is no file .*none\.py"):
        loading.allow_written("./none.py")
    with pytest.raises(ValueError, match="neither a file of Python code"):
        loading.allow_written("none")
