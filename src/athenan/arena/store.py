"""Results of matches in one SQLite file, which any number of processes can fill, even after being killed.

The unit of work is a *pair*: the two matches of one opening, with the colours exchanged, or one match in a one-player
game. A pair belongs to a *pairing*, which says who plays what and under which conditions. Its number determines its
opening and its seeds, so it is the same pair wherever and whenever it is played.

    >>> with Store("results.sqlite") as store:
    ...     pairing = Pairing("tictactoe", ("mcts:50", "random"), "seed 0, 1 random action")
    ...     store.want({pairing: 2})
    ...     claim = store.claim()
    ...     (claim.pairing == pairing, claim.number, store.claim().number, store.claim())
    (True, 0, 1, None)

A process *claims* a pair before playing it, so that no other process plays it, and stores the pair's records at
its end, in one transaction. The claims of a process that has ended, or was silent for `SILENCE` seconds, are void: its
pairs are open again. If the process returns after all, the records stored first count.

The file is a database for one machine and should not be on a network disk. Other tables with other names may be added
to it, in transactions of `Store.transaction`. See docs/records.md for the tables.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any, Self

from athenan.arena import claimants
from athenan.arena.schema import prepare, this_environment
from athenan.play.records import MatchRecord
from athenan.reading import WRONG_SHAPE, parsed, reason
from athenan.settings import shown
from athenan.version import restored_environment

_PATIENCE = 60.0
"""Seconds to wait while another process writes."""


class StoreError(ValueError):
    """A file that is not a store of results, is damaged, or cannot be used."""


@dataclass(frozen=True)
class Pairing:
    """What the pairs of the same players have in common."""

    game: str
    """The name of the game."""
    players: tuple[str, ...]
    """The names of the players: `players[0]` begins the first match of each pair. Their order is part of the key."""
    conditions: str
    """How they play, as text: it determines the openings, the seeds and the limit."""


@dataclass(frozen=True)
class Claim:
    """A pair that this process is to play."""

    pairing: Pairing
    number: int


@dataclass(frozen=True)
class PairResult:
    """The result of a finished pair, from the point of view of `players[0]` of the pairing."""

    number: int
    gains: tuple[int, ...]
    """1, 0 or -1 for each match; `players[0]` began the first, its opponent the second."""
    scores: tuple[int | None, ...]
    """The final score of each match, or None."""
    environment: int | None = field(default=None, compare=False)
    """The key of what ran when the pair was stored (`Store.environments`); None for stores of earlier versions."""


class Store:
    """A store, opened by one process; a context manager. Its methods raise StoreError if the file cannot be used."""

    def __init__(self, path: str | Path) -> None:
        """Opens the file, or makes it. Raises StoreError if it is not a store, or was written by a newer version."""
        self.path = Path(path)
        if self.path.is_dir():
            raise StoreError(f"{path} is a folder: name a file for the results")
        if not self.path.parent.is_dir():
            raise StoreError(f"{path}: there is no folder {self.path.parent}")
        with self._naming():
            self._connection = self._connected()
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise
        self._me = claimants.this_process()
        self._closing = Event()
        self._heart: Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives up the remaining claims and closes the file."""
        self._closing.set()
        if self._heart:
            self._heart.join()
            with suppress(StoreError), self.transaction() as connection:
                claimants.remove(connection, self._me.id)
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The database in a transaction: after an exception none of the statements takes effect. Raises StoreError."""
        with self._naming():
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            with self._naming():
                yield self._connection
                self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    # -- Claiming and storing ----------------------------------------------------------------------------------------

    def want(self, pairings: Mapping[Pairing, int]) -> None:
        """Sets what `claim` claims from now on: the pairs of each pairing with numbers below the given one."""
        with self.transaction() as connection:
            connection.execute("DELETE FROM temp.wanted")
            for pairing, count in pairings.items():
                key = self._key(pairing, new=True)
                connection.execute("INSERT INTO temp.wanted VALUES (?, ?)", (key, count))
                connection.execute(
                    "WITH RECURSIVE ns(n) AS (SELECT 0 WHERE ?2 UNION ALL SELECT n + 1 FROM ns WHERE n + 1 < ?2)"
                    " INSERT OR IGNORE INTO pairs (pairing, number) SELECT ?1, n FROM ns", (key, count),
                )  # fmt: skip

    def claim(self) -> Claim | None:
        """Claims the open pair with the lowest number; None if all wanted pairs are finished or claimed."""
        self._live()
        with self.transaction() as connection:
            claimants.beat(connection, self._me)
            claimants.remove_void(connection)
            found = connection.execute(
                "SELECT pairing, number FROM pairs INDEXED BY open_pairs CROSS JOIN temp.wanted USING (pairing)"
                " WHERE number < count AND NOT finished AND claimant IS NULL ORDER BY number, pairing LIMIT 1"
            ).fetchone()
            if not found:
                return None
            connection.execute(
                "UPDATE pairs SET claimant = ? WHERE pairing = ? AND number = ?", (self._me.id, *found)
            )  # fmt: skip
            return Claim(self._pairing(found[0]), found[1])

    def finish(self, claim: Claim, records: Sequence[MatchRecord]) -> bool:
        """Stores the records of a pair; False, without effect, if another process has already done so."""
        with self.transaction() as connection:
            key = self._key(claim.pairing)
            finished = connection.execute(
                "UPDATE pairs SET finished = 1, claimant = NULL, environment = ?"
                " WHERE pairing = ? AND number = ? AND NOT finished",
                (this_environment(connection), key, claim.number),
            )
            if not finished.rowcount:
                return False
            connection.executemany(
                "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (key, claim.number, part, record.outcome, record.score, json.dumps(record.as_json()))
                    for part, record in enumerate(records)
                ],
            )
            return True

    def unfinished(self) -> int:
        """The number of wanted pairs that are not finished, whoever has claimed them."""
        ((count,),) = self._read(
            "SELECT count(*) FROM temp.wanted JOIN pairs USING (pairing) WHERE number < count AND NOT finished"
        )
        return int(count)

    # -- Results -----------------------------------------------------------------------------------------------------

    def pairings(self) -> dict[Pairing, int]:
        """All pairings with the number of their finished pairs."""
        found = self._read(
            "SELECT id, total(finished) FROM pairings LEFT JOIN pairs ON pairing = id GROUP BY id ORDER BY id"
        )
        with self._naming():
            return {self._pairing(key): int(count) for key, count in found}

    def results(self, pairing: Pairing) -> list[PairResult]:
        """The results of the finished pairs of a pairing, by number; empty if the pairing is unknown."""
        by_number, key = dict[int, list[tuple[int, int | None]]](), self._key(pairing)
        for number, part, outcome, score in self._read(
            "SELECT number, part, outcome, score FROM matches WHERE pairing = ? ORDER BY number, part", key
        ):
            matches = by_number.setdefault(number, [])
            if not _is_result(number, part, outcome, score) or part != len(matches):
                raise StoreError(f"{self.path} is damaged: a match of {shown(pairing.game)} has no valid result")
            sign = 1 - 2 * part
            matches.append((sign * outcome, None if score is None else sign * score))
        if any(len(matches) > len(pairing.players) for matches in by_number.values()):
            raise StoreError(f"{self.path} is damaged: a pair of {shown(pairing.game)} has too many matches")
        # read last: another process may have finished pairs meanwhile
        ran = dict(self._read("SELECT number, environment FROM pairs WHERE pairing = ? AND finished", key))
        found = list[PairResult]()
        for number, matches in by_number.items():
            gains, scores = zip(*matches, strict=True)
            found.append(PairResult(number, gains, scores, ran.get(number)))
        return found

    def environments(self) -> dict[int, dict[str, str]]:
        """What ran when results were stored: versions and processors (`athenan.version.environment`), by key."""
        found = self._read("SELECT id, described FROM environments ORDER BY id")
        with self._naming():
            return {key: restored_environment(parsed(described)) for key, described in found}

    def records(self, pairing: Pairing) -> Iterator[tuple[int, list[Any]]]:
        """The number of each finished pair with its records, as JSON has them; see `MatchRecord.from_json`."""
        key = self._key(pairing)
        for (number,) in self._read("SELECT number FROM pairs WHERE pairing = ? AND finished ORDER BY number", key):
            rows = self._read("SELECT record FROM matches WHERE pairing = ? AND number = ? ORDER BY part", key, number)
            with self._naming():
                records = [parsed(text) for (text,) in rows]
            yield number, records

    def remarks(self, pairings: Iterable[Pairing]) -> tuple[str, ...]:
        """The remarks of the players of these pairings (`MatchRecord.remarks`), each once. Reads all their records."""
        found = dict[str, None]()
        for pairing in dict.fromkeys(pairings):
            rows = self._read(
                "SELECT record FROM matches WHERE pairing = ? AND instr(record, ?) ORDER BY number, part",
                self._key(pairing), '"remarks"',
            )  # fmt: skip
            with self._naming():
                found |= {text: None for (record,) in rows for text in _texts(parsed(record).get("remarks", []))}
        return tuple(found)

    def _read(self, query: str, *values: Any) -> list[Any]:
        with self._naming():
            return self._connection.execute(query, values).fetchall()

    # -- The file ----------------------------------------------------------------------------------------------------

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection

    def _prepare(self) -> None:
        """Makes the tables of a new file, or checks the tables of an old one."""
        with self.transaction() as connection:
            if refused := prepare(connection):
                raise StoreError(f"{self.path} {refused}")
        with self._naming():
            self._write_ahead()
            self._connection.execute("CREATE TEMP TABLE wanted (pairing INTEGER UNIQUE, count INTEGER NOT NULL)")

    def _write_ahead(self) -> None:
        """Lets others read while one writes. SQLite does not wait for others when it changes to this mode."""
        self._connection.execute("PRAGMA synchronous = NORMAL")  # in this mode nothing is lost when a process is killed
        deadline = monotonic() + _PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:
                if monotonic() > deadline:
                    raise
                sleep(0.02)

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Turns errors of the database and of what is in it into StoreError, with the file's name."""
        try:
            yield
        except StoreError:
            raise
        except sqlite3.OperationalError as error:  # such as a full disk, a lock, a missing permission
            raise StoreError(f"{self.path}: {error}") from None
        except sqlite3.Error as error:
            raise StoreError(f"{self.path} is not a store of results, or is damaged: {error}") from None
        except WRONG_SHAPE as error:
            raise StoreError(f"{self.path} is damaged: {reason(error)}") from None

    def _key(self, pairing: Pairing, new: bool = False) -> int | None:
        """The key of a pairing. If the pairing is unknown, it is entered if `new`, and has the key None otherwise."""
        values = pairing.game, json.dumps(pairing.players), pairing.conditions
        if new:
            self._connection.execute(
                "INSERT OR IGNORE INTO pairings (game, players, conditions) VALUES (?, ?, ?)", values
            )  # fmt: skip
        found = self._read("SELECT id FROM pairings WHERE game = ? AND players = ? AND conditions = ?", *values)
        with self._naming():
            return int(found[0][0]) if found else None

    def _pairing(self, key: int) -> Pairing:
        ((game, players, conditions),) = self._read("SELECT game, players, conditions FROM pairings WHERE id = ?", key)
        with self._naming():
            names = parsed(players)
        texts = isinstance(names, list) and all(isinstance(one, str) for one in (*names, game, conditions))
        if not texts or not 1 <= len(names) <= 2:
            raise StoreError(f"{self.path} is damaged: {shown(players)} are not names of players")
        return Pairing(game, tuple(names), conditions)

    # -- Signs of life -----------------------------------------------------------------------------------------------

    def _live(self) -> None:
        """Starts to give signs of life."""
        if not self._heart:
            self._heart = Thread(target=self._beat, daemon=True)
            self._heart.start()

    def _beat(self) -> None:
        """Gives signs of life until the store is closed."""
        while not self._closing.wait(claimants.BEAT):
            with suppress(sqlite3.Error), closing(self._connected()) as connection:
                claimants.beat(connection, self._me)


def _texts(value: Any) -> list[str]:
    """The texts of a list. Raises ValueError for anything else."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"texts were expected, not {shown(value)}")
    return value


_SCORES = range(-(2**31), 2**31)


def _is_result(number: Any, part: Any, outcome: Any, score: Any) -> bool:
    """Whether a row of the table of matches can be one: SQLite keeps values of any type in any column."""
    whole = all(type(one) is int for one in (number, part, outcome)) and (score is None or type(score) is int)
    return whole and number >= 0 and part in (0, 1) and outcome in (-1, 0, 1) and (score is None or score in _SCORES)
