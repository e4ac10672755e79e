"""The machinery of rules. This module exports what the author of a game needs; generic code imports from the modules.

from athenan import rules

@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    return rules.mover_lost(state) if state[1] else rules.ONGOING
"""

from athenan.rules.advice import PROVEN, VECTORS, Advice, Solving
from athenan.rules.board import Area, Awaited, Board, Decision, Label, Line, Piece, Place, Scene
from athenan.rules.colours import ColourSymmetry, PlaneExchange
from athenan.rules.compiler import Kernel, helper, kernel
from athenan.rules.declared import Features, OwnHeuristic
from athenan.rules.endings import ENDING, REMAINING, Ending
from athenan.rules.errors import GameError, require
from athenan.rules.forms import Fen, Forms, Mat, UciVariant
from athenan.rules.game import Game, State
from athenan.rules.kernels import (
    ACTIONS,
    ENCODE,
    FEATURES,
    INITIAL,
    OUTCOME,
    PIECES,
    PLAY,
    PROBABILITIES,
    ROLLOUT,
    SAMPLE,
    SCORE,
    STATE_VALUE,
    TERMINAL_VALUE,
    KernelTable,
    table,
)  # fmt: skip
from athenan.rules.layout import Layout
from athenan.rules.leaf import advantage, hundredths
from athenan.rules.memory import load16, load64, scratch, store16, store64
from athenan.rules.ruleset import Ruleset
from athenan.rules.state import (
    CHANCE,
    HEADER,
    ONGOING,
    PASS_NAME,
    advance_header,
    copy_state,
    length,
    mover_lost,
    sign,
)  # fmt: skip
from athenan.rules.usual import empty_board, last_mover_wins, noted_outcome, pieces_in_words

__all__ = [
    "ACTIONS", "CHANCE", "ENCODE", "ENDING", "FEATURES", "HEADER", "INITIAL", "ONGOING", "OUTCOME", "PASS_NAME",
    "PIECES", "PLAY", "PROBABILITIES", "PROVEN", "REMAINING", "ROLLOUT", "SAMPLE", "SCORE", "STATE_VALUE",
    "TERMINAL_VALUE", "VECTORS", "Advice", "Area", "Awaited", "Board", "ColourSymmetry", "Decision", "Ending",
    "Features", "Fen", "Forms", "Game", "GameError", "Kernel", "KernelTable", "Label", "Layout", "Line", "Mat",
    "OwnHeuristic", "Piece", "Place", "PlaneExchange", "Ruleset", "Scene", "Solving", "State", "UciVariant",
    "advance_header", "advantage", "copy_state", "empty_board", "helper", "hundredths", "kernel", "last_mover_wins",
    "length", "load16", "load64", "mover_lost", "noted_outcome", "pieces_in_words", "require", "scratch", "sign",
    "store16", "store64", "table",
]  # fmt: skip
