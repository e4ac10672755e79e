"""Locks of files."""

import importlib
import os
import subprocess
import sys

import pytest

from athenan.system import locks

OTHER = "import sys; from athenan.system import locks; print(locks.hold(locks.opened(sys.argv[1])))"


@pytest.fixture(params=["fcntl", "os.lockf"])
def holding(request, monkeypatch):
    """The module with either implementation that runs on POSIX."""
    if request.param == "os.lockf":
        monkeypatch.setitem(sys.modules, "fcntl", None)
        importlib.reload(locks)
    yield locks
    monkeypatch.undo()
    importlib.reload(locks)


def held_elsewhere(path, module):
    """Whether another process finds the file held; it locks in the same way as this one."""
    block = "" if module.fcntl else "import sys; sys.modules['fcntl'] = None; "
    done = subprocess.run([sys.executable, "-c", block + OTHER, path], capture_output=True, text=True, check=True)
    return done.stdout.strip() == "False"


def test_a_file_is_held_until_its_descriptor_is_closed(tmp_path, holding):
    path = tmp_path / "lock"
    mine = holding.opened(path)
    assert holding.hold(mine)
    assert held_elsewhere(path, holding)
    os.close(mine)
    assert not held_elsewhere(path, holding)


def test_a_lock_leaves_the_place_in_the_file(tmp_path, holding):
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntwo\n")
    mine = holding.opened(path)
    os.lseek(mine, 4, os.SEEK_SET)
    assert holding.hold(mine) and os.read(mine, 10) == b"two\n"
    os.close(mine)
