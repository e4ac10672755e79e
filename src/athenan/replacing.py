"""Replaces files whole: a reader sees the old file or the new one."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

TEMPORARY = ".tmp"
"""What the name of a file ends with until it is whole."""


@contextmanager
def replacing(file: str | Path) -> Iterator[Path]:
    """A path beside a file. What is written there replaces the file at the end of `with`.

    After an error the file is as it was. A link stays a link, and its file is replaced. A device or a pipe is not
    replaced: it is the path itself. Raises OSError, which names the file and not the path beside it.
    """
    kept = _kept(file)
    target = os.path.realpath(file)
    half = Path(file) if kept else Path(f"{target}{TEMPORARY}")
    try:
        yield half
        if not kept:
            os.replace(half, target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from None
    finally:
        if not kept:
            with suppress(OSError):
                half.unlink(missing_ok=True)


def require_writable(file: str | Path) -> None:
    """Raises OSError, which names the file, unless it can be written. Commands ask before long work."""
    folder = Path(os.path.realpath(file)).parent
    try:
        if Path(file).is_dir():
            raise OSError(errno.EISDIR, "it is a folder: name a file in it")
        if not folder.is_dir():
            raise OSError(errno.ENOENT, f"there is no folder {Path(file).parent}")
        if not _kept(file):
            TemporaryFile(dir=folder).close()
        elif not os.access(file, os.W_OK):  # to open a pipe could end it for its reader
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from None


def _kept(file: str | Path) -> bool:
    """Whether a file is a device or a pipe, which is written and not replaced."""
    return Path(file).exists() and not (Path(file).is_file() or Path(file).is_dir())
