"""Runs the checks in a fork, so that this process survives what they do.

A fork has the game itself, even one that no name makes. A fork of a process with threads may hang if it needs a lock
that another thread holds. The checks run only the rules, without torch, and this thread holds numba's lock.
"""

import faulthandler
import multiprocessing
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from signal import Signals

from athenan.loading import what
from athenan.rules.conformance.checks import Extent, check
from athenan.rules.conformance.progress import CallCounter
from athenan.rules.game import Game, GameError
from athenan.rules.numba_parts import global_compiler_lock

_POLL = 0.1
"""Seconds between two polls of a check."""

Report = Callable[[int, str], None]


def silent(calls: int, name: str) -> None:
    """Reports nothing."""


def can_fork() -> bool:
    """Whether this process can fork; Windows cannot, and the workers of `multiprocessing` may not."""
    return "fork" in multiprocessing.get_all_start_methods() and not multiprocessing.current_process().daemon


def watched(game: Game, extent: Extent, seconds: float, report: Report = silent) -> None:
    """Checks the game in another process and raises what the check raises there.

    Raises GameError if a call does not return within `seconds` or ends that process. `report` is called several times a
    second with the number of calls so far and the name of the last one.
    """
    context = multiprocessing.get_context("fork")
    progress, (ours, theirs) = CallCounter(context), context.Pipe(duplex=False)
    process = context.Process(target=_check, args=(theirs, game, extent, progress), daemon=True)
    with global_compiler_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns if this process has threads
        process.start()
    try:
        theirs.close()
        if not _answers(ours, progress, seconds, report):
            slow = f"{progress.name} did not return within {seconds:g} s"
            raise GameError(f"{game.name}: {slow}: is there an endless loop?")
        report(progress.calls, progress.name)
        try:
            error = ours.recv()
        except EOFError:
            process.join()
            raise GameError(f"{game.name}: {_end(process.exitcode or 0, progress.name)}") from None
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()
    if error is not None:
        raise GameError(error)


def _check(answer: Connection, game: Game, extent: Extent, progress: CallCounter) -> None:
    """Checks in the fork and sends the text of the error that the check raises, or None."""
    faulthandler.disable()  # the other process reports how this one ended
    try:
        checked(game, extent, progress)
    except GameError as error:
        answer.send(str(error))
    else:
        answer.send(None)


def checked(game: Game, extent: Extent, progress: CallCounter) -> None:
    """Checks the game in this process. Raises GameError, also if a kernel or a function of the game raises."""
    try:
        check(game, extent, progress.mark)
    except GameError:
        raise
    except Exception as error:
        raise GameError(f"{game.name}: {progress.name} raised {what(error)}") from error


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
    try:
        signal = Signals(-status).name
    except ValueError:
        signal = f"signal {-status}"
    return f"{signal} in {name}: this kernel, or one called before it, reads or writes far outside its arrays"
