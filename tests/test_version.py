"""The version that trains: with the commit of a clone, and without one elsewhere."""

import subprocess
from pathlib import Path

import pytest

from athenan import __version__
from athenan.version import version


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with a package in src."""
    package = tmp_path / "src" / "athenan"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "src")
    git(tmp_path, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "--quiet", "--message", "first")
    return package


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def test_a_clone_has_its_commit_and_says_if_files_have_changed(clone: Path) -> None:
    commit = git(clone, "rev-parse", "--short=12", "HEAD")
    assert version(clone) == f"{__version__}+{commit}"
    (clone / "__init__.py").write_text("changed = True")
    version.cache_clear()
    assert version(clone) == f"{__version__}+{commit}.changed"


def test_an_installed_package_has_no_commit(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert version(clone.rename(clone.parent.parent / "athenan")) == __version__
    git(clone.parent.parent, "init", "--quiet")
    monkeypatch.setenv("PATH", "")
    (package := clone.parent.parent / "src" / "athenan").mkdir()
    assert version(package) == __version__
