"""Compiled code that comes with the package, so that nothing is compiled at a first start.

A release compiles the kernels of the package for baselines: kinds of processors that most computers surpass
(`scripts/build_wheel.py`). If this processor has the features of its baseline, and Python and numba are those of the
release, kernels are read from there, and whatever else is compiled is compiled for the baseline as well, so that the
two fit together. A clone has no such folder: it compiles everything for the very processor.
"""

import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from athenan.rules.numba_parts import compile_for, processor_has, version

_FOLDER = Path(__file__).parent.parent / "compiled"


@dataclass(frozen=True)
class Baseline:
    """A kind of processor."""

    name: str
    """LLVM's name."""
    features: frozenset[str]
    """Features that it has, by LLVM's names, and that not every processor of its architecture has."""


_V3_FEATURES = frozenset(("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave"))
_V3 = Baseline("x86-64-v3", _V3_FEATURES)
_GENERIC = Baseline("generic", frozenset())
BASELINES = {"x86_64": _V3, "AMD64": _V3, "aarch64": _GENERIC, "arm64": _GENERIC}
"""The name of an architecture -> its baseline."""


def folder_name(baseline: Baseline) -> str:
    """The name of the folder with the code for a baseline, this system, this Python and this numba."""
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    return f"{sys.platform}-{baseline.name}-{python}-numba{version}"


def _ready_code() -> Path | None:
    """The folder with code for this processor; None without such code, or if NUMBA_CPU_NAME asks for another one."""
    baseline = BASELINES.get(platform.machine())
    if baseline is None or "NUMBA_CPU_NAME" in os.environ or not _FOLDER.is_dir():
        return None
    folder = _FOLDER / folder_name(baseline)
    if not folder.is_dir() or not processor_has(baseline.features):
        return None
    compile_for(baseline.name)
    return folder


READY = _ready_code()
"""The folder with compiled code for this processor, or None; all kernels of this process are compiled to match it."""
