"""A job, and how often its workers have died."""

from dataclasses import dataclass
from typing import Any

from athenan.settings import shown

MOST_DEATHS = 3
"""Number of workers that one job may end before an error is raised."""


class JobError(ChildProcessError):
    """A job that cannot be done: it ends its workers, or its result cannot be sent."""


@dataclass
class Job:
    """One argument, and the number of workers it has ended."""

    argument: Any
    deaths: int = 0

    def lost(self, how: str) -> None:
        """Notes that the worker has died, and how. Raises JobError if that happened too often."""
        self.deaths += 1
        if self.deaths >= MOST_DEATHS:
            raise JobError(f"the job {shown(self.argument)} has ended its worker {self.deaths} times, last {how}")
