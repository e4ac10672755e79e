"""A check of a protocol of your own, as `check_game` is for a game: both ends meet, and its server takes every line.

>>> from athenan.engines.gtp.client import GtpConversation
>>> from athenan.engines.gtp.server import GtpServer
>>> check_protocol(GtpServer, GtpConversation, ["tictactoe"])
"""

from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue

import numpy as np

from athenan.engines.engine import Engine
from athenan.engines.program import Conversation, TurnRequest
from athenan.engines.serving import Server, Write
from athenan.engines.transport import Silent, Transport
from athenan.games.catalogue import make
from athenan.play.player import PlayerError
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game, GameError, State
from athenan.search.budget import Budget
from athenan.search.monte_carlo.mcts import Mcts

_LIMIT = Budget(iterations=20)
_PATIENCE = 60.0
"""Seconds that the client waits beyond the limit of an action."""


class ProtocolFault(AssertionError):
    """A protocol breaks a promise."""


def check_protocol(
    serve: Callable[[Engine, Write], Server],
    converse: Callable[[str, Transport, float], Conversation],
    games: Sequence[Game | str],
    matches: int = 2,
    lines: int = 200,
    seed: int = 0,
) -> None:
    """Raises ProtocolFault with the fault unless the two ends of a protocol keep their promises.

    `serve` makes the server of an engine, and `converse` the client of a program, from the program's name, what carries
    its lines, and the seconds beyond a limit. In each game the client asks the server for the actions of one side in
    random matches. Checked are: the answers are legal; the server has the position of the match; it takes any lines,
    made of the words that the client has sent, without raising. Raises GameError for a game that does not exist.
    """
    for game in map(make, games):
        ends = _Ends(serve, game)
        try:
            conversation = converse("the server", ends, _PATIENCE)
            for number in range(matches):
                _play(game, ends, conversation, number % game.players, np.random.default_rng(seed + number))
            for line in _mixed(ends.sent, lines, np.random.default_rng(seed)):
                ends.send(line)
        except PlayerError as error:
            raise ProtocolFault(f"{game.name}: the client gives up: {error}") from error
        finally:
            ends.close()


class _Ends:
    """Carries the lines of a client to a server in the same process, and its answers back."""

    name = "the server"

    def __init__(self, serve: Callable[[Engine, Write], Server], game: Game) -> None:
        self.engine = Engine(game, lambda one: SearchPlayer("mcts", Mcts(one), _LIMIT))
        self.sent = list[str]()
        self._answers = SimpleQueue[str]()
        self._server = serve(self.engine, self._write)

    def _write(self, text: str) -> None:
        for line in text.splitlines():
            self._answers.put(line)

    def send(self, line: str) -> None:
        self.sent.append(line)
        try:
            self._server.handle(line)
        except Exception as error:  # whatever a server of one's own raises
            fault = f"{self.engine.game.name}: the server raises {type(error).__name__} for the line {line!r}: {error}"
            raise ProtocolFault(fault) from error

    def receive(self, seconds: float) -> str:
        try:
            return self._answers.get(timeout=seconds)
        except Empty:
            raise Silent(f"{self.name} did not answer within {seconds:.3g} s") from None

    def close(self) -> None:
        self._server.close()


def _play(game: Game, ends: _Ends, conversation: Conversation, side: int, random: np.random.Generator) -> None:
    """Plays a match, in which the server plays a side and the other actions are random."""
    conversation.begin(game)
    state, actions, names = game.initial(), list[int](), list[str]()
    while game.outcome(state) is None:
        turn = [game.action_name(state, int(random.choice(game.actions(state))))]
        if game.player(state) == side:
            asked = TurnRequest(game, tuple(actions), state, _LIMIT, tuple(names))
            turn = [*conversation.choose(asked)]
            if not turn:
                raise ProtocolFault(f"{game.name}: the client gives no action in\n{game.text(state)}")
        before = state
        for name in turn:
            actions.append(_action(game, state, name))
            names.append(name)
            state = game.play(state, actions[-1])
        if game.player(before) == side:
            _require_there(ends.engine, before, state)


def _require_there(engine: Engine, before: State, after: State) -> None:
    """After an answer the server has the position before it or after it."""
    engine.wait()
    game, there = engine.game, engine.session.state
    if there.tobytes() not in (before.tobytes(), after.tobytes()):
        shown = f"{game.text(there)}\ninstead of\n{game.text(before)}"
        raise ProtocolFault(f"{game.name}: the server has the position\n{shown}")


def _action(game: Game, state: State, name: str) -> int:
    try:
        return game.parse_action(state, name)
    except GameError as error:
        raise ProtocolFault(f"{game.name}: the answer {name!r} is not legal in\n{game.text(state)}") from error


def _mixed(sent: Sequence[str], count: int, random: np.random.Generator) -> Iterator[str]:
    """Lines of up to five of the words that were sent, in any order. In every fourth line a character is replaced."""
    words = list(dict.fromkeys(word for line in sent for word in line.split()))
    for number in range(count):
        line = " ".join(random.choice(words, random.integers(6)))
        if number % 4 == 0:
            at = int(random.integers(len(line) + 1))
            line = line[:at] + chr(int(random.integers(1, 0x250))) + line[at + 1 :]
        yield line
