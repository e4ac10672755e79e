"""The benchmark of GPUs: its parts, on the processor, and what it says without a GPU."""

import runpy
from pathlib import Path

import pytest
import torch

from athenan.games.catalogue import make

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "gpu.py"))
GAME, NETWORK = make("tictactoe"), "c:filters=4,dense=8"


def test_a_machine_without_a_gpu_is_said(monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert BENCHMARK["main"]([]) == 2
    assert capsys.readouterr().err == (
        "gpu.py: this machine has no GPU that PyTorch can use; --device cpu runs the same parts\n"
    )


def test_differences_are_of_the_answers():
    network = BENCHMARK["built"](GAME, NETWORK)
    table, right = BENCHMARK["correctness"](network, "cpu")
    assert right and [float(cell) for cell in table.rows[0][1:3]] == [0, 0]
    evaluated, learnt = (float(cell) for cell in table.rows[1][1:3])
    assert 0 < evaluated < 0.2 and 0 < learnt < 0.2
    with torch.no_grad():  # a device that computes something else is seen
        other = BENCHMARK["built"](GAME, NETWORK)
        other.heads["values"].weight.mul_(1.1)

    def wrong(of, device, precision):
        return BENCHMARK["Evaluator"](other if device == "wrong" else of, "cpu", precision)

    BENCHMARK["deviation"].__globals__["Evaluator"] = wrong
    try:
        assert BENCHMARK["deviation"](network, "wrong", "float32") > BENCHMARK["TOLERANCES"]["float32"]
    finally:
        BENCHMARK["deviation"].__globals__["Evaluator"] = BENCHMARK["Evaluator"]


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_every_part_runs_on_the_processor(precision):
    network = BENCHMARK["built"](GAME, NETWORK)
    assert BENCHMARK["evaluation"](network, "cpu", precision, 8, 0) > 0
    assert BENCHMARK["learning"](network, "cpu", precision, 16, 0) > 0
    assert all(found > 0 for found in BENCHMARK["self_play"](GAME, NETWORK, "cpu", precision, 2, 60, matches=1))


def test_the_full_batch_is_the_smallest_that_is_nearly_as_fast_as_any():
    assert BENCHMARK["full_batch"]({8: 100.0, 32: 790.0, 128: 801.0, 512: 1000.0}) == 128


def test_expectations_follow_from_the_multiplications():
    network = BENCHMARK["built"](GAME, NETWORK)
    count, layers = BENCHMARK["work"](network)
    kernels = [one.weight for one in network.modules() if hasattr(one, "weight")]
    dense = sum(weight.numel() for weight in kernels if weight.ndim == 2)
    places = [9] * sum(weight.ndim == 4 for weight in kernels)
    assert layers == len(kernels) and dense < count <= dense + sum(
        place * weight.numel() for place, weight in zip(places, (w for w in kernels if w.ndim == 4), strict=True)
    )
    small, large = (BENCHMARK["expected"](network, batch) for batch in (8, 8192))
    assert all(small[card] < large[card] for card in small) and large["T4"] < large["H100"]
    assert small["H100"] == pytest.approx(8 / (5e-6 * layers), rel=0.01)  # launches alone
