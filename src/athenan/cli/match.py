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
from athenan.play.match import MatchResult, play_matches
from athenan.play.player import Player, PlayerError, parse_player
from athenan.play.solo import SoloResult, play_alone
from athenan.play.statistics import elo_difference, elo_interval
from athenan.settings import Between, Seed

PlayerName = tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="PLAYER")]]


@dataclass(frozen=True)
class Match:
    """Plays matches between two players, and says how strong the first is and how sure that is.

    Players are random, mcts:1000 (rollouts per action), mcts:0.5s (seconds per action), or a run directory or
    checkpoint (UBFM_s with its network). Matches come in pairs: a random opening, played with both colours. In a game
    of one player there is no opponent, each match has an opening of its own, and the results are scores.
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
    """Of openings and players; with it and without --seconds results repeat."""
    workers: Workers = 1
    """Pairs of matches, or matches of one player, played at the same time, each in a thread with its own players."""
    threads: Threads = 1
    """Threads of a search's network on a CPU; several are faster only while nothing else runs on the machine."""
    json: bool = False
    """Print JSON: games, wins, draws, losses, score and its 95% interval for the first player named, and more; of one
    player scores, their mean with its 95% interval, the best and its moves."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Match, "match", arguments)
    game, budget = make(options.game), options.limits.budget(0.1)
    if options.games % game.players:
        raise ValueError(f"--games must be even, as each opening is played with both colours, not {options.games}")
    names = [options.player, options.opponent][: game.players]
    if (game.players == 1) == bool(options.opponent):
        needs = "has one player: name no opponent" if game.players == 1 else "needs an opponent, such as mcts:1000"
        raise PlayerError(f"{game.name} {needs}")
    with ExitStack() as closing:
        players: list[Player] = []
        for name in names * options.workers:
            players.append(parse_player(name, game, budget, options.threads, people=False))
            closing.callback(players[-1].close)
        result: MatchResult | SoloResult
        if game.players == 1:
            result = _play_alone(options, players)
        else:
            result = _play(options, list(zip(players[::2], players[1::2], strict=True)))
    if options.json:
        print_json(result.as_json())
    elif isinstance(result, SoloResult):
        _show_scores(result)
    else:
        _show(result)


def _play_alone(options: Match, players: list[Player]) -> SoloResult:
    game = make(options.game)
    with Console(stderr=True).status(f"{options.games} matches of {game.name}") as status:

        def progress(result: SoloResult) -> None:
            status.update(f"{result.games} of {options.games}: mean score {result.mean:.1f}, best {result.best}")

        return play_alone(
            game, players[0], games=options.games, random_opening=options.random_opening, seed=options.seed,
            progress=progress if sys.stderr.isatty() else None, more=players[1:],
        )  # fmt: skip


def _play(options: Match, pairs: list[tuple[Player, Player]]) -> MatchResult:
    """The matches, with a line on how they stand if somebody looks."""
    game = make(options.game)
    with Console(stderr=True).status(f"{options.games} matches of {game.name}") as status:

        def progress(result: MatchResult) -> None:
            wins, draws, losses = result.counts()
            status.update(f"{result.games} of {options.games}: {wins} wins, {draws} draws, {losses} losses")

        return play_matches(
            game, *pairs[0], games=options.games, random_opening=options.random_opening, seed=options.seed,
            progress=progress if sys.stderr.isatty() else None, more=pairs[1:],
        )  # fmt: skip


def _show_scores(result: SoloResult) -> None:
    low, high = result.interval()
    print(f"{result.player} at {result.game.name}, {result.games} games")
    print(f"  mean score {result.mean:.2f}, 95% interval {low:.2f} to {high:.2f}")
    print(f"  least {min(result.scores)}, best {result.best}")
    print(f"  best match {result.best_moves}")
    print(f"  seconds per action {result.seconds_per_move:.3f}")


def _show(result: MatchResult) -> None:
    low, high = result.interval()
    print(f"{result.player} against {result.opponent} at {result.game.name}")
    for title, colour in (("all", None), ("as first player", 0), ("as second player", 1)):
        wins, draws, losses = result.counts(colour)
        print(f"  {title:16} {wins:5} wins {draws:5} draws {losses:5} losses")
    print(f"  score {result.score:.1%} of points, 95% interval {low:.1%} to {high:.1%}")
    elo = " to ".join(f"{value:+.0f}" for value in elo_interval((low, high)))
    print(f"  Elo difference {elo_difference(result.score):+.0f}, 95% interval {elo}")
    mine, other = result.seconds_per_move(True), result.seconds_per_move(False)
    print(f"  seconds per action {mine:.3f} and {other:.3f}")
