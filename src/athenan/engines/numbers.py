"""Numbers as other programs write them: one reader for all protocols.

A number outside of its bounds becomes the nearest bound, because programs send such numbers on purpose: the time of a
clock that has run out is negative, and 2147483647 stands for no limit. Without bounds (-inf and inf) the number is what
was sent, for settings that have bounds of their own. Other text is an error: NaN, infinities, digits of other scripts,
spaces and underscores between digits, and more digits than any program needs.

>>> whole("depth", "7", most=100), whole("depth", "-1"), number("time", "1e400", most=60)
(7, 0, 60.0)
>>> number("time", "nan")
Traceback (most recent call last):
    ...
ValueError: time must be a number, not 'nan'
"""

import re
from math import isfinite

from athenan.settings import MOST_THREADS, shown

_WHOLE = re.compile(r"[+-]?[0-9]{1,40}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})(e[+-]?[0-9]{1,3})?", re.IGNORECASE)
_MOST = 10**9


def whole(name: str, text: str, most: float = _MOST, least: float = 0) -> int:
    """The whole number that a text is, or the nearest bound. Raises ValueError for other text, calling it `name`."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{name} must be a whole number, not {shown(text)}")
    return int(max(least, min(int(text), most)))


def threads(text: str) -> int:
    """The number of threads that a text is, or the nearest bound. Raises ValueError for other text."""
    return whole("the number of threads", text, MOST_THREADS, least=1)


def number(name: str, text: str, most: float = _MOST, least: float = 0) -> float:
    """The number that a text is, or the nearest bound. Raises ValueError for other text, calling it `name`."""
    if not _NUMBER.fullmatch(text) or not isfinite(found := float(max(least, min(float(text), most)))):
        raise ValueError(f"{name} must be a number, not {shown(text)}")
    return found
