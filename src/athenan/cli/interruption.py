"""Ctrl-C in commands that have something to show when they are interrupted; SIGTERM and SIGHUP in all of them."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
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


ENDING = [signal.SIGTERM, *([] if os.name == "nt" else [signal.SIGHUP])]
"""The signals by which others end a command: a batch system, a container, `kill`, and a terminal that is closed."""
_SOON = 0.02
"""Seconds after which Python has called back."""


class Ended(KeyboardInterrupt):
    """A signal that ends the command came instead of Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = signal.Signals(number)


@contextmanager
def ending_interrupts() -> Iterator[None]:
    """Inside the context a signal that ends raises `Ended` once, so that commands save and show what Ctrl-C would.

    More of them do nothing, so that what is being saved is saved.
    """

    def ended(number: int, frame: FrameType | None) -> None:
        for one in ENDING:
            signal.signal(one, signal.SIG_IGN)
        raise Ended(number)

    with ExitStack() as handled:
        for number in ENDING:
            handled.enter_context(_handled(number, signal.SIG_DFL, ended))
        handled.enter_context(_raised_again(ended))
        yield


@contextmanager
def _raised_again(handler: Handler) -> Iterator[None]:
    """Inside the context an `Ended` that nobody can catch is raised once more.

    Python drops what is raised while it calls back from its management of memory, as in `__del__`.
    """
    usual = sys.unraisablehook

    def dropped(what: Any) -> None:
        if not isinstance(what.exc_value, Ended):
            usual(what)
            return
        number = what.exc_value.signal
        signal.signal(number, handler)
        threading.Timer(_SOON, _send, (number,)).start()

    sys.unraisablehook = dropped
    try:
        yield
    finally:
        sys.unraisablehook = usual


def _send(number: signal.Signals) -> None:
    """Sends a signal to this process."""
    if os.name == "nt":  # where `os.kill` ends a process
        signal.raise_signal(number)
    else:
        os.kill(os.getpid(), number)


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
