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


def start_program(
    game: Game,
    protocol: ProtocolName,
    command: str,
    timeout: float = DEFAULT_TIMEOUT,
    setup: str = "",
    options: str = "",
    passes: bool = True,
) -> ProgramPlayer:
    """A player that runs the program of a command. The program may take `timeout` seconds more than its limits.

    `setup` lists commands, and `options` lists options as NAME=VALUE, in parentheses or quotes, separated by
    semicolons. If `passes` is false, forced passes are neither sent nor asked for. A protocol takes the settings that
    its conversation has. Raises PlayerError if the program cannot be started or does not play the game.
    """
    words = words_of(protocol, command)
    own = {key: found for key, text in (("setup", setup), ("options", options)) if (found := listed(text))}
    told = {key: f"({'; '.join(found)})" for key, found in own.items()}
    if timeout != DEFAULT_TIMEOUT:
        told["timeout"] = settings.written(timeout)
    if not passes:
        told["passes"] = "false"
    name = "".join([f"{protocol}:{command}", *(f",{key}={text}" for key, text in told.items())])
    more: dict[str, object] = {**own, **({} if passes else {"passes": False})}

    started = list[PipeTransport]()

    def start() -> Conversation:
        started[:] = [PipeTransport(name, words)]
        return CONVERSATIONS[protocol](name, started[0], timeout, **more)

    def interrupt() -> None:
        started[0].interrupt()

    return ProgramPlayer(game, name, start, interrupt)


def words_of(protocol: str, command: str) -> list[str]:
    """The program of a command and its arguments. Raises PlayerError if there are none."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise PlayerError(f"the command {command!r} cannot be read: {error}") from None
    if not words:
        raise PlayerError(f"a command is missing: {protocol}:COMMAND, such as {protocol}:./engine")
    return words


def listed(text: str) -> list[str]:
    """The non-empty parts of (ONE; ANOTHER) or "ONE; ANOTHER". Raises PlayerError for more than one line."""
    inner = text.strip()
    if len(inner) > 1 and inner[0] + inner[-1] in ("()", '""'):
        inner = inner[1:-1]
    if not inner.isprintable():
        raise PlayerError(f"{settings.shown(text)} must be one line, with semicolons between its parts")
    return [part.strip() for part in inner.split(";") if part.strip()]
