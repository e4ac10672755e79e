"""What matches teach about win chances: the values that players gave to their positions, and how the matches ended.

>>> from itertools import islice
>>> from athenan import Budget, make
>>> from athenan.arena.roster import make_player
>>> game = make("tictactoe")
>>> matches = list(islice(own_matches(game, make_player("mcts:50", game), Budget(seconds=1)), 3))
>>> samples = samples_of(matches)
>>> samples.count, len(samples) > 6, set(samples.points) <= {0.0, 0.5, 1.0}
(3, True, True)
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import count as counted

import numpy as np

from athenan.evaluation.calibration import Samples
from athenan.files.file_match import FileMatch
from athenan.play.limit import Limit
from athenan.play.match import play_match
from athenan.play.openings import OpeningChoice, openings
from athenan.play.player import Player
from athenan.rules.game import Game

_SHARE, _LONGEST = 5, 8
"""Openings have at most a fifth (1 / `_SHARE`) of the actions of a typical match, and at most `_LONGEST` actions."""


def own_matches(game: Game, player: Player, limit: Limit, seed: int = 0) -> Iterator[FileMatch]:
    """Matches of a player against itself, without end and without exploration, from random openings.

    `limit` is for each action; the openings have different lengths. Raises GameError for a one-player game.
    """
    longest = max(1, min(_LONGEST, int(game.typical_length) // _SHARE))
    lengths = [openings(game, OpeningChoice("random", plies, seed)) for plies in range(1, longest + 1)]
    for number in counted():
        opening = next(lengths[number % longest])
        yield FileMatch.of_record(play_match(game, (player, player), opening, (seed << 32) + number, limit))


def samples_of(
    matches: Iterable[FileMatch], meant: Callable[[str], bool] = lambda name: True, first: int = 0
) -> Samples:
    """The values that players gave to positions, with the points of their matches. `meant` says which players count.

    Actions without a time were not selected by a player, and what a player had proven teaches nothing about estimates.
    Matches that ended because a player failed are left out. `first` is the number of the first match.
    """
    parts = list[Samples]()
    for number, match in enumerate(matches, first):
        if match.outcome is None or match.ending in ("time", "forfeit") or match.cube:
            continue
        values = [
            ply.value for ply in match.plies
            if ply.side < 2 and ply.seconds is not None and ply.value is not None and ply.proven is None
            and meant(match.players[ply.side])
        ]  # fmt: skip
        points = np.full(len(values), (1 + match.outcome) / 2)
        parts.append(Samples(np.array(values, np.float64), points, np.full(len(values), number)))
    return Samples.joined(parts)
