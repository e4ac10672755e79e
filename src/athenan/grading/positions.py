"""Solved positions, and the files that keep them.

A file has JSON lines. The first is the recipe by which the others were made; each of these is a position:

    {"game": "connect_four:7x6", "plies": [8, 30], "rollouts": 10000, "seed": 0, "solver": "bitbully", ...}
    {"number": 0, "moves": "4 4 4 3 5 6 3 4", "gains": {"1": -1, "2": -1, "3": 1, "4": 0, "5": 0, "6": 0, "7": -1}}

`number` says which draw of the recipe the position is, and `gains` what each legal action leads to under perfect play:
1 a win of the side to move, 0 a draw, -1 a loss, and in games of chance the expectation, to six decimals.

    >>> file = read_positions(packaged("connect_four:7x6"))
    >>> len(file.positions), file.recipe.solver
    (1000, 'bitbully')
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from athenan.games.catalogue import known
from athenan.play.records import is_number
from athenan.reading import parsed, read_text, refusing
from athenan.rules.game import Game, GameError
from athenan.rules.state import CHANCE
from athenan.settings import Between, Count, Seconds, Seed, check, from_json, shown

_FOLDER = Path(__file__).parent / "solved"
_FIELDS = {"number": int, "moves": str, "gains": dict}
DECIMALS = 6
"""Decimals of an expectation in a file."""

Gains = dict[int, float]
"""Legal action -> its result for the side to move under perfect play: 1 a win, 0 a draw, -1 a loss."""


class PositionsError(ValueError):
    """Solved positions that do not exist, are damaged, or cannot be made."""


@dataclass(frozen=True)
class Recipe:
    """How positions are made. A recipe and a number determine a position, unless its proofs are limited by seconds."""

    game: str
    plies: Annotated[tuple[int, int], Between(0, 10_000)]
    """The least and the greatest number of actions before the position."""
    rollouts: Count = 10_000
    """Rollouts of the strongest player of the matches from which positions come."""
    seed: Seed = 0
    solver: str = "ubfm"
    """bitbully, equations, or the search that proves the values."""
    evaluations: Count | None = None
    """States that the proofs of one position may evaluate; a position that needs more is replaced by another."""
    seconds: Seconds | None = None
    """Seconds for the proofs of one position."""

    def __post_init__(self) -> None:
        check(self)
        if self.plies[0] > self.plies[1]:
            raise PositionsError(f"the least ply must not be above the greatest, as {self.plies[0]} {self.plies[1]} is")


@dataclass(frozen=True)
class Solved:
    """A position with the game value of each of its actions, in games of chance an expectation."""

    number: int
    moves: str
    """The actions that lead to it, in the game's notation."""
    gains: Gains

    @property
    def value(self) -> float:
        """The game value for the side to move."""
        return max(self.gains.values())

    def as_json(self, game: Game) -> dict[str, Any]:
        """The position as it is written in a file."""
        state = game.after(self.moves)
        gains = {game.action_name(state, action): gain for action, gain in self.gains.items()}
        return {"number": self.number, "moves": self.moves, "gains": gains}

    @classmethod
    def from_json(cls, data: Any, game: Game) -> "Solved":
        """Reads what `as_json` gave. Raises PositionsError if it is not a solved position of the game."""
        if not isinstance(data, Mapping) or {name: type(value) for name, value in data.items()} != _FIELDS:
            raise PositionsError(f"a position must have {', '.join(_FIELDS)}, unlike {shown(data)}")
        try:
            state = game.after(data["moves"])
        except GameError as error:
            raise PositionsError(str(error)) from None
        if data["number"] < 0:
            raise PositionsError(f"number must be 0 or more, not {shown(data['number'])}")
        if game.player(state) == CHANCE or game.outcome(state) is not None:
            raise PositionsError(f"nobody is to move after {shown(data['moves'])}")
        legal = game.named_actions(state)
        gains = data["gains"]
        if set(gains) != set(legal) or not all(_is_gain(gain, game) for gain in gains.values()):
            values = "a number from -1 to 1" if game.stochastic else "-1, 0 or 1"
            raise PositionsError(f"gains must give each legal action ({', '.join(legal)}) {values}")
        if len(set(gains.values())) < 2:
            raise PositionsError("no action loses value, so there is nothing to grade")
        return cls(data["number"], data["moves"], {legal[name]: gain for name, gain in gains.items()})


def _is_gain(value: object, game: Game) -> bool:
    if game.stochastic:
        return is_number(value) and -1 <= value <= 1
    return type(value) is int and value in (-1, 0, 1)


@dataclass(frozen=True)
class PositionFile:
    """A file of solved positions."""

    recipe: Recipe
    positions: Sequence[Solved]


def read_positions(path: Path) -> PositionFile:
    """Reads a file. Raises PositionsError, with the line, if it is damaged, ValueError if it is large, and OSError."""
    try:
        lines = read_text(path).splitlines()
    except UnicodeDecodeError:
        raise PositionsError(f"{path} is not a file of solved positions, which are JSON lines") from None
    try:
        recipe = from_json(Recipe, _parsed(lines[0] if lines else ""))
        game = known(recipe.game)
    except ValueError as error:
        raise PositionsError(f"{path}, line 1: a recipe of solved positions was expected: {error}") from None
    positions = list[Solved]()
    for number, line in enumerate(lines[1:], 2):
        try:
            with refusing(PositionsError, "the position is damaged"):
                positions.append(Solved.from_json(_parsed(line), game))
        except PositionsError as error:
            raise PositionsError(f"{path}, line {number}: {error}") from None
    return PositionFile(recipe, positions)


def _parsed(line: str) -> Any:
    try:
        return parsed(line)
    except ValueError as error:
        raise PositionsError(f"this is not JSON: {shown(line)} ({error})") from None


def recipe_line(recipe: Recipe) -> str:
    """The first line of a file."""
    return json.dumps(asdict(recipe)) + "\n"


def position_line(position: Solved, game: Game) -> str:
    """The line of a position."""
    return json.dumps(position.as_json(game)) + "\n"


def packaged(game: str) -> Path | None:
    """The file of the package with solved positions of a game, by its canonical name; None without one."""
    path = _FOLDER / f"{game.replace(':', '-', 1)}.jsonl"
    return path if path.is_file() else None


def packaged_games() -> list[str]:
    """The games for which the package has solved positions."""
    return sorted(path.stem.replace("-", ":", 1) for path in _FOLDER.glob("*.jsonl"))
