"""The results of an experiment: the store of its matches, with tables of solved positions and grades."""

import json
from pathlib import Path

from athenan.arena.store import Store, StoreError
from athenan.games.catalogue import make
from athenan.grading.positions import Solved

RESULTS = "results.sqlite"

_TABLES = """
CREATE TABLE IF NOT EXISTS positions (
    game TEXT NOT NULL, seed INTEGER NOT NULL, number INTEGER NOT NULL, solved TEXT NOT NULL,
    PRIMARY KEY (game, seed, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS grades (
    game TEXT NOT NULL, player TEXT NOT NULL, conditions TEXT NOT NULL, kept INTEGER NOT NULL,
    positions INTEGER NOT NULL, PRIMARY KEY (game, player, conditions)
) WITHOUT ROWID
"""


class Results(Store):
    """The store of an experiment. Its methods raise StoreError if the file cannot be used."""

    def __init__(self, directory: Path) -> None:
        """Opens the store in the directory of an experiment, or makes it."""
        super().__init__(directory / RESULTS)
        with self.transaction() as connection:
            for statement in _TABLES.split(";"):
                connection.execute(statement)

    def solved(self, game: str, seed: int) -> dict[int, Solved]:
        """The solved positions of a game, by number."""
        rows = self._read("SELECT number, solved FROM positions WHERE game = ? AND seed = ?", game, seed)
        known = make(game)
        try:
            return {number: Solved.from_json(json.loads(text), known) for number, text in rows}
        except (ValueError, TypeError):
            raise StoreError(f"{self.path} is damaged: a solved position of {game} is not valid") from None

    def add_solved(self, game: str, seed: int, position: Solved) -> None:
        """Stores a solved position; the first one stored counts."""
        values = game, seed, position.number, json.dumps(position.as_json(make(game)))
        with self.transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO positions VALUES (?, ?, ?, ?)", values)

    def grades(self, game: str, conditions: str) -> dict[str, float]:
        """The shares of positions in which players kept the value, by player."""
        query = "SELECT player, kept, positions FROM grades WHERE game = ? AND conditions = ?"
        return {player: kept / positions for player, kept, positions in self._read(query, game, conditions)}

    def add_grade(self, game: str, player: str, conditions: str, kept: int, positions: int) -> None:
        """Stores a grade; the first one stored counts."""
        with self.transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO grades VALUES (?, ?, ?, ?, ?)", (game, player, conditions, kept, positions)
            )  # fmt: skip
