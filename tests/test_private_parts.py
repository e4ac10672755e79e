"""What is used of numba and PyTorch beyond their documented interfaces: in one module each, and as it is expected.

A failure here, with a new version of one of them, says which part has changed.
"""

import re
import threading
from pathlib import Path
from types import FunctionType

import numba
import numpy as np
import pytest
import torch
from numba import types
from numba.core.event import unregister
from torch.nn import functional

import athenan
from athenan.evaluation import torch_parts
from athenan.rules import numba_parts
from athenan.rules.compiler import Kernel

PACKAGE = Path(athenan.__file__).parent
INNER = re.compile(
    r"numba\.(core|np|misc)\b|torch\._[A-Za-z]|torch\.ops\.|\b_cache_path\b|\bfndesc\b|_is_mkldnn|_foreach_|\"_nrt\""
)


def test_inner_parts_of_libraries_are_in_one_module_each():
    found = {file.name for file in PACKAGE.glob("**/*.py") if INNER.search(file.read_text())}
    assert found == {"numba_parts.py", "torch_parts.py"}


def doubled(number):
    return 2 * number


def test_numba_compiles_for_one_signature_without_its_runtime():
    uncached = FunctionType(doubled.__code__.replace(co_filename="of no file"), {})  # numba shows no code from a cache
    kernel = Kernel(uncached, numba_parts.Signature(types.int64, (types.int64,), None))
    assert kernel(21) == 42 and kernel(True) == 2  # an argument is converted: nothing else is compiled
    assert len(kernel.overloads) == 1
    assert kernel.address > 0
    assert "NRT_" not in kernel.inspect_llvm(next(iter(kernel.overloads)))


def test_numba_reports_compilations():
    seen = []

    class Seen(numba_parts.Listener):
        def on_start(self, event):
            seen.append(event.data["dispatcher"].py_func)

        def on_end(self, event): ...

    listener = Seen()
    numba_parts.register(numba_parts.COMPILING, listener)
    try:
        kernel = Kernel(doubled, types.int64(types.int64))
        kernel._cache = numba_parts.NullCache()
        numba_parts.CPUDispatcher.compile(kernel, kernel.signature)
    finally:
        unregister(numba_parts.COMPILING, listener)
    assert seen == [kernel.py_func]


def test_numba_reports_who_wants_its_lock():
    """Before the thread has the lock, and after it has released it."""
    wanted, released = threading.Semaphore(0), threading.Semaphore(0)

    class Seen(numba_parts.Listener):
        def on_start(self, event):
            wanted.release()

        def on_end(self, event):
            released.release()

    def other():
        with numba_parts.global_compiler_lock:
            pass

    thread, listener = threading.Thread(target=other), Seen()
    numba_parts.register(numba_parts.LOCKING, listener)
    try:
        with numba_parts.global_compiler_lock:
            assert wanted.acquire(timeout=60)
            thread.start()
            assert wanted.acquire(timeout=60) and not released.acquire(blocking=False)
        thread.join()
    finally:
        unregister(numba_parts.LOCKING, listener)
    assert released.acquire(timeout=60) and released.acquire(timeout=60)


def test_numba_keeps_compiled_code_in_the_files_that_a_cache_names():
    cache = numba_parts.StampedCache(doubled, "suffix", "1")
    assert cache._cache_file._index_path.endswith("-suffix.nbi")
    assert cache._cache_file._version == (numba.__version__, "1")


@pytest.mark.skipif(not torch_parts.fused_layers(torch.float32), reason="this PyTorch has no fused layers")
def test_fused_layers_of_pytorch_compute_what_plain_ones_do():
    generator = torch.Generator().manual_seed(0)
    planes, weight, bias = (torch.randn(shape, generator=generator) for shape in ((2, 3, 5, 5), (4, 3, 3, 3), (4,)))
    plain = functional.conv2d(planes, weight, bias, padding=1)
    order = torch_parts.reordered(weight, [1, 1])
    for activation, expected in (("none", plain), ("relu", plain.relu())):
        found = torch_parts.convolution(planes, order, bias, [1, 1], activation)
        np.testing.assert_allclose(found, expected, atol=1e-5)
    inputs, matrix = torch.randn(2, 7, generator=generator), torch.randn(4, 7, generator=generator)
    expected = functional.linear(inputs, matrix, bias).relu()
    np.testing.assert_allclose(torch_parts.dense(inputs, matrix, bias), expected, atol=1e-5)


def test_averages_move_by_a_share_of_the_way():
    averages, weights = [torch.zeros(2), torch.ones(3)], [torch.ones(2), torch.full((3,), 3.0)]
    torch_parts.move_towards(averages, weights, 0.25)
    assert [one.tolist() for one in averages] == [[0.25] * 2, [1.5] * 3]
