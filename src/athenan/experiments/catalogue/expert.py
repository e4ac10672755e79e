"""Athénan and ExIt: 003, section 8."""

from athenan.experiments.catalogue import stated_players as players
from athenan.experiments.catalogue.shared import residual
from athenan.experiments.catalogue.stated import ATHENAN_BESIDE_EXIT, EXIT
from athenan.experiments.description import Combination, Experiment, Procedure
from athenan.learning.algorithms import ITERATIONS

_DENSE = {
    "go:9": 365, "go:11": 228, "hex:11": 228, "hex:13": 155, "othello:8": 477, "othello:10": 286, "gomoku:15": 111,
    "connect6:19": 65, "havannah:8": 111, "havannah:10": 65,
}  # fmt: skip
"""003, Table 5."""
_IMPROVEMENTS = {
    "go:9": 162, "go:11": 158, "hex:11": 32, "hex:13": 47, "othello:8": 110, "othello:10": 89, "connect6:19": 5.45,
    "gomoku:15": 9.5, "havannah:8": 92, "havannah:10": 23, "mean": 62.51,
}  # fmt: skip
"""003, Table 6: differences of wins minus losses, twice the gain of 004."""


def expert_iteration(scale: str) -> Experiment:
    """Athénan and ExIt, against MCTS with rollouts during training."""
    paper = scale == "paper"
    procedure = Procedure(
        games=tuple(_DENSE), repetitions=40, minutes=15 * 1440.0, cores=8, points=15, opponents="mcts:2s", pairs=100,
        seconds=2.0,
    ) if paper else Procedure(
        games=("hex:5", "othello:6", "connect_four:5x5"), repetitions=4, minutes=5.0, points=5, opponents="mcts:200",
        pairs=20, random_opening=1, seconds=0.02,
    )  # fmt: skip
    of_exit = players.EXIT if paper else players.exit_of(ITERATIONS["exit"])
    return Experiment(
        name="003-table-6", title="Athénan and expert iteration", source="003, section 8, Table 6",
        procedure=procedure,
        combinations={
            "Athénan": Combination(ATHENAN_BESIDE_EXIT.settings if paper else {}),
            "ExIt": Combination(EXIT.settings if paper else {"algorithm": "exit"}, player=of_exit),
        },
        common={"run": {"heuristic": "classic"}, "replay": {"augmentation": "none"}},
        by_game=residual(_DENSE) if paper else {}, players={"": players.UBFM_S},
        baseline="ExIt", differences=True,
        published={"gains": {game: {"Athénan": value / 2} for game, value in _IMPROVEMENTS.items()}},
        notes="The paper's improvement is twice the gain shown here. " + (
            "Left out: Athénan's memory of resolved states, which the paper empties every 12 hours, and ExIt's 333 "
            "matches in Othello 10x10 instead of 500." if paper else
            "Laptop scale: small boards, minutes, the recipe of short runs without its symmetric states, and a weaker "
            "opponent."),
    )  # fmt: skip
