"""Clobber boards proven by the search, against the values of another program's exhaustive search."""

import pytest

from athenan import Budget, Search, make

SMALL = {"2x2": 1, "3x2": -1, "2x3": -1, "4x2": 1, "5x2": 1, "6x2": -1, "7x2": 1, "3x3": 1, "4x3": -1, "3x4": -1}
LARGE = {"5x3": 1, "4x4": 1, "6x3": -1}


def prove(size: str, value: int, mover: int) -> None:
    """The value is that of the side to move, whoever owns a1."""
    game = make(f"clobber:{size}")
    state = game.initial()
    state[0] = mover
    search = Search(game, memory=1 << 32)
    search.reset(state)
    search.run(Budget(seconds=600))
    root = search.root()
    assert (root.resolution, root.completion) == (1, value if mover == 0 else -value)


@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize(("size", "value"), SMALL.items())
def test_small_boards(size: str, value: int, mover: int) -> None:
    prove(size, value, mover)


@pytest.mark.slow
@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize(("size", "value"), LARGE.items())
def test_larger_boards(size: str, value: int, mover: int) -> None:
    prove(size, value, mover)
