"""Learning targets, searches, completion, heuristics and selection: 003, sections 3.4, 4.2, 5, 6.3 and 7."""

from dataclasses import replace
from typing import Any

from athenan.experiments.catalogue.shared import (
    COMMON_LAPTOP,
    COMMON_PAPER_BY_GAME,
    COMMON_PROCEDURE,
    LAPTOP_NOTES,
    LAPTOP_PROCEDURE,
    levels,
)
from athenan.experiments.catalogue.stated import COMMON, searching
from athenan.experiments.catalogue.stated_players import ACTION_VALUES, UBFM_S, UBFM_S_WITHOUT_COMPLETION
from athenan.experiments.description import Combination, Experiment, Procedure
from athenan.experiments.trainings import merged

_MCTS, _ID = searching("uct"), searching("alphabeta")
_COMPLETED: dict[str, Any] = {"search": {"completion": True}, "playing": {"completed_selection": True}}


def _common(scale: str, name: str, title: str, source: str, repetitions: int, **rest: Any) -> Experiment:
    """An experiment by the common procedure of 003, section 3.3."""
    paper = scale == "paper"
    return Experiment(
        name=name, title=title, source=source, common=COMMON.settings if paper else COMMON_LAPTOP,
        by_game=COMMON_PAPER_BY_GAME if paper else {},
        procedure=replace(COMMON_PROCEDURE, repetitions=repetitions) if paper else LAPTOP_PROCEDURE,
        average=6 if paper else 1,
        notes="" if paper else LAPTOP_NOTES, **rest,
    )  # fmt: skip


def _learning(search: dict[str, Any], target: str) -> Combination:
    return Combination(merged(search, {"learning": {"target": target}}))


_TABLE_2 = """
othello 48.8 55.4 51.0 31.9 52.9 43.7
hex 45.1 79.8 79.8 44.1 29.8 27.8
clobber 41.5 62.5 50.0 45.5 45.7 49.8
gomoku 40.3 80.0 87.3 48.8 21.6 23.1
amazons 46.2 58.8 56.1 44.5 39.4 46.0
breakthrough 78.1 79.2 45.5 50.6 22.3 14.3
santorini 50.2 73.8 60.5 51.3 29.4 36.5
surakarta 69.4 65.2 56.2 20.8 28.9 23.6
lines_of_action 58.8 81.7 67.7 9.6 6.9 2.7
mean 53.1 70.7 61.6 38.5 30.8 29.7
"""


def data(scale: str) -> Experiment:
    """Tree, root and terminal learning."""
    combinations = {
        f"{name}, {target}": _learning(search, target)
        for target in ("tree", "root", "terminal")
        for name, search in (("MCTS", _MCTS), ("ID", _ID))
    }
    return _common(
        scale, "003-table-2", "what is learnt: tree, root and terminal learning", "003, section 3.4, Table 2", 32,
        combinations=combinations, published=levels(_TABLE_2, tuple(combinations)),
    )  # fmt: skip


_TABLE_3 = """
othello 89.4 47.2 37.7 42.7 44.9 22.1
hex 94.9 71.7 20.5 50.7 50.2 20.5
clobber 83.0 56.7 32.9 48.9 42.0 35.5
gomoku 77.6 63.9 18.0 51.6 64.7 18.2
amazons 84.3 55.3 32.5 46.3 43.7 31.7
breakthrough 86.5 72.5 45.5 47.6 19.2 21.0
santorini 69.9 71.8 31.9 47.6 37.7 40.2
surakarta 82.8 69.7 41.2 42.1 29.4 14.5
lines_of_action 73.4 66.9 36.1 57.4 39.4 3.7
mean 82.4 64.0 32.9 48.3 41.2 23.1
"""

SEARCHES = {
    "Descent": Combination(),
    "UBFM": Combination(searching("ubfm")),
    "MCTS, tree": _learning(_MCTS, "tree"),
    "ID, tree": _learning(_ID, "tree"),
    "MCTS, root": _learning(_MCTS, "root"),
    "ID, root": _learning(_ID, "root"),
}
"""The combinations of 003, section 4.2."""


def searches(scale: str) -> Experiment:
    """Searches for learning."""
    return _common(
        scale, "003-table-3", "searches for learning", "003, section 4.2, Table 3", 32,
        combinations=SEARCHES, published=levels(_TABLE_3, tuple(SEARCHES)), family="003-searches",
    )  # fmt: skip


def graded(scale: str) -> Experiment:
    """Searches for learning on small boards, graded with solved positions."""
    long = scale == "paper"
    procedure = Procedure(
        games=("tictactoe", "connect_four:4x4", "connect_four:5x4", "hex:4", "othello:4"),
        repetitions=16 if long else 4, minutes=30.0 if long else 1.0, points=10, pairs=2, random_opening=2,
        positions=500 if long else 200,
    )  # fmt: skip
    return Experiment(
        name="graded", title="searches for learning, graded by a solver", source="003, section 4.2, on solved boards",
        combinations=SEARCHES, common=COMMON_LAPTOP, procedure=procedure,
    )  # fmt: skip


_TABLE_4 = """
othello 49.8 70.6 50.1 48.9 18.5 x
hex 33.3 x 66.1 60.4 x x
clobber 43.7 x 47.0 49.8 53.5 x
gomoku 33.0 x 41.4 74.4 x x
amazons 36.8 67.9 60.0 50.7 49.0 x
breakthrough 39.0 x 69.5 40.4 43.9 48.5
santorini 42.7 x 59.7 46.6 43.3 x
surakarta 33.5 68.9 43.1 35.3 55.6 x
lines_of_action 50.9 x 57.1 46.8 53.7 44.0
mean 40.3 69.1 54.9 50.4 45.4 46.3
"""


def heuristics(scale: str) -> Experiment:
    """Reinforcement heuristics."""
    everywhere = ("othello", "clobber", "amazons", "breakthrough", "santorini", "surakarta", "lines_of_action")
    games = {
        "classic": (), "score": ("othello", "amazons", "surakarta"), "additive_depth": (), "multiplicative_depth": (),
        "cumulative_mobility": everywhere, "presence": ("breakthrough", "lines_of_action"),
    }  # fmt: skip
    combinations = {
        name.replace("_", " "): Combination(merged(_COMPLETED, {"run": {"heuristic": name}}), games=of)
        for name, of in games.items()
    }
    return _common(
        scale, "003-table-4", "reinforcement heuristics", "003, section 6.3, Table 4", 48,
        combinations=combinations, published=levels(_TABLE_4, tuple(combinations)),
    )  # fmt: skip


def selections(scale: str) -> Experiment:
    """The ordinal distribution, ε-greedy and softmax."""
    names = {"ordinal": "ordinal", "ε-greedy": "epsilon_greedy", "softmax": "softmax"}
    combinations = {
        name: Combination(merged(_COMPLETED, {"playing": {"selection": value}})) for name, value in names.items()
    }
    return _common(
        scale, "003-remark-25", "how actions are chosen: ordinal, ε-greedy, softmax",
        "003, section 7, Remark 25: the paper gives the result, not its numbers", 32, combinations=combinations,
    )  # fmt: skip


def completion(scale: str) -> Experiment:
    """Completion in learning and in play."""
    limit: dict[str, Any] = {"seconds": 10.0} if scale == "paper" else {"iterations": 100}
    experiment = _common(
        scale, "completion", "completion in learning, and in play",
        "003, section 5; Remark 12 has the result of play alone: +6.3% of points", 32,
        combinations={
            "learnt with": Combination(_COMPLETED),
            "learnt without": Combination(),
        },
        players={"played with": UBFM_S, "played without": UBFM_S_WITHOUT_COMPLETION},
        groups={name: (name,) for name in ("learnt with", "learnt without", "played with", "played without")},
    )  # fmt: skip
    return replace(experiment, procedure=replace(experiment.procedure, points=1, **limit))


def action_values(scale: str) -> Experiment:
    """The evaluation of children, and action values."""
    experiment = _common(
        scale, "action-values", "the evaluation of children against action values", "not in the papers", 8,
        combinations={
            "children": Combination(),
            "action values": Combination({"evaluate": "action_values"}, player=ACTION_VALUES),
        },
        baseline="children", players={"": UBFM_S},
    )  # fmt: skip
    seconds = 1.0 if scale == "paper" else 0.02
    return replace(experiment, common={}, by_game={}, procedure=replace(experiment.procedure, seconds=seconds))
