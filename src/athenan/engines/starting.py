"""Starting programs as players."""

import shlex

from athenan import settings
from athenan.engines.names import ProtocolName
from athenan.engines.program import Conversation, ProgramPlayer
from athenan.engines.protocols import CONVERSATIONS
from athenan.engines.transport import PipeTransport
from athenan.play.player import PlayerError
from athenan.rules.game import Game

DEFAULT_TIMEOUT = 10.0


def start_program(game: Game, protocol: ProtocolName, command: str, timeout: float = DEFAULT_TIMEOUT) -> ProgramPlayer:
    """The player that is the program of a command, which may take `timeout` seconds more than its limits.

    Raises PlayerError if it cannot be started, or does not play the game.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise PlayerError(f"the command {command!r} cannot be read: {error}") from None
    if not words:
        raise PlayerError(f"a command is missing: {protocol}:COMMAND, such as {protocol}:./engine")
    name = f"{protocol}:{command}"
    if timeout != DEFAULT_TIMEOUT:
        name += f",timeout={settings.written(timeout)}"

    started = list[PipeTransport]()

    def start() -> Conversation:
        started[:] = [PipeTransport(name, words)]
        return CONVERSATIONS[protocol](name, started[0], timeout)

    def interrupt() -> None:
        started[0].interrupt()

    return ProgramPlayer(game, name, start, interrupt)
