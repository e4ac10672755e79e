"""Adds to sdist and wheel the commit of the clone in which they are built, and compiled code to the wheel on demand.

A hook of hatchling, which `pyproject.toml` names. An sdist holds the commit as a file of its sources, so that a wheel
made from it has the same one (`athenan/version.py`).

With ATHENAN_COMPILE set, `ATHENAN_COMPILE=1 python -m hatchling build -t wheel`, it compiles the kernels of the package
for the baseline of this architecture (`athenan/rules/ready.py`), by the Python that builds, so the wheel is for this
system, architecture and version of Python. If another numba is installed, such a wheel works like any other and
compiles.

As a program, `python scripts/build_wheel.py PART PARTS`, it compiles a part of the kernels.
"""

import os
import pkgutil
import platform
import runpy
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # as a program
    BuildHookInterface = object

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src"
_PROCESSES = os.cpu_count() or 1
_OPTIONAL = ("pyspiel", "torch", "matplotlib", "onnxscript", "ray", "bitbully")
"""Packages that modules may lack."""


class BuiltFiles(BuildHookInterface):  # type: ignore[misc,valid-type]
    """Puts into a package what is made when it is built: the commit, and compiled code."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self._folder = TemporaryDirectory()
        folder = Path(self._folder.name)
        wheel = self.target_name == "wheel"
        if commit := commit_of_clone():
            (folder / "commit").write_text(f"{commit}\n")
            build_data["force_include"][str(folder / "commit")] = f"{'' if wheel else 'src/'}athenan/commit.txt"
        if not wheel or not os.environ.get("ATHENAN_COMPILE"):
            return
        name = compile_into(folder)
        build_data["force_include"][str(folder / "code")] = f"athenan/compiled/{name}"
        python, system = f"cp{sys.version_info.major}{sys.version_info.minor}", sysconfig.get_platform()
        # no shared library is linked, so that any glibc will do
        system = system.replace("linux-", "manylinux_2_17_").replace("-", "_").replace(".", "_")
        build_data["tag"] = f"{python}-{python}-{system}"
        build_data["pure_python"] = False

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if folder := getattr(self, "_folder", None):
            folder.cleanup()


def commit_of_clone() -> str | None:
    """The commit of this clone, as `athenan.version` has it; None outside a clone, such as in an unpacked sdist."""
    if not (ROOT / ".git").exists():
        return None
    return str(runpy.run_path(str(SOURCES / "athenan" / "version.py"))["commit_of"](ROOT) or "") or None


def compile_into(folder: Path) -> str:
    """Compiles for the baseline of this architecture into `folder/code`; the name of the folder in the package."""
    sys.path.insert(0, str(SOURCES))
    from athenan.rules.ready import BASELINES, folder_name

    baseline = BASELINES[platform.machine()]
    cache = folder / "cache"
    environment = os.environ | {
        "NUMBA_CPU_NAME": baseline.name, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(cache),
        "PYTHONPATH": str(SOURCES),
    }  # fmt: skip
    parts = [
        subprocess.Popen([sys.executable, __file__, str(part), str(_PROCESSES)], env=environment)
        for part in range(_PROCESSES)
    ]
    results = [part.wait() for part in parts]
    if any(results):
        raise RuntimeError("the kernels could not be compiled")
    (folder / "code").mkdir()
    for file in cache.glob("**/*.nb[ic]"):
        copy(file, folder / "code")
    return folder_name(baseline)


def kernels() -> Iterator[Any]:
    """The kernels that the modules of the package define, and those that its games make."""
    import athenan
    from athenan.games.catalogue import GAMES, make
    from athenan.networks.catalogue import every
    from athenan.rules.compiler import Kernel

    for module in pkgutil.walk_packages(athenan.__path__, "athenan."):
        if module.name.endswith("__main__"):
            continue
        try:
            defined = vars(import_module(module.name))
        except ModuleNotFoundError as error:
            if error.name not in _OPTIONAL:
                raise
            continue
        yield from (value for value in defined.values() if isinstance(value, Kernel))
    for name in [*GAMES, *(found.card.game for _, found in every() if not isinstance(found, ValueError))]:
        game = make(name)
        yield from game.table.kernels.values()
        yield from game.evaluations.values()


def main(part: int, parts: int) -> None:
    """Compiles every kernel whose number is `part` modulo `parts`."""
    found = {id(kernel): kernel for kernel in kernels()}
    for number, kernel in enumerate(found.values()):
        if number % parts == part:
            kernel.compile()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
