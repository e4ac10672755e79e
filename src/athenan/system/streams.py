"""Bytes from and to another program, with limits of time, through pipes or a socket.

Threads wait for the bytes, because Windows cannot wait for a pipe with a limit. A program that sends much more than is
read has to wait itself.
"""

from collections.abc import Callable
from contextlib import suppress
from queue import Empty, Queue
from threading import Semaphore, Thread

_CHUNK = 65536
_MOST_UNREAD = 16
"""Chunks that wait to be received."""
_PAUSE = 0.01


class Stream:
    """Both directions of a connection with a program."""

    def __init__(self, read: Callable[[int], bytes], write: Callable[[bytes], int]) -> None:
        """`read` waits for some bytes, at most so many, b"" at the end; `write` takes some and returns their number."""
        self._read, self._write = read, write
        self._incoming: Queue[bytes] = Queue(_MOST_UNREAD)
        self._outgoing: Queue[bytes | None] = Queue()
        self._written, self._ended = Semaphore(0), False
        self._failure: OSError | None = None
        self._threads = [Thread(target=run, daemon=True) for run in (self._receive, self._send)]
        for thread in self._threads:
            thread.start()

    def receive(self, seconds: float) -> bytes | None:
        """The next bytes, b"" if the program has ended its output, None if nothing comes within `seconds`."""
        if self._ended:
            return b""
        try:
            chunk = self._incoming.get(timeout=seconds) if seconds > 0 else self._incoming.get_nowait()
        except Empty:
            return None
        self._ended = not chunk
        return chunk

    def send(self, data: bytes, seconds: float) -> bool:
        """Sends bytes; whether the program took them within `seconds`. Raises OSError if it has ended."""
        self._outgoing.put(data)
        sent = self._written.acquire(timeout=seconds)
        if self._failure:
            raise self._failure
        return sent

    def close(self) -> None:
        """Ends the threads. The program has ended, or the connection is closed; what it sent is dropped."""
        self._outgoing.put(None)
        while any(thread.is_alive() for thread in self._threads):
            with suppress(Empty):
                self._incoming.get(timeout=_PAUSE)

    def _receive(self) -> None:
        chunk = b"?"
        while chunk:
            try:
                chunk = self._read(_CHUNK)
            except OSError:
                chunk = b""
            self._incoming.put(chunk)

    def _send(self) -> None:
        while (data := self._outgoing.get()) is not None:
            try:
                while data:
                    data = data[self._write(data) :]
            except OSError as error:
                self._failure = error
            self._written.release()
