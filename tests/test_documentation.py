"""Examples run: those in docstrings, and the Python blocks with `>>>` in README and docs."""

import doctest
import pkgutil
import re
from collections.abc import MutableMapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import athenan
from athenan.arena.roster import PLAYERS
from athenan.evaluation.heads import HEADS
from athenan.evaluation.heuristics import HEURISTICS

ROOT = Path(__file__).parent.parent
MODULES = [
    module.name
    for module in pkgutil.walk_packages(athenan.__path__, "athenan.")
    if not module.name.endswith("__main__")
]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
NEEDED = {
    "export.md": ["onnxscript", "onnxruntime"], "openspiel.md": ["pyspiel"],
    "environments.md": ["gymnasium", "pettingzoo"], "athenan.engines.openspiel": ["pyspiel"],
}  # fmt: skip
"""Page or module -> the packages that its examples need beyond those of athenan."""
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def source(name):
    """The text of a module, which is not imported for it."""
    spec = find_spec(name)
    assert spec and spec.origin
    return Path(spec.origin).read_text()


def examples(page):
    """The examples of a page as one: later blocks see the names of earlier ones."""
    text = "\n".join(block for block in BLOCK.findall(page.read_text()) if ">>>" in block)
    return doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)


def skip_without_needed(name):
    for package in NEEDED.get(name, []):
        pytest.importorskip(package, reason=f"{package} is not installed")


@pytest.fixture(autouse=True)
def what_examples_add_is_taken_back():
    """Other tests of the process list what there is."""
    registries: tuple[MutableMapping[str, Any], ...] = PLAYERS, HEADS, HEURISTICS
    before = [(registry, dict(registry)) for registry in registries]
    yield
    for registry, had in before:
        registry.clear()
        registry.update(had)


@pytest.mark.parametrize("name", [name for name in MODULES if ">>>" in source(name)])
def test_examples_of_docstrings(name, tmp_path, monkeypatch):
    skip_without_needed(name)
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(import_module(name)).failed == 0


@pytest.mark.parametrize("page", [page for page in PAGES if examples(page).examples], ids=lambda page: page.name)
def test_examples_of_pages(page, tmp_path, monkeypatch):
    skip_without_needed(page.name)
    monkeypatch.chdir(tmp_path)
    assert doctest.DocTestRunner().run(examples(page)).failed == 0


def test_public_names_are_explained():
    for name in vars(athenan)["__all__"]:
        if name not in ("__version__", "GAMES"):
            assert getattr(athenan, name).__doc__, name
