"""Ctrl-C in commands that have something to show when they are interrupted, and SIGTERM in all of them."""

import signal
import sys
import threading
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


class Terminated(KeyboardInterrupt):
    """SIGTERM, from a batch system, a container or `kill`, came instead of Ctrl-C."""


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Inside the context SIGTERM raises `Terminated` once, so that commands save and show what Ctrl-C would.

    More of it do nothing, so that what is being saved is saved. It has no effect where someone else decides what
    SIGTERM means, or in a thread besides the main one.
    """
    usual = signal.getsignal(signal.SIGTERM)

    def terminated(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Terminated

    if usual is not signal.SIG_DFL or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, usual)
