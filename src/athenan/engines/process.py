"""Programs as processes: found, started, and ended together with what they have started.

A program begins a process group, which is killed with it. Where the system tells the environments of processes (Linux,
in `/proc`), those that have left the group (`setsid`, daemons) are found too, by a mark that children inherit. They
survive only if they clear their environment; on other systems also if they leave the group.
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
"""Where Debian installs games; a PATH may lack them."""
_MARKS = "ATHENAN_PROGRAMS"
"""The variable of the environment that has the marks of a program and of those that have started it."""
_ROUNDS, _PAUSE = 50, 0.02
"""How often the processes of a program are looked for, which may start others meanwhile, and the seconds between."""


def find_program(program: str) -> str | None:
    """The path of a program by PATH, else in the folders of games; None if there is no such program."""
    return shutil.which(program) or shutil.which(program, path=os.pathsep.join(GAMES))


class Process:
    """A running program, in a process group of its own, so that Ctrl-C in the terminal does not reach it."""

    def __init__(self, name: str, command: Sequence[str], **options: Any) -> None:
        """Starts it with the options of `subprocess.Popen`; its input is a pipe.

        Raises PlayerError, beginning with `name`, if it cannot be started.
        """
        if not (program := find_program(command[0])):
            where = "" if os.sep in command[0] else f" in PATH or in {' or '.join(GAMES)}"
            raise PlayerError(f"{name} cannot be started: there is no program {command[0]!r}{where}")
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
        """Ends the program and all that it has started, and closes its pipes."""
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
    """The processes whose environment has a mark; those that have ended have none."""
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it has ended meanwhile, or belongs to another user
            if mark.encode() in environment.read_bytes():
                yield int(environment.parent.name)
