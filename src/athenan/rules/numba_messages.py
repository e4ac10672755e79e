"""Reads numba's messages, in which the fault stands among many lines about how numba compiles."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from athenan.rules.numba_parts import NumbaError, UnsupportedBytecodeError


def fault(error: Exception) -> str:
    """The fault that numba found and its place in the source, in one line, from one of numba's errors."""
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()]
    what = [line for line in lines if line and not line.startswith(("Failed in", "During:", "File "))]
    where = [line.rstrip(":") for line in lines if line.startswith("File ")]
    return "; ".join([*what[:1], *where[-1:]])  # the innermost place comes first, the kernel's own last


@contextmanager
def compiled(what: str, refusal: type[ValueError] = ValueError) -> Iterator[None]:
    """Raises a `refusal` in place of numba's errors: it says that `what` cannot be compiled, and the fault."""
    try:
        yield
    except (NumbaError, UnsupportedBytecodeError) as error:
        raise refusal(f"{what} cannot be compiled: {fault(error)}") from error
