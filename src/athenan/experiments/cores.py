"""The cores of this machine: no two trainings share one, in all experiments of a user."""

import os
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from multiprocessing import parent_process
from pathlib import Path

from athenan.experiments.description import ExperimentError
from athenan.system import locks
from athenan.system.cores import available_cores, stay_on, usable_cores

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

    All its threads run on them. A killed process frees its cores. Where the system gives no process cores of its own
    (macOS), trainings are only counted: as many run at once as the cores suffice for.
    """
    if _held or parent_process() is None:
        return
    folder = Path(tempfile.gettempdir(), f"athenan-cores-{getattr(os, 'getuid', lambda: 'mine')()}")
    folder.mkdir(exist_ok=True)
    mine = usable_cores() or list(range(available_cores()))
    share, files = wait_for_cores(folder, [mine[at : at + count] for at in range(0, len(mine) - count + 1, count)])
    _held.extend(files)
    stay_on(share)


def wait_for_cores(folder: Path, shares: Sequence[Sequence[int]]) -> tuple[Sequence[int], list[int]]:
    """The first share whose cores are all free, and the open files that hold them. Says so if it has to wait."""
    told = False
    while True:
        for share in shares:
            if files := lock(folder / str(core) for core in share):
                return share, files
        if not told:
            told = True
            print("athenan: waiting for cores that trainings of another experiment hold", file=sys.stderr, flush=True)
        time.sleep(_PAUSE)


def lock(paths: Iterable[Path]) -> list[int]:
    """The files, open and locked; empty if another process holds one of them."""
    files = list[int]()
    for path in paths:
        files.append(locks.opened(Path(path)))
        if not locks.hold(files[-1]):
            for file in files:
                os.close(file)
            return []
    return files
