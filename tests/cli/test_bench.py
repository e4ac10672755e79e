"""`athenan bench` measures compiled code, also where nothing was compiled before."""

import json
import os
import subprocess
import sys
from time import thread_time

import pytest

from athenan import bench


def busy(seconds):
    until = thread_time() + seconds
    while thread_time() < until:
        pass


def test_a_first_call_that_compiles_is_not_measured():
    calls = []

    def run(units):
        busy(0.5 if not calls else 1e-3 + 1e-6 * units)
        calls.append(units)
        return units

    assert bench._rate(run, 0.1) > 100_000  # nearly a million, however long the first call takes


@pytest.mark.slow
def test_a_cold_cache_gives_the_speed_of_a_warm_one(tmp_path):
    def measured():
        line = [sys.executable, "-m", "athenan", "bench", "tictactoe", "--seconds", "0.2", "--json"]
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        return json.loads(subprocess.run(line, env=environment, capture_output=True, check=True).stdout)["games"][0]

    cold, warm = measured(), measured()
    for figure in ("random_steps", "perft_nodes", "mcts_rollouts"):
        assert cold[figure] > warm[figure] / 5, figure
    assert cold["round_microseconds"] < 5 * warm["round_microseconds"]
