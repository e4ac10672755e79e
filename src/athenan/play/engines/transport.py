"""Talking to another program: a line is sent, a line comes back, or there is an error within a time limit."""

import socket
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from os import environ
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Protocol

from athenan.play.player import PlayerError

_PAUSE = 0.02
"""Seconds between attempts to connect."""
_LONGEST_ANSWER = 100_000


class Transport(Protocol):
    """What a player needs of another program."""

    def ask(self, line: str) -> str:
        """The program's answer to a line, without the end of the line. Raises PlayerError if there is none."""

    def close(self) -> None:
        """Ends the program."""


class SocketTransport:
    """A program that we start, and that listens at a Unix socket.

    It runs in a temporary folder, which is its home, too, so that it reads and writes no files of the user; Ctrl-C in
    the terminal does not reach it. `close` ends it, and if this process ends, its socket and its input do.
    """

    def __init__(
        self, name: str, command: Sequence[str], commands: Callable[[str], Sequence[str]], timeout: float = 60.0
    ) -> None:
        """Starts `command`, writes to its input the lines that `commands` makes of the socket's path, and connects.

        `name` is for messages; `timeout` is in seconds, for starting, and for each answer. Raises PlayerError if the
        program cannot be started, or does not listen in time.
        """
        self.name, self.timeout, self._received = name, timeout, b""
        self._connection: socket.socket | None = None
        self._folder = TemporaryDirectory(prefix="athenan-")
        path = str(Path(self._folder.name) / "socket")
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                cwd=self._folder.name, env=environ | {"HOME": self._folder.name}, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            self._folder.cleanup()
            raise PlayerError(f"{name} cannot be started: {error}") from None
        try:
            self._write_input("".join(f"{line}\n" for line in commands(path)))
            self._connection = self._connected(path)
        except BaseException:
            self.close()
            raise

    def _write_input(self, text: str) -> None:
        """Writes the program's input, which stays open: a program may end with its input."""
        assert self._process.stdin
        with suppress(BrokenPipeError):  # it has ended, which `_connected` reports
            self._process.stdin.write(text.encode())
            self._process.stdin.flush()

    def _connected(self, path: str) -> socket.socket:
        """A connection, as soon as the program listens."""
        end = monotonic() + self.timeout
        while monotonic() < end:
            if (status := self._process.poll()) is not None:
                raise PlayerError(f"{self.name} ended at once, with status {status}")
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(path)
            except OSError:
                connection.close()
                sleep(_PAUSE)
            else:
                return connection
        raise PlayerError(f"{self.name} did not take a connection within {self.timeout:g} s")

    def ask(self, line: str) -> str:
        assert self._connection, "closed"
        end = monotonic() + self.timeout
        try:
            self._connection.settimeout(self.timeout)
            self._connection.sendall(f"{line}\n".encode())
            while b"\n" not in self._received:
                self._connection.settimeout(max(1e-3, end - monotonic()))
                more = self._connection.recv(4096)
                if not more or len(self._received) > _LONGEST_ANSWER:
                    raise PlayerError(f"{self.name} has ended" if not more else f"{self.name} answers without an end")
                self._received += more
        except TimeoutError:
            raise PlayerError(f"{self.name} did not answer within {self.timeout:g} s") from None
        except OSError as error:
            raise PlayerError(f"{self.name} has ended: {error}") from None
        answer, _, self._received = self._received.partition(b"\n")
        return answer.decode(errors="replace").strip()

    def close(self) -> None:
        if self._connection:
            self._connection.close()
        self._process.kill()
        with suppress(BrokenPipeError):
            self._process.communicate()
        self._folder.cleanup()
