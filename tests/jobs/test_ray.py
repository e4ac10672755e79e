"""Jobs, tournaments and trainings on a Ray cluster of several nodes on this machine, of which some are killed."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from socket import socket
from typing import Any

import pytest
import worker_jobs
from command_output import without_compiling
from small_trainings import quiet, small

from athenan.arena.store import Store
from athenan.cli import main
from athenan.jobs import JobError, Machines, run
from athenan.jobs.cluster import GONE_AFTER
from athenan.learning.observers.display import Display
from athenan.learning.progress import Progress
from athenan.learning.training import resume, train
from athenan.runs.checkpoint import load

DOCS = Path(__file__).parents[2] / "docs" / "algorithms"
PATIENCE = 180
"""Seconds in which a node must start."""

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


def ports() -> dict[str, int]:
    """Ports for a node: on a busy machine it does not wait long enough until its own processes have chosen theirs."""
    names = ("metrics_agent_port", "metrics_export_port", "dashboard_agent_listen_port", "runtime_env_agent_port")
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket()) for _ in names]
        for one in sockets:
            one.bind(("", 0))
        return {name: one.getsockname()[1] for name, one in zip(names, sockets, strict=True)}


def started(start: Callable[[], Any]) -> Any:
    """Starts a node; again if it gave one of its own processes too little time, 15 seconds that no setting changes."""
    for _ in range(4):
        try:
            return start()
        except Exception as error:
            if "timed out during startup" not in str(error):
                raise
    return start()


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Three nodes with one processor each; the tests connect to the first, and may kill the other two."""
    pytest.importorskip("ray", reason="the library Ray is not installed: pip install 'athenan[ray]'")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, sys.path)))
    monkeypatch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    for wait in ("RAY_gcs_server_port_wait_time_s", "RAY_gcs_server_request_timeout_seconds"):
        monkeypatch.setenv(wait, str(PATIENCE))  # Ray's own 30 and 60 seconds are too few on a busy machine
    monkeypatch.setenv("RAY_worker_niceness", "0")  # Ray's 15 gives a worker next to nothing on a busy machine
    head = {"num_cpus": 1, "include_dashboard": False, "wait": False}
    made = started(lambda: Cluster(initialize_head=True, head_node_args=head | ports()))
    made.others = [started(lambda: made.add_node(wait=False, num_cpus=1, **ports())) for _ in range(2)]
    made.wait_for_nodes(timeout=PATIENCE)
    yield made
    made.shutdown()


def test_nodes_are_killed(cluster: Any, tmp_path: Path) -> None:
    """Two of three, while they have jobs: all jobs are done, and only running ones twice."""
    arguments = [(str(tmp_path), number) for number in range(24)]
    done = []
    for argument, result in run(worker_jobs.noted, arguments, ray=cluster.address):
        assert result == argument[1]
        done.append(result)
        if len(done) in (4, 10):
            cluster.remove_node(cluster.others.pop(), allow_graceful=False)
    assert sorted(done) == list(range(24))
    assert 24 <= len(list(tmp_path.iterdir())) <= 24 + 2


def test_a_job_that_kills_its_workers_is_named(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(JobError, match=r"the job \(.*, 77, 9\) has ended its worker 3 times"):
        list(run(worker_jobs.attempted, [(str(tmp_path), 77, 9)], ray=cluster.address))


def test_an_exception_of_a_job_is_raised(cluster: Any) -> None:
    with pytest.raises(ValueError, match="three is refused"):
        list(run(worker_jobs.refused, range(6), ray=cluster.address))


def test_a_tournament_loses_a_node(cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from threading import Thread

    store = tmp_path / "results"

    def kill() -> None:
        while not store.exists() or not any(_finished(store)):
            time.sleep(0.05)
        cluster.remove_node(cluster.others.pop(), allow_graceful=False)

    killer = Thread(target=kill)
    killer.start()
    line = ["tournament", "tictactoe", "random", "mcts:3000", "mcts:4000", "--games", "40", "--store", str(store)]
    status = main([*line, "--ray", cluster.address])
    killer.join()
    assert (status, without_compiling(capsys.readouterr().err)) == (0, "")
    assert set(_finished(store)) == {20}


def test_the_whole_cluster_is_killed(cluster: Any, tmp_path: Path) -> None:
    """The command says so and ends in time; it keeps the matches that have ended, and goes on from there."""
    records, line = tmp_path / "records", ["match", "tictactoe", "mcts:3000", "mcts:4000", "--games", "4000"]
    command = [sys.executable, "-m", "athenan", *line, "--records", str(records), "--ray", cluster.address]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as playing:
        while not records.exists() or len(records.read_bytes().splitlines()) < 8:
            time.sleep(0.05)
        for node in (*cluster.others, cluster.head_node):
            node.kill_all_processes(check_alive=False, allow_graceful=False)
        cluster.others = []
        _, told = playing.communicate(timeout=GONE_AFTER + 60)
    assert playing.returncode == 2
    assert "does not answer, or has no processors; waiting 30 s" in told
    assert "is gone: it has had no processor for 30 seconds" in told
    kept = records.read_bytes().splitlines()
    assert len(kept) >= 8
    assert len(kept) % 2 == 0
    assert main([*line[:-1], str(len(kept) + 2), "--records", str(records)]) == 0
    assert records.read_bytes().splitlines()[: len(kept)] == kept


class Killing(Display):
    """Kills a node with an actor, when two or more have played four matches."""

    def __init__(self, cluster: Any) -> None:
        super().__init__(quiet().console)
        self.cluster = cluster

    def update(self, progress: Progress) -> None:
        super().update(progress)
        if progress.matches >= 4 and progress.remote_actors >= 2 and len(self.cluster.others) == 2:
            self.cluster.remove_node(self.cluster.others.pop(), allow_graceful=False)


def test_a_training_loses_a_node(cluster: Any, tmp_path: Path) -> None:
    """Its other actors go on; the run is whole, and can be resumed without the cluster."""
    config, machines = small(matches=60, overlap=True, renewal=0.1), Machines(ray=cluster.address)
    train(config, tmp_path / "run", Killing(cluster), machines=machines)
    run = load(tmp_path / "run")
    progress = run.document["progress"]
    assert progress["matches"] == len(progress["lengths"]) == len(run.matches) + 1 == 60
    assert len(cluster.others) == 1
    resume(tmp_path / "run", matches=61, display=quiet())
    assert load(tmp_path / "run").document["progress"]["matches"] == 61


def test_parts_of_a_users_file_reach_actors(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A network, a target, a replay, a heuristic and a search train, resume and play on the cluster."""
    monkeypatch.chdir(tmp_path)
    pages = [DOCS / f"own_{part}.md" for part in ("network", "target", "replay", "heuristic", "search", "evaluation")]
    shown = [page.read_text().partition("```python\n")[2].partition("```")[0] for page in pages]
    Path("mine.py").write_text("\n\n".join(shown))
    parts = ["--network", "./mine.py:width=8", "--target", "./mine.py:0.25", "--replay", "./mine.py:keep=2"]
    parts += ["--heuristic", "./mine.py:worth=2", "--search", "./mine.py:epsilon=0.25", "--run", "run"]
    quick = ["--action.evaluations", "20", "--memory", "16", "--threads", "1", "--strength.seconds", "0"]
    ray = ["--ray", cluster.address]
    assert main(["train", "breakthrough:4x4", *parts, *quick, "--matches", "3", *ray]) in (0, None)
    assert main(["train", "--resume", "run", "--matches", "5", "--rules", "./mine.py", *ray]) in (0, None)
    assert load("run").document["progress"]["matches"] == 5
    match = ["match", "breakthrough:4x4", "run", "evaluation:./mine.py:0.5", "--games", "2", "--iterations", "3"]
    capsys.readouterr()
    assert main([*match, "--rules", "./mine.py", *ray]) in (0, None)
    assert "95% interval" in capsys.readouterr().out


def _finished(path: Path) -> list[int]:
    with Store(path) as store:
        return list(store.pairings().values())
