"""The memory of the search trees of all pages of a server.

>>> memory = TreeMemory(each=100 << 20)
>>> trees = [memory.lend(lambda size: type("Tree", (), {"size": size >> 20})()) for _ in range(7)]
>>> [tree.size for tree in trees]
[100, 100, 100, 100, 100, 75, 56]
"""

from collections.abc import Callable
from threading import Lock
from typing import TypeVar
from weakref import finalize

Owner = TypeVar("Owner")

TREES = 8
"""How many trees of full size the memory of a server holds."""
_LEAST = 16 << 20
"""Bytes that every tree gets."""
_SHARE = 4
"""One tree gets at most one such part of what is left."""
MACHINE_SHARE = 4
"""All trees of a server get at most one such part of the machine's memory."""


class TreeMemory:
    """Lends memory to trees: a tree gets less, the less is left. Any thread may use it."""

    def __init__(self, each: int, most: int | None = None) -> None:
        """`each`: the most bytes of a tree; all trees together get `TREES` times as many, or `most` if that is less."""
        every = TREES * each
        self._each, self._left, self._lock = each, every if most is None else min(every, most), Lock()

    def lend(self, make: Callable[[int], Owner]) -> Owner:
        """Makes the owner of a tree of this many bytes, which are free again when the owner is."""
        with self._lock:
            size = max(min(_LEAST, self._each), min(self._each, self._left // _SHARE >> 20 << 20))
            self._left -= size
        try:
            owner = make(size)
        except BaseException:
            self._return(size)
            raise
        finalize(owner, self._return, size).atexit = False
        return owner

    def _return(self, size: int) -> None:
        with self._lock:
            self._left += size
