"""The notebooks of docs/notebooks run from top to bottom, and are kept without outputs."""

import ast
import json
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def cells(notebook, kind):
    return [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == kind]


def run(source, names):
    """Runs a cell; what its last line is worth is displayed as Jupyter displays it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    displays = (getattr(value, name, None) for name in ("_repr_html_", "_repr_svg_"))
    return next((display() for display in displays if display), repr(value))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    names = {"__name__": "__main__"}
    shown = [run("".join(cell["source"]), names) for cell in cells(notebook, "code")]
    assert any("<svg" in display or "<table" in display for display in shown if display)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_no_outputs_and_begins_with_its_title(notebook):
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells(notebook, "code"))
    assert cells(notebook, "markdown")[0]["source"][0].startswith("# ")


def test_all_notebooks_are_listed():
    page = (FOLDER / "README.md").read_text()
    assert NOTEBOOKS and all(f"]({notebook.name})" in page for notebook in NOTEBOOKS)
