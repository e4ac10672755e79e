"""The solved positions in the package."""

from athenan.grading.positions import PositionFile, packaged, read_positions


def packaged_positions(game: str) -> PositionFile:
    """The solved positions of a game, which the package must have."""
    path = packaged(game)
    assert path is not None
    return read_positions(path)
