"""A disk that is full, for tests of files that grow."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file grows beyond so many bytes: what is written is cut there, and then refused, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
