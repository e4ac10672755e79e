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

    After an error the file is as it was. Raises OSError, which names the file and not the path beside it.
    """
    half = Path(f"{file}{TEMPORARY}")
    try:
        yield half
        os.replace(half, file)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from None
    finally:
        with suppress(OSError):
            half.unlink(missing_ok=True)
