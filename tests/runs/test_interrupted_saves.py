"""Saves of checkpoints that are interrupted, killed or find no room: the former state or the new one remains."""

import errno
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from checkpoints import DOCUMENT, assert_equal, match, saved, tensors
from sizes import size

from athenan.runs import checkpoint as c


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return saved(tmp_path / "run")


def test_an_interrupted_start_leaves_nothing(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "lock").write_text("not ours")
    for path in (tmp_path / "a" / "b", mine):
        with c.RunDirectory(path):
            (path / "checkpoint.safetensors.tmp").write_bytes(b"half")
    assert [str(file.relative_to(tmp_path)) for file in sorted(tmp_path.rglob("*"))] == ["mine", "mine/lock"]
    with c.RunDirectory(tmp_path / "a" / "b") as directory:
        directory.save(tensors(), DOCUMENT, {})
    assert c.load(tmp_path / "a" / "b").document == DOCUMENT


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_full_disk_loses_nothing(run: Path, monkeypatch: pytest.MonkeyPatch, call: str, after: int) -> None:
    genuine, calls = getattr(os, call), []

    def full(*arguments: object) -> object:
        calls.append(arguments)
        if len(calls) > after:
            raise OSError(errno.ENOSPC, "No space left on device")
        return genuine(*arguments)

    with c.RunDirectory(run) as directory:
        directory.load()
        with monkeypatch.context() as patch:
            patch.setattr(os, call, full)
            if call == "replace" and after == 2:
                directory.save({"a": np.ones(2)}, {}, {1: match(1), 2: match(2)})
                return
            with pytest.raises(c.CheckpointError, match=r"No space left on device; the checkpoint in .* is whole"):
                directory.save({"a": np.ones(2)}, {}, {1: match(1), 2: match(2)})
        assert_equal(c.load(run).tensors, tensors())
        assert sorted(file.name for file in run.rglob("*.safetensors*")) == [
            "000000.safetensors", "000001.safetensors", "checkpoint.safetensors",
        ]  # fmt: skip
        directory.save({"a": np.ones(2)}, {}, {1: match(1), 2: match(2)})
    assert_equal(c.load(run).matches[2], match(2))


def test_a_disk_that_takes_half_a_file_loses_nothing(run: Path) -> None:
    """The operating system itself refuses the second half of the write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with c.RunDirectory(run) as directory:
        directory.load()
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        try:
            with pytest.raises(c.CheckpointError, match="cannot save to"):
                directory.save({"network.a": np.ones(50_000)}, {}, {1: match(1)})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            signal.signal(signal.SIGXFSZ, handler)
    assert_equal(c.load(run).tensors, tensors())
    assert not list(run.rglob("*.tmp"))


def test_leftovers_are_removed(run: Path) -> None:
    names = ["checkpoint.safetensors.tmp", "matches/000002.safetensors.tmp", "matches/000007.safetensors"]
    leftovers = [run / name for name in names]
    for file in leftovers:
        file.write_bytes(b"half")
    with c.RunDirectory(run) as directory:
        directory.load()
    assert not any(file.exists() for file in leftovers)


SAVE_WITHOUT_END = """
import sys
import numpy as np
from athenan.runs.checkpoint import RunDirectory
with RunDirectory(sys.argv[1]) as run:
    step = run.load().document["step"] if run.holds_checkpoint else 0
    while True:
        step += 1
        matches = {number: {"states": np.full((100, 64), number % 100, np.int8)} for number in range(step, step + 4)}
        run.save({"network.weight": np.full(50_000, step, np.float32)}, {"step": step}, matches)
        print(step, flush=True)
"""


def test_a_save_that_is_killed_leaves_the_former_or_the_new_state(tmp_path: Path) -> None:
    """At random moments after a first save, whatever the process is doing then."""
    run, moments, saved = tmp_path / "run", random.Random(5), 0
    for _ in range(size(8, 20)):
        command = [sys.executable, "-c", SAVE_WITHOUT_END, str(run)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout
            saved = int(child.stdout.readline())
            time.sleep(moments.uniform(0, 0.03))
            child.send_signal(signal.SIGKILL)
            saved = max([saved, *map(int, child.stdout.read().split())])
        loaded = c.load(run)
        step = loaded.document["step"]
        assert step in (saved, saved + 1)
        assert (loaded.tensors["network.weight"] == step).all()
        assert list(loaded.matches) == list(range(step, step + 4))
        assert all((loaded.matches[number]["states"] == number % 100).all() for number in loaded.matches)
