"""Jobs for tests of `athenan.jobs`: functions of a module, which worker processes find by its name."""

import os
import signal
import sys
import time
from pathlib import Path

from athenan import jobs
from athenan.system.devices import own_gpu

KEPT: list[int] = []
SHARED: dict[int, list[int]] = {}


def squared(number: int) -> int:
    return number * number


def variable(name: str) -> str | None:
    """A variable of the worker's environment."""
    return os.environ.get(name)


def process_and_what_it_kept(argument: tuple[str, int]) -> tuple[int, list[int]]:
    """The worker, and the numbers that it was given before and now, as soon as two have some: (folder, number).

    It looks for the other's file again and again: the two have nothing else in common.
    """
    folder, number = argument
    KEPT.append(number)
    Path(folder, str(os.getpid())).touch()
    while len(list(Path(folder).iterdir())) < 2:
        time.sleep(0.01)
    return os.getpid(), list(KEPT)


def with_common(number: int, common: list[int]) -> tuple[int, list[int]]:
    """How many objects the worker has been given to share, and what is in the newest."""
    SHARED[id(common)] = common
    return len(SHARED), common


def divided(number: int) -> float:
    """Divides one by a number, if that can be done."""
    return 1 / number


def exiting(status: int) -> None:
    sys.exit(status)


def refused(number: int) -> int:
    if number == 3:
        raise ValueError("three is refused")
    return number


class Stubborn(Exception):
    """An exception that cannot be unpickled."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")


def stubborn(number: int) -> int:
    raise Stubborn(number, 2)


def unsendable(number: int) -> object:
    return lambda: number


def attempted(argument: tuple[str, int, int]) -> int:
    """Kills its worker at its first attempts: (folder, number, deaths)."""
    folder, number, deaths = argument
    before = len(list(Path(folder).glob(f"{number}-*")))
    Path(folder, f"{number}-{before}").touch()
    if before < deaths:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def long(argument: tuple[str, int]) -> None:
    """Says that it has begun, by a line in the folder's mailbox with its number and process, and takes for ever."""
    folder, number = argument
    jobs.at_end(lambda: Path(folder, f"{number}-closed").touch())
    with open(Path(folder, "begun"), "w") as mailbox:
        mailbox.write(f"{number} {os.getpid()}\n")
    if number:
        signal.pause()


def noted(argument: tuple[str, int]) -> int:
    """Leaves a file for each time that it begins, and takes long enough to be killed: (folder, number)."""
    folder, number = argument
    Path(folder, f"{number}-{time.monotonic_ns()}").touch()
    time.sleep(0.3)
    return number


def own_gpu_of_eight(_: object) -> int:
    """The number of the GPU that this process would take of eight."""
    return own_gpu(8)
