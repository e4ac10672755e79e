"""Files that are replaced whole."""

import os
from pathlib import Path

import pytest

from athenan.replacing import replacing, require_writable
from athenan.report.page import write


def test_a_file_is_replaced_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("old")
    with replacing(file) as half:
        half.write_text("new")
        assert file.read_text() == "old"
    assert file.read_text() == "new" and list(tmp_path.iterdir()) == [file]


def test_after_an_error_it_is_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("old")
    with pytest.raises(UnicodeEncodeError), replacing(file) as half:
        half.write_text("a lone surrogate \ud800", encoding="utf-8")
    assert file.read_text() == "old" and list(tmp_path.iterdir()) == [file]


def test_links_and_pipes_stay_what_they_are(tmp_path: Path) -> None:
    """As root, `--html /dev/full` and `/dev/stdout` replaced the device and the link by a file."""
    file, link, pipe = tmp_path / "page.html", tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(file)
    write(link, "linked")
    assert link.is_symlink() and file.read_text() == "linked"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDWR)
    write(pipe, "piped")
    assert os.read(reading, 100) == b"piped" and pipe.is_fifo()
    os.close(reading)
    assert {path.name for path in tmp_path.iterdir()} == {"page.html", "link", "pipe"}


@pytest.mark.parametrize("file", ["none/page.html", "file/page.html", "folder"])
def test_an_error_names_the_file(tmp_path: Path, file: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r"page\.html|folder") as raised:
        write(tmp_path / file, "text")
    assert raised.value.filename == str(tmp_path / file)
    assert {path.name for path in tmp_path.iterdir()} == {"file", "folder"}


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("none/page.html", "there is no folder "),
        ("file/page.html", "there is no folder "),
        ("folder", "it is a folder: name a file in it"),
        ("/proc/page.html", "Permission denied|No such file"),  # in this folder nobody may make files
    ],
)
def test_what_cannot_be_written_is_refused_beforehand(tmp_path: Path, file: str, problem: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=problem) as raised:
        require_writable(tmp_path / file)
    assert raised.value.filename == str(tmp_path / file)


def test_what_can_be_written_stays_as_it_is(tmp_path: Path) -> None:
    file, link = tmp_path / "page.html", tmp_path / "link"
    file.write_text("old")
    link.symlink_to(tmp_path / "new")
    for one in (file, link, "/dev/null"):
        require_writable(one)
    assert file.read_text() == "old" and {path.name for path in tmp_path.iterdir()} == {"page.html", "link"}
