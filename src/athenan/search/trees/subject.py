"""What is searched, for compiled code: a game, a terminal evaluation and perhaps an evaluation of other states."""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.arrays import CONSTANTS
from athenan.rules.compiler import helper
from athenan.rules.game import Game
from athenan.rules.kernels import FORCED, RULES, Rules, by_address
from athenan.rules.leaf import LEAF, Leaf
from athenan.rules.terminal import TerminalValue, counts_points


class Subject(NamedTuple):
    """The game and the terminal evaluation f_t of a search, for compiled code."""

    rules: Rules
    heuristic: int
    """Address of a TERMINAL_VALUE kernel."""
    constants: NDArray[np.float64]
    """The heuristic's constants."""
    max_actions: int
    gains: int
    """1: the completion of a finished match is its gain. 0: the completion is 0, so that only values decide what is
    best, as with one player."""
    leaf: Leaf
    """The evaluation of non-terminal states, if it is a kernel."""
    forced: int
    """Address of a FORCED kernel, with which states are expanded; 0: all actions are expanded."""

    @staticmethod
    def of(game: Game, terminal: TerminalValue, leaf: Leaf | None = None, forced: bool = False) -> "Subject":
        """The subject of a search of a game under a terminal evaluation.

        With `forced` it expands only the actions that may be best, if the game says which (`Ruleset.forced`).
        """
        gains = int(game.players == 2 and not counts_points(game, terminal))
        kernel = game.forced if forced else None
        return Subject(
            game.rules, terminal.address, terminal.constants, game.max_actions, gains, leaf or Leaf.of(game, None),
            kernel.address if kernel else 0,
        )  # fmt: skip


SUBJECT = types.NamedTuple([RULES, types.int64, CONSTANTS, types.int64, types.int64, LEAF, types.int64], Subject)
_forced = by_address(FORCED)


@helper
def list_actions(subject, state, actions):
    """Writes the actions with which a state is expanded, ascending; returns how many there are."""
    if subject.forced:
        return _forced(subject.forced, (subject.rules, state, actions))
    return calls.actions(subject.rules, state, actions)
