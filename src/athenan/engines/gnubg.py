"""GNU Backgammon as a player of backgammon.

It is asked once a turn, through its external interface, about the position and the whole roll. The actions that make up
its answer are then played one by one. In matches without a doubling cube gammons and backgammons count, so it is told
to evaluate without the cube and without the Jacoby rule. For matches with a cube it is restarted, to evaluate with the
cube and its rule; before its rolls it is asked whether it doubles, and after a double whether it takes.
"""

from collections.abc import Callable

from athenan.engines.process import find_program
from athenan.engines.transport import SocketTransport, Transport, ask
from athenan.games.backgammon import turn
from athenan.games.backgammon.gnubg import Circumstances, external_board
from athenan.games.backgammon.positions import read_play
from athenan.games.backgammon.turn import numbers_of
from athenan.play.cube import Cube, CubeRules
from athenan.play.limit import Limit
from athenan.play.player import Forfeit, Move, PlayerError, require_own_game
from athenan.rules.game import Game, GameError, State
from athenan.rules.state import CHANCE

_COMMANDS = (
    "set threads 1",
    "set jacoby {jacoby}",
    "set evaluation chequerplay type evaluation",
    "set evaluation chequerplay evaluation cubeful {cube}",
    "set evaluation chequerplay evaluation noise 0",
    "set evaluation chequerplay evaluation plies {plies}",
    "set evaluation cubedecision type evaluation",
    "set evaluation cubedecision evaluation cubeful on",
    "set evaluation cubedecision evaluation noise 0",
    "set evaluation cubedecision evaluation plies {plies}",
    "external {path}",
)


def start(game: Game, name: str, plies: int = 0, timeout: float = 60.0) -> "GnubgPlayer":
    """A player with its own GNU Backgammon, which looks `plies` plies ahead.

    The program has `timeout` seconds to start, and as many for each answer. Raises PlayerError if it does not play the
    game or cannot be started.
    """
    if "gnubg" not in game.forms.programs:
        raise PlayerError(f"gnubg plays backgammon only, not {game.name}")
    if (program := find_program("gnubg")) is None:
        raise PlayerError("gnubg is not installed: on Debian, apt-get install gnubg")

    def launch(rules: CubeRules | None) -> Transport:
        def commands(path: str) -> list[str]:
            cube, jacoby = ("on" if chosen else "off" for chosen in (rules, rules and rules.jacoby))
            return [line.format(plies=plies, path=path, cube=cube, jacoby=jacoby) for line in _COMMANDS]

        return SocketTransport("gnubg", [program, "-t", "-q", "-r"], commands, timeout)

    return GnubgPlayer(game, name, launch, timeout)


class GnubgPlayer:
    """Plays what GNU Backgammon answers through a transport. Seeds and limits have no effect.

    A program that fails forfeits its match and is restarted for the next one.
    """

    def __init__(
        self, game: Game, name: str, launch: Callable[[CubeRules | None], Transport], timeout: float = 60.0
    ) -> None:
        """`launch` starts the program, for matches without a cube or with a cube under these rules."""
        self.name, self._game, self._launch, self._timeout = name, game, launch, timeout
        self._rules: CubeRules | None = None
        self._cube = Cube()
        self._transport: Transport | None = launch(None)
        self._begin()

    def use_cube(self, rules: CubeRules | None) -> None:
        if rules != self._rules:
            self.close()
            self._transport, self._rules = self._launch(rules), rules

    def see_cube(self, cube: Cube) -> None:
        self._cube = cube

    def doubles(self, state: State, cube: Cube, limit: Limit) -> bool:
        return self._decides(state, _around(cube, int(state[turn.TURN])), {"double": True, "roll": False})

    def takes(self, state: State, cube: Cube, limit: Limit) -> bool:
        """A beaver, which is not played here, counts as a take: the taker owns the cube in any case."""
        doubled = Circumstances(was_doubled=True)
        return self._decides(state, doubled, {"take": True, "beaver": True, "drop": False})

    def _decides(self, state: State, around: Circumstances, meanings: dict[str, bool]) -> bool:
        """What the answer means. Raises Forfeit if it has no meaning."""
        answer = self._ask(external_board(state, around=around)).lower()
        if answer not in meanings:
            raise Forfeit(f"{self.name} answered {answer!r} about the cube, not {' or '.join(meanings)}")
        return meanings[answer]

    def _ask(self, board: str) -> str:
        """The answer to a board. Ends the program and raises Forfeit if there is no answer."""
        if not self._transport:
            raise Forfeit(f"{self.name} failed earlier")
        try:
            return ask(self._transport, board, self._timeout)
        except Forfeit:
            self.close()
            raise

    def _begin(self) -> None:
        self._state = self._game.initial()
        self._rolled: tuple[State, tuple[int, int], State] | None = None
        """The state before the last roll, the dice, and the state after it."""
        self._planned: dict[bytes, int] = {}
        """State -> the action of the turn that is played in it."""

    def new_match(self, game: Game, seed: int) -> None:
        require_own_game(self.name, self._game, game)
        if not self._transport:
            self._transport = self._launch(self._rules)
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
        """Asks about the turn that begins in a state. Raises Forfeit if the answer is not a legal play."""
        if self._rolled is None or self._rolled[2].tobytes() != state.tobytes():
            raise PlayerError(f"{self.name} plays whole turns: no opening may end inside one (--random-opening 1)")
        before, dice, _ = self._rolled
        around = _around(self._cube, int(before[turn.TURN])) if self._rules else None
        answer = self._ask(external_board(before, dice, around))
        try:
            actions = read_play(self._game, state, answer)
        except GameError:
            roll = "{}-{}".format(*dice)
            raise Forfeit(f"{self.name} answered {answer!r}, which is not a legal play of {roll}") from None
        planned = {}
        for action in actions:
            planned[state.tobytes()] = action
            state = self._game.play(state, action)
        return planned

    def close(self) -> None:
        if self._transport:
            self._transport.close()
        self._transport = None


def _around(cube: Cube, side: int) -> Circumstances:
    """What a board says about the cube to the player to move."""
    return Circumstances(cube=cube.value, may_double=(cube.owner in (None, side), cube.owner in (None, 1 - side)))
