"""Replaces files whole: a reader sees the old file or the new one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

TEMPORARY = ".tmp"
"""What the name of a file ends with until it is whole."""


@contextmanager
def replacing(file: str | Path) -> Iterator[Path]:
    """A path beside a file. What is written there replaces the file at the end of `with`.

    After an error the file is as it was. A link stays a link, and its file is replaced. A device or a pipe is not
    replaced: it is the path itself. Raises OSError, which names the file and not the path beside it.
    """
    kept = Path(file).exists() and not (Path(file).is_file() or Path(file).is_dir())
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
