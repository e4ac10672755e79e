"""The tables of a store of results. `prepare` makes them, and brings a store of an earlier version up to date."""

import json
import sqlite3

from athenan.version import environment

VERSION = 2
"""The version of the tables. 1 did not record the environments."""
_APPLICATION = 0x41546852  # "AThR"

_ENVIRONMENTS = "CREATE TABLE environments (id INTEGER PRIMARY KEY, described TEXT NOT NULL UNIQUE)"
_TABLES = f"""
CREATE TABLE claimants (
    id INTEGER PRIMARY KEY, machine TEXT NOT NULL, process INTEGER NOT NULL, seen REAL NOT NULL
);
CREATE TABLE pairings (
    id INTEGER PRIMARY KEY, game TEXT NOT NULL, players TEXT NOT NULL, conditions TEXT NOT NULL,
    UNIQUE (game, players, conditions)
);
{_ENVIRONMENTS};
CREATE TABLE pairs (
    pairing INTEGER NOT NULL REFERENCES pairings, number INTEGER NOT NULL,
    claimant INTEGER REFERENCES claimants ON DELETE SET NULL, finished INTEGER NOT NULL DEFAULT 0,
    environment INTEGER, PRIMARY KEY (pairing, number)
) WITHOUT ROWID;
CREATE INDEX open_pairs ON pairs (number, pairing) WHERE NOT finished AND claimant IS NULL;
CREATE TABLE matches (
    pairing INTEGER NOT NULL, number INTEGER NOT NULL, part INTEGER NOT NULL,
    outcome INTEGER NOT NULL CHECK (outcome IN (-1, 0, 1)), score INTEGER, record TEXT NOT NULL,
    PRIMARY KEY (pairing, number, part), FOREIGN KEY (pairing, number) REFERENCES pairs
);
CREATE INDEX match_results ON matches (pairing, number, part, outcome, score);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {VERSION};
"""


def prepare(connection: sqlite3.Connection) -> str:
    """Makes the tables of a new file, or checks an old file and adds what its tables lack, within a transaction.

    Returns why a file is refused, to follow its name; "" if it is a store.
    """
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if not tables and not application:
        for statement in _TABLES.split(";"):
            connection.execute(statement)
    elif application != _APPLICATION:
        return "is a database of another program, not a store of results"
    elif version > VERSION:
        return "was written by a newer version of athenan; it needs that or a later one"
    elif connection.execute("SELECT 1 FROM sqlite_master WHERE type IN ('view', 'trigger')").fetchone():
        return "is not a store of results: it has views or triggers"
    elif version < VERSION:
        connection.execute(_ENVIRONMENTS)
        add_environment(connection, "pairs")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    return ""


def add_environment(connection: sqlite3.Connection, table: str) -> None:
    """Adds the column of the environment to a table that lacks it."""
    if "environment" not in {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}:
        connection.execute(f"ALTER TABLE {table} ADD COLUMN environment INTEGER")


def this_environment(connection: sqlite3.Connection) -> int:
    """The key of what runs here and now, which is entered if it is new."""
    described = json.dumps(environment())
    connection.execute("INSERT OR IGNORE INTO environments (described) VALUES (?)", (described,))
    (key,) = connection.execute("SELECT id FROM environments WHERE described = ?", (described,)).fetchone()
    return int(key)
