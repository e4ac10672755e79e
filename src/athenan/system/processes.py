"""Programs as processes: started in a group of their own, ended with all processes that they started.

Processes that left the group (`setsid`, daemons) are found by a mark in their environment, which children inherit: they
survive only if they clear it, or if the system hides it.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import Any
from uuid import uuid4

_MARKS = "ATHENAN_PROGRAMS"
"""The environment variable with the marks of a program and of the programs that started it."""
_ROUNDS, _PAUSE = 50, 0.02
"""The number of searches for a program's processes, which may meanwhile start others, and the seconds between them."""


class Group:
    """A program and what it has started. Ctrl-C in the terminal does not reach it."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], **options: Any) -> None:
        """Starts a program with the options of `subprocess.Popen`. Raises OSError."""
        self._mark = uuid4().hex
        marked = {**environment, _MARKS: f"{environment.get(_MARKS, '')}:{self._mark}"}
        self.popen: subprocess.Popen[bytes] = subprocess.Popen(command, env=marked, **_APART, **options)

    def kill(self) -> None:
        """Ends the program and its group, if it still runs. Any thread may call this."""
        if self.popen.poll() is not None:  # its number may meanwhile be another's
            return
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):  # macOS permits no signal to what has just ended
                os.killpg(self.popen.pid, signal.SIGKILL)
        else:  # the others of the group have the mark
            self.popen.kill()

    def end(self) -> None:
        """Ends the program and all processes that it started, and waits for it."""
        self.kill()
        self.popen.wait()
        for _ in range(_ROUNDS):
            if not (left := list(_marked(self._mark))):
                break
            for process in left:
                _kill(process)
            sleep(_PAUSE)


_APART: dict[str, Any] = (
    {"creationflags": 0x200} if os.name == "nt" else {"start_new_session": True}  # CREATE_NEW_PROCESS_GROUP
)


def signal_name(number: int) -> str:
    """The name of a signal; signals for a program's own use have only a number.

    >>> signal_name(9), signal_name(37)
    ('SIGKILL', 'signal 37')
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def exists(process: int) -> bool:
    """Whether a process with this number exists."""
    if os.name == "nt":
        import psutil

        return bool(psutil.pid_exists(process))
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's
        pass
    return True


def _kill(process: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)  # which Windows understands as kill


def _marked(mark: str) -> Iterator[int]:
    """The running processes whose environment has a mark."""
    if sys.platform == "linux":
        for environment in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):  # it has ended, or belongs to another user
                if mark.encode() in environment.read_bytes():
                    yield int(environment.parent.name)
        return
    import psutil

    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if mark in process.environ().get(_MARKS, ""):
                yield process.pid
