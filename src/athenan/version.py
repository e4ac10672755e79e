"""The version of athenan that runs: of the package, and of the sources if it runs from a clone of the repository.

>>> version().startswith("0.")
True
"""

import subprocess
from functools import cache
from pathlib import Path

__version__ = "0.1.0"
_SECONDS = 10.0
"""The longest that git may take: without an answer the commit is not known."""


@cache
def version(package: Path = Path(__file__).parent) -> str:
    """The package's version, and the commit of its sources after a +, such as `0.1.0+546ccc5d81f4`.

    A commit ends with `.changed` if files of the package have changed since. Without a clone, or without git, there is
    only the version.
    """
    root = package.parent.parent
    if package.parent.name != "src" or not (root / ".git").exists():
        return __version__
    commit = _git(root, "rev-parse", "--short=12", "HEAD")
    changes = _git(root, "status", "--porcelain", "--untracked-files=no", "src")
    if commit is None or changes is None:
        return __version__
    return f"{__version__}+{commit}{'.changed' if changes else ''}"


def _git(root: Path, *words: str) -> str | None:
    """What git prints, or None if it fails."""
    try:
        found = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()
