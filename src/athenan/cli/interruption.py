"""Ctrl-C in commands that have something to show when they are interrupted."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ctrl_c_calls(stop: Callable[[], None]) -> Iterator[None]:
    """Inside the context the first Ctrl-C calls `stop`; the next one interrupts."""
    usual = signal.getsignal(signal.SIGINT)

    def interrupted(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, usual)
        print(file=sys.stderr)
        stop()

    if usual is not signal.default_int_handler:  # someone else decides what Ctrl-C means, or it is ignored
        yield
        return
    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
