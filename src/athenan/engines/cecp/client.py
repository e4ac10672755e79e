"""A program that speaks CECP as a player. Before each turn it is told the moves that it does not know yet.

A limit in seconds is sent in whole seconds, at least one, because programs do not read fractions.
"""

import shlex
from collections.abc import Sequence
from math import ceil

from athenan.engines.cecp.variants import MOVES, variant
from athenan.engines.program import STARTING, TransportConversation, TurnRequest, patience
from athenan.engines.transport import Transport, answer
from athenan.play.limit import Clock, Limit
from athenan.play.player import PlayerError, Resign
from athenan.rules.game import Game, GameError


class CecpConversation(TransportConversation):
    """The program keeps the match; it is told to play, and then what its opponent played."""

    starts_anywhere = True
    least_seconds = 1.0

    def __init__(self, name: str, transport: Transport, grace: float, setup: Sequence[str] = ()) -> None:
        super().__init__(name, transport, grace, setup)
        self._features = dict[str, str]()
        self._told = list[str]()
        """The moves that the program knows."""

    def begin(self, game: Game) -> None:
        try:
            name = variant(game)
        except GameError as error:
            raise PlayerError(f"{self._name}: {error}") from None
        if not self._features:
            self._introduce()
        if name not in self._features.get("variants", "normal").split(","):
            raise PlayerError(f"{self._name} does not play {game.name}: its variants have no {name}")
        for line in ("new", f"variant {name}", "force", "easy"):
            self._transport.send(line)
        self._told = []

    def _introduce(self) -> None:
        """Reads the features. Raises Forfeit if none come in time."""
        self._transport.send("xboard")
        self._transport.send("protover 2")
        while self._features.get("done") != "1":
            line = answer(self._transport, STARTING, lambda one: one.startswith("feature "))
            self._features.update(_features(line))
        self._set_up()

    def choose(self, turn: TurnRequest) -> Sequence[str]:
        played = [MOVES.written(turn.game, name) for name in turn.names]
        if not self._told and turn.start is not None:
            self._transport.send(f"setboard {turn.game.write_fen(turn.start)}")
        self._transport.send("force")
        prefix = "usermove " if self._features.get("usermove") == "1" else ""
        for move in played[len(self._told) :]:
            self._transport.send(f"{prefix}{move}")
        for line in _time(turn.limit):
            self._transport.send(line)
        self._transport.send("go")
        words = answer(self._transport, patience(turn.limit, self._grace), _is_answer).split()
        if words[0] == "resign":
            raise Resign
        move = words[1] if len(words) > 1 and words[0] == "move" else " ".join(words)
        try:
            action = MOVES.read(turn.game, turn.state, move)
        except GameError:
            raise self._illegal(move) from None
        self._told = [*played, move]
        return [turn.game.action_name(turn.state, action)]


def _features(line: str) -> dict[str, str]:
    """The features of a line: NAME=VALUE, the value in quotes if it has spaces."""
    try:
        words = shlex.split(line)[1:]
    except ValueError:  # a quote that does not end
        words = line.split()[1:]
    return {name: value for name, found, value in (word.partition("=") for word in words) if found}


def _time(limit: Limit) -> list[str]:
    """The lines that tell a limit; both sides get the program's clock, the only one known."""
    if isinstance(limit, Clock):
        minutes, seconds = divmod(round(limit.left), 60)
        left = round(100 * limit.left)
        return [f"level 0 {minutes}:{seconds:02} {limit.increment:g}", f"time {left}", f"otim {left}"]
    return [] if limit.seconds is None else [f"st {ceil(limit.seconds)}"]


def _is_answer(line: str) -> bool:
    words = line.split()
    refused = words[:2] == ["Illegal", "move:"] or (words[:1] == ["Error"] and words[-1] == "go")
    return refused or words[:1] in (["move"], ["resign"])
