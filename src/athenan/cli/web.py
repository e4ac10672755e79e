"""`athenan web`: a board in the browser."""

import errno
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from athenan.arena.roster import known_game
from athenan.cli.arguments import Argument
from athenan.cli.options import OwnRules, SparingThreads, allow_rules, is_game, parse
from athenan.games.catalogue import USUAL, make
from athenan.settings import Between, Mebibytes, readable

_LOCAL = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Web:
    """Serves a gallery of the games and a board in the browser: play any player, analyse any position, watch training.

    The server listens only on this machine, unless --host gives another address. Then it prints a link with a token,
    and answers only requests with that token. It runs until it is interrupted.
    """

    game: Annotated[str, Argument(positional=True, metavar="GAME|RUN", default="the gallery of the games")] = ""
    """The game to show first, such as hex:7, or a run directory, which is then also a player."""
    runs: Annotated[str, Argument(metavar="FOLDER", default="runs, if it exists")] = "runs"
    """The folder whose runs can be chosen as players, besides the package's networks. The page opens no other file."""
    player: Annotated[tuple[str, ...], Argument(repeated=True, metavar="NAME=PLAYER")] = ()
    """A player of any kind that the page offers under this name, such as fish=uci:stockfish. The page itself cannot
    start programs. Can be given several times."""
    port: Annotated[int, Between(0, 65535), Argument(metavar="N")] = 8420
    """The port to listen on. 0 takes a free one."""
    host: Annotated[str, Argument(metavar="ADDRESS")] = "127.0.0.1"
    """The address to listen on."""
    browser: bool = False
    """Open the page in the browser at once."""
    memory: Annotated[Mebibytes, Argument(metavar="MIB")] = 512
    """MiB that each search tree of a page may take. The trees of all pages take at most eight times as much, and never
    more than a quarter of the machine's memory."""
    threads: SparingThreads = None
    rules: OwnRules = ""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Web, "web", arguments)
    allow_rules(options.rules)
    import uvicorn

    from athenan.system.sockets import seen_from_outside
    from athenan.web.admission import new_token
    from athenan.web.choices import Choices, read_players
    from athenan.web.server import application

    folder = Path(options.runs)
    if options.runs != "runs" and not folder.is_dir():
        raise ValueError(f"--runs: there is no folder {options.runs}")
    named = dict[str, Path]()
    if not options.game or is_game(options.game):
        game = make(options.game or USUAL).name
    else:
        game = known_game(options.game) or ""
        path = Path(options.game).resolve()
        named = {readable(path.name): path}
    players = read_players(options.player)
    token = None if options.host in _LOCAL else new_token()
    choices = Choices(game, named, folder, players, options.memory << 20, options.threads)
    listening = _listening(options.host, options.port)
    host = seen_from_outside(options.host)
    name = f"[{host}]" if ":" in host else host
    site = f"http://{name}:{listening.getsockname()[1]}/"
    asked = f"?token={token}" if token else ""
    address = f"{site}{'play' if options.game else ''}{asked}"
    print(f"athenan: {address} (end with Ctrl+C)", flush=True)
    if options.browser:
        import webbrowser

        webbrowser.open(address)
    shared = f"{site}play{asked}" if token else ""
    config = uvicorn.Config(
        application(choices, token, shared), log_level="warning", ws_max_size=1 << 18, ws="websockets-sansio",
        ws_per_message_deflate=False,  # most pages are on this machine, and compression would take time from the search
        timeout_graceful_shutdown=2, access_log=False,
    )  # fmt: skip
    with listening:
        uvicorn.Server(config).run(sockets=[listening])
    print("athenan: the server has ended", file=sys.stderr)


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens there. Raises ValueError, which says what to do, if it cannot."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, UnicodeError) as error:
        number = error.errno or 0 if isinstance(error, OSError) else socket.EAI_NONAME
        if number == errno.EADDRNOTAVAIL or number < 0:  # a negative one is of the resolver of names
            raise ValueError(f"--host {host} is not an address of this machine") from None
        if number == errno.EADDRINUSE:
            raise ValueError(
                f"port {port} is in use, perhaps by another `athenan web`: --port 0 takes a free one"
            ) from None
        raise ValueError(f"cannot listen on port {port} of {host}: {os.strerror(number)}") from None
