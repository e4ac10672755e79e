"""Remarks of a command on standard error, which do not belong to its output."""

import sys
from collections.abc import Iterable


def say(remarks: Iterable[str]) -> None:
    """Writes remarks, each on a line of its own that cannot control the terminal."""
    for remark in remarks:
        print(f"athenan: {''.join(sign if sign.isprintable() else '?' for sign in remark)}", file=sys.stderr)
