"""The cores of this machine: no two trainings share one, in all experiments of a user."""

import fcntl
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from multiprocessing import parent_process
from pathlib import Path

from athenan.experiments.description import ExperimentError
from athenan.runs.run import available_cores

_PAUSE = 0.5
_held = list[int]()
"""The open files with which this process holds its cores."""


def side_by_side(cores: int) -> int:
    """The number of trainings with this many cores each that can run at once. Raises ExperimentError if none can."""
    if cores > available_cores():
        raise ExperimentError(f"--cores must be at most {available_cores()}, which this process may use, not {cores}")
    return available_cores() // cores


def take_cores(count: int) -> None:
    """Reserves cores for this worker process, for as long as it lives; waits for them if other trainings hold them.

    All its threads run on them. A killed process frees its cores.
    """
    if _held or parent_process() is None:
        return
    locks = Path(tempfile.gettempdir(), f"athenan-cores-{os.getuid()}")
    locks.mkdir(exist_ok=True)
    mine = sorted(os.sched_getaffinity(0))
    share, files = wait_for_cores(locks, [mine[at : at + count] for at in range(0, len(mine) - count + 1, count)])
    _held.extend(files)
    os.sched_setaffinity(0, share)


def wait_for_cores(locks: Path, shares: Sequence[Sequence[int]]) -> tuple[Sequence[int], list[int]]:
    """The first share whose cores are all free, and the open files that hold them. Says so if it has to wait."""
    told = False
    while True:
        for share in shares:
            if files := lock(locks / str(core) for core in share):
                return share, files
        if not told:
            told = True
            print("athenan: waiting for cores that trainings of another experiment hold", file=sys.stderr, flush=True)
        time.sleep(_PAUSE)


def lock(paths: Iterable[Path]) -> list[int]:
    """The files, open and locked; empty if another process holds one of them."""
    files = list[int]()
    for path in paths:
        files.append(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644))
        try:
            fcntl.flock(files[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            for file in files:
                os.close(file)
            return []
    return files
