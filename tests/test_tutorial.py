"""The commands of the README and of the tutorial, each page in its order, with short trainings and few matches."""

import io
import re
import shutil
import sys
from pathlib import Path

import pytest
import uvicorn
from documented_commands import command_lines

from athenan.cli import main

README = Path(__file__).parent.parent / "README.md"
TUTORIAL = README.parent / "docs" / "tutorial.md"
SHORTER = {
    "--minutes": ("--matches", "2"), "--games": ("--games", "2"), "--seconds": ("--seconds", "0.01"),
    "--keep": (),  # two matches are over before a network is kept
}  # fmt: skip
"""Option with a value -> what is given instead."""
ADDED = {
    "match": ("--games", "2", "--seconds", "0.01"), "tournament": ("--games", "2", "--seconds", "0.01"),
    "bench": ("--seconds", "0.01"), "web": ("--port", "0"),
}  # fmt: skip
"""Command -> what is added, where it is not given."""
PICTURE_BYTES, ALL_BYTES = 100_000, 600_000
TYPED = {"play": "quit\n", "engine": "quit\n"}
"""Command -> what a person or a program then writes."""


def commands(page):
    """The command lines of a page that have no placeholders, in its order."""
    return [line for line in command_lines(page) if not any(word.isupper() for word in line)]


def shortened(command):
    words = iter(command)
    for word in words:
        if word in SHORTER:
            next(words)
            yield from SHORTER[word]
        else:
            yield word
    added = ADDED.get(command[0], ())
    for option, value in zip(added[::2], added[1::2], strict=True):
        if option not in command:
            yield from (option, value)


@pytest.mark.slow
@pytest.mark.parametrize(("page", "least"), [(README, 6), (TUTORIAL, 16)], ids=["README", "tutorial"])
def test_the_commands_run(page, least, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    served = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: served.append(sockets))  # would serve until Ctrl-C
    assert len(commands(page)) >= least
    for command in commands(page):
        if any("fairy-stockfish" in word for word in command) and not shutil.which("fairy-stockfish"):
            continue
        monkeypatch.setattr(sys, "stdin", io.StringIO(TYPED.get(command[0], "")))
        assert main(list(shortened(command))) == 0, (command, capsys.readouterr().err)
    assert len(served) == sum(command[0] == "web" for command in commands(page)) or not shutil.which("fairy-stockfish")


def test_pictures_are_there_and_small():
    named = re.findall(r"!\[[^\]]+\]\((.*?)\)", TUTORIAL.read_text())
    files = [TUTORIAL.parent / name for name in named]
    assert files and all(file.stat().st_size < PICTURE_BYTES for file in files)
    own = list((TUTORIAL.parent / "images" / "tutorial").iterdir())
    assert sum(file.stat().st_size for file in own) < ALL_BYTES
    assert set(own) <= set(files)  # none is left over
