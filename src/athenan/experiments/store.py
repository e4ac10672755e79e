"""The results of an experiment: the store of its matches, with tables of solved positions and grades."""

import json
from dataclasses import dataclass
from pathlib import Path

from athenan.arena.schema import add_environment, this_environment
from athenan.arena.store import Store, StoreError
from athenan.games.catalogue import known
from athenan.grading.positions import Solved
from athenan.reading import parsed, refusing
from athenan.settings import shown

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


@dataclass(frozen=True)
class StoredGrade:
    """In how many of the solved positions a player kept the value. Raises ValueError unless they are counts."""

    kept: int
    positions: int
    environment: int | None = None
    """The key of what ran (`Store.environments`); None for stores of earlier versions."""

    def __post_init__(self) -> None:
        if type(self.kept) is not int or type(self.positions) is not int or not 0 <= self.kept <= self.positions > 0:
            raise ValueError(f"{shown(self.kept)} of {shown(self.positions)} positions")

    @property
    def share(self) -> float:
        """The share of positions in which the player kept the value."""
        return self.kept / self.positions


class Results(Store):
    """The store of an experiment. Its methods raise StoreError if the file cannot be used."""

    def __init__(self, directory: Path) -> None:
        """Opens the store in the directory of an experiment, or makes it."""
        super().__init__(directory / RESULTS)
        with self.transaction() as connection:
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            add_environment(connection, "grades")

    def solved(self, game: str, seed: int) -> dict[int, Solved]:
        """The solved positions of a game, by number."""
        rows = self._read("SELECT number, solved FROM positions WHERE game = ? AND seed = ?", game, seed)
        played = known(game)
        with refusing(StoreError, f"{self.path} is damaged: a solved position of {game} is not valid"):
            return {number: Solved.from_json(parsed(text), played) for number, text in rows}

    def add_solved(self, game: str, seed: int, position: Solved) -> None:
        """Stores a solved position; the first one stored counts."""
        values = game, seed, position.number, json.dumps(position.as_json(known(game)))
        with self.transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO positions VALUES (?, ?, ?, ?)", values)

    def grades(self, game: str, conditions: str) -> dict[str, StoredGrade]:
        """The grades of players, by player."""
        query = "SELECT player, kept, positions, environment FROM grades WHERE game = ? AND conditions = ?"
        grades = self._read(query, game, conditions)
        with refusing(StoreError, f"{self.path} is damaged: a grade of {game} is not valid"):
            return {player: StoredGrade(*numbers) for player, *numbers in grades}

    def add_grade(self, game: str, player: str, conditions: str, kept: int, positions: int) -> None:
        """Stores a grade; the first one stored counts."""
        with self.transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO grades (game, player, conditions, kept, positions, environment)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (game, player, conditions, kept, positions, this_environment(connection)),
            )
