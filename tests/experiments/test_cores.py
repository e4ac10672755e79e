"""The cores that trainings of experiments hold."""

import os
import time
from multiprocessing import get_context

from athenan.experiments.cores import lock, wait_for_cores


def _hold(paths, connection):
    connection.send(bool(lock(paths)))
    connection.recv()


def test_two_trainings_do_not_share_cores(tmp_path):
    paths = [tmp_path / "0", tmp_path / "1"]
    mine, theirs = get_context("fork").Pipe()
    process = get_context("fork").Process(target=_hold, args=(paths[:1], theirs))
    process.start()
    assert mine.recv()
    assert not lock(paths)
    other = lock(paths[1:])
    assert other
    process.kill()
    process.join()
    free = lock(paths[:1])
    assert free
    for file in (*other, *free):
        os.close(file)


def test_who_waits_for_cores_says_so_once(tmp_path, monkeypatch, capsys):
    held, pauses = lock([tmp_path / "0"]) + lock([tmp_path / "1"]), []

    def pause(seconds):
        pauses.append(seconds)
        if len(pauses) == 2:
            os.close(held.pop())

    monkeypatch.setattr(time, "sleep", pause)
    share, files = wait_for_cores(tmp_path, [[0], [1]])
    assert share == [1] and len(pauses) == 2
    assert capsys.readouterr().err == "athenan: waiting for cores that trainings of another experiment hold\n"
    for file in (*held, *files):
        os.close(file)
