"""Talking to another program in lines. A program that does not send or read a line in time has failed."""

import os
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic, sleep
from typing import IO, Protocol

from athenan.engines.process import Process
from athenan.play.player import Forfeit, PlayerError
from athenan.system.sockets import Address, new_address
from athenan.system.streams import Stream

_PAUSE = 0.02
"""Seconds between attempts to connect."""
_LONGEST_LINE = 1_000_000
_MOST_LINES = 1_000_000
"""The most lines that a program may send before it answers."""
_LONGEST_REPORT = 200
"""Characters shown of the last line that a program wrote before its end."""
_SENDING = 10.0
"""Seconds within which a program must read what is sent to it."""


class Silent(Forfeit):
    """A program has sent no line in time."""


class Transport(Protocol):
    """What a player needs from another program."""

    name: str
    """The program's name, for messages."""

    def send(self, line: str) -> None:
        """Sends a line. Raises Forfeit if the program has ended or does not read."""

    def receive(self, seconds: float) -> str:
        """The next line, without its line end. Raises Forfeit if the program has ended, Silent if none comes."""

    def close(self) -> None:
        """Ends the program."""


def ask(transport: Transport, line: str, seconds: float) -> str:
    """The answer of a program that answers each line with one line. Raises Forfeit without an answer."""
    transport.send(line)
    return transport.receive(seconds)


def answer(transport: Transport, seconds: float, wanted: Callable[[str], bool]) -> str:
    """The next line that is `wanted`. Raises Forfeit if none comes in time, or none among very many lines."""
    return next(line for line in answers(transport, seconds) if wanted(line))


def answers(transport: Transport, seconds: float) -> Iterator[str]:
    """The next lines as they come. Raises Forfeit when time runs out, even if lines still come, or after too many."""
    end, late = monotonic() + seconds, f"{transport.name} did not answer within {seconds:.3g} s"
    for number in range(_MOST_LINES):
        try:
            line = transport.receive(max(0.0, end - monotonic()))
        except Silent:
            raise Forfeit(f"{late}, but sent other lines" if number else late) from None
        yield line
        if monotonic() > end:
            raise Forfeit(f"{late}, but sent other lines")
    raise Forfeit(f"{transport.name} sent {_MOST_LINES:,} lines, and none was an answer")


class _Lines:
    """Lines through a stream."""

    def __init__(self, name: str, stream: Stream) -> None:
        self.name, self._stream, self._received = name, stream, b""

    def send(self, line: str) -> None:
        if not self._stream.send(f"{line}\n".encode(), _SENDING):
            raise Forfeit(f"{self.name} does not read what it is sent")

    def receive(self, seconds: float) -> str:
        end = monotonic() + seconds
        while b"\n" not in self._received:
            if len(self._received) > _LONGEST_LINE:
                raise Forfeit(f"{self.name} sends a line without an end")
            if (more := self._stream.receive(end - monotonic())) is None:
                raise Silent(f"{self.name} did not answer within {seconds:.3g} s")
            if not more:
                raise BrokenPipeError("end of its output")
            self._received += more
        line, _, self._received = self._received.partition(b"\n")
        return line.decode(errors="replace").strip()

    def close(self) -> None:
        """Drops what the program has sent; it has ended, or its connection is closed."""
        self._stream.close()


class PipeTransport:
    """A program that we start and that speaks through its standard input and output.

    It runs in the present folder. Ctrl-C in the terminal does not reach it. `close` ends it and all processes that it
    started. If this process ends, the program's input ends.
    """

    def __init__(self, name: str, command: Sequence[str]) -> None:
        """`name` is for messages. Raises PlayerError if the program cannot be started."""
        self.name = name
        self._process = Process(name, command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        started = self._process.popen
        assert started.stdin and started.stdout and started.stderr
        self._reports = _Reports(started.stderr)
        output, into = started.stdout.fileno(), started.stdin.fileno()
        self._lines = _Lines(name, Stream(partial(os.read, output), partial(os.write, into)))

    def send(self, line: str) -> None:
        try:
            self._lines.send(line)
        except OSError:
            raise Forfeit(self._end()) from None

    def receive(self, seconds: float) -> str:
        try:
            return self._lines.receive(seconds)
        except OSError:
            raise Forfeit(self._end()) from None

    def _end(self) -> str:
        """How the program ended, with the last line that it wrote to standard error."""
        program = self._process.popen
        with suppress(subprocess.TimeoutExpired):
            program.wait(1.0)
        status = "" if program.returncode is None else f", with status {program.returncode}"
        report = self._reports.last_line()
        return f"{self.name} has ended{status}{f': {report}' if report else ''}"

    def interrupt(self) -> None:
        """Ends only the program, so that a thread that waits for a line returns. Any thread may call this."""
        self._process.kill()

    def close(self) -> None:
        self._process.close()
        self._lines.close()
        if output := self._process.popen.stdout:
            output.close()


class _Reports:
    """A program's standard error: it is read as it comes, and only its end is kept."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._end = b""
        self._reading = Thread(target=self._read, args=(pipe,), daemon=True)
        self._reading.start()

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            while more := os.read(pipe.fileno(), 65536):
                self._end = (self._end + more)[-10 * _LONGEST_REPORT :]

    def last_line(self) -> str:
        """The last non-empty line of a program that has ended."""
        self._reading.join(1.0)
        lines = self._end.decode(errors="replace").split("\n")
        last = next((line.strip()[:_LONGEST_REPORT] for line in reversed(lines) if line.strip()), "")
        return "".join(sign if sign.isprintable() else "?" for sign in last)


class SocketTransport:
    """A program that we start and that listens at a socket of this machine.

    It runs in a temporary folder, which is also its home, so that it reads and writes no files of the user. Ctrl-C in
    the terminal does not reach it. `close` ends it. If this process ends, the program's socket and input end.
    """

    def __init__(
        self, name: str, command: Sequence[str], commands: Callable[[str], Sequence[str]], timeout: float = 60.0
    ) -> None:
        """Starts `command`, writes what `commands` makes from the socket's address to its input, and connects.

        `name` is for messages; `timeout` is in seconds. Raises PlayerError if the program cannot be started or does not
        listen in time.
        """
        self.name, self._timeout = name, timeout
        self._connection: socket.socket | None = None
        self._folder = TemporaryDirectory(prefix="athenan-")
        address = new_address(Path(self._folder.name))
        try:
            self._process = Process(
                name, command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self._folder.name,
                env=os.environ | {"HOME": self._folder.name},
            )  # fmt: skip
        except PlayerError:
            self._folder.cleanup()
            raise
        try:
            self._write_input("".join(f"{line}\n" for line in commands(address.text)))
            self._connection = self._connected(address)
            self._lines = _Lines(name, Stream(self._connection.recv, self._connection.send))
        except BaseException:
            self.close()
            raise

    def _write_input(self, text: str) -> None:
        """Writes to the program's input and leaves it open: a program may end when its input ends."""
        pipe = self._process.popen.stdin
        assert pipe
        with suppress(BrokenPipeError):  # it has ended, which `_connected` reports
            pipe.write(text.encode())
            pipe.flush()

    def _connected(self, address: Address) -> socket.socket:
        """Connects as soon as the program listens."""
        end = monotonic() + self._timeout
        while monotonic() < end:
            if (status := self._process.popen.poll()) is not None:
                raise PlayerError(f"{self.name} ended at once, with status {status}")
            try:
                return address.connected()
            except OSError:
                sleep(_PAUSE)
        raise PlayerError(f"{self.name} did not accept a connection within {self._timeout:g} s")

    def send(self, line: str) -> None:
        try:
            self._lines.send(line)
        except OSError as error:
            raise Forfeit(f"{self.name} has ended: {error}") from None

    def receive(self, seconds: float) -> str:
        try:
            return self._lines.receive(seconds)
        except OSError as error:
            raise Forfeit(f"{self.name} has ended: {error}") from None

    def close(self) -> None:
        self._process.close()
        if self._connection:
            with suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)
            self._lines.close()
            self._connection.close()
        self._folder.cleanup()
