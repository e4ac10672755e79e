"""Pairs of matches as jobs: one opening, played with both colours and the same dice, by players given by name.

In a one-player game a pair is one match. The conditions and the number of a pair determine what is played, so a pair is
the same in any process, unless a limit is a time.

    >>> from itertools import islice
    >>> from athenan import Budget, make
    >>> conditions = Conditions(Budget(seconds=1), seed=7)
    >>> pairs = list(islice(pairs_of(make("tictactoe"), ("mcts:200", "random"), conditions), 3))
    >>> [(record.players, record.outcome) for record in played(pairs[2])]
    [(('mcts:200', 'random'), 1), (('random', 'mcts:200'), -1)]
"""

import hashlib
import json
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle

import numpy as np

from athenan import jobs
from athenan.arena.roster import make_player
from athenan.arena.store import Pairing
from athenan.games.catalogue import known
from athenan.play.cube import CubeRules
from athenan.play.limit import DEFAULT_LIMIT, Limit
from athenan.play.match import NEVER, Adjudication, play_match
from athenan.play.openings import RANDOM, Opening, OpeningChoice, openings
from athenan.play.player import Player
from athenan.play.records import MatchRecord
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game
from athenan.search.clock import ClockName

_MOST_PLAYERS = 8
"""Players that a process keeps ready; each may have a network and a tree."""


@dataclass(frozen=True)
class Conditions:
    """What a pair depends on, in addition to the game, the players and its number."""

    limit: Limit = DEFAULT_LIMIT
    """The limit of each action, or each player's clock for a match. A player's own limit takes precedence."""
    openings: OpeningChoice = RANDOM
    seed: int = 0
    """The seed for players and dice."""
    adjudication: Adjudication = NEVER
    cube: CubeRules | None = None
    """The rules of the doubling cube, if backgammon is played with one."""
    clock: ClockName = "wall"
    """The clock of players that search here; other programs always have wall-clock time."""

    @property
    def text(self) -> str:
        """The conditions as JSON, the key of stored results; a long list of openings is given by its SHA-256 digest."""
        chosen = asdict(self.openings)
        listed = json.dumps(chosen.pop("listed")).encode()
        if self.openings.kind == "listed":
            chosen = {"kind": "listed", "sha256": hashlib.sha256(listed).hexdigest()}
        limit = {name: value for name, value in asdict(self.limit).items() if value is not None}
        early, cube = asdict(self.adjudication), {"cube": asdict(self.cube)} if self.cube else {}
        clock = {} if self.clock == "wall" else {"clock": self.clock}
        kept = {"limit": limit, "openings": chosen, "seed": self.seed, "adjudication": early, **cube, **clock}
        return json.dumps(kept)


@dataclass(frozen=True)
class Pair:
    """A pair to play."""

    game: str
    players: tuple[str, ...]
    """The names of the players; the first begins the first match."""
    number: int
    opening: Opening
    conditions: Conditions
    threads: int = 1
    """Threads of a search's network on a CPU."""

    @property
    def pairing(self) -> Pairing:
        """What the pair has in common with the other pairs of its players."""
        return Pairing(self.game, self.players, self.conditions.text)


def pairs_of(
    game: Game, players: tuple[str, ...], conditions: Conditions, threads: int = 1, listed: Sequence[Opening] = ()
) -> Iterator[Pair]:
    """The pairs of these players, without end; `listed` replaces the openings of the conditions.

    Raises GameError if there is no opening.
    """
    for number, opening in enumerate(cycle(listed) if listed else openings(game, conditions.openings)):
        yield Pair(game.name, players, number, opening, conditions, threads)


def played(pair: Pair) -> list[MatchRecord]:
    """Plays a pair with players that this process keeps. This is the function of a job."""
    game = known(pair.game)
    players = [
        kept_player(name, game, pair.threads, copy=pair.players[:place].count(name))
        for place, name in enumerate(pair.players)
    ]
    records = play_pair(game, players, pair)
    if any(record.forfeit for record in records):
        close_players()  # restarts a program that has failed
    return records


Spread = Callable[[Iterable[Pair]], Generator[tuple[Pair, list[MatchRecord]], None, None]]
"""spread(pairs): plays pairs and yields each with its records, in any order, as `jobs.run(played, pairs, ...)` does."""


def spread_here(pairs: Iterable[Pair]) -> Generator[tuple[Pair, list[MatchRecord]], None, None]:
    """Plays pairs in this process, one after the other."""
    return jobs.run(played, pairs)


def play_pair(game: Game, players: Sequence[Player], pair: Pair) -> list[MatchRecord]:
    """Plays the opening with both colours and the same dice, or one match in a one-player game."""
    how = pair.conditions
    for player in players:
        if isinstance(player, SearchPlayer):
            player.count_by(how.clock)
    seeds = np.random.SeedSequence([how.seed, pair.number]).generate_state(2, np.uint64).tolist()
    orders = [players, players[::-1]][: game.players]
    return [
        play_match(game, order, pair.opening, own_seed, how.limit, seeds[0], how.cube, how.adjudication)
        for order, own_seed in zip(orders, seeds, strict=False)
    ]


_kept: dict[tuple[str, str, int, int], Player] = {}
"""The players of this process, the most recently used last."""


def kept_player(name: str, game: Game, threads: int = 1, copy: int = 0, named: bool = False) -> Player:
    """The player of this name, made once in this process; `copy` distinguishes players of the same name.

    `named` is as for `make_player`: the names of jobs and of stores do not count as given by the user.

    Raises PlayerError if there is no such player, or if it is a person.
    """
    key = name, game.name, threads, copy
    player = _kept.pop(key, None) or make_player(name, game, threads, people=False, named=named)
    while len(_kept) >= _MOST_PLAYERS:
        _kept.pop(next(iter(_kept))).close()
    _kept[key] = player
    return player


def close_players() -> None:
    """Closes the players that this process keeps."""
    while _kept:
        _kept.popitem()[1].close()


jobs.at_end(close_players)
