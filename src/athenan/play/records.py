"""Finished matches as plain records, which can be pickled and converted to and from JSON.

    >>> import json
    >>> from athenan import make
    >>> from athenan.play.match import play_match
    >>> from athenan.play.player import RandomPlayer
    >>> game = make("tictactoe")
    >>> record = play_match(game, (RandomPlayer(), RandomPlayer()), seed=1)
    >>> MatchRecord.from_json(json.loads(json.dumps(record.as_json())), game) == record
    True

Reading replays the match by the rules, so an accepted record belongs to a legal match. Series, tournaments and
experiments count records. If a file holds more about a match, or less, it is a `files.file_match.FileMatch`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import takewhile
from typing import Any, TypeGuard

from athenan.play import words
from athenan.play.cube import CubeRecord, Offer, may_double, require_cube, roller
from athenan.rules.game import Game, GameError, State
from athenan.rules.state import CHANCE, sign
from athenan.settings import counted, shown

_LARGEST = 1e15  # for times and values
_MAY_LACK = frozenset({"cube", "remarks"})


class RecordError(ValueError):
    """Data that is not the record of a match."""


@dataclass(frozen=True)
class Ply:
    """One action of a match, or what chance drew. Value and gain are from the first player's point of view."""

    action: int
    side: int
    """The side that played it: 0 first player, 1 second player, 2 chance, which has neither seconds nor a proof."""
    seconds: float | None = None
    """Time used to select it; None in the opening."""
    value: float | None = None
    """The value of the state before it: in a match the player's estimate, in self-play the value learnt for this state,
    in an annotated match the search's value. A draw of chance has no player's estimate, but may have another value."""
    proven: int | None = None
    """The gain that the player had proven: 1, 0 or -1."""
    comment: str = ""
    """A file's comment on it. Records have no comments and no variations."""
    variations: "tuple[Plies, ...]" = ()
    """What could have been played instead, from this action on."""

    def as_json(self) -> dict[str, Any]:
        """The ply of a record as JSON data."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in _UNRECORDED}


Plies = tuple[Ply, ...]
"""Consecutive actions."""
_UNRECORDED = {"comment", "variations"}
"""The fields of a ply that only files have."""


def plies_of(game: Game, actions: Iterable[int], state: State | None = None) -> Plies:
    """Actions from a state, or the initial one, as plies without notes. Raises GameError if one is not legal."""
    state, plies = game.initial() if state is None else state, list[Ply]()
    for action in actions:
        plies.append(Ply(action, game.player(state)))
        state = game.play(state, action)
    return tuple(plies)


@dataclass(frozen=True, repr=False)
class MatchRecord:
    """One finished match."""

    game: str
    """The name of the game."""
    players: tuple[str, ...]
    """The names of the players: the first and the second, or the only one."""
    plies: Plies
    """All plies from the initial state on, including the opening and what chance drew."""
    outcome: int
    """1, 0 or -1: the first player's gain."""
    score: int | None = None
    """The final score from the first player's point of view; None if the game has none, or was not played out."""
    resigned: bool = False
    """Whether the match ended because the loser resigned."""
    forfeit: str | None = None
    """Why the loser failed, or that its clock ran out, if that ended the match."""
    adjudicated: bool = False
    """Whether the match ended because a player, at its last action, had proven a win or a draw."""
    cube: CubeRecord | None = None
    """The doubles of a match with the doubling cube, which the score includes; None without a cube."""
    remarks: tuple[str, ...] = ()
    """The players' remarks, for example that a program refuses time commands or takes much longer than its limit."""

    def __repr__(self) -> str:
        result = words.result(self.outcome) if len(self.players) == 2 else f"score {self.score}"
        players, length = " against ".join(self.players), counted(len(self.plies), "action")
        return f"<MatchRecord of {self.game}: {players}, {length}, {result}>"

    @property
    def actions(self) -> tuple[int, ...]:
        """All actions, from the initial state on."""
        return tuple(ply.action for ply in self.plies)

    @property
    def opening(self) -> tuple[int, ...]:
        """The actions before the first one that a player selected: the opening, and what chance drew after it."""
        return tuple(ply.action for ply in takewhile(lambda ply: ply.seconds is None, self.plies))

    def selected(self, side: int) -> list[Ply]:
        """The plies that the player of a side selected."""
        return [ply for ply in self.plies if ply.side == side and ply.seconds is not None]

    def as_json(self) -> dict[str, Any]:
        """The record as JSON data; `cube` and `remarks` are absent if there were none."""
        data = asdict(replace(self, plies=())) | {"plies": tuple(ply.as_json() for ply in self.plies)}
        for name in _MAY_LACK:
            if not data[name]:
                del data[name]
        return data

    def as_line(self, game: Game, **more: Any) -> str:
        """The record as a line of a file of matches: the fields of `more`, the moves, and the record."""
        return json.dumps({**more, "moves": game.moves(self.actions), **self.as_json()}) + "\n"

    @classmethod
    def of_line(cls, data: Mapping[str, Any], game: Game) -> "MatchRecord":
        """The record in the data of a line, ignoring other fields. Raises RecordError if it is not valid."""
        return cls.from_json({field.name: data[field.name] for field in fields(cls) if field.name in data}, game)

    @classmethod
    def from_json(cls, data: Any, game: Game) -> "MatchRecord":
        """Reads the data that `as_json` made for a match of this game. Raises RecordError if it is not valid."""
        _check_fields(cls, data, _MAY_LACK)
        plies, players = data["plies"], data["players"]
        resigned, forfeit, adjudicated = data["resigned"], data["forfeit"], data["adjudicated"]
        if data["game"] != game.name:
            raise RecordError(f"a match of {game.name} was expected, not one of {shown(data['game'])}")
        _require("players", players, _is_list_of(str, players) and len(players) == game.players)
        _require("plies", plies, _is_list_of(Mapping, plies) and len(plies) <= game.max_length)
        _require("resigned", resigned, type(resigned) is bool)
        _require("forfeit", forfeit, forfeit is None or (type(forfeit) is str and bool(forfeit) and not resigned))
        _require("adjudicated", adjudicated, type(adjudicated) is bool and not (adjudicated and (resigned or forfeit)))
        remarks = data.get("remarks", ())
        _require("remarks", remarks, _is_list_of(str, remarks))
        record = cls(
            game.name, tuple(players), tuple(map(_ply, plies)), data["outcome"], data["score"],
            resigned, forfeit, adjudicated, _cube(data["cube"]) if "cube" in data else None, tuple(remarks),
        )  # fmt: skip
        _replay(record, game)
        return record


def _check_fields(kind: Any, data: Any, may_lack: frozenset[str] = frozenset()) -> None:
    """Raises RecordError unless the data is an object with the recorded fields of a dataclass."""
    names = {field.name for field in fields(kind)} - _UNRECORDED
    if not isinstance(data, Mapping) or set(data) | may_lack != names:
        needed = ", ".join(sorted(names - may_lack))
        raise RecordError(f"{kind.__name__} must be an object of {needed}, not {shown(data)}")


def _require(name: str, value: Any, holds: bool) -> None:
    if not holds:
        raise RecordError(f"{name} of a match cannot be {shown(value)}")


def _is_list_of(kind: type, data: Any) -> bool:
    return isinstance(data, list | tuple) and all(isinstance(one, kind) for one in data)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether JSON data is a time or a value: a finite number."""
    return type(value) in (int, float) and abs(value) < _LARGEST


def _ply(data: Mapping[str, Any]) -> Ply:
    _check_fields(Ply, data)
    ply = Ply(**data)
    for name in ("action", "side"):
        _require(name, data[name], type(data[name]) is int)
    for name in ("seconds", "value"):
        number = data[name]
        _require(name, number, number is None or is_number(number))
    _require("seconds", ply.seconds, ply.seconds is None or ply.seconds >= 0)
    _require("proven", ply.proven, ply.proven is None or (type(ply.proven) is int and -1 <= ply.proven <= 1))
    return ply


def _cube(data: Any) -> CubeRecord:
    _check_fields(CubeRecord, data)
    _require("jacoby", data["jacoby"], type(data["jacoby"]) is bool)
    _require("offers", data["offers"], _is_list_of(Mapping, data["offers"]))
    for offer in data["offers"]:
        _check_fields(Offer, offer)
        _require("ply", offer["ply"], type(offer["ply"]) is int and offer["ply"] >= 0)
        _require("side", offer["side"], type(offer["side"]) is int)
        _require("taken", offer["taken"], type(offer["taken"]) is bool)
    return CubeRecord(data["jacoby"], tuple(Offer(**offer) for offer in data["offers"]))


def _replay(record: MatchRecord, game: Game) -> None:
    """Raises RecordError unless the rules allow the match and its result."""
    state = game.initial()
    states = [state]
    for number, ply in enumerate(record.plies, 1):
        _require(f"side of ply {number}", ply.side, ply.side == game.player(state))
        if ply.side == CHANCE:
            for name in ("seconds", "proven"):
                _require(f"{name} of ply {number}", getattr(ply, name), getattr(ply, name) is None)
        try:
            state = game.play(state, ply.action)
        except (GameError, OverflowError):
            raise RecordError(f"ply {number}: action {shown(ply.action)} is not legal in {game.name}") from None
        states.append(state)
    outcome = game.outcome(state)
    score = game.score(state) if game.max_score is not None and outcome is not None else None
    if record.cube:
        outcome, score = _with_cube(record, record.cube, game, states)
    given_up = record.resigned or record.forfeit is not None
    if record.adjudicated and outcome is None and record.plies and game.players == 2:
        outcome = record.plies[-1].proven
    elif record.resigned and outcome is None and game.players == 2:
        outcome = -1 if record.outcome == -1 else 1  # either player may resign, whoever is to move
    elif given_up and outcome is None and game.player(state) != CHANCE:
        outcome = -sign(game.player(state))
    elif record.forfeit is not None and outcome is None and record.cube and _may_double(game, state, record.cube):
        outcome = -1 if record.outcome == -1 else 1  # either the player about to roll or the other may have failed
    elif given_up or record.adjudicated or outcome is None:
        raise RecordError("no player was to move, so none could give up" if given_up else "the match is not over")
    _require("outcome", record.outcome, type(record.outcome) is int and record.outcome == outcome)
    _require("score", record.score, type(record.score) is type(score) and record.score == score)


def _may_double(game: Game, state: State, cube: CubeRecord) -> bool:
    """Whether a player could be asked about the cube in a state, after these doubles."""
    return may_double(game, state, cube.cube, roller(game, state))


def _with_cube(
    record: MatchRecord, cube: CubeRecord, game: Game, states: Sequence[State]
) -> tuple[int | None, int | None]:
    """The gain and the score of a match with a cube, None if it is not over. Raises RecordError for a bad double."""
    try:
        require_cube(game)
        cube.check_offers(game, states)
    except ValueError as error:
        raise RecordError(f"the cube of a match: {error}") from None
    outcome = sign(cube.offers[-1].side) if cube.dropped else game.outcome(states[-1])
    played_out = not (outcome is None or record.resigned or record.forfeit or record.adjudicated)
    return outcome, cube.points(game, states[-1]) if played_out else None
