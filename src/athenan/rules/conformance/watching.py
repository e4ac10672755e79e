"""Runs the trial of a user's part, such as a game, in a fork, so that this process survives what the trial does.

A fork has the part itself, even one that no name makes. A fork of a process with threads may hang if it needs a lock
that another thread holds. Trials run only compiled code and Python's, without torch, and this thread holds numba's
lock.
"""

import faulthandler
import logging
import multiprocessing
import time
import warnings
from collections.abc import Callable
from contextvars import Context
from multiprocessing.connection import Connection

from athenan.loading import what
from athenan.rules.conformance.progress import CallCounter, Mark
from athenan.rules.numba_parts import global_compiler_lock
from athenan.system.processes import signal_name

_POLL = 0.1
"""Seconds between two polls of a trial."""
_log = logging.getLogger("athenan")

Trial = Callable[[Mark], None]
"""Tries something, and tells the mark what it is about to call. Raises an error with the fault."""

Report = Callable[[int, str], None]


def silent(calls: int, name: str) -> None:
    """Reports nothing."""


def can_fork() -> bool:
    """Whether this process can fork; Windows cannot, and the workers of `multiprocessing` may not."""
    return "fork" in multiprocessing.get_all_start_methods() and not multiprocessing.current_process().daemon


def tried(name: str, trial: Trial, seconds: float, refusal: type[ValueError], report: Report = silent) -> None:
    """Makes the trial of what has this `name`, in a fork of this process or, if it cannot fork, here with a warning.

    Raises the `refusal` that the trial raises, or one with the last call if the trial raises anything else, or if a
    call does not return within `seconds` or ends the process. `report` is called several times a second with the number
    of calls so far and the name of the last one.
    """
    if can_fork():
        _watched(name, trial, seconds, refusal, report)
        return
    _log.warning(
        "%s is checked in this process, as this system cannot fork: an endless loop or a far write would end it", name
    )
    progress = CallCounter(multiprocessing.get_context())
    _made(name, trial, refusal, progress)
    report(progress.calls, progress.name)


def _watched(name: str, trial: Trial, seconds: float, refusal: type[ValueError], report: Report) -> None:
    """Makes the trial in a fork and raises what it raises there."""
    context = multiprocessing.get_context("fork")
    progress, (ours, theirs) = CallCounter(context), context.Pipe(duplex=False)
    process = context.Process(target=_in_fork, args=(theirs, name, trial, refusal, progress), daemon=True)
    with global_compiler_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns if this process has threads
        process.start()
    try:
        theirs.close()
        if not _answers(ours, progress, seconds, report):
            slow = f"{progress.name} did not return within {seconds:g} s"
            raise refusal(f"{name}: {slow}: is there an endless loop?")
        report(progress.calls, progress.name)
        try:
            error = ours.recv()
        except EOFError:
            process.join()
            raise refusal(f"{name}: {_end(process.exitcode or 0, progress.name)}") from None
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()
    if error is not None:
        raise refusal(error)


def _in_fork(answer: Connection, name: str, trial: Trial, refusal: type[ValueError], progress: CallCounter) -> None:
    """Makes the trial in the fork and sends the text of the error that it raises, or None."""
    faulthandler.disable()  # the other process reports how this one ended
    try:
        _made(name, trial, refusal, progress)
    except refusal as error:
        answer.send(str(error))
    else:
        answer.send(None)


def _made(name: str, trial: Trial, refusal: type[ValueError], progress: CallCounter) -> None:
    """Makes the trial in this process. Raises a `refusal`, also if what it calls raises anything else."""
    try:
        Context().run(trial, progress.mark)  # it may compile what it needs even within `only_compiled`
    except refusal:
        raise
    except Exception as error:
        raise refusal(f"{name}: {progress.name} raised {what(error)}") from error


def _answers(ours: Connection, progress: CallCounter, seconds: float, report: Report) -> bool:
    """Whether the check ends in any way before a call takes longer than `seconds`."""
    calls, since = 0, time.monotonic()
    while not ours.poll(_POLL):  # also true at its end
        report(progress.calls, progress.name)
        if (now := progress.calls) != calls:
            calls, since = now, time.monotonic()
        elif time.monotonic() - since > seconds:
            return False
    return True


def _end(status: int, name: str) -> str:
    """How the process ended, in words."""
    if status >= 0:
        return f"the process that checked it ended with status {status} in {name}"
    ended = signal_name(-status)
    return f"{ended} in {name}: this kernel, or one called before it, reads or writes far outside its arrays"
