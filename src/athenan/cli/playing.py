"""The options of commands that play matches: how long players think, the openings, when matches end early."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from athenan import jobs
from athenan.arena.learnt_players import takes_gpu
from athenan.arena.pairs import Conditions, Spread, played
from athenan.cli.arguments import Argument
from athenan.cli.options import Limits, Threads, Workers, processes
from athenan.jobs.cluster import require_cluster
from athenan.play.cube import CubeRules, require_cube
from athenan.play.limit import Clock, Limit
from athenan.play.match import Adjudication
from athenan.play.openings import OpeningChoice, different_openings, read_openings
from athenan.rules.game import Game
from athenan.search.clock import ClockName
from athenan.settings import Between, Seed

DEFAULT_SECONDS = 0.1
_RANDOM_ACTIONS = 1


@dataclass(frozen=True)
class Playing:
    """How matches are played."""

    clock: Annotated[str | None, Argument(metavar="S[+INCREMENT]")] = None
    """Instead of limits: each player's seconds for a match, and the seconds added after each action. A player whose
    clock runs out loses."""
    time: ClockName = "wall"
    """What counts the seconds of searches here: the wall clock, or the processor, unaffected by other programs.
    Other programs as players, and --clock, always use the wall clock."""
    openings: Annotated[str, Argument(metavar="random|every|FILE")] = "random"
    """Random actions, every first action in turn, or the openings in a file, one a line, such as d4 c5."""
    random_opening: Annotated[int, Between(0, 10_000), Argument(metavar="N")] = _RANDOM_ACTIONS
    """Random actions per opening, with --openings random."""
    adjudicate: bool = False
    """End a match as soon as a player has proven the result."""
    resign: Annotated[Annotated[float, Between(0, 1e9)] | None, Argument(metavar="VALUE", default="never")] = None
    """A player resigns after three consecutive actions that it valued, from its own side, below minus this."""
    cube: bool = False
    """Play backgammon with the doubling cube, which multiplies the points."""
    jacoby: bool = False
    """With --cube: gammons and backgammons count 1 until the cube is turned."""
    seed: Seed = 0
    """Seed for openings and players. Results are repeatable unless a limit is a time."""
    workers: Workers = 1
    """Processes that play. One is the command itself."""
    ray: Annotated[str | None, Argument(metavar="ADDRESS", default="this machine")] = None
    """Play on the machines of this Ray cluster instead. All need the package, and the runs at the same paths."""
    threads: Threads = 1

    @property
    def plays_here(self) -> bool:
        """Whether this process itself plays."""
        return self.workers == 1 and not self.ray

    def spread(self, game: Game, players: Iterable[str]) -> Spread:
        """The function that plays pairs of these players. On Ray, workers ask for GPUs if a player may take one."""
        gpu = bool(self.ray) and any(takes_gpu(name, game) for name in players)
        return lambda pairs: jobs.run(played, pairs, processes(self.workers), self.ray, gpu=gpu)

    def require_machines(self) -> None:
        """Connects to the Ray cluster. Raises JobError if it does not answer: before a file is made for results."""
        if self.ray:
            require_cluster(self.ray)

    def conditions(self, game: Game, limits: Limits) -> Conditions:
        """The conditions of pairs. Raises ValueError for a clock with limits, unfit openings or an unfit cube, and if
        matches of one player could end early.
        """
        if game.players == 1 and (self.adjudicate or self.resign is not None):
            option = "--adjudicate" if self.adjudicate else "--resign"
            raise ValueError(f"{game.name} has one player, whose matches do not end early: leave {option} out")
        early = Adjudication(self.adjudicate, self.resign)
        limit, openings = _limit(self.clock, limits), self._opening_choice(game)
        if self.clock and self.time != "wall":
            raise ValueError("--clock counts wall-clock time: leave --time processor out")
        return Conditions(limit, openings, self.seed, early, self._cube(game), self.time)

    def _cube(self, game: Game) -> CubeRules | None:
        if self.jacoby and not self.cube:
            raise ValueError("--jacoby is a rule of the doubling cube: give --cube as well")
        if self.cube:
            require_cube(game)
        return CubeRules(self.jacoby) if self.cube else None

    def _opening_choice(self, game: Game) -> OpeningChoice:
        if self.openings != "random" and self.random_opening != _RANDOM_ACTIONS:
            raise ValueError(
                f"--random-opening counts the actions of random openings: leave --openings {self.openings} out"
            )
        match self.openings:
            case "random":
                return OpeningChoice("random", self.random_opening, self.seed)
            case "every":
                return OpeningChoice("every")
        return read_openings(self.openings, game)


def require_whole_pairs(game: Game, games: int | None) -> None:
    """Raises ValueError for a number of matches that would leave an opening played with one colour only."""
    if games and games % game.players:
        raise ValueError(f"--games must be even, because each opening is played with both colours, not {games}")


def count_of_pairs(game: Game, games: int | None, conditions: Conditions, usual: int) -> int:
    """The number of pairs, or of matches in a one-player game.

    Without --games this is each listed opening once, or `usual` matches if no openings are listed.
    """
    if games is not None:
        return games // game.players
    return len(different_openings(game, conditions.openings) or range(usual // game.players))


def _limit(clock: str | None, limits: Limits) -> Limit:
    if clock is None:
        return limits.or_seconds(DEFAULT_SECONDS)
    if limits != Limits():
        raise ValueError("--clock replaces --seconds, --iterations and --evaluations: give one of them")
    number = r"\d{1,9}(?:\.\d{0,9})?"
    if not (found := re.fullmatch(rf"({number})(?:\+({number}))?", clock)):
        raise ValueError(f"--clock must be seconds, such as 60, or 60+0.5 with an increment, not {clock!r}")
    return Clock(float(found[1]), float(found[2] or 0))
