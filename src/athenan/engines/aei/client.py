"""A program that speaks AEI as a player of Arimaa.

It is asked for whole turns. A limit in seconds is for one action, and a turn has four, so AEI is given four times the
limit, in whole seconds, at least one.
"""

from collections.abc import Sequence
from math import ceil

from athenan.engines.aei.turns import read_turn, whole_turns
from athenan.engines.program import STARTING, TransportConversation, TurnRequest, patience
from athenan.engines.transport import Transport, answer
from athenan.play.limit import Clock, Limit
from athenan.play.player import Forfeit, PlayerError, Resign
from athenan.rules.game import Game, GameError
from athenan.settings import shown

_ACTIONS = 4
"""Actions of a turn after the setup."""


class AeiConversation(TransportConversation):
    """Keeps the program's board in step with the match."""

    starts_anywhere = False
    least_seconds = 1.0

    def __init__(self, name: str, transport: Transport, grace: float, setup: Sequence[str] = ()) -> None:
        super().__init__(name, transport, grace, setup)
        self._told = list[str]()
        """The turns that the program has been told."""

    def begin(self, game: Game) -> None:
        if "aei" not in game.forms.programs:
            raise PlayerError(f"{self._name} speaks AEI, which is for arimaa, not for {game.name}")
        if not self._introduced:
            self._transport.send("aei")
            self._until("aeiok", STARTING)
            self._set_up()
            self._introduced = True
        self._new_game()

    def _new_game(self) -> None:
        self._told = []
        self._transport.send("isready")
        self._until("readyok", STARTING)
        self._transport.send("newgame")

    def choose(self, turn: TurnRequest) -> Sequence[str]:
        written, whole = whole_turns(turn.game, turn.actions)
        if not whole:
            raise PlayerError(f"{self._name} plays whole turns: openings must end after a setup (--random-opening 32)")
        if written[: len(self._told)] != self._told:
            self._new_game()
        for moves in written[len(self._told) :]:
            self._transport.send(f"makemove {moves}")
        self._told = written
        for option in self._times(turn.limit, turn.game.player(turn.state)):
            self._transport.send(f"setoption {option}")
        self._transport.send("go")
        told = self._until("bestmove", self._patience(turn.limit)).partition(" ")[2].strip()
        if told.lower() == "resign":
            raise Resign
        try:
            actions = read_turn(turn.game, turn.state, told)
        except GameError as error:
            raise Forfeit(f"{self._name} answered {shown(told)}: {error}") from None
        return turn.game.moves(actions, turn.state).split()

    def _times(self, limit: Limit, side: int) -> list[str]:
        if isinstance(limit, Clock):
            reserve, left = ("greserve", "sreserve")[side], int(limit.left)
            move = min(ceil(_ACTIONS * limit.increment), left)  # the time left has the increments of earlier actions
            return [f"name tcmove value {move}", f"name {reserve} value {left - move}"]
        if limit.seconds is None:
            return []
        return [f"name tcmove value {ceil(_ACTIONS * limit.seconds)}", "name tcreserve value 0"]

    def _patience(self, limit: Limit) -> float:
        return patience(limit, self._grace) + (_ACTIONS - 1) * (0.0 if isinstance(limit, Clock) else limit.seconds or 0)

    def _until(self, word: str, seconds: float) -> str:
        """The next line that begins with a word. Raises Forfeit if none comes in time."""
        return answer(self._transport, seconds, lambda line: line.split(maxsplit=1)[:1] == [word])
