"""A program that speaks Hub as a player of international draughts. Before each move it gets the whole match."""

from collections.abc import Sequence

from athenan.engines.hub import lines
from athenan.engines.hub.moves import check, moves, read_move, write_position
from athenan.engines.program import STARTING, TransportConversation, TurnRequest, patience
from athenan.engines.transport import answer
from athenan.play.limit import Clock, Limit
from athenan.play.player import PlayerError
from athenan.rules.game import Game, GameError


class HubConversation(TransportConversation):
    """Limits apply to a whole Hub move. The actions that pick one of several captures are part of it."""

    starts_anywhere = True
    least_seconds = 0.001

    def begin(self, game: Game) -> None:
        try:
            check(game)
        except GameError as error:
            raise PlayerError(f"{self._name}: {error}") from None
        if not self._introduced:
            self._transport.send("hub")
            self._until("wait", STARTING)
            self._set_up()
            self._transport.send("init")
            self._until("ready", STARTING)
            self._introduced = True
        self._transport.send("new-game")

    def choose(self, turn: TurnRequest) -> Sequence[str]:
        game, start = turn.game, turn.game.initial() if turn.start is None else turn.start
        played = moves(game, turn.actions, start)
        told = {"moves": " ".join(played)} if played else {}
        self._transport.send(lines.write("pos", pos=write_position(game, start), **told))
        if level := self._level(turn.limit):
            self._transport.send(level)
        self._transport.send("go think")
        move = self._until("done", patience(turn.limit, self._grace)).get("move", "")
        try:
            actions = read_move(game, turn.state, move)
        except GameError:
            raise self._illegal(move) from None
        return game.moves(actions, turn.state).split()

    def _level(self, limit: Limit) -> str:
        if isinstance(limit, Clock):
            return lines.write("level", time=f"{limit.left:.3f}", inc=f"{limit.increment:.3f}")
        return "" if limit.seconds is None else lines.write("level", move_time=f"{limit.seconds:.3f}")

    def _until(self, word: str, seconds: float) -> dict[str, str]:
        """The arguments of the next line with this command. Raises Forfeit if none comes in time."""
        _, arguments = lines.read(answer(self._transport, seconds, lambda line: lines.read(line)[0] == word))
        return arguments
