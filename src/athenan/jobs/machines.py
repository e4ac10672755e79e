"""Where jobs are done."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Machines:
    """Processes of this machine, or of a cluster."""

    workers: int = 0
    """Processes of this machine, 0 for none but this one."""
    ray: str | None = None
    """The address of a Ray cluster, whose machines work instead, with a process for each processor."""

    def __bool__(self) -> bool:
        """Whether other processes work than this one."""
        return self.workers > 0 or self.ray is not None


HERE = Machines()
"""This process, and no other."""
