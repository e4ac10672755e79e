"""The lines of queries. Fields that KataGo's analysis engine also has keep its names.

>>> read('{"id": "a", "moves": ["b2", "c3"], "iterations": 100}').moves
'b2 c3'
>>> read('{"id": "a", "iterations": 0}')
Traceback (most recent call last):
    ...
athenan.engines.queries.messages.QueryError: iterations must be a whole number from 1 to 1,000,000,000,000, not 0
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

from athenan.reading import parsed
from athenan.search.budget import ActionLimits
from athenan.settings import Between, check, from_json, shown

_LONGEST_ID = 1000
_MOST_TURNS = 65_536
_LARGEST = 2**31
Whole = Annotated[int, Between(-_LARGEST, _LARGEST)]
ReportSeconds = Annotated[float, Between(0.001, 10**9)]


class QueryError(ValueError):
    """A line that cannot be answered: what is wrong, in which field, and the query's id if it could be read."""

    def __init__(self, message: str, field: str | None = None, query: str | None = None) -> None:
        super().__init__(message)
        self.field, self.query = field, query

    def as_json(self) -> dict[str, str]:
        """The answer to the line."""
        told = {"error": str(self), "field": self.field, "id": self.query}
        return {name: text for name, text in told.items() if text is not None}


@dataclass(frozen=True, kw_only=True)
class Query(ActionLimits):
    """Positions of one match to analyse."""

    id: str
    """Comes back with the answers."""
    moves: str = ""
    """Moves from the position of `fen` or the initial one, separated by spaces; JSON may also give a list."""
    fen: str | None = None
    analyzeTurns: tuple[int, ...] | None = None
    """The numbers of moves after which positions are analysed; by default only the last position."""
    priority: Whole = 0
    """Waiting queries with a higher priority are searched first."""
    priorities: tuple[int, ...] | None = None
    """Instead of `priority`: one priority for each of `analyzeTurns`."""
    reportDuringSearchEvery: ReportSeconds | None = None
    """Seconds between reports before the answer."""

    def __post_init__(self) -> None:
        check(self)
        _check_id(self.id)
        _check_numbers("analyzeTurns", self.analyzeTurns, 0)
        _check_numbers("priorities", self.priorities, -_LARGEST)
        if self.priorities is not None and len(self.priorities) != len(self.turns):
            raise ValueError("priorities must have a number for each of analyzeTurns")
        if (last := max(self.turns)) > (count := len(self.moves.split())):
            raise ValueError(f"analyzeTurns must be from 0 to {count}, the number of moves, not {last}")

    @property
    def turns(self) -> tuple[int, ...]:
        """The numbers of moves after which positions are asked for."""
        return (len(self.moves.split()),) if self.analyzeTurns is None else self.analyzeTurns


@dataclass(frozen=True)
class Terminate:
    """Ends the searches of a query, or of all queries."""

    id: str
    action: Literal["terminate", "terminate_all"]
    terminateId: str | None = None
    turnNumbers: tuple[int, ...] | None = None
    """Only these of its positions."""

    def __post_init__(self) -> None:
        check(self)
        _check_id(self.id)
        _check_numbers("turnNumbers", self.turnNumbers, 0)
        if (self.terminateId is None) != (self.action == "terminate_all"):
            raise ValueError("terminateId must be given with the action terminate, and only with that")


@dataclass(frozen=True)
class Version:
    """Asks which program this is."""

    id: str
    action: Literal["query_version"]

    def __post_init__(self) -> None:
        check(self)
        _check_id(self.id)


Message = Query | Terminate | Version
_ACTIONS: dict[str, type[Message]] = {"terminate": Terminate, "terminate_all": Terminate, "query_version": Version}


def read(line: str) -> Message:
    """The message of a line. Raises QueryError for a line that is not a message."""
    try:
        data = parsed(line)
    except ValueError as error:
        raise QueryError(f"the line cannot be read: {error}") from None
    if not isinstance(data, Mapping):
        raise QueryError(f"a line must be a JSON object, not {shown(data)}")
    query = data.get("id") if isinstance(data.get("id"), str) else None
    kind: type[Message] = Query
    if "action" in data:
        action = data["action"]
        if not isinstance(action, str) or action not in _ACTIONS:
            raise QueryError(f"action must be {' or '.join(_ACTIONS)}, not {shown(action)}", "action", query)
        kind = _ACTIONS[action]
    names = [item.name for item in fields(kind)]
    for name in data:
        if name not in names:
            raise QueryError(f"there is no field {shown(name)}; fields are {', '.join(names)}", name[:100], query)
    if "id" not in data:
        raise QueryError("id is missing: give a text, which comes back with the answer", "id")
    if nothing := [name for name, value in data.items() if value is None]:
        raise QueryError(f"{nothing[0]} must have a value, or be left out", nothing[0], query)
    try:
        message: Message = from_json(kind, {name: _plain(name, value) for name, value in data.items()})
    except ValueError as error:
        text = str(error).replace(" or none, not", ", not")
        first = text.partition(" ")[0]
        raise QueryError(text, first if first in names else None, query) from None
    return message


def _plain(name: str, value: Any) -> Any:
    """A JSON value as a field takes it. Raises ValueError for moves that are neither a text nor a list of texts."""
    if name != "moves" or isinstance(value, str):
        return tuple(value) if isinstance(value, list) else value
    if not isinstance(value, list) or not all(isinstance(move, str) and len(move.split()) == 1 for move in value):
        raise ValueError(f"moves must be a text, or a list of texts, not {shown(value)}")
    return " ".join(value)


def _check_id(text: str) -> None:
    if len(text) > _LONGEST_ID:
        raise ValueError(f"id must have at most {_LONGEST_ID:,} characters, not {len(text):,}")


def _check_numbers(name: str, numbers: Any, least: int) -> None:
    if numbers is None:
        return
    whole = all(type(number) is int and least <= number <= _LARGEST for number in numbers)
    if not whole or not 0 < len(numbers) <= _MOST_TURNS:
        raise ValueError(f"{name} must be a list of whole numbers from {least} to {_LARGEST}")
