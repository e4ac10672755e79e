"""`athenan match`: matches between two players, or of one player alone."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Annotated

import tyro
from rich.console import Console

from athenan.cli.options import GameName, Limits, Threads, Workers, parse, print_json
from athenan.games.catalogue import make
from athenan.play.cube import CubeRules, check_game
from athenan.play.player import Player, PlayerError
from athenan.play.results import Duel, Series, Solo
from athenan.play.roster import make_player
from athenan.play.series import play_series
from athenan.play.statistics import elo_difference, elo_interval
from athenan.rules.game import Game
from athenan.settings import Between, Seed

PlayerName = tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="PLAYER")]]


@dataclass(frozen=True)
class Match:
    """Plays matches between two players, and measures the strength of the first, with an interval.

    Players are random, mcts:1000 (rollouts per action), mcts:0.5s (seconds per action), gnubg, or a run directory or
    checkpoint (UBFM_s with its network), with settings after commas: runs/x,play=best,seconds=0.5. Matches come in
    pairs: a random opening, played with both colours. In a game of one player there is no opponent, each match has an
    opening of its own, and the results are scores.
    """

    game: GameName
    """The game, such as hex:7."""
    player: PlayerName
    """The player whose results are shown."""
    opponent: PlayerName = ""
    """The other one; none in a game of one player."""
    limits: Limits = field(default_factory=Limits)
    games: Annotated[int, Between(1, 10**9), tyro.conf.arg(aliases=["-g"], metavar="N")] = 100
    """Matches, an even number where there are two players."""
    random_opening: Annotated[int, Between(0, 10_000), tyro.conf.arg(metavar="N")] = 1
    """Random actions that every opening has."""
    seed: Seed = 0
    """Seed of openings and players; results are repeatable if no limit is a time."""
    workers: Workers = 1
    """Pairs of matches, or matches of one player, played at the same time, each in a thread with its own players."""
    threads: Threads = 1
    """Threads of a search's network on a CPU; several are faster only while nothing else runs on the machine."""
    cube: bool = False
    """Play backgammon with the doubling cube; points count what it says."""
    jacoby: bool = False
    """With the cube: gammons and backgammons count 1 as long as it was not turned."""
    json: bool = False
    """Print JSON: games, wins, draws, losses, score and its 95% interval for the first player named, and more; with
    one player scores, their mean with its 95% interval, the best and its moves."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Match, "match", arguments)
    game = make(options.game)
    if options.games % game.players:
        raise ValueError(f"--games must be even, as each opening is played with both colours, not {options.games}")
    if options.jacoby and not options.cube:
        raise ValueError("--jacoby is a rule of the doubling cube: give --cube, too")
    if options.cube:
        check_game(game)
    names = [options.player, options.opponent][: game.players]
    if (game.players == 1) == bool(options.opponent):
        needs = "has one player: name no opponent" if game.players == 1 else "needs an opponent, such as mcts:1000"
        raise PlayerError(f"{game.name} {needs}")
    with ExitStack() as closing:
        teams: list[list[Player]] = []
        for _ in range(options.workers):
            teams.append([])
            for name in names:
                teams[-1].append(make_player(name, game, options.threads, people=False))
                closing.callback(teams[-1][-1].close)
        series = _play(game, options, teams)
    if options.json:
        print_json(series.report())
    elif isinstance(series, Solo):
        _show_scores(series)
    elif isinstance(series, Duel):
        _show(series)


def _play(game: Game, options: Match, teams: list[list[Player]]) -> Series:
    """Plays the matches; in a terminal a line shows the score so far."""
    with Console(stderr=True).status(f"{options.games} matches of {game.name}") as status:

        def progress(series: Series) -> None:
            status.update(f"{series.games} of {options.games}: {series.standing()}")

        return play_series(
            game, teams[0], games=options.games, limit=options.limits.budget(0.1),
            random_opening=options.random_opening, seed=options.seed,
            progress=progress if sys.stderr.isatty() else None, more=teams[1:],
            cube=CubeRules(options.jacoby) if options.cube else None,
        )  # fmt: skip


def _show_scores(series: Solo) -> None:
    low, high = series.interval()
    print(f"{series.players[0]} at {series.game}, {series.games} games")
    print(f"  mean score {series.score:.2f}, 95% interval {low:.2f} to {high:.2f}")
    print(f"  least {min(series.scores)}, best {max(series.scores)}")
    print(f"  best match {series.best_moves}")
    print(f"  seconds per action {series.seconds_per_move:.3f}")


def _show(series: Duel) -> None:
    low, high = series.interval()
    print(f"{series.players[0]} against {series.players[1]} at {series.game}")
    for title, colour in (("all", None), ("as first player", 0), ("as second player", 1)):
        wins, draws, losses = series.counts(colour)
        print(f"  {title:16} {wins:5} wins {draws:5} draws {losses:5} losses")
    print(f"  score {series.score:.1%} of points, 95% interval {low:.1%} to {high:.1%}")
    elo = " to ".join(f"{value:+.0f}" for value in elo_interval((low, high)))
    print(f"  Elo difference {elo_difference(series.score):+.0f}, 95% interval {elo}")
    if series.points:
        mean, (low, high) = series.points
        print(f"  points per game {mean:+.3f}, 95% interval {low:+.3f} to {high:+.3f}")
    if series.cube:
        doubles, taken, dropped, highest = series.cube.values()
        print(f"  cube: {doubles} doubles, {taken} taken, {dropped} dropped, at most {highest}")
    mine, other = series.seconds_per_move(0), series.seconds_per_move(1)
    print(f"  seconds per action {mine:.3f} and {other:.3f}")
