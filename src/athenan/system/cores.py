"""The cores of this machine."""

import os
from collections.abc import Sequence


def usable_cores() -> list[int] | None:
    """The numbers of the cores that this process may use, ascending; None where the system does not say (macOS)."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    if os.name == "nt":
        import psutil

        return sorted(psutil.Process().cpu_affinity())
    return None


def available_cores() -> int:
    """The number of cores that this process may use; on systems that do not say, such as macOS, of all cores."""
    usable = usable_cores()
    return os.cpu_count() or 1 if usable is None else len(usable)


def stay_on(cores: Sequence[int]) -> None:
    """Lets all threads of this process run on these cores only. Does nothing where `usable_cores` is None."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
    elif os.name == "nt":
        import psutil

        psutil.Process().cpu_affinity(list(cores))
