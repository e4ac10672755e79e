"""Workers on the machines of a Ray cluster (https://docs.ray.io), as many at once as the cluster has processors.

The package and what the jobs read (runs, files of games) must be installed on each machine, at the same paths.
"""

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import floor
from socket import create_connection
from threading import Event, Thread
from time import monotonic
from typing import Any

from athenan import loading
from athenan.jobs.job import JobError
from athenan.jobs.team import Lost
from athenan.jobs.worker import sleep_while_waiting

_PATIENCE = 10.0
"""Seconds within which a cluster must answer at its address."""
_WAIT = 1.0
"""Seconds between two looks for machines that have joined or left."""
_ENDING = 5.0
"""Seconds that a cluster has to end its workers; Ray itself waits longer if the cluster is gone."""
GONE_AFTER = 30.0
"""Seconds without any processor after which a cluster counts as gone. Ray ends the whole process after 60."""

_log = logging.getLogger("athenan")
_waiting: dict[str, Any] = {}
"""The library Ray, connected by `require_cluster` to an address, until a `Cluster` takes it."""


class _Remote:
    """A worker: an actor of Ray, which is one process on some machine with room for it."""

    ready = False

    def __init__(self, ray: Any, actor: Any, stored: Callable[[Any], Any]) -> None:
        """`stored` puts a value within reach of all machines."""
        self.actor = actor
        self.running = actor.ready.remote()
        """Ray's reference to the next result."""
        self._ray = ray
        self._stored = stored

    def begin(self, argument: Any, common: tuple[Any, ...]) -> None:
        """See `Worker`."""
        self.running = self.actor.do.remote(argument, *map(self._stored, common))

    def result(self) -> Any:
        """See `Worker`."""
        from ray.exceptions import RayError, RayTaskError

        try:
            return self._ray.get(self.running)
        except RayTaskError as error:  # an exception of the job
            raise error.cause from None
        except RayError as error:  # its process or its machine has died
            raise Lost(type(error).__name__) from None


class _Serving:
    """The worker's side."""

    def __init__(self, function: Callable[..., Any], given: loading.Names, folder: str) -> None:
        """`folder` -- where the command works: names of runs may be relative to it. Ray's processes begin elsewhere."""
        sleep_while_waiting()
        with suppress(OSError):  # a machine without the folder does all jobs that name nothing in it
            os.chdir(folder)
        loading.take_names(given)
        self._function = function

    def ready(self) -> None:
        """Returns once the process has started."""

    def do(self, argument: Any, *common: Any) -> Any:
        """Does a job; Ray has replaced references by their values."""
        return self._function(argument, *common)


class _Watch:
    """Asks a cluster for its processors in a thread, because Ray never answers if the cluster is gone."""

    def __init__(self, ray: Any, address: str) -> None:
        self._ray, self._address = ray, address
        self.processors = 0
        """The last answer; 0 while machines start."""
        self._seen, self._told, self._ended = monotonic(), False, Event()
        Thread(target=self._ask, daemon=True).start()

    def _ask(self) -> None:
        had_some = False
        while not self._ended.is_set():
            with suppress(Exception):  # any exception of Ray means no answer
                self.processors = int(self._ray.cluster_resources().get("CPU", 0))
                had_some = had_some or self.processors > 0
                if self.processors or not had_some:
                    self._seen, self._told = monotonic(), False
            self._ended.wait(_WAIT)

    def check(self) -> None:
        """Warns once that the cluster is gone; raises JobError when it has been gone for `GONE_AFTER` seconds."""
        missing = monotonic() - self._seen
        if missing > GONE_AFTER:
            raise JobError(
                f"the Ray cluster at {self._address} is gone: it has had no processor for {GONE_AFTER:g} seconds; what "
                "has ended is kept, and the same command goes on from there"
            )
        if missing > 3 * _WAIT and not self._told:
            self._told = True
            _log.warning(
                "the Ray cluster at %s does not answer, or has no processors; waiting %g s for it",
                self._address, GONE_AFTER,
            )  # fmt: skip

    def end(self) -> None:
        self._ended.set()


class Cluster:
    """A Ray cluster. A worker lives as long as there are jobs and keeps what it has loaded."""

    def __init__(self, function: Callable[..., Any], address: str, cores: int, gpu: bool = False) -> None:
        """`gpu`: workers take a share of the cluster's GPUs, and so run only on machines that have one.

        Raises JobError if Ray is not installed or no cluster is at the address.
        """
        self._ray = _waiting.pop(address, None) or _connected(address)
        self._watch = _Watch(self._ray, address)
        self._function = function
        self._cores = cores
        gpus = share_of_gpus(self._ray.cluster_resources(), cores) if gpu else 0
        self._serving = self._ray.remote(max_restarts=0, max_task_retries=0, num_cpus=cores, num_gpus=gpus)(_Serving)
        self._value: Any = None
        self._reference: Any = None

    @property
    def room(self) -> int:
        """The workers for which the cluster has processors now; 1 if it reports 0, as while machines start."""
        return max(1, self._watch.processors // self._cores)

    def hire(self) -> _Remote:
        """See `Workplace`. The worker is ready when a machine has processors for it; its job would wait as long."""
        return _Remote(
            self._ray, self._serving.remote(self._function, loading.names_given(), os.getcwd()), self._stored
        )

    def _stored(self, value: Any) -> Any:
        """Ray's reference to the shared value, which each machine fetches once."""
        if value is not self._value:
            self._value, self._reference = value, self._ray.put(value)
        return self._reference

    def answered(self, workers: Sequence[_Remote], seconds: float | None) -> list[_Remote]:
        """See `Workplace`; it returns now and then, to see whether machines have joined or all are gone."""
        self._watch.check()
        running = {worker.running: worker for worker in workers}
        timeout = _WAIT if seconds is None else min(seconds, _WAIT)
        done, _ = self._ray.wait(list(running), num_returns=len(running), timeout=0)
        done = done or self._ray.wait(list(running), timeout=timeout)[0]
        return [running[one] for one in done]

    def end(self, workers: Sequence[_Remote], busy: Sequence[_Remote]) -> None:
        """See `Workplace`; a cluster that does not end them in time is left alone."""
        self._watch.end()
        ending = Thread(target=self._end, args=(workers,), daemon=True)
        ending.start()
        ending.join(_ENDING)

    def _end(self, workers: Sequence[_Remote]) -> None:
        for worker in workers:
            self._ray.kill(worker.actor)
        self._ray.shutdown()


def share_of_gpus(resources: Mapping[str, float], cores: int) -> float:
    """The GPUs for a worker with so many processors, so that as many workers find room as without; 0 without GPUs.

    At most one, since a worker computes on one. Ray hides all GPUs from workers that ask for none.

    >>> share_of_gpus({"CPU": 16, "GPU": 2}, 1), share_of_gpus({"CPU": 8, "GPU": 8}, 4), share_of_gpus({"CPU": 8}, 1)
    (0.125, 1.0, 0.0)
    """
    share = resources.get("GPU", 0.0) * cores / max(1.0, resources.get("CPU", 1.0))
    return min(1.0, floor(1000 * share) / 1000)


def require_cluster(address: str) -> None:
    """Connects to a cluster, so that the next `Cluster` at the address need not.

    Raises JobError if Ray is not installed, or cannot connect to a cluster at the address.
    """
    if address not in _waiting:
        _waiting[address] = _connected(address)


def _connected(address: str) -> Any:
    """The library Ray, connected to a cluster. It has one connection at a time."""
    while _waiting:
        _waiting.popitem()[1].shutdown()
    _check_answers(address)
    try:
        import ray
    except ImportError:
        raise JobError("--ray needs the library Ray: pip install 'athenan[ray]'") from None
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (Exception, SystemExit) as error:  # Ray exits if no cluster is at the address
        raise JobError(f"Ray cannot connect to {address}: {error}") from None
    return ray


def _check_answers(address: str) -> None:
    """Raises JobError unless something listens at the address; Ray itself would wait for minutes."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise JobError(f"the address of a Ray cluster is HOST:PORT, such as 10.0.0.1:6379, or auto, not {address!r}")
    try:
        create_connection((host, int(port)), timeout=_PATIENCE).close()
    except OSError as error:
        raise JobError(f"no Ray cluster answers at {address}: {error.strerror or error}") from None
