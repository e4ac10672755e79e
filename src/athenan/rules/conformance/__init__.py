"""Checks for every game that its kernels and tables agree with each other.

>>> from athenan import check_game, make
>>> check_game(make("tictactoe"))
"""

from dataclasses import replace
from functools import partial

from athenan.rules import calls
from athenan.rules.compiler import prepare
from athenan.rules.conformance.checks import Extent, check
from athenan.rules.conformance.watching import Report, silent, tried
from athenan.rules.game import Game, GameError, require_game


def check_game(game: Game, matches: int = 20, seed: int = 0, seconds: float = 20.0, progress: Report = silent) -> None:
    """Raises GameError with the fault unless the game's kernels and tables agree with each other.

    Plays random matches and checks at every state: legal actions ascend, are in range and not too many; a kernel writes
    all of its output and nothing else; it returns the same number twice; the header counts the actions; names are
    distinct and can be read; the outcome agrees with the legal actions and, for two players, with the sign of the score
    (003, Definition 21); drawn actions are legal, and all legal ones are drawn; where chance is to move, probabilities
    are positive and sum to 1, and chance does not move twice in succession; the game's own heuristics keep the order of
    the gain; its evaluations are finite, estimate the gain between -1 and 1, and go with the symmetries; each declared
    symmetry maps matches to matches, and moves the places of actions as it moves cells; the exchange of the players
    maps what follows from a state to what follows from its image, with the opposite gain, and evaluations to their
    negatives; what the functions of the board return can be drawn; a FEN is read as the position that it was written
    for; `make` makes the game from its name.

    Guards on both sides of every array detect excess writes. The checks run in a fork of this process. So a write that
    ends the process, or a kernel that does not return within `seconds`, also becomes an error. If the system cannot
    fork, the checks run in this process and a warning says so. `progress` is called several times a second with the
    number of calls so far and the name of the last one.
    """
    _check(game, Extent(matches, seed), seconds, progress)


QUICK = Extent(matches=8, calls=20_000)
"""A quick check: about a second."""
QUICK_SECONDS = 10.0
"""The most seconds of a call in a quick check."""


def check_quickly(game: Game) -> None:
    """Raises GameError unless a part of `check_game`, which takes about a second, finds no fault."""
    _check(game, QUICK, QUICK_SECONDS)


def _check(game: Game, extent: Extent, seconds: float, report: Report = silent) -> None:
    require_game(game)
    game = replace(game, before_use=None)  # this is that check
    game.rules  # noqa: B018  # compiled here: a fork would spend the first calls' time on it and could not hand it on
    prepare(*(getattr(calls, name) for name in game.table.kernels), *game.evaluations.values())
    tried(game.name, partial(check, game, extent), seconds, GameError, report)
