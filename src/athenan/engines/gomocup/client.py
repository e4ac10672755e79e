"""A program that speaks the protocol of Gomocup as a player of Gomoku."""

from collections.abc import Sequence

from athenan.engines.gomocup.cells import EXACT, check, read, written
from athenan.engines.program import STARTING, TransportConversation, TurnRequest, patience
from athenan.engines.transport import Transport, answer
from athenan.games.catalogue import settings_of
from athenan.play.limit import Clock, Limit
from athenan.play.player import PlayerError
from athenan.rules.game import Game, GameError
from athenan.settings import shown

_ASIDE = "MESSAGE", "DEBUG", "OK"
_LONGEST = 2_147_483_647


class GomocupConversation(TransportConversation):
    """Tells the program the opponent's stones, or all stones if it does not know the earlier ones."""

    starts_anywhere = False
    least_seconds = 0.001

    def __init__(self, name: str, transport: Transport, grace: float, setup: Sequence[str] = ()) -> None:
        super().__init__(name, transport, grace, setup)
        self._known: tuple[int, ...] = ()
        """The actions that the program knows."""

    def begin(self, game: Game) -> None:
        try:
            check(game)
        except GameError as error:
            raise PlayerError(f"{self._name}: {error}") from None
        settings = settings_of(game)
        self._transport.send(f"START {settings['size']}")
        told = self._answer(STARTING, ("MESSAGE", "DEBUG"))
        if not told.upper().startswith("OK"):
            raise PlayerError(f"{self._name} does not play {game.name}: it answers {shown(told)}")
        self._set_up()
        self._transport.send(f"INFO rule {EXACT * settings['exact']}")
        self._known = ()

    def choose(self, turn: TurnRequest) -> Sequence[str]:
        self._tell_time(turn.limit)
        game, cells = turn.game, [written(turn.game, name) for name in turn.names]
        if not cells:
            self._transport.send("BEGIN")
        elif turn.actions[:-1] == self._known:
            self._transport.send(f"TURN {cells[-1]}")
        else:
            self._transport.send("RESTART")
            self._transport.send("BOARD")
            for number, cell in enumerate(cells):
                self._transport.send(f"{cell},{1 if (len(cells) - number) % 2 == 0 else 2}")
            self._transport.send("DONE")
        cell = self._answer(patience(turn.limit, self._grace), _ASIDE)
        try:
            action = read(game, turn.state, cell)
        except GameError:
            raise self._illegal(cell) from None
        self._known = (*turn.actions, action)
        return [game.action_name(turn.state, action)]

    def _tell_time(self, limit: Limit) -> None:
        if isinstance(limit, Clock):
            left = round(1000 * limit.left)
            times = {"timeout_turn": left, "timeout_match": left, "time_left": left}
        elif limit.seconds is not None:
            times = {"timeout_turn": max(1, round(1000 * limit.seconds)), "timeout_match": 0, "time_left": _LONGEST}
        else:
            return
        for key, value in times.items():
            self._transport.send(f"INFO {key} {value}")

    def _answer(self, seconds: float, aside: tuple[str, ...]) -> str:
        """The next line that is an answer. Raises Forfeit if none comes in time."""
        return answer(self._transport, seconds, lambda line: bool(line) and not line.upper().startswith(aside))
