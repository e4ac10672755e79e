"""What commands say about --threads."""

import sys
from collections.abc import Iterable, Sequence

from athenan.play.limit import Limit
from athenan.play.player import Player
from athenan.play.search_player import SearchPlayer
from athenan.search.budget import Budget
from athenan.search.monte_carlo.mcts import Mcts
from athenan.search.searcher import Searcher
from athenan.search.trees.forest_search import ForestSearch

_UNTIMED = "several threads search only within a limit in seconds"
_CHANCE = "in games of chance only alpha-beta searches with several threads"
_ROLLOUTS = "a search by rollouts has one thread"


def why_idle(searcher: Searcher, limit: Limit) -> str | None:
    """Why all threads of a search but one have nothing to do within a limit; empty if they have, None if unknown.

    It is unknown of searches by values that have one thread anywhere: --threads may be for their network on PyTorch.
    """
    if searcher.threads > 1:
        return _UNTIMED if isinstance(limit, Budget) and searcher.threads_within(limit) == 1 else ""
    if isinstance(searcher, Mcts):
        return _ROLLOUTS
    compiled = isinstance(searcher, ForestSearch) and searcher.is_native and not searcher.shares_work
    return _CHANCE if compiled and searcher.game.stochastic else None


def reasons_of(players: Iterable[Player], limit: Limit) -> list[str | None]:
    """What `why_idle` says of each player that searches here; a player's own limit takes precedence."""
    return [why_idle(one.searcher, one.limit or limit) for one in players if isinstance(one, SearchPlayer)]


def names_of(players: Iterable[Player], threads: int | None, limit: Limit) -> list[str]:
    """The names of players, after `tell_idle` about them. They are taken one by one: each may hold much memory."""
    names, reasons = list[str](), list[str | None]()
    for player in players:
        names.append(player.name)
        reasons += reasons_of([player], limit)
    tell_idle(threads, reasons)
    return names


def tell_idle(threads: int | None, reasons: Sequence[str | None]) -> None:
    """Says on standard error that --threads has no effect, if it is known that every search leaves them idle."""
    if threads and threads > 1 and reasons and all(reasons):
        why = " and ".join(dict.fromkeys(reason for reason in reasons if reason))
        print(f"athenan: --threads {threads} has no effect: {why}", file=sys.stderr)
