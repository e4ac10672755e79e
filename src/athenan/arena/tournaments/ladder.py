"""The ladder of a game: who stands on it, and their ratings, on a scale on which `mcts:1000` has 1000 Elo points.

>>> from athenan import make
>>> standing, left_out = rungs(make("tictactoe"), seconds=0.1)
>>> standing
['random', 'mcts:10', 'mcts:100', 'mcts:1000', 'mcts:10000', 'mcts:0.1s', 'rave:1000']
>>> left_out[0][:48]
'the package has no network of tictactoe: train o'
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from athenan.arena.pairs import Conditions, Spread, kept_player, spread_here
from athenan.arena.store import Store
from athenan.arena.tournaments.schedule import TournamentProgress, pairings, play_tournament
from athenan.arena.tournaments.standings import DuelStandings, anchored, standings
from athenan.engines.uci.variants import VARIANTS
from athenan.networks.catalogue import NAME, network_of
from athenan.play.player import PlayerError
from athenan.rules.game import Game, family_of
from athenan.settings import written

ANCHOR = "mcts:1000"
"""The player with 1000 Elo points on every ladder."""


@dataclass(frozen=True)
class Program:
    """A program of others that stands on the ladders of the games that it plays."""

    title: str
    command: str
    """What must be installed."""
    players: tuple[str, ...]
    plays: Callable[[Game], bool]


PROGRAMS = (
    Program(
        "Fairy-Stockfish", "fairy-stockfish",
        tuple(f"uci:fairy-stockfish,options=(Threads=1; Skill Level={skill})" for skill in (-10, 0, 20)),
        lambda game: game.name in VARIANTS,
    ),
    Program(
        "GNU Go", "gnugo", ("gtp:gnugo --mode gtp --level 1 --chinese-rules --capture-all-dead",),
        lambda game: family_of(game.name) == "go",
    ),
    Program("GNU Backgammon", "gnubg", ("gnubg",), lambda game: family_of(game.name) == "backgammon"),
)  # fmt: skip
"""Programs that Debian has. A game that a program does not play has no rung for it."""


def rungs(game: Game, seconds: float) -> tuple[list[str], list[str]]:
    """The players of a game's ladder by their canonical names, and a sentence for each one that is left out.

    `seconds` is the equal time for an action, of all that have no limit of their own.
    """
    wanted = ["random", *(f"mcts:{count}" for count in (10, 100, 1000, 10_000)), f"mcts:{written(seconds)}s"]
    wanted += ["rave:1000", *(f"evaluation:{name}" for name in game.evaluations)]
    left_out = list[str]()
    try:
        network_of(game)
        wanted.append(NAME)
    except ValueError as error:
        left_out.append(str(error))
    for program in PROGRAMS:
        if program.plays(game) and shutil.which(program.command):
            wanted += program.players
        elif program.plays(game):
            left_out.append(f"{program.title} is not installed (no command {program.command}): it is left out")
    standing = list[str]()
    for name in wanted:
        try:
            standing.append(kept_player(name, game).name)
        except (ValueError, OSError) as error:
            left_out.append(f"{name} is left out: {error}")
    return standing, left_out


def play(
    store: Store, game: Game, players: Sequence[str], conditions: Conditions, pairs: int, spread: Spread = spread_here
) -> Iterator[TournamentProgress]:
    """Plays what the store lacks of so many pairs of every two players, and yields the progress."""
    meeting = pairings(game, players, conditions)
    return play_tournament(store, game, dict.fromkeys(meeting, pairs), conditions, spread)


def ratings(store: Store, game: Game, players: Sequence[str], conditions: Conditions) -> DuelStandings:
    """What the store has of these players, rated relative to `ANCHOR`.

    Raises PlayerError in a one-player game, and if `ANCHOR` is not among the players.
    """
    if game.players != 2 or ANCHOR not in players:
        raise PlayerError(f"a ladder of {game.name} needs two players a match, {ANCHOR} among those who play")
    found = anchored(standings(store, game.name, players, pairings(game, players, conditions)), ANCHOR)
    assert isinstance(found, DuelStandings)
    return found
