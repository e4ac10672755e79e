"""Files that are replaced whole."""

from pathlib import Path

import pytest

from athenan.replacing import replacing
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


@pytest.mark.parametrize("file", ["none/page.html", "file/page.html", "folder"])
def test_an_error_names_the_file(tmp_path: Path, file: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r"page\.html|folder") as raised:
        write(tmp_path / file, "text")
    assert raised.value.filename == str(tmp_path / file)
    assert {path.name for path in tmp_path.iterdir()} == {"file", "folder"}
