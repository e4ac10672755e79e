"""Who plays whom in a tournament, and playing it: pairs of matches are claimed from the store and saved in it.

Any number of processes may play the same tournament at once, and a killed one is continued by starting it again.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from time import sleep

from athenan.arena.pairs import Conditions, Pair, Spread, spread_here
from athenan.arena.store import Claim, Pairing, Store
from athenan.play.openings import Opening, openings
from athenan.play.player import PlayerError
from athenan.rules.game import Game
from athenan.settings import counted

_PAUSE = 1.0
"""Seconds between two checks of the pairs that other processes play."""


def pairings(game: Game, players: Sequence[str], conditions: Conditions, gauntlet: bool = False) -> list[Pairing]:
    """All pairings of a tournament: every two players, or with `gauntlet` the first against all others.

    In a one-player game each plays alone. Players are sorted by name; the order given does not matter. Raises
    PlayerError if there are too few players, or one is named twice.
    """
    least = game.players
    if len(players) < least:
        raise PlayerError(f"a tournament of {game.name} needs at least {counted(least, 'player')}")
    if twice := [name for name in players if players.count(name) > 1]:
        raise PlayerError(f"the player {twice[0]} is named twice")
    if game.players == 1:
        return [Pairing(game.name, (name,), conditions.text) for name in players]
    meeting = [(players[0], other) for other in players[1:]] if gauntlet else list(combinations(players, 2))
    return [Pairing(game.name, tuple(sorted(both)), conditions.text) for both in meeting]


@dataclass(frozen=True)
class TournamentProgress:
    """The progress of a tournament."""

    unfinished: int
    """The number of unfinished pairs, whoever plays them."""
    own: int
    """The number of pairs that this process has stored."""


def play_tournament(
    store: Store,
    game: Game,
    counts: Mapping[Pairing, int],
    conditions: Conditions,
    spread: Spread = spread_here,
    threads: int = 1,
) -> Iterator[TournamentProgress]:
    """Plays the given number of pairs of each pairing, and yields the progress after each pair and while waiting.

    `spread` plays pairs, by default in this process. If other processes play the last pairs, it waits for them and
    plays what they leave. Raises the errors of `play_match` and StoreError; stored results stay.
    """
    store.want(counts)
    numbered, source, own = list[Opening](), openings(game, conditions.openings), 0

    def claimed() -> Iterator[Pair]:
        while claim := store.claim():
            while len(numbered) <= claim.number:
                numbered.append(next(source))
            yield Pair(game.name, claim.pairing.players, claim.number, numbered[claim.number], conditions, threads)

    while unfinished := store.unfinished():
        yield TournamentProgress(unfinished, own)
        with closing(spread(claimed())) as results:
            for pair, records in results:
                own += store.finish(Claim(pair.pairing, pair.number), records)
                yield TournamentProgress(store.unfinished(), own)
        if store.unfinished():
            sleep(_PAUSE)
    yield TournamentProgress(0, own)
