"""The ladder of a game: who stands on it, and their ratings, on a scale on which `mcts:1000` has 1000 Elo points.

A match between players of very different strength says little, so not all pairs meet. The player with the fewest games
meets the opponent against whom the result is least certain.

>>> from athenan import make
>>> standing, left_out = rungs(make("tictactoe"), seconds=0.1)
>>> standing
['random', 'naive', 'naive:2', 'mcts:10', 'mcts:100', 'mcts:1000', 'rave:1000', 'mcts:10000', 'mcts:0.1s']
>>> left_out[0][:48]
'the package has no network of tictactoe: train o'
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from athenan.arena.pairs import Conditions, Spread, kept_player, spread_here
from athenan.arena.store import Pairing, Store
from athenan.arena.tournaments.schedule import pairings, play_tournament
from athenan.arena.tournaments.standings import DuelStandings, anchored, standings
from athenan.engines.process import find_program
from athenan.networks.catalogue import NAME, network_of
from athenan.play.levels import Level, LevelName
from athenan.play.player import PlayerError
from athenan.rules.game import Game
from athenan.search.monte_carlo.rave import EQUIVALENCE, informs
from athenan.settings import written

ANCHOR = "mcts:1000"
"""The player with 1000 Elo points on every ladder."""
LOWEST = "random"


@dataclass(frozen=True)
class Program:
    """A program by others. It stands on the ladders of the games that it plays."""

    title: str
    command: str
    """What must be installed."""
    players: tuple[str, ...]
    plays: Callable[[Game], bool]


PROGRAMS = (
    Program(
        "Fairy-Stockfish", "fairy-stockfish",
        tuple(f"uci:fairy-stockfish,options=(Threads=1; Skill Level={skill})" for skill in (-10, 0, 20)),
        lambda game: game.forms.uci is not None,
    ),
    Program(
        "GNU Go", "gnugo", ("gtp:gnugo --mode gtp --level 1 --chinese-rules --capture-all-dead",),
        lambda game: "gnugo" in game.forms.programs,
    ),
    Program("GNU Backgammon", "gnubg", ("gnubg",), lambda game: "gnubg" in game.forms.programs),
    Program(
        "GRhino", "gtp-rhino", tuple(f"gtp:gtp-rhino -l {level},passes=false" for level in (1, 3)),
        lambda game: "grhino" in game.forms.programs,
    ),
)  # fmt: skip
"""Programs that Debian packages. The ladder of a game has rungs only for programs that play it."""


def rungs(
    game: Game, seconds: float, also: Sequence[str] = (), without: Sequence[str] = ()
) -> tuple[list[str], list[str]]:
    """The players of a game's ladder by their canonical names, and a sentence for each reason why others are left out.

    Players without a limit of their own have `seconds` for each action. `also` adds players, such as runs. `without`
    names players to leave out, such as slow ones. The order is roughly from weak to strong.
    """
    wanted = [LOWEST, "naive", "naive:2", *(f"mcts:{count}" for count in (10, 100, 1000)), "rave:1000", "mcts:10000"]
    wanted += [f"rave:{written(seconds)}s,equivalence={EQUIVALENCE:g},informed=true"] if informs(game) else []
    wanted += [f"mcts:{written(seconds)}s", *(f"evaluation:{name}" for name in game.evaluations)]
    left_out, titles = list[str](), dict[str, str]()
    try:
        wanted += map(level_player, network_of(game).card.levels.settings.values())
    except ValueError as error:
        left_out.append(str(error))
    for program in PROGRAMS:
        if program.plays(game) and find_program(program.command):
            wanted += program.players
            titles |= dict.fromkeys(program.players, program.title)
        elif program.plays(game):
            left_out.append(f"{program.title} is not installed (no command {program.command})")
    standing = list[str]()
    for name in [*(one for one in wanted if one not in without), *also]:
        try:
            standing.append(kept_player(name, game, named=True).name)
        except (ValueError, OSError) as error:
            left_out.append(str(error).removeprefix(f"{name!r}: ").replace(name, titles.get(name, name)))
    return standing, list(dict.fromkeys(left_out))


def level_player(level: Level) -> str:
    """The package's network at a level; the strongest takes the time that the ladder gives."""
    return f"{NAME},{level}".rstrip(",")


def levels_of_network(found: DuelStandings, game: Game) -> dict[LevelName, tuple[Level, int]]:
    """The levels of the package's network, each with its place in `found`.

    Empty if not all of them are rated, because one of them has not met the others.
    """
    if found.ratings is None:
        return {}
    levels = network_of(game).card.levels.settings
    return {
        name: (level, found.players.index(kept_player(level_player(level), game).name))
        for name, level in levels.items()
    }


def play(
    store: Store, game: Game, players: Sequence[str], conditions: Conditions, pairs: int, spread: Spread = spread_here
) -> Iterator[int]:
    """Plays until each player has `pairs` pairs of matches, counting those in the store.

    Yields the number of pairs in the store after each of them. Raises the errors of `play_tournament` and the
    PlayerError of `standings_of`.
    """
    while meeting := _next(found := standings_of(store, game, players, conditions), pairs):
        pairing = Pairing(game.name, tuple(sorted(meeting)), conditions.text)
        for _ in play_tournament(store, game, {pairing: len(store.results(pairing)) + 1}, conditions, spread):
            pass
        yield found.games // 2 + 1


def _next(found: DuelStandings, pairs: int) -> tuple[str, str] | None:
    """The two players who meet next; None if each has played enough.

    At first each player meets the next one on the ladder, so that all can be rated. Then the player with the fewest
    pairs meets the opponent with the greatest p (1 - p) / (pairs of the two + 1), where p is the probability of a win
    by the ratings.
    """
    players, ratings = found.players, found.ratings
    if ratings is None:
        return next(both for number, both in enumerate(pairwise(players)) if not _pairs(found, number, number + 1))
    played = [sum(found.counts(one)) // 2 for one in range(len(players))]
    if min(played) >= pairs:
        return None
    one = played.index(min(played))

    def worth(other: int) -> float:
        probability = 1 / (1 + 10 ** ((ratings[other].elo - ratings[one].elo) / 400))
        return probability * (1 - probability) / (_pairs(found, one, other) + 1)

    return players[one], players[max((other for other in range(len(players)) if other != one), key=worth)]


def _pairs(found: DuelStandings, one: int, other: int) -> int:
    """The pairs of matches that two players have played."""
    return sum(found.counts(one, other)) // 2


def standings_of(store: Store, game: Game, players: Sequence[str], conditions: Conditions) -> DuelStandings:
    """The stored results of these players, rated relative to `ANCHOR`.

    Raises PlayerError in a one-player game, and if `LOWEST` or `ANCHOR` is not among the players.
    """
    if game.players != 2 or not {LOWEST, ANCHOR} <= set(players):
        raise PlayerError(f"a ladder of {game.name} needs two players, with {LOWEST} and {ANCHOR} on it")
    found = anchored(standings(store, game.name, players, pairings(game, players, conditions)), ANCHOR)
    assert isinstance(found, DuelStandings)
    return found
