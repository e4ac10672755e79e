"""Jobs: calls of one function with many arguments, spread over processes.

    >>> from math import factorial
    >>> list(run(factorial, [3, 4]))
    [(3, 6), (4, 24)]

Jobs must be *idempotent*: a job whose worker dies is repeated from its beginning. Work that must be done only once,
such as storing a result, belongs in the loop over the results, which stays in the calling process.

`run` is a loop over results. A `team` is for callers that also have other work. In a `dialogue` the next job of a
worker follows from the result of its last one. If the worker dies, its job is not repeated.
"""

from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

from athenan.jobs.dialogue import Dialogue
from athenan.jobs.job import JobError
from athenan.jobs.local import Processes
from athenan.jobs.machines import HERE, Machines
from athenan.jobs.team import Team, Worker, Workplace
from athenan.jobs.worker import at_end

__all__ = ["HERE", "JobError", "Machines", "at_end", "dialogue", "run", "team"]

Argument = TypeVar("Argument")
Result = TypeVar("Result")


def run(
    function: Callable[[Argument], Result],
    arguments: Iterable[Argument],
    workers: int = 0,
    ray: str | None = None,
    cores: int = 1,
    gpu: bool = False,
) -> Generator[tuple[Argument, Result], None, None]:
    """Yields (argument, function(argument)) for all arguments in the order in which the jobs end.

    `function` -- a function of a module, so that other processes find it by its name. `arguments`, and the results --
    plain values that can be pickled. An argument is taken only when a worker is free for it, so arguments may be
    generated while jobs run. `workers` -- number of processes. Each does one job after the other and keeps what it has
    loaded. With 0 this process does the jobs, in order. `ray` -- the address of a Ray cluster whose machines do the
    jobs instead; see `athenan.jobs.cluster`. `cores` -- processors of the cluster that a worker takes.
    `gpu` -- whether it also takes its share of the cluster's GPUs. Of several GPUs of this machine, workers take turns.

    If a worker dies, for example when it is killed or memory is short, another repeats its running job. An exception of
    a job is raised here and ends the other jobs. All workers end when the iteration stops, by Ctrl-C for example, or
    when this process is killed. Raises JobError if a job has ended its worker three times.
    """
    if not workers and not ray:
        yield from ((argument, function(argument)) for argument in arguments)
        return
    with team(function, arguments, Machines(workers, ray), cores, gpu=gpu) as together:
        while (done := together.finished()) or together.busy:
            yield from done


def team(
    function: Callable[..., Result],
    arguments: Iterable[Argument],
    machines: Machines,
    cores: int = 1,
    common: Callable[[], Any] | None = None,
    gpu: bool = False,
) -> Team[Argument, Result]:
    """Workers that do jobs within `with`, whose end ends them; see `run` and `Team.finished`.

    `machines` -- with workers, or a Ray cluster. `common` -- gives a value that many jobs share, such as a network;
    each job is then `function(argument, value)`. It is called when a job begins. Each worker (each machine of a
    cluster) receives the same object only once. Raises JobError if Ray is not installed or no cluster answers at the
    address.
    """
    return Team(_place(function, machines, cores, gpu), arguments, common)


def dialogue(
    function: Callable[[Argument], Result], machines: Machines, first: Callable[[Worker], Argument]
) -> Dialogue[Argument, Result]:
    """Workers within `with` that do `first(worker)` when they have started, then what the caller replies to them.

    Raises JobError if Ray is not installed or no cluster answers at the address.
    """
    return Dialogue(_place(function, machines, machines.threads), first)


def _place(function: Callable[..., Any], machines: Machines, cores: int = 1, gpu: bool = False) -> Workplace:
    if machines.ray:
        from athenan.jobs.cluster import Cluster

        return Cluster(function, machines.ray, cores, gpu)
    return Processes(function, machines.workers)
