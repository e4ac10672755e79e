"""A worker process: it does one job after the other until its connection is closed."""

import os
import pickle
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from threading import Thread
from typing import Any

from athenan import loading
from athenan.jobs.job import JobError
from athenan.system.devices import take_share

_REACHING_ALL = [signal.SIGINT, *([] if os.name == "nt" else [signal.SIGHUP])]
"""Signals that reach all processes of a terminal: Ctrl-C, and its end."""


def at_end(function: Callable[[], object]) -> None:
    """Calls the function when this process ends in an orderly way, to close what a worker keeps from job to job."""
    Finalize(None, function, exitpriority=0)


def sleep_while_waiting() -> None:
    """Lets PyTorch's threads of this process sleep while they wait, unless its environment says otherwise.

    PyTorch reads this when it is loaded. If more threads run than there are cores, a thread that waits by spinning
    takes a core that others need.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def serve(connection: "Connection[Any, Any]", function: bytes, given: loading.Names, number: int = 0) -> None:
    """Receives jobs and sends (result, None) or (None, exception) until the connection is closed.

    A job is an argument and perhaps a new pickled value that this job and later ones share. `function` is also pickled:
    its imports happen after the first job is received, so that nobody waits. `given` are the names that the user gave
    to the process that started this one (`loading`). By its `number` a worker takes one of several GPUs.
    """
    sleep_while_waiting()
    take_share(number)
    loading.take_names(given)
    for one in _REACHING_ALL:
        signal.signal(one, signal.SIG_IGN)  # the parent decides
    signal.signal(signal.SIGTERM, _end_in_order)
    Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):  # the connection is closed
        common: list[Any] = []
        while True:
            job = connection.recv_bytes()
            connection.send_bytes(_answer(function, job, common))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is already ending


def _answer(function: bytes, job: bytes, common: list[Any]) -> bytes:
    """The answer to a job; keeps a new value in `common`."""
    try:
        argument, *news = pickle.loads(job)
        common[:] = [pickle.loads(value) for value in news] or common
        return pickle.dumps((pickle.loads(function)(argument, *common), None))
    except _Ending:
        raise
    except (Exception, SystemExit) as error:
        said = None if isinstance(error, ValueError) else loading.blamed(error)  # the parent does not have these frames
        told = error if isinstance(error, Exception) and not said else JobError(said or loading.what(error))
        told.add_note(f"In a worker process:\n{traceback.format_exc()}")
        return _failure(told)


def _failure(error: Exception) -> bytes:
    """The exception for the parent, as a JobError if it cannot be pickled."""
    try:
        data = pickle.dumps((None, error))
        pickle.loads(data)
    except Exception:
        return pickle.dumps((None, JobError(f"{type(error).__name__}: {error}")))
    return data


class _Ending(SystemExit):
    """A signal ends this process: unlike `sys.exit()` in the user's code, no fault of the job."""


def _end_in_order(*_: object) -> None:
    """Ends this process at a signal and closes what it keeps; another signal does not disturb this."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise _Ending(128 + signal.SIGTERM)


def _end_with_parent() -> None:
    """Ends this process if its parent was killed, even in the middle of a job."""
    parent = parent_process()
    assert parent, "serve is called in a worker process"
    parent.join()
    os._exit(1)
