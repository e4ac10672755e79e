"""Another program as a player: it follows a match, and is asked for the actions of each of its turns."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Timer
from time import perf_counter
from typing import Protocol

from athenan.engines.transport import Transport
from athenan.play.limit import Clock, Limit
from athenan.play.player import Forfeit, Move, PlayerError, require_own_game
from athenan.rules.game import Game, GameError, State
from athenan.settings import shown

STARTING = 60.0
"""Seconds that a program may take to start: some load a network first."""
_SOON = 5.0
"""Seconds after which a message says that a program is still waited for."""

_MUCH_LONGER, _DELAY = 2.0, 0.5
"""A program gets a remark if it takes longer than this factor times its limit plus these seconds for the transport."""


@dataclass(frozen=True)
class TurnRequest:
    """A request to a program for the actions of a turn."""

    game: Game
    actions: tuple[int, ...]
    """All actions of the match so far."""
    state: State
    """The state after them, in which the program is to move."""
    limit: Limit
    names: tuple[str, ...] = field(default=())
    """The actions in the game's notation."""
    start: State | None = None
    """The state that the match began with, if it is not the initial one."""
    remark: Callable[[str], None] = lambda text: None
    """Reports what users should know about the program, such as that it is not told its time."""


class Conversation(Protocol):
    """A protocol's side of the conversation with a program."""

    starts_anywhere: bool
    """Whether the protocol can express the state that a match starts from."""
    least_seconds: float
    """The shortest time that the protocol can express."""

    def begin(self, game: Game) -> None:
        """Starts a match. Raises PlayerError if the program does not play the game, and Forfeit if it fails."""

    def choose(self, turn: TurnRequest) -> Sequence[str]:
        """The actions of a turn, in the game's notation, at least one. Raises Forfeit if the program fails."""

    def close(self) -> None:
        """Ends the program."""


class TransportConversation:
    """The name for messages, the transport, and the seconds that a program has beyond its limit.

    `setup` holds the user's lines, which are sent once, when the program has introduced itself.
    """

    def __init__(self, name: str, transport: Transport, grace: float, setup: Sequence[str] = ()) -> None:
        self._name, self._transport, self._grace = name, transport, grace
        self._setup, self._introduced = list(setup), False

    def close(self) -> None:
        self._transport.close()

    def _set_up(self) -> None:
        """Sends the lines of the setup that were not sent yet."""
        while self._setup:
            self._transport.send(self._setup.pop(0))

    def _illegal(self, answer: str) -> Forfeit:
        """The forfeit of a program that gave this answer."""
        return Forfeit(f"{self._name} answered {shown(answer)}, which is not legal")


class ProgramPlayer:
    """Plays what a program answers. A program that fails forfeits its match and is restarted for the next one."""

    def __init__(
        self,
        game: Game,
        name: str,
        start: Callable[[], Conversation],
        interrupt: Callable[[], None] = lambda: None,
    ) -> None:
        """Starts the program. Raises PlayerError if it cannot be started or does not play the game.

        `interrupt` ends the program that was started last.
        """
        self.name, self._game, self._start, self._interrupt = name, game, start, interrupt
        self._conversation: Conversation | None = None
        self.remarks = list[str]()
        """What the program refused, and whether it took much longer than its limit; each once."""
        self._begin()
        if self._failure:
            raise PlayerError(self._failure)

    def new_match(self, game: Game, seed: int, start: State | None = None) -> None:
        """Starts a match at the initial state, or at `start`, a state from a FEN.

        Raises PlayerError if the protocol cannot express that state.
        """
        require_own_game(self.name, self._game, game)
        self._begin(start)

    def _begin(self, start: State | None = None) -> None:
        """Starts a match. A program that fails is ended, and forfeits when it is to move."""
        self._start_state, self._state = start, self._game.initial() if start is None else start
        self._actions, self._names = list[int](), list[str]()
        self._planned: dict[bytes, int] = {}
        self._failure = ""
        try:
            with _told_if_slow(self.name):
                if not self._conversation:
                    self._conversation = self._start()
                if start is not None and not self._conversation.starts_anywhere:
                    raise PlayerError(f"{self.name} is told only the moves of a match: it cannot start from a FEN")
                self._conversation.begin(self._game)
        except PlayerError as error:
            self.close()
            if not isinstance(error, Forfeit):
                raise
            self._failure = str(error)
        except BaseException:  # Ctrl-C: nobody else knows a program that is still starting
            self.close()
            raise

    def observe(self, action: int, following: State) -> None:
        self._actions.append(action)
        self._names.append(self._game.action_name(self._state, action))
        self._state = following

    def select(self, state: State, limit: Limit) -> Move:
        if self._failure or not self._conversation:
            raise Forfeit(self._failure)
        try:
            if state.tobytes() not in self._planned:
                self._planned = self._plan(state, self._answer(self._conversation, state, limit))
        except Forfeit:
            self.close()
            raise
        return Move(self._planned[state.tobytes()])

    def _answer(self, conversation: Conversation, state: State, limit: Limit) -> Sequence[str]:
        """The actions of a turn. Adds a remark if they took much longer than the limit."""
        turn = TurnRequest(
            self._game, tuple(self._actions), state, limit, tuple(self._names), self._start_state, self._remark
        )  # fmt: skip
        began = perf_counter()
        names = conversation.choose(turn)
        given = None if isinstance(limit, Clock) else limit.seconds  # exceeding a clock loses instead
        if given is not None:
            told = max(given, conversation.least_seconds)
            if perf_counter() - began > len(names) * (_MUCH_LONGER * told + _DELAY):
                self._remark(f"{self.name} takes much longer for an action than its limit of {given:g} s")
        return names

    def _remark(self, text: str) -> None:
        if text not in self.remarks:
            self.remarks.append(text)

    def _plan(self, state: State, names: Sequence[str]) -> dict[bytes, int]:
        """State -> the action of the turn that is played in it. Raises Forfeit if one is not legal."""
        planned = {}
        for name in names:
            try:
                planned[state.tobytes()] = action = self._game.parse_action(state, name)
            except GameError:
                answer = " ".join(names)
                raise Forfeit(f"{self.name} answered {answer[:100]!r}, which is not legal") from None
            state = self._game.play(state, action)
        return planned

    def stop(self) -> None:
        """Ends the program; a `select` that waits for its answer forfeits. Any thread may call this."""
        self._interrupt()

    def close(self) -> None:
        if self._conversation:
            self._conversation.close()
        self._conversation = None


@contextmanager
def _told_if_slow(name: str) -> Iterator[None]:
    """Says on standard error that a program is still waited for, if starting a match with it takes long."""
    text = f"athenan: waiting for {name}, at most {STARTING:g} s for an answer"
    timer = Timer(_SOON, lambda: print(text, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def patience(limit: Limit, grace: float) -> float:
    """The seconds after which a silent program has failed: its limit plus a grace, or the grace alone."""
    seconds = limit.left + limit.increment + limit.overtime if isinstance(limit, Clock) else limit.seconds
    return (seconds or 0.0) + grace
