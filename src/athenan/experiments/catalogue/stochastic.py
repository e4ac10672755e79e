"""EinStein würfelt nicht!: 001, section 3.2."""

from typing import Any

from athenan.experiments.catalogue.shared import levels
from athenan.experiments.catalogue.stated import ATHENAN_EINSTEIN, POLYGAMES_001, searching
from athenan.experiments.catalogue.stated_players import EXPECTIMINIMAX, POLYGAMES
from athenan.experiments.description import Combination, Experiment, Procedure
from athenan.experiments.trainings import merged

_LAPTOP: dict[str, Any] = {"playing": {"selection": "ordinal", "exploitation": "annealed"}}
_ALGORITHMS: dict[str, dict[str, Any]] = {
    "Descent Expectiminimax": searching("descent"),
    "Expectiminimax": searching("expectiminimax"),
    "Descent & Determinization": searching("descent", playing={"determinization": True}),
}
_HEURISTICS = {"classic": "classic", "depth": "additive_depth"}
_LAPTOP_NOTES = (
    "Laptop scale: minutes instead of 30 days, the recipe of short runs instead of the paper's network and search "
    "time, and matches by evaluations instead of 1.5 seconds. "
)
_NOTES = (
    "The paper does not state the search time of its trainings, or which depth heuristic; the additive one is used. "
    "docs/experiments.md lists the other settings that it does not state."
)


def _combinations(names: tuple[str, ...], paper: bool) -> dict[str, Combination]:
    player = EXPECTIMINIMAX if paper else "search=expectiminimax"
    return {
        f"{name}, {heuristic}": Combination(merged(_ALGORITHMS[name], {"run": {"heuristic": of}}), player=player)
        for name in names
        for heuristic, of in _HEURISTICS.items()
    }


def searches(scale: str) -> Experiment:
    """Descent Expectiminimax, Expectiminimax, and Descent with determinization."""
    paper = scale == "paper"
    numbers: dict[str, Any] = (
        {"repetitions": 4, "minutes": 30 * 1440.0, "cores": 8, "seconds": 1.5}
        if paper
        else {"repetitions": 5, "minutes": 2.0, "evaluations": 200}
    )
    groups = {name: tuple(f"{name}, {of}" for of in _HEURISTICS) for name in _ALGORITHMS}
    groups |= {f"{of} heuristic": tuple(f"{name}, {of}" for name in _ALGORITHMS) for of in _HEURISTICS}
    return Experiment(
        name="001-table-2", title="searches for learning a game of chance", source="001, section 3.2.2, Table 2",
        family="001", procedure=Procedure(games=("einstein",), pairs=2, **numbers),
        combinations=_combinations(tuple(_ALGORITHMS), paper), groups=groups,
        common=ATHENAN_EINSTEIN.settings if paper else _LAPTOP,
        published=levels(
            "einstein 53.9 48.8 47.3 44.5 55.5", (*_ALGORITHMS, "classic heuristic", "depth heuristic")
        ),
        notes=_NOTES if paper else _LAPTOP_NOTES + _NOTES,
    )  # fmt: skip


def polygames(scale: str) -> Experiment:
    """Descent Expectiminimax against AlphaZero."""
    paper = scale == "paper"
    numbers: dict[str, Any] = (
        {"repetitions": 4, "minutes": 30 * 1440.0, "cores": 8, "seconds": 1.5, "pairs": 100}
        if paper
        else {"repetitions": 5, "minutes": 2.0, "seconds": 0.05, "pairs": 10}
    )
    own = _combinations(("Descent Expectiminimax",), paper)
    rival = Combination(
        POLYGAMES_001.settings if paper else {"algorithm": "alphazero"}, player=POLYGAMES, apart=True,
        repetitions=3 if paper else None,
    )  # fmt: skip
    with_depth, without = "Descent Expectiminimax, depth", "Descent Expectiminimax, classic"
    return Experiment(
        name="001-table-3", title="Descent Expectiminimax and AlphaZero", source="001, section 3.2.3, Table 3",
        family="001", procedure=Procedure(games=("einstein",), opponents="AlphaZero", **numbers),
        combinations={**own, "AlphaZero": rival}, common=ATHENAN_EINSTEIN.settings if paper else _LAPTOP,
        published={"levels": {"einstein": {with_depth: 57.3, without: 55.6}}},
        notes="The rival of the paper is Polygames, with its default settings. "
        + (_NOTES if paper else _LAPTOP_NOTES),
    )  # fmt: skip
