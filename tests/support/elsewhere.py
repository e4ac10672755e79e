"""Runs commands of athenan without what only some systems have: `python elsewhere.py COMMAND...`, each one text.

Linux stands for Windows and macOS here: it shows that no command needs these modules and functions. It does not show
that what replaces them on those systems works.
"""

import os
import select
import shlex
import socket
import sys
import time
from functools import partial

socket.socketpair = partial(socket.socketpair, socket.AF_UNIX)  # other systems' own needs no Unix sockets
for module in ("fcntl", "pwd", "grp", "resource", "termios"):
    sys.modules[module] = None  # type: ignore[assignment]
for owner, names in (
    (os, ("fork", "forkpty", "killpg", "setsid", "getuid", "sched_getaffinity", "sched_setaffinity", "O_CLOEXEC")),
    (select, ("poll",)),
    (time, ("clock_gettime", "CLOCK_MONOTONIC", "CLOCK_THREAD_CPUTIME_ID")),
    (socket, ("AF_UNIX",)),
):
    for name in names:
        delattr(owner, name)

if __name__ == "__main__":
    from athenan.cli import main

    for command in sys.argv[1:]:
        print(f"$ {command}", flush=True)
        if status := main(shlex.split(command)):
            sys.exit(status)
