"""What commands say about --threads."""

import sys
from collections.abc import Iterable

from athenan.play.limit import Limit
from athenan.play.player import Player
from athenan.play.search_player import SearchPlayer
from athenan.search.budget import Budget
from athenan.search.searcher import Searcher
from athenan.search.trees.forest_search import ForestSearch

_UNTIMED = "several threads search only within a limit in seconds"
_CHANCE = "in games of chance only alpha-beta searches with several threads"


def why_idle(searcher: Searcher, limit: Limit) -> str | None:
    """Why all threads of a search but one have nothing to do within a limit; empty if they have, None if unknown.

    It is unknown of searches that have one thread anywhere: --threads may be for their network on PyTorch.
    """
    if searcher.threads > 1:
        return _UNTIMED if isinstance(limit, Budget) and searcher.threads_within(limit) == 1 else ""
    compiled = isinstance(searcher, ForestSearch) and searcher.is_native and not searcher.shares_work
    return _CHANCE if compiled and searcher.game.stochastic else None


def why_idle_of(player: Player, limit: Limit) -> str | None:
    """Why threads of a player's search are idle, as `why_idle` says; None for a player that does not search here.

    The player's own limit takes precedence.
    """
    return why_idle(player.searcher, player.limit or limit) if isinstance(player, SearchPlayer) else None


def names_of(players: Iterable[Player], threads: int | None, limit: Limit) -> list[str]:
    """The names of players, after `tell_idle` about them. They are taken one by one: each may hold much memory."""
    made = [(player.name, why_idle_of(player, limit)) for player in players]
    tell_idle(threads, (reason for _, reason in made))
    return [name for name, _ in made]


def tell_idle(threads: int | None, reasons: Iterable[str | None]) -> None:
    """Says on standard error that --threads has no effect, if all searches of which that is known leave them idle."""
    known = [reason for reason in reasons if reason is not None]
    if threads and threads > 1 and known and all(known):
        why = " and ".join(dict.fromkeys(known))
        print(f"athenan: --threads {threads} has no effect: {why}", file=sys.stderr)
