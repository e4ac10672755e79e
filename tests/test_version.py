"""The version that trains: with the commit of a clone, and without one elsewhere."""

import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from athenan import __version__
from athenan.version import COMMIT, environment, restored_environment, version

ROOT = Path(__file__).parent.parent


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


def test_a_built_package_has_the_commit_of_its_clone(clone: Path) -> None:
    package = clone.rename(clone.parent.parent / "athenan")
    (package / COMMIT).write_text("0123456789ab.changed\n")
    assert version(package) == f"{__version__}+0123456789ab.changed"


def test_the_environment_names_what_results_depend_on() -> None:
    version.cache_clear()  # a commit may have been made since
    environment.cache_clear()
    found = environment()
    assert found["athenan"] == version() and found["python"] == sys.version.split()[0]
    assert found["numpy"] == np.__version__ and found["numba"] == numba.__version__
    assert restored_environment(found) == found


@pytest.mark.parametrize(
    "data", [None, [], {"python": 3}, {"python": "3\n4"}, {"x": "y" * 201}, {str(n): "" for n in range(51)}]
)
def test_an_environment_of_a_file_is_checked(data: object) -> None:
    with pytest.raises(ValueError, match="short texts"):
        restored_environment(data)


def test_the_citation_names_this_version_and_the_papers() -> None:
    """By the schema of Citation File Format 1.2.0: what it requires, and which kinds of references it knows."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed (an extra of development)")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys() and cited["cff-version"] == "1.2.0"
    assert cited["version"] == __version__ and cited["authors"] == [{"name": "The developers of athenan"}]
    for one in cited["references"]:
        assert one["type"] in ("article", "conference-paper") and isinstance(one["year"], int)
        assert all({"family-names", "given-names"} == author.keys() for author in one["authors"])
        assert one["doi"].startswith("10.") and one["doi"] in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
        assert one["title"] in " ".join((ROOT / "docs" / "index.md").read_text(encoding="utf-8").split())
