"""The files of changes, which a release gathers."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_each_file_of_changes_has_a_kind_and_is_gathered():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["towncrier"]
    kinds = {kind["directory"] for kind in settings["type"]}
    files = [file for file in (ROOT / "changes").iterdir() if file.name != "README.md"]
    for file in files:
        name, kind, suffix = file.name.split(".")
        assert name.startswith("+") and kind in kinds and suffix == "md", f"{file.name}: see changes/README.md"
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9"]
    draft = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert draft.count("\n- ") == len(files)
