"""Jobs and tournaments on a Ray cluster of several nodes on this machine, of which some are killed."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chores
import pytest

from athenan.cli import main
from athenan.jobs import JobError, run
from athenan.play.store import Store

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Three nodes with one processor each, and one with none, to which the tests connect."""
    pytest.importorskip("ray", reason="the library Ray is not installed: pip install 'athenan[ray]'")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, sys.path)))
    monkeypatch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    made.nodes_with_processors = [made.add_node(num_cpus=1) for _ in range(3)]
    yield made
    made.shutdown()


def test_nodes_are_killed(cluster: Any, tmp_path: Path) -> None:
    """Two of three, while they have jobs: all jobs are done, and only running ones twice."""
    arguments = [(str(tmp_path), number) for number in range(24)]
    done = []
    for argument, result in run(chores.noted, arguments, ray=cluster.address):
        assert result == argument[1]
        done.append(result)
        if len(done) in (4, 10):
            cluster.remove_node(cluster.nodes_with_processors.pop(), allow_graceful=False)
    assert sorted(done) == list(range(24))
    assert 24 <= len(list(tmp_path.iterdir())) <= 24 + 2


def test_a_job_that_kills_its_workers_is_named(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(JobError, match=r"the job \(.*, 77, 9\) has ended its worker 3 times"):
        list(run(chores.attempted, [(str(tmp_path), 77, 9)], ray=cluster.address))


def test_an_exception_of_a_job_is_raised(cluster: Any) -> None:
    with pytest.raises(ValueError, match="three is refused"):
        list(run(chores.refused, range(6), ray=cluster.address))


def test_a_tournament_loses_a_node(cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from threading import Thread

    store = tmp_path / "results"

    def kill() -> None:
        while not store.exists() or not any(_finished(store)):
            time.sleep(0.05)
        cluster.remove_node(cluster.nodes_with_processors.pop(), allow_graceful=False)

    killer = Thread(target=kill)
    killer.start()
    line = ["tournament", "tictactoe", "random", "mcts:3000", "mcts:4000", "--games", "40", "--store", str(store)]
    status = main([*line, "--ray", cluster.address])
    killer.join()
    assert (status, capsys.readouterr().err) == (0, "")
    assert set(_finished(store)) == {20}


def _finished(path: Path) -> list[int]:
    with Store(path) as store:
        return list(store.pairings().values())


def test_there_is_no_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ray", reason="the library Ray is not installed: pip install 'athenan[ray]'")
    line = ["match", "tictactoe", "random", "random", "--games", "2", "--ray", "127.0.0.1:1"]
    assert main(line) == 2
    error = capsys.readouterr().err
    assert error.startswith("athenan: error: ") and error.count("\n") == 1
