"""What descriptions share: the settings of the papers' common procedure, and of short runs on one machine."""

from collections.abc import Mapping
from typing import Any

from athenan.experiments.description import Printed, Procedure, Settings
from athenan.rules.game import family_of

NINE_GAMES = (
    "othello:8", "hex:11", "clobber:10x10", "gomoku:15", "amazons:10", "breakthrough:8x8", "santorini", "surakarta",
    "lines_of_action",
)  # fmt: skip
"""The games of 003's sections 3.4, 4.2 and 6.3, in the order of its tables; the paper gives no sizes."""
FOUR_GAMES = ("othello:6", "hex:5", "clobber:5x5", "breakthrough:5x5")
"""Some of these games on small boards."""

COMMON_PAPER_BY_GAME: Mapping[str, Settings] = {
    "surakarta": {"run": {"network": "c:filters=64,convolutions=2,dense=100"}},
}
"""The paper's footnote: there is no room for a third convolution."""
COMMON_LAPTOP: Mapping[str, Any] = {
    "run": {"heuristic": "classic"},
    "playing": {"selection": "epsilon_greedy", "exploitation": "annealed", "completed_selection": False},
    "search": {"completion": False},
}
"""The common algorithms with the recipe of short runs: its search time, replay and averaged weights."""
LAPTOP_NOTES = (
    "Laptop scale: small boards, minutes instead of days, and the recipe of `athenan train` for short runs (search "
    "time, stratified replay, averaged weights); matches begin with random actions."
)

LONG_NOTES = "Left out: the memory of resolved states, which the paper empties at intervals of hours or days."


COMMON_PROCEDURE = Procedure(games=NINE_GAMES, minutes=2880.0, cores=10, points=48, pairs=1)
"""The common procedure: 48 hours, an evaluation every hour, one pair of matches between two networks."""
LAPTOP_PROCEDURE = Procedure(games=FOUR_GAMES, minutes=3.0, points=6, pairs=4, random_opening=2)
"""The common procedure for a few hours on one machine."""


def levels(rows: str, columns: tuple[str, ...]) -> dict[str, Printed]:
    """Percentages that a paper prints, from lines of a game and its numbers; x stands for no number."""
    found = {}
    for line in rows.strip().splitlines():
        name, *numbers = line.split()
        pairs = zip(columns, numbers, strict=True)
        found[name] = {column: float(number) for column, number in pairs if number != "x"}
    return {"levels": found}


def residual(dense: Mapping[str, int]) -> dict[str, Settings]:
    """The settings of games whose networks differ in the neurons of their dense layers alone.

    Boards have no border: in 003's Table 5 and 004's Table 3 games with equal boards have equal neurons, as Hex 11 and
    Go 11, or Havannah 8 and Gomoku 15. The planes of Hex and Havannah have a border of one cell, which is cut off.
    """
    cut = {game: ",cut=1" if family_of(game) in ("hex", "havannah") else "" for game in dense}
    names = {game: f"r2:filters=132,blocks=8,dense={neurons},dense_layers=2" for game, neurons in dense.items()}
    return {game: {"run": {"network": name + cut[game]}} for game, name in names.items()}
