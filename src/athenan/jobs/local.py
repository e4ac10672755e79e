"""Workers as processes of this machine, each with its own pipe, so that a dying worker disturbs no other."""

import pickle
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import wait
from time import monotonic
from typing import Any

from athenan import loading
from athenan.jobs.team import Lost
from athenan.jobs.worker import serve
from athenan.system.processes import signal_name

_CONTEXT = get_context("spawn")
"""Fresh processes: a fork of a process with threads of PyTorch or numba may hang."""
_PATIENCE = 5.0
"""Seconds that a worker has to end in an orderly way."""


class _Process:
    """A worker."""

    ready = True

    def __init__(self, function: Callable[..., Any], packed: "_Packed", number: int) -> None:
        self.number = number
        self.connection, theirs = _CONTEXT.Pipe()
        given = theirs, pickle.dumps(function), loading.names_given(), number
        self.process = _CONTEXT.Process(target=serve, args=given, daemon=True)
        self.process.start()
        theirs.close()  # then the connection ends with the process
        self._packed = packed
        self._has: Any = None

    def begin(self, argument: Any, common: tuple[Any, ...]) -> None:
        """See `Worker`."""
        news = [self._packed.of(value) for value in common if value is not self._has]
        self._has = common[0] if common else None
        with suppress(OSError):  # it has died, and `result` will find out
            self.connection.send((argument, *news))

    def result(self) -> Any:
        """See `Worker`."""
        try:
            result, error = self.connection.recv()
        except (EOFError, OSError):
            raise Lost(self._end) from None
        if error is not None:
            raise error
        return result

    @property
    def _end(self) -> str:
        """How the process ended, in words."""
        self.process.join(_PATIENCE)
        code = self.process.exitcode or 0
        return f"by {signal_name(-code)}" if code < 0 else f"with the status {code}"


class _Packed:
    """The value that jobs share, pickled once for all workers."""

    def __init__(self) -> None:
        self._value, self._bytes = object(), b""

    def of(self, value: Any) -> bytes:
        if value is not self._value:
            self._value, self._bytes = value, pickle.dumps(value)
        return self._bytes


class Processes:
    """Workers on the machine of the caller."""

    def __init__(self, function: Callable[..., Any], workers: int) -> None:
        self._function = function
        self._packed = _Packed()
        self._hired = list[_Process]()
        self.room = workers

    def hire(self) -> _Process:
        """See `Workplace`. A worker gets the lowest number that no living one has; this process has 0."""
        self._hired = [worker for worker in self._hired if worker.process.is_alive()]
        taken = {worker.number for worker in self._hired}
        number = next(number for number in count(1) if number not in taken)
        self._hired.append(_Process(self._function, self._packed, number))
        return self._hired[-1]

    def answered(self, workers: Sequence[_Process], seconds: float | None) -> list[_Process]:
        """See `Workplace`."""
        ready = wait([worker.connection for worker in workers], seconds)
        return [worker for worker in workers if worker.connection in ready]

    def end(self, workers: Sequence[_Process], busy: Sequence[_Process]) -> None:
        """See `Workplace`."""
        for worker in workers:
            worker.connection.close()
            if worker in busy:
                worker.process.terminate()
        deadline = monotonic() + _PATIENCE
        for worker in workers:
            worker.process.join(max(0.0, deadline - monotonic()))
            worker.process.kill()
            worker.process.join()
