"""Options of the commands that play matches: how long players think, the openings, when matches end early."""

import re
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Annotated

import tyro

from athenan import jobs
from athenan.arena.pairs import Conditions, Pair, played
from athenan.cli.options import Limits, Threads, Workers
from athenan.play.cube import CubeRules, require_cube
from athenan.play.limit import Clock, Limit
from athenan.play.match import Adjudication
from athenan.play.openings import OpeningChoice, different_openings, read_openings
from athenan.play.records import MatchRecord
from athenan.rules.game import Game
from athenan.settings import Between, Seed

DEFAULT_SECONDS = 0.1


@dataclass(frozen=True)
class Playing:
    """How matches are played."""

    clock: Annotated[str | None, tyro.conf.arg(metavar="S[+INCREMENT]", help_behavior_hint="")] = None
    """Instead of limits: seconds of each player and match, and seconds added after each action. Whose time is over
    loses."""
    openings: Annotated[str, tyro.conf.arg(metavar="random|every|FILE")] = "random"
    """Random actions, every first action in turn, or the openings of a file: one a line, such as d4 c5."""
    random_opening: Annotated[int, Between(0, 10_000), tyro.conf.arg(metavar="N")] = 1
    """The random actions of each opening, where openings are random."""
    adjudicate: bool = False
    """End a match as soon as a player has proven its result."""
    resign: Annotated[
        Annotated[float, Between(0, 1e9)] | None, tyro.conf.arg(metavar="VALUE", help_behavior_hint="(default: never)")
    ] = None
    """A player resigns after three actions in succession that it valued, for itself, below minus this."""
    cube: bool = False
    """Play backgammon with the doubling cube; points count what it says."""
    jacoby: bool = False
    """With the cube: gammons and backgammons count 1 as long as it was not turned."""
    seed: Seed = 0
    """Seed of openings and players; results are repeatable if no limit is a time."""
    workers: Workers = 1
    """Processes that play; one is the command itself."""
    ray: Annotated[str | None, tyro.conf.arg(metavar="ADDRESS", help_behavior_hint="(default: this machine)")] = None
    """Play on the machines of this Ray cluster instead; all need the package, and the runs at the same paths."""
    threads: Threads = 1
    """Threads of a search's network on a CPU; several are faster only while nothing else runs on the machine."""

    @property
    def plays_here(self) -> bool:
        """Whether this process itself plays."""
        return self.workers == 1 and not self.ray

    def spread(self, pairs: Iterable[Pair]) -> Generator[tuple[Pair, list[MatchRecord]], None, None]:
        """Plays pairs, and yields them with their records as they end."""
        return jobs.run(played, pairs, 0 if self.plays_here else self.workers, self.ray)

    def conditions(self, game: Game, limits: Limits) -> Conditions:
        """The conditions of pairs. Raises ValueError for a clock beside limits, unfit openings or an unfit cube."""
        early = Adjudication(self.adjudicate, self.resign)
        return Conditions(_limit(self.clock, limits), self._opening_choice(game), self.seed, early, self._cube(game))

    def _cube(self, game: Game) -> CubeRules | None:
        if self.jacoby and not self.cube:
            raise ValueError("--jacoby is a rule of the doubling cube: give --cube, too")
        if self.cube:
            require_cube(game)
        return CubeRules(self.jacoby) if self.cube else None

    def _opening_choice(self, game: Game) -> OpeningChoice:
        match self.openings:
            case "random":
                return OpeningChoice("random", self.random_opening, self.seed)
            case "every":
                return OpeningChoice("every")
        return read_openings(self.openings, game)


def require_whole_pairs(game: Game, games: int | None) -> None:
    """Raises ValueError for a number of matches with which an opening would be played with one colour only."""
    if games and games % game.players:
        raise ValueError(f"--games must be even, as each opening is played with both colours, not {games}")


def count_of_pairs(game: Game, games: int | None, conditions: Conditions, usual: int) -> int:
    """The number of pairs, or of matches of one player.

    Without a number of matches they play each listed opening once, or `usual` matches where none are listed.
    """
    if games is not None:
        return games // game.players
    return len(different_openings(game, conditions.openings) or range(usual // game.players))


def _limit(clock: str | None, limits: Limits) -> Limit:
    if clock is None:
        return limits.or_seconds(DEFAULT_SECONDS)
    if limits != Limits():
        raise ValueError("--clock takes the place of --seconds, --iterations and --evaluations; give one of them")
    number = r"\d{1,9}(?:\.\d{0,9})?"
    if not (found := re.fullmatch(rf"({number})(?:\+({number}))?", clock)):
        raise ValueError(f"--clock must be seconds, such as 60, or 60+0.5 with an increment, not {clock!r}")
    return Clock(float(found[1]), float(found[2] or 0))
