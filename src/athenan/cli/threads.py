"""What commands say about --threads."""

import sys
from collections.abc import Iterable

from athenan.play.limit import Limit
from athenan.play.player import Player
from athenan.play.search_player import SearchPlayer
from athenan.search.budget import Budget
from athenan.search.searcher import Searcher


def idle(searcher: Searcher, limit: Limit) -> bool | None:
    """Whether all threads of a search but one have nothing to do within a limit; None if it has only one."""
    if searcher.threads == 1:
        return None
    return isinstance(limit, Budget) and searcher.threads_within(limit) == 1


def idle_of(player: Player, limit: Limit) -> bool | None:
    """The same for the search of a player, if it searches here; its own limit takes precedence."""
    return idle(player.searcher, player.limit or limit) if isinstance(player, SearchPlayer) else None


def names_of(players: Iterable[Player], threads: int | None, limit: Limit) -> list[str]:
    """The names of players, after `tell_idle` about them. They are taken one by one: each may hold much memory."""
    made = [(player.name, idle_of(player, limit)) for player in players]
    tell_idle(threads, (alone for _, alone in made))
    return [name for name, _ in made]


def tell_idle(threads: int | None, found: Iterable[bool | None]) -> None:
    """Says on standard error that --threads has no effect, if all searches that have several threads leave them idle.

    It is silent about searches that have one: --threads may be for their network on PyTorch.
    """
    known = [one for one in found if one is not None]
    if threads and threads > 1 and known and all(known):
        print(
            f"athenan: --threads {threads} has no effect: several threads search only within a limit in seconds",
            file=sys.stderr,
        )
