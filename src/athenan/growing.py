"""Files of lines that grow: a command adds to them while it works, and continues them when it is started again."""

import io
import os
from contextlib import suppress
from pathlib import Path
from typing import Self

from athenan.system import locks


class GrowingFile:
    """A file at whose end lines are added; a context manager. Only one process at a time may write to it."""

    def __init__(self, path: str | Path) -> None:
        """Opens the file, or makes it. A file that it made and that stays empty is removed at the end.

        Raises ValueError if it is no regular file, or if another process writes to it, and OSError.
        """
        self._path = Path(path)
        if self._path.exists() and not self._path.is_file():  # a device may have no end
            raise ValueError(f"{path} is not a regular file, which could be continued: name a file")
        self._is_new = not self._path.exists()
        self._file = io.FileIO(path, "a+")
        try:
            if not locks.hold(self._file.fileno()):
                raise ValueError(f"{path} is being written by another process; name another file")
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        unwanted = self._is_new and not self.size
        with suppress(OSError):
            if unwanted:
                self._path.unlink()  # while nobody else may write to it
                unwanted = False
        self._file.close()
        with suppress(OSError):
            if unwanted:  # Windows removes no open file
                self._path.unlink()

    @property
    def size(self) -> int:
        """The bytes of the file."""
        return os.fstat(self._file.fileno()).st_size

    def lines(self) -> list[bytes]:
        """The lines of the file with their ends; the last one may have none."""
        self._file.seek(0)
        return io.BytesIO(self._file.readall()).readlines()

    def cut(self, size: int) -> None:
        """Removes what is beyond the first `size` bytes."""
        self._file.truncate(size)

    def add(self, text: str) -> None:
        """Adds text. After an error, as on a full disk, nothing of it is in the file. Raises OSError."""
        size, rest = self.size, text.encode()
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except BaseException as error:
            self.cut(size)
            if isinstance(error, OSError):
                raise OSError(error.errno, error.strerror, str(self._path)) from None
            raise
