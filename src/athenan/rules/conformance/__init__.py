"""Checks for every game that its kernels and tables agree with each other.

>>> from athenan import check_game, make
>>> check_game(make("tictactoe"))
"""

import logging

from athenan.rules import calls
from athenan.rules.compiler import prepare
from athenan.rules.conformance.checks import check
from athenan.rules.conformance.progress import unwatched
from athenan.rules.conformance.watching import can_fork, watched
from athenan.rules.game import Game, require_game

_log = logging.getLogger("athenan")


def check_game(game: Game, matches: int = 20, seed: int = 0, seconds: float = 20.0) -> None:
    """Raises GameError with the fault unless the game's kernels and tables agree with each other.

    Plays random matches and checks at every state: legal actions ascend, are in range and not too many; a kernel writes
    all of its output and nothing else; it returns the same number twice; the header counts the actions; names are
    distinct and can be read; the outcome agrees with the legal actions and, for two players, with the sign of the score
    (003, Definition 21); drawn actions are legal, and all legal ones are drawn; where chance is to move, probabilities
    are positive and sum to 1, and chance does not move twice in succession; the game's own heuristics keep the order of
    the gain; its evaluations are finite, estimate the gain between -1 and 1, and go with the symmetries; each declared
    symmetry maps matches to matches, and moves the places of actions as it moves cells; the exchange of the players
    maps what follows from a state to what follows from its image, with the opposite gain, and evaluations to their
    negatives; `make` makes the game from its name.

    Guards on both sides of every array detect excess writes. The checks run in a fork of this process. So a write that
    ends the process, or a kernel that does not return within `seconds`, also becomes an error. If the system cannot
    fork, the checks run in this process and a warning says so.
    """
    require_game(game)
    game.rules  # noqa: B018  # compiled here: a fork would spend the first calls' time on it and could not hand it on
    prepare(*(getattr(calls, name) for name in game.table.kernels), *game.evaluations.values())
    if can_fork():
        watched(game, matches, seed, seconds)
    else:
        _log.warning(
            "%s is checked in this process, as this system cannot fork: an endless loop or a far write would end it",
            game.name,
        )
        check(game, matches, seed, unwatched)
