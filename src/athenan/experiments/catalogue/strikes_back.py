"""Athénan and AlphaZero: 004, section 3."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from athenan.experiments.catalogue import stated_players as players
from athenan.experiments.catalogue.shared import residual
from athenan.experiments.catalogue.stated import ATHENAN_BESIDE_POLYGAMES, POLYGAMES_004
from athenan.experiments.description import NOBODY, Combination, Experiment, Procedure, Settings
from athenan.experiments.trainings import merged

_DENSE = {
    "surakarta": 845, "othello:8": 477, "hex:13": 155, "connect6:19": 65, "breakthrough:8x8": 477, "gomoku:15": 111,
    "havannah:8": 111, "havannah:10": 65,
}  # fmt: skip
"""004, Table 3."""
_DATA = {
    "connect6": (55, 0.02, 0.37), "havannah:10": (64, 0.03, 0.30), "havannah:8": (111, 0.05, 0.37),
    "gomoku": (115, 0.04, 0.49), "hex": (359, 0.10, 0.65), "surakarta": (442, 0.11, 0.40), "othello": (529, 0.12, 0.10),
    "breakthrough": (693, 0.16, 0.49), "mean": (296, 1 / 12.7, 1 / 2.5),
}  # fmt: skip
"""004, Table 4 and section 3.2: ratios to AlphaZero of learnt states, neural evaluations and evaluated states."""
_WITH_SCORE = ("surakarta", "othello:8", "othello:10")
"""The games with a score (003, Remark 24); the others learn the depth heuristic. 004 does not say which it used."""
_CLASSIC: Settings = {"run": {"heuristic": "classic"}}
_NAMES = ("Athénan with heuristic", "Athénan")
_NOT_IN_THE_PAPER: dict[str, Combination] = {
    f"{_NAMES[0]}, action values": Combination({"evaluate": "action_values"}, player=players.ACTION_VALUES),
    f"{_NAMES[1]}, action values": Combination({"evaluate": "action_values", **_CLASSIC}, player=players.ACTION_VALUES),
    "Gumbel AlphaZero": Combination({"algorithm": "gumbel"}, player="search=gumbel:completion=false"),
}


def _by_game(dense: Mapping[str, int]) -> dict[str, Settings]:
    """The networks with these neurons, and the heuristics of the trainings, unless they say otherwise."""
    heuristics = {game: "score" if game in _WITH_SCORE else "additive_depth" for game in dense}
    return {
        game: merged(settings, {"run": {"heuristic": heuristics[game]}}) for game, settings in residual(dense).items()
    }


def performance(scale: str) -> Experiment:
    """Athénan with and without a reinforcement heuristic, and AlphaZero: against MCTS, on small boards each other."""
    paper = scale == "paper"
    own = ATHENAN_BESIDE_POLYGAMES.settings if paper else {}
    procedure = Procedure(
        games=tuple(_DENSE), repetitions=5, minutes=15 * 1440.0, cores=4, points=60, opponents="mcts:160", pairs=200,
        seconds=1.0,
    ) if paper else Procedure(
        games=("hex:5", "othello:6", "breakthrough:5x5", "gomoku:7"), repetitions=4, minutes=5.0, points=10,
        pairs=2, random_opening=1, seconds=0.02,
    )  # fmt: skip
    play = players.UBFM_S_WITHOUT_COMPLETION if paper else players.UBFM_S
    of_athenan = 4 if paper else None
    return Experiment(
        name="004-figure-3", title="Athénan and AlphaZero: gain and learning speed",
        source="004, section 3.3, Figures 1 to 3", family="004", procedure=procedure,
        combinations={
            _NAMES[0]: Combination(own, repetitions=of_athenan),
            _NAMES[1]: Combination(merged(own, _CLASSIC), repetitions=of_athenan),
            **({} if paper else _NOT_IN_THE_PAPER),
            "AlphaZero": Combination(
                POLYGAMES_004.settings if paper else {"algorithm": "alphazero"}, player=players.POLYGAMES
            ),
        },
        by_game=_by_game(_DENSE) if paper else {}, players={"": play}, baseline="AlphaZero", differences=True,
        published={
            "gains": {"mean": {_NAMES[0]: 60.75, _NAMES[1]: 35.8}}, "speeds": {"mean": {_NAMES[0]: 30, _NAMES[1]: 7}},
        },
        notes="The text of the paper does not state the time per action of these matches. " + ("" if paper else
            "Laptop scale: small boards, minutes, and the recipes of short runs; all networks play each other, as "
            "mcts:160 soon loses nearly every match on these boards."),
    )  # fmt: skip


def data_efficiency(scale: str) -> Experiment:
    """How much data Athénan learns and evaluates, compared with AlphaZero, with the same trainings."""
    basis = performance(scale)
    published = {
        counter: {game: {_NAMES[1]: ratios[place]} for game, ratios in _DATA.items()}
        for place, counter in enumerate(("examples", "batches", "evaluations"))
    }
    return replace(
        basis, name="004-table-4", title="Athénan and AlphaZero: generated data",
        source="004, section 3.2, Table 4", published=published,
        notes="This uses the trainings of 004-figure-3, if they exist.",
    )  # fmt: skip


def long_training(scale: str) -> Experiment:
    """The trainings of `performance` in Hex 13, for much longer, against another program."""
    basis, paper = performance(scale), scale == "paper"
    numbers: dict[str, Any] = (
        {"games": ("hex:13",), "minutes": 113 * 1440.0, "points": 28}
        if paper
        else {"games": ("hex:5",), "minutes": 10.0, "points": 4, "random_opening": 1}
    )
    procedure = replace(basis.procedure, **numbers, opponents=NOBODY, pairs=50 if paper else 5, seconds=1.0)
    return replace(
        basis, name="004-figure-4", title="Athénan and AlphaZero against MoHex 2.0, a long training",
        source="004, section 3.4, Figure 4", family="", procedure=procedure, differences=False, baseline=None,
        combinations={name: basis.combinations[name] for name in (*_NAMES, "AlphaZero")},
        published={"levels": {"hex": {"AlphaZero": 0.0}}},
        rival='MoHex 2.0, a program that speaks GTP, such as --opponents "gtp:mohex"',
        notes="The text of the paper does not state the time per action; one second is used. " if paper else
        "Laptop scale: a small board, minutes, and the recipes of short runs.",
    )  # fmt: skip


def tournament_networks(scale: str) -> Experiment:
    """Athénan after five and after thirty days against networks of Polygames that won tournaments."""
    basis, paper = performance(scale), scale == "paper"
    numbers: dict[str, Any] = (
        {"games": ("breakthrough:8x8", "othello:8", "othello:10"), "minutes": 30 * 1440.0, "points": 6, "pairs": 200}
        if paper
        else {"games": ("breakthrough:8x8",), "minutes": 6.0, "points": 6, "pairs": 5, "random_opening": 1}
    )
    procedure = replace(basis.procedure, **numbers, repetitions=1, opponents=NOBODY, seconds=1.0)
    return replace(
        basis, name="004-figure-5", title="Athénan against networks that won tournaments",
        source="004, section 3.5, Figures 5 and 6", family="", procedure=procedure, baseline=None, published={},
        combinations={"Athénan": basis.combinations[_NAMES[0]]},
        by_game=_by_game({**_DENSE, "othello:10": 286}) if paper else {},
        rival="Polygames with its networks of the TCGA 2020 tournament, named like any program that speaks a "
        'protocol, such as --opponents "gtp:COMMAND"',
        notes="The first point is Figure 5 (five days), the last Figure 6 (thirty). The text of the paper states "
        "neither the time for an action nor whether a heuristic was learnt; one second and a heuristic are used."
        if paper else "Laptop scale: minutes, and the recipe of short runs.",
    )  # fmt: skip
