"""Descent and ExIt in Hex 13, with equal and unequal time and cores: 000, section 8.2."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from athenan.experiments.catalogue import stated_players as players
from athenan.experiments.catalogue.stated_long import DESCENT_000, EXIT_000
from athenan.experiments.description import Combination, Experiment, Procedure, Round
from athenan.experiments.matches import matches_key
from athenan.experiments.trainings import merged

_DAYS = 7
_LABELS = (1_000, 10_000)
_SMALL_LABELS = (100, 400)
_ROUNDS = (Round(1.5, 300), Round(10.0, 300))
_TABLE_10 = {1_000: ((100, 100, 100, 0), (91, 97, 94, 3)), 10_000: ((100, 100, 100, 0), (93, 98, 95, 2))}
_TABLE_11 = {1_000: ((100, 99, 100, 1), (99, 79, 89, 4)), 10_000: ((100, 100, 100, 0), (78, 79, 78, 5))}
_TABLE_12 = {1_000: ((100, 51, 75, 5), (6, 4, 5, 2)), 10_000: ((100, 40, 70, 5), (11, 4, 7, 3))}
_NOTES = (
    "The paper does not state the heuristic and the search time of Descent's trainings; additive depth and 2 s are "
    "used. Here ExIt's searches have RAVE only in its warm start. "
)
_LAPTOP_NOTES = "Laptop scale: a small board, minutes, the recipes of short runs, and labels of 100 and 400 iterations."


def _name(iterations: int) -> str:
    return f"ExIt, {iterations:,}"


def _exit(iterations: int, days: float) -> Combination:
    """ExIt for `days` days after one day of warm start, with only the policy in the first two."""
    stages = {"warm_start": 1 / (days + 1), "value_start": 3 / (days + 1)}
    own = {"action": {"iterations": iterations}, "exit": stages}
    return Combination(merged(EXIT_000.settings, own), player=players.EXIT, longer=(days + 1) / _DAYS)


def _small_exit(iterations: int, longer: float) -> Combination:
    train = {"algorithm": "exit", "action": {"iterations": iterations}, "search": {"policy_weight": iterations / 25}}
    return Combination(train, player=players.exit_of(iterations), longer=longer)


def _experiment(
    scale: str, name: str, title: str, table: Mapping[int, tuple[tuple[int, ...], ...]], longer: int = 1
) -> Experiment:
    """Descent for 7 days, and ExIt for `longer` times as long."""
    paper = scale == "paper"
    labels = _LABELS if paper else _SMALL_LABELS
    rivals = {_name(one): _exit(one, _DAYS * longer) if paper else _small_exit(one, longer) for one in labels}
    numbers: dict[str, Any] = (
        {"games": ("hex:13",), "minutes": _DAYS * 1440.0, "cores": 14, "pairs": 300, "seconds": 1.5}
        if paper
        else {"games": ("hex:5",), "minutes": 3.0, "pairs": 10, "random_opening": 1, "seconds": 0.02}
    )
    columns = ("first", "second", "points", "interval")
    published = {
        matches_key(limit, _name(one)): {"hex": dict(zip(columns, numbers, strict=True))}
        for one, rows in table.items()
        for limit, numbers in zip(("1.5 s", "10 s"), rows, strict=True)
    }
    return Experiment(
        name=f"000-table-{name}", title=title, source=f"000, section 8.2, Table {name}",
        family="000-exit" if longer == 1 else "", players={"": players.UBFM_S},
        procedure=Procedure(repetitions=1, opponents="ExIt", **numbers), groups={"ExIt": tuple(rivals)},
        combinations={"Descent": Combination(DESCENT_000.settings if paper else {}), **rivals},
        rounds=_ROUNDS if paper else (Round(0.02, 10), Round(0.1, 10)), published=published,
        notes=(_NOTES if paper else _LAPTOP_NOTES).strip(),
    )  # fmt: skip


def seven_days(scale: str) -> Experiment:
    """Descent and ExIt, each for seven days on all cores."""
    return _experiment(scale, "10", "Descent and ExIt for the same time", _TABLE_10)


def twice_as_long(scale: str) -> Experiment:
    """ExIt with twice the time."""
    return _experiment(scale, "11", "Descent, and ExIt for twice as long", _TABLE_11, longer=2)


def one_core(scale: str) -> Experiment:
    """Descent on one core."""
    basis = _experiment(scale, "12", "Descent on one core, and ExIt", _TABLE_12)
    combinations = dict(basis.combinations)
    descent = combinations.pop("Descent")
    return replace(
        basis, combinations={
            "Descent, one core": replace(descent, train=merged(descent.train, {"run": {"threads": 1}})), **combinations,
        },
        procedure=basis.procedure if scale == "paper" else replace(basis.procedure, cores=2),
        family=basis.family if scale == "paper" else "",
        notes=f"{basis.notes} Children are evaluated as one batch even on one core, which the paper does not do. "
        + ("ExIt's trainings come from 000-table-10." if scale == "paper" else "ExIt has two cores."),
    )  # fmt: skip
