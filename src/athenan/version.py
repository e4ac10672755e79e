"""The version of athenan that runs, with the commit of its sources, and what else a result depends on.

>>> version().startswith("0.")
True
>>> sorted({"athenan", "python", "numpy", "numba", "processor", "system"} - set(environment()))
[]
"""

import platform
import subprocess
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__version__ = "0.1.0"
COMMIT = "commit.txt"
"""The file of a built package that holds the commit of its sources, beside this module."""
_LIBRARIES = ("numpy", "numba", "torch")
_MOST_TEXTS = 100
"""Names and values of an environment that a file may hold."""
_SECONDS = 10.0
"""The longest that git may take: without an answer the commit is not known."""


@cache
def version(package: Path = Path(__file__).parent) -> str:
    """The package's version, and the commit of its sources after a +, such as `0.1.0+546ccc5d81f4`.

    A commit ends with `.changed` if files of the package had changed since. A built package, such as a wheel, holds the
    commit of the clone in which it was built. Without a clone, or without git, there is only the version.
    """
    root = package.parent.parent
    in_clone = package.parent.name == "src" and (root / ".git").exists()
    commit = commit_of(root) if in_clone else _built_from(package)
    return f"{__version__}+{commit}" if commit else __version__


@cache
def environment() -> dict[str, str]:
    """The versions of athenan, Python and the libraries that compute, the processor and the system.

    `torch` is missing if PyTorch is not installed. Of several machines, each has its own.
    """
    libraries = {name: metadata.version(name) for name in _LIBRARIES if find_spec(name)}
    return {
        "athenan": version(), "python": platform.python_version(), **libraries,
        "processor": processor(), "system": platform.platform(),
    }  # fmt: skip


def restored_environment(data: Any) -> dict[str, str]:
    """An environment from a file. Raises ValueError unless it maps a few short names to short printable texts."""
    texts = [text for both in data.items() for text in both] if isinstance(data, dict) else [None]
    if len(texts) > _MOST_TEXTS or not all(_is_short(text) for text in texts):
        raise ValueError("versions and processor must be short texts")
    return dict(data)


def processor() -> str:
    """The name of the processor of this machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def commit_of(root: Path) -> str | None:
    """The commit of a clone, with `.changed` if files in src have changed since; None if git does not say."""
    commit = _git(root, "rev-parse", "--short=12", "HEAD")
    changes = _git(root, "status", "--porcelain", "--untracked-files=no", "src")
    if commit is None or changes is None:
        return None
    return f"{commit}{'.changed' if changes else ''}"


def _is_short(text: Any) -> bool:
    return type(text) is str and text.isprintable() and len(text) <= 200


def _built_from(package: Path) -> str | None:
    """The commit that a built package holds, or None."""
    try:
        return (package / COMMIT).read_text(encoding="utf-8").strip()
    except OSError:
        return None


def _git(root: Path, *words: str) -> str | None:
    """What git prints, or None if it fails."""
    try:
        found = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()
