"""The evaluator, against plain PyTorch."""

import threading

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from small_networks import SMALL, network, states

from athenan.evaluation.devices import choose_device, faster, fastest_device, gpus
from athenan.evaluation.evaluator import Evaluator, rounded_batch, use_threads
from athenan.evaluation.inference import PRECISIONS
from athenan.system.devices import take_share


@pytest.mark.parametrize("planes", [(3, 9, 9), (2, 3, 3), (3, 6, 7)])
@pytest.mark.parametrize("name", SMALL)
def test_evaluations_are_the_networks_values(name, planes):
    built = network(planes, name)
    evaluate = Evaluator(built, device="cpu", precision="float32")
    for count in (1, 5, 45, 150):
        batch = states(count, planes, seed=count)
        with torch.no_grad():
            expected = built(torch.from_numpy(batch).float()).numpy()
        values = evaluate(batch).values
        assert values.dtype == np.float32
        np.testing.assert_allclose(values, expected, rtol=1e-4, atol=1e-4)
        np.testing.assert_array_equal(evaluate(batch.reshape(count, -1)).values, values)


@pytest.mark.parametrize("name", SMALL)
def test_bfloat16_is_close_to_float32(name):
    built, batch = network(name=name), states(200, (3, 9, 9))
    exact = Evaluator(built, device="cpu", precision="float32")(batch).values
    rounded = Evaluator(built, device="cpu", precision="bfloat16")(batch).values
    assert np.abs(rounded - exact).max() < 0.1 * exact.std() + 0.02 * np.abs(exact).max()
    assert len(np.unique(rounded)) > 180  # the last neuron's float32 keeps the values of different states apart


def test_no_state_many_states_and_wrong_states():
    evaluate = Evaluator(network(), device="cpu", precision="float32")
    assert evaluate(np.empty((0, 3, 9, 9), np.int8)).values.shape == (0,)
    batch = states(2500, (3, 9, 9))
    values, few = evaluate(batch).values, [0, 1023, 1024, 2499]
    np.testing.assert_allclose(values[few], evaluate(batch[few]).values, atol=1e-4)
    with pytest.raises(ValueError, match="a state has 192 numbers here"):
        evaluate(states(4, (3, 8, 8)))


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", SMALL)
def test_refresh_takes_the_new_weights(name, precision):
    built, batch = network(name=name), states(20, (3, 9, 9))
    evaluate = Evaluator(built, device="cpu", precision=precision)
    before = evaluate(batch).values
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.add_(0.01 * torch.randn_like(parameter))
    np.testing.assert_array_equal(evaluate(batch).values, before)
    evaluate.refresh()
    assert not np.array_equal(evaluate(batch).values, before)
    anew = Evaluator(built, device="cpu", precision=precision)
    np.testing.assert_array_equal(evaluate(batch).values, anew(batch).values)


def test_the_automatic_choices_are_recorded_and_can_be_given_again():
    built, batch = network(), states(20, (3, 9, 9))
    evaluate = Evaluator(built)
    assert evaluate.precision in PRECISIONS
    assert evaluate.device.type in ("cpu", "cuda")
    again = Evaluator(built, device=str(evaluate.device), precision=evaluate.precision)
    np.testing.assert_array_equal(evaluate(batch).values, again(batch).values)


def test_unknown_devices_and_precisions_are_refused():
    for device in ("gpu", "cuda:99", "cpu:1", "cuda:x", "cpu:-1"):
        with pytest.raises(ValueError, match="is not here; use auto, cpu"):
            choose_device(device)
    with pytest.raises(ValueError, match="auto, float32 or bfloat16, not 'float16'"):
        Evaluator(network(), precision="float16")


def test_a_driver_that_does_not_work_counts_no_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert gpus() == 0 and str(choose_device("auto")) == "cpu"
    with pytest.raises(ValueError, match=r"device 'cuda' is not here; use auto, cpu$"):
        choose_device("cuda")


@pytest.fixture
def two_gpus(monkeypatch):
    """As if this machine had two GPUs. Nothing is computed on them."""
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    before = torch.get_float32_matmul_precision()
    yield
    torch.set_float32_matmul_precision(before)
    take_share(0)


def test_processes_take_turns_with_gpus_unless_one_is_named(two_gpus):
    found = []
    for number in range(4):
        take_share(number)
        found.append((str(choose_device("auto")), str(choose_device("cuda")), str(choose_device("cuda:0"))))
    assert found == [(f"cuda:{number % 2}", f"cuda:{number % 2}", "cuda:0") for number in range(4)]
    with pytest.raises(ValueError, match="device 'cuda:2' is not here; use auto, cpu, or cuda"):
        choose_device("cuda:2")


def test_a_gpu_is_taken_only_where_it_is_clearly_faster(two_gpus, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("athenan.evaluation.devices.time.perf_counter", lambda: now[0])
    for seconds, chosen in ((2.0, "cpu"), (0.9, "cpu"), (0.5, "cuda:0")):
        needed = {"cpu": 1.0, "cuda:0": seconds}

        def trial(name, needed=needed):
            return lambda: now.__setitem__(0, now[0] + needed[name])

        assert fastest_device(trial) == chosen


def test_a_device_is_tried_with_the_usual_number_of_states(monkeypatch):
    asked = []

    def fastest(trial):
        run = trial("cpu")
        asked.append(len(run()["values"]))
        return "cpu"

    monkeypatch.setattr("athenan.evaluation.evaluator.fastest_device", fastest)
    assert Evaluator(network(), precision="float32", usual=7).device.type == "cpu" and asked == [7]


@given(st.integers(1, 20000))
def test_batches_are_rounded_up_a_little(count):
    rounded = rounded_batch(count)
    assert count <= rounded <= count + count // 16
    assert rounded_batch(rounded) == rounded


def test_the_faster_trial_is_chosen_and_the_first_when_in_doubt():
    def spin(steps):
        return lambda: sum(range(steps))

    assert faster({"slow": spin(200_000), "fast": spin(1_000)}, seconds=0.01) == "fast"
    assert faster({"fast": spin(1_000), "slow": spin(200_000)}, seconds=0.01) == "fast"


def test_the_threads_of_one_thread_are_not_those_that_another_sets_next() -> None:
    before, found = torch.get_num_threads(), list[int]()
    begun, other = threading.Event(), threading.Event()

    def computing() -> None:
        use_threads(4)
        begun.set()
        assert other.wait(60)
        _ = torch.ones(100, 100) @ torch.ones(100, 100)
        found.append(torch.get_num_threads())

    thread = threading.Thread(target=computing)
    thread.start()
    assert begun.wait(60)
    use_threads(2)
    other.set()
    thread.join()
    torch.set_num_threads(before)
    assert found == [4]
