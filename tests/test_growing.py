"""Files of lines that grow."""

from pathlib import Path

import pytest
from full_disk import room_for

from athenan.growing import GrowingFile


def test_lines_are_added_and_read(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    with GrowingFile(path) as file:
        file.add("one\ntwo\n")
    with GrowingFile(path) as file:
        file.add("half")
        assert file.lines() == [b"one\n", b"two\n", b"half"]
        file.cut(4)
        assert file.size == 4
        file.add("three\n")
    assert path.read_text() == "one\nthree\n"


def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    with GrowingFile(path) as file:
        file.add("whole\n")
        with room_for(10), pytest.raises(OSError, match="too large") as raised:
            file.add("many more bytes\n")
        assert raised.value.filename == str(path)
        assert path.read_text() == "whole\n"
        file.add("again\n")
    assert path.read_text() == "whole\nagain\n"


def test_only_one_process_writes(tmp_path: Path) -> None:
    with GrowingFile(tmp_path / "lines"), pytest.raises(ValueError, match="being written by another process"):
        GrowingFile(tmp_path / "lines")


def test_devices_and_folders_are_refused(tmp_path: Path) -> None:
    for path in ("/dev/zero", "/dev/full", tmp_path):
        with pytest.raises(ValueError, match="is not a regular file"):
            GrowingFile(path)


def test_a_new_file_that_stays_empty_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    with GrowingFile(path):
        assert path.exists()
    assert not path.exists()
    path.touch()
    with GrowingFile(path):
        pass
    assert path.exists()


def test_a_system_that_removes_no_open_file_removes_it_when_it_is_closed(tmp_path, monkeypatch) -> None:
    file, unlink = GrowingFile(tmp_path / "lines"), Path.unlink

    def refused(path: Path) -> None:
        if not file._file.closed:
            raise PermissionError(13, "The process cannot access the file", str(path))
        unlink(path)

    monkeypatch.setattr(Path, "unlink", refused)
    file.close()
    assert not (tmp_path / "lines").exists()
