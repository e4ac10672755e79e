"""What tests of searches by several threads share: their threads end with them."""

import gc
import threading
from collections.abc import Callable


def assert_threads_end(searched: Callable[[], object], most: int) -> None:
    """What `searched` returns has begun from 1 to `most` threads, which end when nobody holds it any more."""
    before = set(threading.enumerate())
    search = searched()
    begun = set(threading.enumerate()) - before
    assert 1 <= len(begun) <= most
    del search
    gc.collect()
    for thread in begun:
        thread.join(20)
        assert not thread.is_alive()
