"""GNU Backgammon as a player of backgammon.

It is asked once a turn, through its external interface, about the position and the whole roll; the actions that play
its answer are then played one by one. Matches are single games without a doubling cube, in which gammons and
backgammons count, so it is told to evaluate so: without the cube, and without the Jacoby rule.
"""

import shutil

from athenan import settings
from athenan.games.backgammon.gnubg import external_board
from athenan.games.backgammon.positions import position_of, read_play
from athenan.games.backgammon.turn import numbers_of
from athenan.play.engines.transport import SocketTransport, Transport, ask
from athenan.play.limit import Limit
from athenan.play.player import Forfeit, Move, PlayerError
from athenan.rules.game import Game, GameError, State
from athenan.rules.state import CHANCE

_CHECKERS = 15
_COMMANDS = (
    "set threads 1",
    "set jacoby off",
    "set evaluation chequerplay type evaluation",
    "set evaluation chequerplay evaluation cubeful off",
    "set evaluation chequerplay evaluation noise 0",
    "set evaluation chequerplay evaluation plies {plies}",
    "external {path}",
)


def start(game: Game, name: str, plies: int = 0, timeout: float = 60.0) -> "GnubgPlayer":
    """A player with a GNU Backgammon of its own, looking so many plies ahead.

    It has `timeout` seconds to start, and for each answer. Raises PlayerError if it does not play the game, or cannot
    be started.
    """
    if settings.split(game.name)[0] != "backgammon" or sum(position_of(game.initial(), 0)[0]) != _CHECKERS:
        raise PlayerError(f"gnubg plays backgammon only, not {game.name}")
    if (program := find_program()) is None:
        raise PlayerError("gnubg is not installed: on Debian, apt-get install gnubg")

    def commands(path: str) -> list[str]:
        return [line.format(plies=plies, path=path) for line in _COMMANDS]

    transport = SocketTransport("gnubg", [program, "-t", "-q", "-r"], commands, timeout)
    return GnubgPlayer(game, name, transport, timeout)


def find_program() -> str | None:
    """The program, which Debian puts into a folder of games."""
    return shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")


class GnubgPlayer:
    """Plays what GNU Backgammon answers, at the other end of a transport; seeds and limits change nothing."""

    def __init__(self, game: Game, name: str, transport: Transport, timeout: float = 60.0) -> None:
        self.name, self._game, self._transport, self._timeout = name, game, transport, timeout
        self._begin()

    def _begin(self) -> None:
        self._state = self._game.initial()
        self._rolled: tuple[State, tuple[int, int], State] | None = None
        """The state before the last roll, the dice, and the state after it."""
        self._planned: dict[bytes, int] = {}
        """The actions of a turn by the states in which they are played."""

    def new_match(self, game: Game, seed: int) -> None:
        if game.name != self._game.name:
            raise PlayerError(f"{self.name} plays {self._game.name}, not {game.name}")
        self._begin()

    def observe(self, action: int, following: State) -> None:
        if self._game.player(self._state) == CHANCE:
            self._rolled = self._state, numbers_of(action), following
        self._state = following

    def select(self, state: State, limit: Limit) -> Move:
        if state.tobytes() not in self._planned:
            self._planned = self._plan(state)
        return Move(self._planned[state.tobytes()])

    def _plan(self, state: State) -> dict[bytes, int]:
        """Asks about the turn that begins in a state. Raises Forfeit if the answer is no legal play."""
        if self._rolled is None or self._rolled[2].tobytes() != state.tobytes():
            raise PlayerError(f"{self.name} plays whole turns: let openings have no part of one (--random-opening 1)")
        before, dice, _ = self._rolled
        answer = ask(self._transport, external_board(before, dice), self._timeout)
        try:
            actions = read_play(self._game, state, answer)
        except GameError:
            roll = "{}-{}".format(*dice)
            raise Forfeit(f"{self.name} answered {answer!r}, which is no legal play of {roll}") from None
        planned = {}
        for action in actions:
            planned[state.tobytes()] = action
            state = self._game.play(state, action)
        return planned

    def close(self) -> None:
        self._transport.close()
