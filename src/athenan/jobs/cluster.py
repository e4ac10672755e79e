"""Workers on the machines of a Ray cluster (https://docs.ray.io), as many at once as it has processors.

The package and what the jobs read (runs, files of games) must be installed on each machine, at the same paths.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from socket import create_connection
from typing import Any

from athenan.jobs.job import Job, JobError

_PATIENCE = 10.0
"""Seconds in which a cluster must answer at its address."""
_WAIT = 1.0
"""Seconds after which machines that have joined are noticed."""


def run_on_cluster(
    function: Callable[[Any], Any], arguments: Iterable[Any], address: str, cores: int
) -> Iterator[tuple[Any, Any]]:
    """See `athenan.jobs.run`. Raises JobError if Ray is not installed or there is no cluster at the address."""
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
    _check_answers(address)
    try:
        import ray
    except ImportError:
        raise JobError("--ray needs the library Ray: pip install 'athenan[ray]'") from None
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (Exception, SystemExit) as error:  # Ray exits if the address is not that of a cluster
        raise JobError(f"Ray cannot connect to {address}: {error}") from None
    return ray


def _check_answers(address: str) -> None:
    """Raises JobError unless something listens at the address, for which Ray itself waits for minutes."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise JobError(f"the address of a Ray cluster is HOST:PORT, such as 10.0.0.1:6379, or auto, not {address!r}")
    try:
        create_connection((host, int(port)), timeout=_PATIENCE).close()
    except OSError as error:
        raise JobError(f"no Ray cluster answers at {address}: {error.strerror or error}") from None


def _processors(ray: Any) -> int:
    """The number of processors that the cluster has now; one if it says none, as while machines start."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
