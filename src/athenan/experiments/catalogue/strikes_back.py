"""Athénan and AlphaZero: 004, sections 3.2 and 3.3."""

from dataclasses import replace

from athenan.experiments.catalogue.shared import residual
from athenan.experiments.catalogue.stated import ATHENAN_BESIDE_POLYGAMES, POLYGAMES_004
from athenan.experiments.description import Combination, Experiment, Protocol, Settings
from athenan.experiments.trainings import merged

_DENSE = {
    "surakarta": 845, "othello:8": 477, "hex:13": 155, "connect6:19": 65, "breakthrough:8x8": 477, "gomoku:15": 111,
    "havannah:8": 111, "havannah:10": 65,
}  # fmt: skip
"""004, Table 3."""
_DATA = {
    "connect6": (55, 0.37), "havannah:10": (64, 0.30), "havannah:8": (111, 0.37), "gomoku": (115, 0.49),
    "hex": (359, 0.65), "surakarta": (442, 0.40), "othello": (529, 0.10), "breakthrough": (693, 0.49),
    "mean": (296, 0.4),
}  # fmt: skip
"""004, Table 4: ratios to AlphaZero of learnt and of evaluated states."""
_WITH_SCORE = ("surakarta", "othello:8")
"""The games with a score (003, Remark 24); the others learn the depth heuristic. 004 does not tell which it took."""
_CLASSIC: Settings = {"run": {"heuristic": "classic"}}
_NAMES = ("Athénan with heuristic", "Athénan")
_WITH_ACTION_VALUES: dict[str, Combination] = {
    f"{_NAMES[0]}, action values": Combination({"evaluate": "action_values"}),
    f"{_NAMES[1]}, action values": Combination({"evaluate": "action_values", **_CLASSIC}),
}
"""Not in the paper."""


def _by_game() -> dict[str, Settings]:
    """The networks, and the heuristics of the trainings that do not say that they have none."""
    heuristics = {game: "score" if game in _WITH_SCORE else "additive_depth" for game in _DENSE}
    return {
        game: merged(settings, {"run": {"heuristic": heuristics[game]}}) for game, settings in residual(_DENSE).items()
    }


def performance(scale: str) -> Experiment:
    """Athénan with and without a reinforcement heuristic, and AlphaZero: against MCTS, on small boards each other."""
    paper = scale == "paper"
    own = ATHENAN_BESIDE_POLYGAMES.settings if paper else {}
    protocol = Protocol(
        games=tuple(_DENSE), repetitions=5, minutes=15 * 1440.0, cores=4, points=15, opponents="mcts:160", pairs=200,
        seconds=1.0,
    ) if paper else Protocol(
        games=("hex:5", "othello:6", "breakthrough:5x5", "gomoku:7"), repetitions=4, minutes=5.0, points=10,
        pairs=2, random_opening=1, seconds=0.02,
    )  # fmt: skip
    return Experiment(
        name="004-figure-3", title="Athénan and AlphaZero: gain and learning speed",
        source="004, section 3.3, Figures 1 to 3", family="004", protocol=protocol,
        combinations={
            _NAMES[0]: Combination(own),
            _NAMES[1]: Combination(merged(own, _CLASSIC)),
            **({} if paper else _WITH_ACTION_VALUES),
            "AlphaZero": Combination(POLYGAMES_004.settings if paper else {"algorithm": "alphazero"}),
        },
        by_game=_by_game() if paper else {}, players={"": ""}, baseline="AlphaZero", differences=True,
        published={
            "gains": {"mean": {_NAMES[0]: 60.75, _NAMES[1]: 35.8}}, "speeds": {"mean": {_NAMES[0]: 30, _NAMES[1]: 7}},
        },
        notes="The text of the paper does not tell the time for an action of these matches. " + ("" if paper else
            "Laptop scale: small boards, minutes, and the recipes of short runs; all networks play each other, as "
            "mcts:160 soon loses nearly every match on these boards."),
    )  # fmt: skip


def data_efficiency(scale: str) -> Experiment:
    """How much data Athénan learns and evaluates, beside AlphaZero, with the same trainings."""
    basis = performance(scale)
    data = {game: {_NAMES[1]: learnt} for game, (learnt, _) in _DATA.items()}
    evaluated = {game: {_NAMES[1]: states} for game, (_, states) in _DATA.items()}
    return replace(
        basis, name="004-table-4", title="Athénan and AlphaZero: generated data",
        source="004, section 3.2, Table 4", published={"examples": data, "evaluations": evaluated},
        notes="The trainings of 004-figure-3; those that are there are used.",
    )  # fmt: skip
