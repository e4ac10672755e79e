"""Threads that share the rows of a batch: started once, they wait for the next piece of work without using the core."""

import os
import threading
import weakref
from collections.abc import Callable


class Crew:
    """Runs one function in several threads at once, the caller's among them.

    The function must release Python's lock, as kernels do. The threads end with the crew. Only one thread may use a
    crew at a time.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._helpers = list[_Helper]()
        self._process = 0

    def run(self, work: Callable[[int], object]) -> None:
        """Calls work(number of the thread) in every thread, and waits for all. The caller's thread has the number 0.

        Raises the first exception of one of them.
        """
        if self._process != os.getpid():  # at the first call, and in a fork, where no thread lives on
            self._process = os.getpid()
            self._helpers = [_Helper(number) for number in range(1, self.threads)]
            weakref.finalize(self, _end, self._helpers).atexit = False
        errors = list[BaseException | None]()
        try:
            for helper in self._helpers:
                helper.begin(work)
            try:
                work(0)
            finally:
                errors += [helper.wait() for helper in self._helpers]
        finally:
            if len(errors) < len(self._helpers):  # Ctrl-C: some go on, so that the next call needs others
                self._process = 0
        for error in errors:
            if error is not None:
                raise error


class _Helper:
    """A thread that runs one function after the other."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._go, self._done = threading.Lock(), threading.Lock()  # the other thread releases what this one waits for
        self._go.acquire()
        self._done.acquire()
        self._work: Callable[[int], object] | None = None
        self._error: BaseException | None = None
        threading.Thread(target=self._serve, name="athenan-rows", daemon=True).start()

    def begin(self, work: Callable[[int], object] | None) -> None:
        """Starts a piece of work; None ends the thread."""
        self._work = work
        self._go.release()

    def wait(self) -> BaseException | None:
        """Waits for the end of the work; returns what it raised."""
        self._done.acquire()
        error, self._error, self._work = self._error, None, None
        return error

    def _serve(self) -> None:
        while True:
            self._go.acquire()
            if self._work is None:
                return
            try:
                self._work(self._number)
            except BaseException as error:
                self._error = error
            self._done.release()


def _end(helpers: list[_Helper]) -> None:
    for helper in helpers:
        helper.begin(None)
