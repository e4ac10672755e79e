"""The machines that do jobs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Machines:
    """Processes of this machine, or of a cluster."""

    workers: int = 0
    """Number of worker processes on this machine; 0 means this process does the jobs."""
    ray: str | None = None
    """The address of a Ray cluster whose machines work instead, with a process for each processor."""
    threads: int = 1
    """Threads of each process, where it learns what it plays. A cluster has as many processors for each process."""

    def __bool__(self) -> bool:
        """Whether other processes than this one work."""
        return self.workers > 0 or self.ray is not None


HERE = Machines()
"""This process alone."""
