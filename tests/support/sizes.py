"""How much of the same a test does: by default what finds faults, with `pytest --thorough` all of it."""

from collections import defaultdict
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


def one_of_many(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests to run and those left out: of a test marked `one_of(n)` every n-th case, all of it if it is thorough.

    Where cases are combinations of several parameters, each value of each parameter is in one that runs.
    """
    if _Chosen.thorough:
        return items, []
    cases = defaultdict[str, list[pytest.Function]](list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("one_of"):
            cases[item.nodeid.partition("[")[0]].append(item)
    left = {case for of_one in cases.values() for case in _left_out(of_one)}
    return [item for item in items if item not in left], [item for item in items if item in left]


def _left_out(cases: list[pytest.Function]) -> list[pytest.Function]:
    marker = cases[0].get_closest_marker("one_of")
    assert marker
    combined = any(len(set(case.callspec.indices.values())) > 1 for case in cases)
    seen, left = set[tuple[str, int]](), []
    for number, case in enumerate(cases):
        values = set(case.callspec.indices.items())
        if number % marker.args[0] and (not combined or values <= seen):
            left.append(case)
        else:
            seen |= values
    return left
