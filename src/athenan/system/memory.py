"""How much memory this machine has."""

import os
from contextlib import suppress
from pathlib import Path

_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Files in which Linux states the limit of a container."""


def of_machine() -> int:
    """The bytes of memory that this machine has or, in a container on Linux, that the container may take."""
    return min([_installed(), *_of_container()])


def _installed() -> int:
    if hasattr(os, "sysconf") and {"SC_PHYS_PAGES", "SC_PAGE_SIZE"} <= set(os.sysconf_names):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    import psutil

    return int(psutil.virtual_memory().total)


def _of_container() -> list[int]:
    """The limits of the container, if there are any."""
    found = list[int]()
    for file in _LIMITS:
        with suppress(OSError, ValueError):  # there is no such file, or it says max
            found.append(int(file.read_text(encoding="ascii")))
    return [limit for limit in found if limit > 0]
