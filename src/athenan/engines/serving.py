"""Serving a protocol: lines come in, a server handles each, and its answers go out, also while it thinks."""

from collections.abc import Callable, Iterator
from threading import Lock
from typing import Protocol, TextIO

LONGEST_LINE = 1_000_000
"""Characters; what is longer is taken as several lines."""

Write = Callable[[str], None]
"""Sends a text, which is one answer, whole; any thread may call it."""


class Server(Protocol):
    """One side of a protocol."""

    def handle(self, line: str) -> bool:
        """Handles a line of the other program; returns whether to go on."""

    def close(self) -> None:
        """Ends what is going on; no more lines come."""


def serve(server: Server, lines: Iterator[str]) -> None:
    """Handles lines until they end, or the server ends."""
    try:
        for line in lines:
            if not server.handle(line):
                return
    finally:
        server.close()


def lines_of(stream: TextIO) -> Iterator[str]:
    """The lines of a stream as they come."""
    while line := stream.readline(LONGEST_LINE):
        yield line


def writer(stream: TextIO) -> Write:
    """Writes to a stream, each text whole and at once."""
    lock = Lock()

    def write(text: str) -> None:
        with lock:
            stream.write(text)
            stream.flush()

    return write
