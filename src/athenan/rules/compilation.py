"""Tells watchers which kernels are being compiled, as happens on a first start, and for which ones a thread waits.

>>> with Watch(print):  # prints what is compiled, and None when that has ended
...     pass
"""

import threading
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple, Self

from athenan.rules.compiler import keeps_code
from athenan.rules.numba_parts import COMPILING, LOCKING, Event, Listener, register


class Compilation(NamedTuple):
    """A function of the rules or the search that is being compiled, together with the functions it calls."""

    number: int
    """1 for the first compilation that this watcher was told of."""
    name: str
    """The function's module and name, such as "hex.actions"."""
    kept: bool
    """Whether the next start finds the function compiled."""
    elsewhere: bool = False
    """Whether another thread compiles it, while this one waits: only one compiles at a time. `number` is then 0."""

    def __str__(self) -> str:
        return f"Preparing rules and search for this processor{', once' if self.kept else ''}"


Tell = Callable[[Compilation | None], None]


class Watch:
    """Calls `tell` when a compilation begins, and with None when it has ended, from `with` to its end.

    The thread that compiles makes the call. Only the watch that began last is told, so that two displays do not write
    to one terminal. With `own_thread` the watch is told only of compilations in the thread that began it, and of those
    for which this thread waits. No other watch is told of the former.
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

    def __init__(self, waiting: "_Waiting") -> None:
        self._of_thread = threading.local()
        self._waiting = waiting

    def on_start(self, event: Event) -> None:
        thread = self._of_thread
        thread.depth = getattr(thread, "depth", 0) + 1
        if thread.depth > 1:
            return
        thread.watch = _watch_of(threading.get_ident())
        function: Any = event.data["dispatcher"].py_func
        module = (function.__module__ or "").rpartition(".")[2]  # None in code that was typed in
        name = f"{module}.{function.__name__}" if module else function.__name__
        if thread.watch:
            thread.watch.number += 1
            thread.watch.tell(Compilation(thread.watch.number, name, keeps_code()))
        self._waiting.begins(Compilation(0, name, keeps_code(), elsewhere=True))

    def on_end(self, event: Event) -> None:
        thread = self._of_thread
        if not getattr(thread, "depth", 0):  # it began before this listens
            return
        thread.depth -= 1
        if thread.depth == 0:
            self._waiting.ends()
            if thread.watch:
                thread.watch.tell(None)


class _Waiting(Listener):
    """Listens to numba's lock, and tells the watches of the threads that wait for it what is compiled meanwhile."""

    def __init__(self) -> None:
        self._of_thread = threading.local()
        self._now: Compilation | None = None
        self._watches = dict[int, Watch]()  # of the threads that want the lock, or have it and have compiled nothing
        self._told = set[int]()  # those that were told something

    def on_start(self, event: Event) -> None:
        thread = self._of_thread
        thread.depth = getattr(thread, "depth", 0) + 1
        own, watch = threading.get_ident(), _watch_of(threading.get_ident())
        if thread.depth == 1 and watch and watch.thread == own:
            with _lock:
                self._watches[own] = watch
            self._tell([own])

    def on_end(self, event: Event) -> None:
        thread = self._of_thread
        thread.depth = max(0, getattr(thread, "depth", 0) - 1)  # the lock may have been taken before this listens
        if thread.depth == 0 and (watch := self._leave()):
            watch.tell(None)

    def begins(self, now: Compilation) -> None:
        """Tells what begins to be compiled in this thread, which has the lock."""
        self._leave()
        self._now = now
        self._tell(list(self._watches))

    def ends(self) -> None:
        """Nothing is compiled any more."""
        self._now = None

    def _tell(self, threads: Iterable[int]) -> None:
        if (now := self._now) is None:
            return
        with _lock:
            watches = {thread: self._watches[thread] for thread in threads if thread in self._watches}
            self._told |= watches.keys()
        for watch in watches.values():
            watch.tell(now)

    def _leave(self) -> Watch | None:
        """Forgets that this thread waits. Returns its watch if it was told what it waits for."""
        own = threading.get_ident()
        with _lock:
            watch, told = self._watches.pop(own, None), own in self._told
            self._told.discard(own)
        return watch if told else None


def _watch_of(thread: int) -> Watch | None:
    """The watch to tell of a thread's compilations: the one that began last."""
    with _lock:
        return next((one for one in reversed(_watches) if one.thread in (None, thread)), None)


@cache  # once a process
def _listen() -> None:
    waiting = _Waiting()
    register(COMPILING, _Listener(waiting))
    register(LOCKING, waiting)
