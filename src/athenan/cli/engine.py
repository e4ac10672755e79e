"""`athenan engine`: an engine that other programs ask for moves through a protocol."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Annotated

from athenan.arena.roster import known_game, make_player
from athenan.cli.arguments import Argument
from athenan.cli.options import GameOrRun, Limits, OwnRules, Threads, allow_rules, is_game, parse
from athenan.engines.engine import Engine, MakePlayer, ThinkingOptions
from athenan.engines.names import ProtocolName, withdrawn
from athenan.engines.protocols import SERVERS
from athenan.engines.serving import lines_of, serve, writer
from athenan.games.catalogue import make
from athenan.networks.catalogue import NAME, available
from athenan.play.player import PlayerError
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game
from athenan.search.monte_carlo.mcts import Mcts
from athenan.search.monte_carlo.rave import informs, usual_rave
from athenan.settings import Between
from athenan.version import __version__


@dataclass(frozen=True)
class EngineOptions:
    """Speaks a protocol on standard input and output, for the boards, referees and servers of other programs.

    Given a run, the engine is the run's player. Given a game, it is the --player named, by default the package's
    network of the game (athenan), or UCT with random rollouts if the package has none; in Go, RAVE with informed
    rollouts. Go and Hex programs usually speak gtp, chess-like ones uci. docs/protocols.md has an example of each.
    """

    game: GameOrRun
    """The game, such as hex:11, or a run directory or checkpoint."""
    protocol: ProtocolName = "gtp"
    """The protocol to speak."""
    limits: Limits = field(default_factory=Limits)
    player: Annotated[str | None, Argument(metavar="PLAYER", default="the run; athenan, or rollouts")] = None
    """A player that searches, such as mcts:1000, athenan:club or runs/x,search=uct."""
    margin: Annotated[float, Between(0, 60), Argument(metavar="S")] = 0.1
    """Seconds kept in reserve from the time given for an action."""
    ponder: bool = False
    """Keep thinking on the opponent's time, if the search keeps its tree."""
    threads: Threads = 1
    rules: OwnRules = ""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    _require_spoken(arguments)
    options = parse(EngineOptions, "engine", arguments)
    allow_rules(options.rules)
    if is_game(options.game):
        game, name = make(options.game), options.player
    else:
        game, name = make(known_game(options.game) or ""), options.player or options.game
    make_own: MakePlayer = partial(_default if name is None else partial(_searching, name), options.threads)
    limit = options.limits.or_seconds(1.0)
    write = writer(sys.stdout)
    engine = Engine(game, make_own, ThinkingOptions(limit, options.margin, options.ponder, __version__))
    serve(SERVERS[options.protocol](engine, write), lines_of(sys.stdin))


def _require_spoken(arguments: Sequence[str]) -> None:
    """Raises ValueError if --protocol names a protocol that is no longer spoken."""
    words = [word for argument in arguments for word in argument.split("=", 1)]
    for option, value in pairwise(words):
        if option == "--protocol" and (why := withdrawn(value)):
            raise ValueError(f"--protocol: {why}")


def _default(threads: int, game: Game) -> SearchPlayer:
    """The package's network of the game, informed rollouts, or UCT; none has a limit of its own."""
    if available(game):
        return _searching(NAME, threads, game)
    return SearchPlayer("rave", usual_rave(game)) if informs(game) else SearchPlayer("uct", Mcts(game))


def _searching(name: str, threads: int, game: Game) -> SearchPlayer:
    """The player with this name. Raises PlayerError if it does not search."""
    player = make_player(name, game, threads, people=False)
    if not isinstance(player, SearchPlayer):
        player.close()
        raise PlayerError(f"an engine needs a player that searches, such as mcts or a run, not {name!r}")
    return player
