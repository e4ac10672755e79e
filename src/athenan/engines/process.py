"""Finding programs and starting them as processes."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from athenan.play.player import PlayerError
from athenan.system.processes import Group

GAMES = "/usr/games", "/usr/local/games"
"""Where Debian installs games; these folders may be missing from PATH."""


def find_program(program: str) -> str | None:
    """The path of a program, from PATH or the folders of games; None if there is no such program."""
    return shutil.which(program) or shutil.which(program, path=os.pathsep.join(GAMES))


def require_program(name: str, program: str) -> str:
    """The path of a program. Raises PlayerError, with a message that begins with `name`, if no path is found."""
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
        environment = options.pop("env", os.environ)
        try:
            self._group = Group([program, *command[1:]], environment, stdin=subprocess.PIPE, **options)
        except OSError as error:
            raise PlayerError(f"{name} cannot be started: {error}") from None
        self.popen = self._group.popen

    def kill(self) -> None:
        """Ends the program and its process group. Any thread may call this."""
        self._group.kill()

    def close(self) -> None:
        """Ends the program and all processes that it started, and closes its input."""
        self._group.end()
        if self.popen.stdin:
            with suppress(OSError):
                self.popen.stdin.close()
