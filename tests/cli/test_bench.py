"""`athenan bench`: its figures, which are of compiled code, also where nothing was compiled before."""

import json
import os
import subprocess
import sys
from time import thread_time

import pytest

from athenan import bench
from athenan.search.named import SEARCHES


def busy(seconds):
    until = thread_time() + seconds
    while thread_time() < until:
        pass


def test_a_first_call_that_compiles_is_not_measured():
    calls = list[int]()

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


@pytest.mark.parametrize("search", SEARCHES)
def test_bench(search, command, as_json):
    games = ["tictactoe", "connect_four:4x4"] if search == "descent" else ["connect_four:4x4"]
    found = as_json("bench", *games, "--seconds", "0.01", "--search", search)
    assert found["machine"]["cores"] >= 1 and len(found["games"]) == len(games)
    for speed in found["games"]:
        assert speed["random_steps"] > 0
        assert speed["perft_nodes"] > 0
        assert speed["mcts_rollouts"] > 0
        for kind in ("search", "network"):
            assert speed[kind]["expansions"] > 0
        share = speed["network"]["evaluator_share"]
        assert speed["architecture"].startswith("patterns") and share is None
        assert 0 <= speed["search"]["evaluator_share"] <= 1


def test_bench_measures_the_network_that_trainings_have(command, as_json):
    (speed,) = as_json("bench", "hex:3", "--seconds", "0.01")["games"]
    assert speed["architecture"] == "patterns:entries=512,vector=16"
    printed = command("bench", "hex:3", "--seconds", "0.01")[1]
    assert "inside" in printed and "networks in float32" in printed
    (speed,) = as_json("bench", "hex:3", "--seconds", "0.01", "--network", "c")["games"]
    assert speed["architecture"] == "c" and 0 < speed["network"]["evaluator_share"] <= 1
