"""The site of the documents is built without a broken link, and its tools agree with the repository."""

import csv
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from athenan.cli import COMMANDS
from athenan.games.catalogue import GAMES

ROOT = Path(__file__).parent.parent
SETTINGS = (ROOT / "mkdocs.yml").read_text()


def test_every_page_is_in_a_section():
    pages = {str(path.relative_to(ROOT / "docs")) for path in ROOT.glob("docs/**/*.md")}
    named = set(re.findall(r"[\w/]+\.md", SETTINGS.partition("\nnav:")[2]))
    assert named == pages | {"changelog.md", "contributing.md", "reference.md"}
    assert {f"games/{game}.md" for game in GAMES} <= named


def test_the_index_names_every_page_but_those_of_games():
    index = (ROOT / "docs" / "index.md").read_text()
    pages = [path.relative_to(ROOT / "docs") for path in ROOT.glob("docs/**/*.md")]
    named = [str(page) for page in pages if page.parent.name != "games" and page.name not in ("index.md", "README.md")]
    assert not [page for page in named if f"]({page}" not in index]


def test_what_contributing_names_is_there():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    for name in re.findall(r"`((?:tests|scripts|docs|src)/[\w/.]+)`", text.replace("docs/games/NAME.md", "docs/games")):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"`((?:games|search|engines|files|evaluation|cli)/[\w/.]+)`", text):
        assert (ROOT / "src" / "athenan" / name).exists(), name
    for command in re.findall(r"athenan ([a-z]+)", text):
        assert command in COMMANDS, command


def test_tables_of_measurements_are_files(monkeypatch):
    pytest.importorskip("mkdocs", reason="mkdocs is not installed (the extra docs)")
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    tables = import_module("site_tables")
    page = "# A\n\n| a | b |\n| --- | --- |\n| [`x|y`](z.md) | **1,5** |\n\nText.\n\n| c |\n| --- |\n| 2 |\n"
    page = page.replace("x|y", "x\\|y")
    first, second = tables.tables(page)
    assert tables.as_csv(first) == 'a,b\nx|y,"1,5"\n' and tables.as_csv(second) == "c\n2\n"
    linked = tables.linked(page, "name")
    assert re.findall(r"\(name-\d\.csv\)", linked) == ["(name-1.csv)", "(name-2.csv)"]
    assert re.sub(r"\n\[CSV\]\(name-\d\.csv\)\n", "", linked) == page
    for name in tables.PAGES:
        text = (ROOT / "docs" / f"{name}.md").read_text()
        found = tables.tables(text)
        assert len(found) == len(re.findall(r"^\|[-:| ]+\|$", text, re.MULTILINE)), name
        for table in found:
            assert len({len(row) for row in csv.reader(tables.as_csv(table).splitlines())}) == 1, table


@pytest.mark.slow
def test_the_site_has_no_broken_links(tmp_path):
    pytest.importorskip("mkdocs", reason="mkdocs is not installed (the extra docs)")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    reference = (tmp_path / "site" / "reference" / "index.html").read_text()
    assert 'id="athenan.search.budget.Budget"' in reference and 'id="athenan.rules.game.Game.after"' in reference
