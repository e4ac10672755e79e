"""Ctrl-C in commands that have something to show when they are interrupted, and SIGTERM in all of them."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], Any]


@contextmanager
def ctrl_c_calls(stop: Callable[[], None]) -> Iterator[None]:
    """Inside the context the first Ctrl-C calls `stop`; the next one interrupts."""

    def interrupted(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print(file=sys.stderr)
        stop()

    with _handled(signal.SIGINT, signal.default_int_handler, interrupted):
        yield


class Terminated(KeyboardInterrupt):
    """SIGTERM, from a batch system, a container or `kill`, came instead of Ctrl-C."""


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Inside the context SIGTERM raises `Terminated` once, so that commands save and show what Ctrl-C would.

    More of it do nothing, so that what is being saved is saved.
    """

    def terminated(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Terminated

    with _handled(signal.SIGTERM, signal.SIG_DFL, terminated):
        yield


@contextmanager
def _handled(number: signal.Signals, usual: Handler | signal.Handlers, handler: Handler) -> Iterator[None]:
    """Handles a signal inside the context, instead of the usual handler.

    It has no effect where someone else decides what the signal means, or it is ignored, or in a thread besides the main
    one.
    """
    if signal.getsignal(number) is not usual or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, usual)
