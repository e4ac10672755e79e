"""Workers on the machines of a Ray cluster (https://docs.ray.io), as many at once as it has processors.

The package and what the jobs read (runs, files of games) must be installed on each machine, at the same paths.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from athenan.jobs.job import Job, JobError

_WAIT = 1.0
"""Seconds after which machines that have joined are noticed."""


def run_on_cluster(
    function: Callable[[Any], Any], arguments: Iterable[Any], address: str, cores: int
) -> Iterator[tuple[Any, Any]]:
    """See `athenan.jobs.run`. Raises JobError if Ray is not installed, ConnectionError if there is no cluster."""
    ray = _connected(address)
    from ray.exceptions import RayError, RayTaskError

    remote = ray.remote(max_retries=0, num_cpus=cores)(function)
    jobs, lost, running = map(Job, arguments), deque[Job](), dict[Any, Job]()
    try:
        while True:
            while len(running) < max(1, _processors(ray) // cores) and (
                job := lost.popleft() if lost else next(jobs, None)
            ):
                running[remote.remote(job.argument)] = job
            if not running:
                return
            done, _ = ray.wait(list(running), timeout=_WAIT)
            for one in done:
                job = running.pop(one)
                try:
                    result = ray.get(one)
                except RayTaskError as error:  # an exception of the job
                    raise error.cause from None
                except RayError as error:  # its worker or its machine has died
                    job.lost(type(error).__name__)
                    lost.append(job)
                else:
                    yield job.argument, result
    finally:
        for one in running:
            ray.cancel(one, force=True)
        ray.shutdown()


def _connected(address: str) -> Any:
    """The library, connected to a cluster."""
    try:
        import ray
    except ImportError:
        raise JobError("--ray needs the library Ray: pip install 'athenan[ray]'") from None
    ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    return ray


def _processors(ray: Any) -> int:
    """The number of processors that the cluster has now; one if it says none, as while machines start."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
