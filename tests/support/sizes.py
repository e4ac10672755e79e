"""How much of the same a test does: by default what finds faults, with `pytest --thorough` all of it."""

from typing import TypeVar

import pytest

Size = TypeVar("Size")


class _Chosen:
    thorough = False


def configure(config: pytest.Config) -> None:
    _Chosen.thorough = config.getoption("thorough")


def size(usual: Size, thorough: Size) -> Size:
    """The number of cases that a test tries, or the cases themselves."""
    return thorough if _Chosen.thorough else usual
