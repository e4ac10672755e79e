"""Programs as processes: finding them, starting them, and ending them with all processes that they started.

A program starts its own process group, which is killed with it. On a system that shows the environments of processes
(Linux, in `/proc`), processes that left the group (`setsid`, daemons) are also found, by a mark that children inherit:
they survive only if they clear their environment. On other systems leaving the group is enough to survive.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import Any
from uuid import uuid4

from athenan.play.player import PlayerError

GAMES = "/usr/games", "/usr/local/games"
"""Where Debian installs games; these folders may be missing from PATH."""
_MARKS = "ATHENAN_PROGRAMS"
"""The environment variable with the marks of a program and of the programs that started it."""
_ROUNDS, _PAUSE = 50, 0.02
"""The number of searches for a program's processes, which may meanwhile start others, and the seconds between them."""


def find_program(program: str) -> str | None:
    """The path of a program, from PATH or the folders of games; None if there is no such program."""
    return shutil.which(program) or shutil.which(program, path=os.pathsep.join(GAMES))


def require_program(name: str, program: str) -> str:
    """The path of a program. Raises PlayerError, with a message that begins with `name`, if there is none."""
    if path := find_program(program):
        return path
    where = "" if os.sep in program else f" in PATH or in {' or '.join(GAMES)}"
    raise PlayerError(f"{name} cannot be started: there is no program {program!r}{where}")


class Process:
    """A running program in its own process group, so that Ctrl-C in the terminal does not reach it."""

    def __init__(self, name: str, command: Sequence[str], **options: Any) -> None:
        """Starts the program with the options of `subprocess.Popen`; its input is a pipe.

        Raises PlayerError, with a message that begins with `name`, if it cannot be started.
        """
        program = require_program(name, command[0])
        self._mark = uuid4().hex
        marks = f"{os.environ.get(_MARKS, '')}:{self._mark}"
        environment = {**options.pop("env", os.environ), _MARKS: marks}
        try:
            self.popen: subprocess.Popen[bytes] = subprocess.Popen(
                [program, *command[1:]], stdin=subprocess.PIPE, env=environment, start_new_session=True, **options
            )
        except OSError as error:
            raise PlayerError(f"{name} cannot be started: {error}") from None

    def kill(self) -> None:
        """Ends the program and its process group. Any thread may call this."""
        if self.popen.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.popen.pid, signal.SIGKILL)

    def close(self) -> None:
        """Ends the program and all processes that it started, and closes its pipes."""
        with suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        for pipe in (self.popen.stdin, self.popen.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()
        self.popen.wait()
        for _ in range(_ROUNDS):
            if not (left := list(_marked(self._mark))):
                break
            for process in left:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)
            sleep(_PAUSE)


def _marked(mark: str) -> Iterator[int]:
    """The running processes whose environment has a mark."""
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it has ended, or belongs to another user
            if mark.encode() in environment.read_bytes():
                yield int(environment.parent.name)
