"""The devices on which PyTorch computes, which one to take, and how arrays reach it."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from athenan.system.devices import own_gpu

_CLEARLY = 1.2


def gpus() -> int:
    """The number of GPUs that PyTorch can use here. A driver that does not work counts none."""
    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def candidates() -> list[str]:
    """The devices among which `auto` chooses: the CPU, and the GPU that is this process's share."""
    return ["cpu", f"cuda:{own_gpu(gpus())}"] if gpus() else ["cpu"]


def choose_device(name: str) -> torch.device:
    """The device of that name; auto and cuda are this process's share of the GPUs, auto without one the CPU.

    Raises ValueError if this machine does not have it.
    """
    if name in ("auto", "cuda"):
        name = candidates()[-1] if name == "auto" or gpus() else name
    kind, _, index = name.partition(":")
    found = {"cpu": 1, "cuda": gpus()}.get(kind, 0)
    if not (index or "0").isdecimal() or int(index or 0) >= found:
        raise ValueError(f"device {name!r} is not here; use auto, cpu" + ", or cuda" * bool(gpus()))
    if kind == "cuda":
        torch.set_float32_matmul_precision("high")  # as convolutions already compute: products of 10 bits
    return torch.device(name)


def fastest_device(trial: Callable[[str], Callable[[], object]]) -> str:
    """The device of `candidates` on which a trial is clearly fastest; a GPU only where it beats the CPU.

    `trial(device)` prepares what is tried there, and returns the call that is timed. Without a GPU nothing is tried.
    """
    names = candidates()
    return names[0] if len(names) == 1 else faster({name: trial(name) for name in names})


def moved(array: NDArray[Any], device: torch.device) -> Tensor:
    """An array as a tensor on a device. To a GPU it goes by pinned memory, and the CPU does not wait for the copy."""
    tensor = torch.from_numpy(array)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


def random_states(count: int, planes: tuple[int, ...]) -> NDArray[np.int8]:
    """Random planes for trials: int8[count, *planes] of 0 and 1."""
    return np.random.default_rng(0).integers(0, 2, (count, *planes), np.int8)


def faster(trials: dict[str, Callable[[], object]], seconds: float = 0.1) -> str:
    """The name of the trial that runs fastest; among nearly equal trials, the first.

    `seconds` limits the time of each trial after two runs.
    """
    names = list(trials)
    best = dict.fromkeys(names, float("inf"))
    for name in names:
        trials[name]()  # the first run prepares
    started = time.perf_counter()
    while True:
        for name in names:
            before = time.perf_counter()
            trials[name]()
            best[name] = min(best[name], time.perf_counter() - before)
        if time.perf_counter() - started > seconds * len(names):
            break
    chosen = names[0]
    for name in names[1:]:
        if best[chosen] > _CLEARLY * best[name]:
            chosen = name
    return chosen
