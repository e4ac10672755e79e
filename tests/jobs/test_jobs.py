"""Jobs over processes: all are done, workers stay, a death costs one job, nothing stays behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Condition, Event
from types import ModuleType

import pytest
import worker_jobs
from processes import PATIENCE, Mailbox, all_end

from athenan.jobs import JobError, Machines, cluster, run, team
from athenan.jobs.local import Processes


@pytest.fixture
def mailbox(tmp_path: Path) -> Iterator[Mailbox]:
    """Where the jobs of `worker_jobs.long` say that they have begun."""
    made = Mailbox(tmp_path / "begun")
    yield made
    made.close()


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_all_jobs_are_done_once(workers: int) -> None:
    numbers = list(range(20))
    assert sorted(run(worker_jobs.squared, numbers, workers)) == [(number, number**2) for number in numbers]
    assert list(run(worker_jobs.squared, [], workers)) == []


def test_workers_have_numbers_of_their_own() -> None:
    """By which they take turns with GPUs; who replaces a dead worker takes its number."""
    place = Processes(worker_jobs.own_gpu_of_eight, 2)
    first, second = place.hire(), place.hire()
    try:
        for worker in (first, second):
            worker.begin(None, ())
        assert (first.result(), second.result()) == (1, 2)
        first.process.kill()
        first.process.join()
        third = place.hire()
        assert (third.number, place.hire().number) == (1, 3)
    finally:
        place.end(place._hired, [])


def test_workers_keep_what_they_have(tmp_path: Path) -> None:
    arguments = [(str(tmp_path), number) for number in range(12)]
    found = [result for _, result in run(worker_jobs.process_and_what_it_kept, arguments, 2)]
    last = dict(found)  # of each process
    assert len(last) == 2 and os.getpid() not in last
    assert sorted(number for kept in last.values() for number in kept) == list(range(12))


def test_what_jobs_share_travels_once() -> None:
    """The newest one, when a job begins."""
    shared, results = [[1, 2]], list[tuple[int, list[int]]]()
    with team(worker_jobs.with_common, range(8), Machines(1), common=lambda: shared[-1]) as workers:
        while len(results) < 8:
            results += [result for _, result in workers.finished()]
            if len(results) == 4:
                shared.append([3])
    assert results == [(1, [1, 2])] * 5 + [(2, [3])] * 3  # the fifth had begun


def test_a_team_comes_back_without_results(tmp_path: Path, mailbox: Mailbox) -> None:
    """So that its caller can do something else: the job never ends."""
    with team(worker_jobs.long, [(str(tmp_path), 1)], Machines(1)) as workers:
        assert workers.finished(0.05) == []
        assert workers.finished(0.05) == []
        assert (workers.busy, workers.size) == (1, 1)


def test_arguments_are_taken_when_a_worker_is_free() -> None:
    taken, finished = 0, 0

    def arguments() -> Iterator[int]:
        nonlocal taken
        for number in range(8):
            assert taken - finished <= 4  # two in work, two just done
            taken += 1
            yield number

    for _ in run(worker_jobs.squared, arguments(), 2):
        finished += 1
    assert (taken, finished) == (8, 8)


@pytest.mark.parametrize("workers", [0, 2])
def test_an_exception_of_a_job_is_raised(workers: int) -> None:
    with pytest.raises(ValueError, match="three is refused") as raised:
        list(run(worker_jobs.refused, range(6), workers))
    assert not workers or "in refused" in raised.value.__notes__[0]


def test_what_a_file_of_the_user_raises_in_a_worker_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("athenan.loading._named", {worker_jobs.__file__})
    with pytest.raises(JobError, match=r"^\S+worker_jobs.py, line \d+: raised ZeroDivisionError: division") as raised:
        list(run(worker_jobs.divided, [0, 1], 1))
    assert "In a worker process" in raised.value.__notes__[0]


def test_code_of_the_user_that_exits_in_a_worker_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("athenan.loading._named", {worker_jobs.__file__})
    with pytest.raises(JobError, match=r"^\S+worker_jobs.py, line \d+: raised SystemExit: 3"):
        list(run(worker_jobs.exiting, [3], 1))


def test_what_cannot_be_sent_is_said() -> None:
    with pytest.raises(JobError, match="Stubborn: 1 and 2"):
        list(run(worker_jobs.stubborn, [1], 1))
    with pytest.raises(Exception, match="pickle"):
        list(run(worker_jobs.unsendable, [1], 1))


def test_a_worker_that_dies_costs_its_job_only(tmp_path: Path) -> None:
    arguments = [(str(tmp_path), number, 2 * (number == 1)) for number in range(5)]
    assert sorted(result for _, result in run(worker_jobs.attempted, arguments, 2)) == list(range(5))
    attempts = [len(list(tmp_path.glob(f"{number}-*"))) for number in range(5)]
    assert attempts == [1, 3, 1, 1, 1]


def test_a_job_that_kills_its_workers_is_named(tmp_path: Path) -> None:
    with pytest.raises(JobError, match=r"the job \(.*, 77, 9\) has ended its worker 3 times.*SIGKILL"):
        list(run(worker_jobs.attempted, [(str(tmp_path), 77, 9)], 1))


def begun(mailbox: Mailbox) -> list[int]:
    """The processes that have begun the endless jobs 1 and 2 of `worker_jobs.long`, as soon as both have."""
    found = dict[str, int]()
    while not {"1", "2"} <= found.keys():
        number, process = mailbox.line().split()
        found[number] = int(process)
    return [found["1"], found["2"]]


def test_who_stops_ends_all_workers(tmp_path: Path, mailbox: Mailbox) -> None:
    """In order: what they keep is closed."""
    results = run(worker_jobs.long, [(str(tmp_path), number) for number in (0, 1, 2)], 2)
    next(results)
    processes = begun(mailbox)
    results.close()
    assert all_end(processes)
    assert len(list(tmp_path.glob("*-closed"))) >= 2


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_their_parent(tmp_path: Path, mailbox: Mailbox, how: signal.Signals) -> None:
    code = (
        "import signal, worker_jobs, athenan.jobs\nif __name__ == '__main__':\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background job ignores it
        f"    list(athenan.jobs.run(worker_jobs.long, [({str(tmp_path)!r}, number) for number in (1, 2)], 2))"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, env=environment) as parent:
        processes = begun(mailbox)
        parent.send_signal(how)
        _, errors = parent.communicate(timeout=PATIENCE)
        assert all_end(processes)
    assert errors.count(b"Traceback") == (how == signal.SIGINT)  # the parent's own


def test_ray_is_asked_for_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(JobError, match=r"pip install 'athenan\[ray\]'"):
        list(run(worker_jobs.squared, [1], ray="auto"))


class Connecting(ModuleType):
    """The library Ray as far as connections go: it refuses a second one, as Ray does."""

    def __init__(self) -> None:
        super().__init__("ray")
        self.addresses, self.connected = list[str](), False

    def init(self, address: str, **_: object) -> None:
        assert not self.connected
        self.addresses.append(address)
        self.connected = True

    def shutdown(self) -> None:
        self.connected = False

    def cluster_resources(self) -> dict[str, float]:
        return {}

    def remote(self, **asked: object) -> Callable[[type], type]:
        self.asked = asked
        return lambda serving: serving


def test_a_cluster_takes_the_connection_by_which_it_was_required(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = Connecting()
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(cluster, "_check_answers", lambda address: None)
    cluster.require_cluster("auto")
    cluster.require_cluster("auto")
    place = cluster.Cluster(worker_jobs.squared, "auto", 1)
    assert (ray.addresses, ray.connected) == (["auto"], True)
    place.end([], [])
    assert not ray.connected
    cluster.require_cluster("auto")
    cluster.Cluster(worker_jobs.squared, "10.0.0.1:6379", 1).end([], [])
    assert ray.addresses == ["auto", "auto", "10.0.0.1:6379"]


def test_workers_of_a_cluster_ask_for_their_share_of_its_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray hides all GPUs from those that ask for none."""
    ray = Connecting()
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(cluster, "_check_answers", lambda address: None)
    monkeypatch.setattr(ray, "cluster_resources", lambda: {"CPU": 16.0, "GPU": 4.0})
    for gpu, share in ((True, 0.5), (False, 0)):
        cluster.Cluster(worker_jobs.squared, "auto", 2, gpu).end([], [])
        assert ray.asked["num_cpus"] == 2 and ray.asked["num_gpus"] == share


class Vanishing:
    """A cluster of two processors as Ray tells them, until it is gone: then it answers with what `end` does."""

    def __init__(self, end: Callable[[], dict[str, float]], there: bool = True) -> None:
        self.end, self.there, self.times, self.asked = end, there, 0, Condition()

    def cluster_resources(self) -> dict[str, float]:
        with self.asked:
            self.times += 1
            self.asked.notify_all()
        return {"CPU": 2.0} if self.there else self.end()

    def wait(self, questions: int) -> None:
        """Waits for so many more questions: when one is asked, the answer before it has been heard."""
        with self.asked:
            wanted = self.times + questions
            assert self.asked.wait_for(lambda: self.times >= wanted, 60)


def _fails() -> dict[str, float]:
    raise ConnectionError


def _hangs() -> dict[str, float]:
    Event().wait()
    return {}


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time by the clock of a cluster's watch, which asks all the while."""
    time = [0.0]
    monkeypatch.setattr(cluster, "monotonic", lambda: time[0])
    monkeypatch.setattr(cluster, "GONE_AFTER", 30.0)
    monkeypatch.setattr(cluster, "_WAIT", 0.01)
    return time


@pytest.mark.parametrize("end", [dict, _fails, _hangs])
def test_a_cluster_that_is_gone_is_told_and_given_up(
    end: Callable[[], dict[str, float]], now: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    ray = Vanishing(end)
    watch = cluster._Watch(ray, "10.0.0.1:6379")
    try:
        ray.wait(2)
        now[0] = 100
        ray.wait(2)
        watch.check()
        assert (watch.processors, caplog.messages) == (2, [])
        ray.there = False
        ray.wait(1)
        now[0] = 129
        watch.check()
        watch.check()
        assert len(caplog.messages) == 1
        assert "does not answer, or has no processors; waiting 30 s" in caplog.text
        now[0] = 131
        with pytest.raises(JobError, match=r"10\.0\.0\.1:6379 is gone: it has had no processor for 30 seconds"):
            watch.check()
    finally:
        watch.end()


def test_a_cluster_without_processors_yet_is_waited_for(now: list[float]) -> None:
    """As while its machines start."""
    ray = Vanishing(dict, there=False)
    watch = cluster._Watch(ray, "auto")
    try:
        now[0] = 1000
        ray.wait(2)
        watch.check()
    finally:
        watch.end()
