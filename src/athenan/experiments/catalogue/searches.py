"""Searches for play: 000, section 6.2, with the networks of 003, Table 3."""

from dataclasses import replace
from typing import Any

from athenan.experiments.catalogue import learning
from athenan.experiments.catalogue import stated_players as played
from athenan.experiments.catalogue.shared import levels
from athenan.experiments.description import DEPTH_1, Experiment

_PLAYERS = {"UBFM_s": played.UBFM_S, "UBFM": played.UBFM, "ID": played.ID}
_COLUMNS = tuple(_PLAYERS)
_FIRST = "003-table-3 makes the same networks: run it first, and this experiment uses its trainings."
_TABLE_6 = """
gomoku 45 38 45
clobber 84 85 82
breakthrough 51 45 45
santorini 62 58 55
hex 51 41 51
lines_of_action 48 41 39
othello 62 61 55
amazons 62 61 51
surakarta 43 38 42
mean 56.6 52.0 51.6
"""
_TABLE_7 = """
gomoku 64 45 41
clobber 49 53 50
breakthrough 63 51 37
santorini 53 56 41
hex 65 60 27
lines_of_action 56 53 24
othello 58 56 33
amazons 53 52 51
surakarta 49 42 38
mean 57 52 38
"""


def shallow(scale: str) -> Experiment:
    """UBFM_s, UBFM and alpha-beta against minimax of depth 1, with all networks."""
    basis = learning.searches(scale)
    paper = {"repetitions": 16, "seconds": 1.0}
    numbers: dict[str, Any] = paper if scale == "paper" else {"seconds": 0.02, "pairs": 1}
    procedure = replace(basis.procedure, points=1, opponents="minimax", **numbers)
    return replace(
        basis, name="000-table-6", title="searches for play, against minimax of depth 1",
        source="000, section 6.2, Table 6", players={**_PLAYERS, "minimax": DEPTH_1}, procedure=procedure,
        groups={name: (name,) for name in _COLUMNS}, published=levels(_TABLE_6, _COLUMNS),
        notes=f"{_FIRST} {basis.notes}".strip(),
    )  # fmt: skip


def deep(scale: str) -> Experiment:
    """UBFM_s, UBFM and alpha-beta against each other, with the networks of Descent."""
    basis = learning.searches(scale)
    paper = {"repetitions": 16, "seconds": 10.0}
    numbers: dict[str, Any] = paper if scale == "paper" else {"seconds": 0.05, "pairs": 2}
    return replace(
        basis, name="000-table-7", title="searches for play, against each other",
        source="000, section 6.2, Table 7", players=_PLAYERS,
        combinations={"Descent": basis.combinations["Descent"]},
        procedure=replace(basis.procedure, points=1, **numbers),
        groups={name: (name,) for name in _COLUMNS}, published=levels(_TABLE_7, _COLUMNS),
        notes=f"{_FIRST} {basis.notes}".strip(),
    )  # fmt: skip
