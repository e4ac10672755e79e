"""Serving a protocol: lines come in, a server handles each, and its answers go out, even while it thinks."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Queue
from threading import Lock, Thread
from typing import Protocol, TextIO

from athenan.engines.engine import Engine

LONGEST_LINE = 1_000_000
"""Characters; a longer line is taken as several lines."""

LAST_WORDS = {"quit", "end"}
"""The commands with which the other program says that it waits only for the answers to what it has sent."""
READ_AHEAD = 1000
"""The most lines that are read ahead of handling."""

Write = Callable[[str], None]
"""Sends one answer as a whole. Any thread may call it."""


class Server(Protocol):
    """One side of a protocol."""

    def handle(self, line: str) -> bool:
        """Handles a line from the other program and returns whether to go on."""

    def hurry(self) -> None:
        """Makes the present search and later ones end with what they have found. Another thread may call this."""

    def close(self) -> None:
        """Ends all work; no more lines will come."""


class EngineServer(ABC):
    """A server that lets an engine think."""

    def __init__(self, engine: Engine, write: Write) -> None:
        self.engine, self._write = engine, write
        self._refused: str | None = None
        """Why the other program's last position was refused, and so is unknown; None: it was not refused."""

    @abstractmethod
    def handle(self, line: str) -> bool:
        """Handles a line of the other program; returns whether to go on."""

    def hurry(self) -> None:
        """Ends the present search and later ones with what they have found. Another thread may call this."""
        self.engine.hurry()

    def close(self) -> None:
        """Ends the present search."""
        self._stop()

    def _stop(self) -> None:
        """Ends the present search; a protocol may have to answer with what it has found."""
        self.engine.stop()

    @contextmanager
    def _taking_position(self) -> Iterator[None]:
        """Surrounds what takes a position of the other program. If it raises, the position is unknown."""
        self._refused = "it could not be read"
        try:
            yield
        except ValueError as error:
            self._refused = str(error)
            raise
        self._refused = None

    def _require_position(self) -> None:
        """Raises ValueError if the position is unknown: an answer would be meant for another one."""
        if self._refused is not None:
            raise ValueError(f"the position is unknown, as the last one was refused: {self._refused}")

    def _new_match(self) -> None:
        with self._taking_position():
            self.engine.session.new_match()

    def _tell(self, line: str) -> None:
        self._write(f"{line}\n")


def serve(server: Server, lines: Iterator[str]) -> None:
    """Handles lines until they end or the server ends.

    Lines are read while the server handles earlier ones. If they end without one of `LAST_WORDS`, the other program is
    gone, and the server hurries. Raises what reading raises, after handling all earlier lines.
    """
    read = Queue[str | BaseException | None](READ_AHEAD)
    Thread(target=_read, args=(lines, read, server.hurry), daemon=True).start()
    try:
        while isinstance(line := read.get(), str):
            if not server.handle(line):
                return
        if line:
            raise line
    finally:
        server.close()


def _read(lines: Iterator[str], read: "Queue[str | BaseException | None]", gone: Callable[[], None]) -> None:
    """Passes lines on as they come, then None or what reading raised."""
    words, end = set[str](), None
    try:
        for line in lines:
            read.put(line)
            words = set(line.lower().split()) or words
    except BaseException as error:
        end = error
    if not words & LAST_WORDS:
        gone()
    read.put(end)


def lines_of(stream: TextIO) -> Iterator[str]:
    """The lines of a stream as they come."""
    while line := stream.readline(LONGEST_LINE):
        yield line


def writer(stream: TextIO) -> Write:
    """Writes each text to a stream, whole and at once."""
    lock = Lock()

    def write(text: str) -> None:
        with lock:
            stream.write(text)
            stream.flush()

    return write
