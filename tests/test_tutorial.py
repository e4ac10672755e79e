"""The commands of the tutorial, in its order, with short trainings and few matches."""

import re
import shlex
from pathlib import Path

import pytest

from athenan.cli import main

TUTORIAL = Path(__file__).parent.parent / "docs" / "tutorial.md"
SHORTER = {"--minutes": ("--matches", "2"), "--games": ("--games", "2"), "--seconds": ("--seconds", "0.01")}
PICTURE_BYTES, ALL_BYTES = 100_000, 600_000


def commands():
    """The command lines in the blocks that are marked as `sh`, without the name of the program."""
    blocks = re.findall(r"^```sh\n(.*?)^```", TUTORIAL.read_text(), re.MULTILINE | re.DOTALL)
    return [shlex.split(line)[1:] for block in blocks for line in block.splitlines()]


def shortened(command):
    words = iter(command)
    for word in words:
        if word in SHORTER:
            next(words)
            yield from SHORTER[word]
        elif word == "--keep":  # two matches are over before a network is kept
            next(words)
        else:
            yield word


@pytest.mark.slow
def test_the_commands_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert len(commands()) > 6
    for command in commands():
        assert main(list(shortened(command))) == 0, (command, capsys.readouterr().err)


def test_pictures_are_there_and_small():
    named = re.findall(r"!\[[^\]]+\]\((.*?)\)", TUTORIAL.read_text())
    files = [TUTORIAL.parent / name for name in named]
    assert files and all(file.stat().st_size < PICTURE_BYTES for file in files)
    own = list((TUTORIAL.parent / "images" / "tutorial").iterdir())
    assert sum(file.stat().st_size for file in own) < ALL_BYTES
    assert set(own) <= set(files)  # none is left over
