"""Chooses the levels of games by what they score against fixed players, and writes them into the networks' cards.

Usage, after `scripts/test` has made the environment:

    .venv/bin/python scripts/levels.py connect_four othello:8 --games 60 --store runs/levels.sqlite

A level should mean the same in every game, so each has a fixed player and the points that it must reach against it
(`GOALS`). Each must also take `ABOVE` of the points from the level below. Among its rungs (`play.levels.rungs`) it gets
the weakest that does, or the strongest if none does. Then all levels play the other fixed players. The store keeps all
results: the same command continues an interrupted measurement. The table in docs/strength.md gets the rows of these
games, and the cards the levels with their ratings.
"""

import argparse
import re
from dataclasses import dataclass

from measuring import measure_games, options_of, rated

from athenan.arena.pairs import Conditions, kept_player
from athenan.arena.store import Pairing, Store
from athenan.arena.tally import PairTally
from athenan.arena.tournaments.ladder import ANCHOR
from athenan.arena.tournaments.schedule import pairings, play_tournament
from athenan.arena.tournaments.standings import DuelStandings, anchored, standings
from athenan.networks.catalogue import NAME, network_of
from athenan.networks.shipping import change_card
from athenan.play.levels import Level, LevelName, rungs
from athenan.play.openings import OpeningChoice
from athenan.rules.game import Game
from athenan.search.budget import Budget
from athenan.statistics import score
from athenan.version import processor

_TABLE = re.compile(r"(<!-- levels -->\n).*?(<!-- end of levels -->\n)", re.DOTALL)
ABOVE = 0.7
_STRONGEST = "; the strongest "
"""What separates, in a card, how the strongest level was measured: by the ladder."""
FEW = 10
"""Games of the levels against `mcts:10000`."""


@dataclass(frozen=True)
class Goal:
    """What a level must reach."""

    level: LevelName
    opponent: str
    points: float
    """The share of the points."""
    others: tuple[str, ...]
    """Players whom it also meets."""


GOALS = (
    Goal("beginner", "naive", 0.5, ("naive:2", "mcts:100")),
    Goal("casual", "naive", 0.8, ("naive:2", "mcts:100")),
    Goal("club", "mcts:100", 0.75, ("naive", "naive:2", "mcts:1000")),
    Goal("expert", "mcts:1000", 0.75, ("naive", "naive:2", "mcts:100", "mcts:10000")),
)
COLUMNS = "naive", "naive:2", "mcts:100", "mcts:1000", "mcts:10000"


class Measured:
    """The matches of one game."""

    def __init__(self, game: Game, store: Store, games: int, seed: int) -> None:
        self.game, self._store, self._pairs = game, store, games // 2
        self._conditions = Conditions(Budget(iterations=1), OpeningChoice("random", 1, seed), seed)

    def player(self, level: Level) -> str:
        """The canonical name of the package's network at a level."""
        return kept_player(f"{NAME},{level}", self.game).name

    def tally(self, player: str, opponent: str) -> PairTally:
        """The results of a player, after matches that are not in the store yet have been played."""
        pairing = Pairing(self.game.name, tuple(sorted((player, opponent))), self._conditions.text)
        pairs = min(self._pairs, FEW // 2) if opponent == COLUMNS[-1] else self._pairs
        for _ in play_tournament(self._store, self.game, {pairing: pairs}, self._conditions):
            pass
        return self.standings([player, opponent]).tally(0, 1)

    def points(self, player: str, opponent: str) -> float:
        """The share of the points that a player takes."""
        return score(*self.tally(player, opponent).counts())

    def standings(self, players: list[str]) -> DuelStandings:
        """What is stored of matches among players."""
        counted = pairings(self.game, players, self._conditions)
        found = standings(self._store, self.game.name, players, counted)
        assert isinstance(found, DuelStandings)
        return found


def choose(measured: Measured, goal: Goal, below: str | None) -> Level:
    """The weakest rung that reaches the goal and takes enough points from the level below, by bisection."""
    found = rungs(goal.level)
    first, last = 0, len(found) - 1
    while first < last:
        middle = (first + last) // 2
        player = measured.player(found[middle])
        enough = measured.points(player, goal.opponent) >= goal.points
        if enough and (below is None or measured.points(player, below) >= ABOVE):
            last = middle
        else:
            first = middle + 1
    return found[first]


def measure(game: Game, store: Store, given: argparse.Namespace) -> None:
    """Chooses the levels of a game and writes them."""
    measured, levels = Measured(game, store, given.games, given.seed), dict[LevelName, Level]()
    rows, below = list[str](), None
    for goal in GOALS:
        level = levels[goal.level] = choose(measured, goal, below)
        player = measured.player(level)
        met = {one: measured.tally(player, one) for one in (goal.opponent, *goal.others)}
        row = [shown(met[one]) if one in met else "" for one in COLUMNS]
        row.append(shown(measured.tally(player, below)) if below else "")
        rows.append(f"| {game.name} | {goal.level} | `{level}` | " + " | ".join(row) + " |")
        print(rows[-1], flush=True)
        below = player
    given.page.write_text(with_rows(given.page.read_text(), game.name, rows))
    set_levels(measured, levels)


def shown(tally: PairTally) -> str:
    """Points with their 95% interval, and the games."""
    low, high = tally.interval()
    return f"{score(*tally.counts()):.0%} [{low:.0%}, {high:.0%}], {tally.games}"


def with_rows(page: str, game: str, rows: list[str]) -> str:
    """The page with the rows of a game in place of its former ones, in the order of the games."""
    head = ["| game | level | settings | naive | naive:2 | mcts:100 | mcts:1000 | mcts:10000 | the level below |"]
    head += ["| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]

    def changed(room: re.Match[str]) -> str:
        others = [line for line in room[0].splitlines() if line.startswith("| ") and line not in head]
        kept = [line for line in others if not line.startswith(f"| {game} |")]
        ordered = sorted([*kept, *rows], key=lambda line: line.split(" |")[0])  # the levels of a game stay in order
        return room[1] + "\n".join(["", *head, *ordered, "", ""]) + room[2]

    return _TABLE.sub(changed, page)


def set_levels(measured: Measured, levels: dict[LevelName, Level]) -> None:
    """Writes levels and their ratings into the card of a network; its strongest level keeps its rating."""
    network, names = network_of(measured.game), [measured.player(level) for level in levels.values()]
    found = anchored(measured.standings([*names, *COLUMNS]), ANCHOR)
    assert isinstance(found, DuelStandings)
    ratings = rated(found, [(name, level, place) for place, (name, level) in enumerate(levels.items())])
    ratings += [one for one in network.card.ratings if one.level not in levels]
    how = f"in {found.games} games of the levels below the strongest (scripts/levels.py) on {processor()}"
    strongest = network.card.measured.rpartition(_STRONGEST)[2]
    change_card(network.file, ratings=tuple(ratings), measured=f"{how}{_STRONGEST}{strongest}" if strongest else how)


def main(arguments: list[str] | None = None) -> None:
    """Runs the command."""
    parser = options_of("levels", __doc__)
    parser.add_argument("--games", type=int, default=60, help="games of a level against each player (60)")
    measure_games(measure, parser.parse_args(arguments))


if __name__ == "__main__":
    main()
