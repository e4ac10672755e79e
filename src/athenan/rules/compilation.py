"""Tells watchers which kernels are being compiled, as happens on a first start.

>>> with Watch(print):  # prints what is compiled, and None when that has ended
...     pass
"""

import threading
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, Self

from athenan.rules.compiler import keeps_code
from athenan.rules.numba_parts import COMPILING, Event, Listener, register


class Compilation(NamedTuple):
    """A function of the rules or the search that is being compiled, together with the functions it calls."""

    number: int
    """1 for the first compilation that this watcher was told of."""
    name: str
    """The function's module and name, such as "hex.actions"."""
    kept: bool
    """Whether the next start finds the function compiled."""

    def __str__(self) -> str:
        after = "; the next start finds them compiled" if self.kept else ""
        return f"compiling rules and search for this processor{after}"


Tell = Callable[[Compilation | None], None]


class Watch:
    """Calls `tell` when a compilation begins, and with None when it has ended, from `with` to its end.

    The thread that compiles makes the call. Only the watch that began last is told, so that two displays do not write
    to one terminal. With `own_thread` the watch is told only of compilations in the thread that began it, and no other
    watch is told of those.
    """

    def __init__(self, tell: Tell, own_thread: bool = False) -> None:
        self.tell, self.number = tell, 0
        self._own_thread = own_thread
        self.thread: int | None = None

    def __enter__(self) -> Self:
        self.thread = threading.get_ident() if self._own_thread else None
        _listen()
        with _lock:
            _watches.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        with _lock:
            _watches.remove(self)


_watches: list[Watch] = []
_lock = threading.Lock()


class _Listener(Listener):
    """Listens to the beginning and end of each compilation. Compilations of called functions are nested within it."""

    def __init__(self) -> None:
        self._of_thread = threading.local()

    def on_start(self, event: Event) -> None:
        thread = self._of_thread
        thread.depth = getattr(thread, "depth", 0) + 1
        if thread.depth > 1:
            return
        thread.watch = _watch_of(threading.get_ident())
        if thread.watch:
            thread.watch.number += 1
            function: Any = event.data["dispatcher"].py_func
            module = (function.__module__ or "").rpartition(".")[2]  # None in code that was typed in
            name = f"{module}.{function.__name__}" if module else function.__name__
            thread.watch.tell(Compilation(thread.watch.number, name, keeps_code()))

    def on_end(self, event: Event) -> None:
        thread = self._of_thread
        thread.depth -= 1
        if thread.depth == 0 and thread.watch:
            thread.watch.tell(None)


def _watch_of(thread: int) -> Watch | None:
    """The watch to tell of a thread's compilations: the one that began last."""
    with _lock:
        return next((one for one in reversed(_watches) if one.thread in (None, thread)), None)


@cache  # once a process
def _listen() -> None:
    register(COMPILING, _Listener())
