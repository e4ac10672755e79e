"""`athenan play`: a match in the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

import tyro

from athenan.cli.options import GameOrRun, Limits, Rules, Threads, allow_rules, is_game, parse
from athenan.games.catalogue import make
from athenan.play import words
from athenan.play.limit import Limit
from athenan.play.match import play_match
from athenan.play.player import Move, Player, Quit
from athenan.play.records import MatchRecord
from athenan.play.roster import known_game, make_player
from athenan.rules.game import Game, State
from athenan.rules.state import CHANCE
from athenan.settings import Seed


@dataclass(frozen=True)
class Play:
    """Plays a match in the terminal.

    Players are human, random, mcts:1000 (rollouts per action), mcts:0.5s (seconds per action), or a run directory or
    checkpoint. If a run is given instead of a game, the game is that of the run, and the run plays. A game of one
    player has only a first player.
    """

    game: GameOrRun
    """The game, such as hex:7, or a run directory or checkpoint."""
    limits: Limits = field(default_factory=Limits)
    first: Annotated[
        str | None,
        tyro.conf.arg(metavar="PLAYER", help_behavior_hint="(default: human; the run where there is one player)"),
    ] = None
    """The first player."""
    second: Annotated[
        str | None,
        tyro.conf.arg(
            metavar="PLAYER", help_behavior_hint="(default: the run, or mcts:1000; human against a first that is not)"
        ),
    ] = None
    """The second player."""
    moves: str = ""
    """Actions that are played first, such as "d3 c5", and what chance has drawn."""
    show_values: bool = False
    """After each move of a player that searches, show its value and what is proven."""
    threads: Threads = 1
    """Threads of a search's network on a CPU; several are faster only while nothing else runs on the machine."""
    rules: Rules = ""
    """For a run of your own game: the game's file or module, whose code runs only if it is named here."""
    seed: Seed = 0
    """Seed of the players and of the dice."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Play, "play", arguments)
    allow_rules(options.rules)
    if is_game(options.game):
        game, default = make(options.game), "mcts:1000"
    else:
        game, default = make(known_game(options.game) or ""), options.game
    names = _names(game, options, default)
    limit = options.limits.budget(1.0)
    opening = _actions(game, options.moves)
    players = [_Shown(make_player(name, game, options.threads), game, options.show_values) for name in names]
    try:
        record = play_match(game, players, opening, options.seed, limit)
        _show_result(game, record)
    except Quit:
        print("You left: the match has no result.")
    finally:
        for player in players:
            player.close()


def _names(game: Game, options: Play, default: str) -> list[str]:
    """The players' names; `default` is that of an opponent. Raises ValueError for a second player in a game of one."""
    if game.players == 1:
        if options.second is not None:
            raise ValueError(f"{game.name} has one player: there is no second")
        return [options.first or ("human" if is_game(options.game) else default)]
    first = options.first or "human"
    return [first, options.second or (default if first == "human" else "human")]


def _actions(game: Game, moves: str) -> list[int]:
    """The actions of moves. Raises GameError for the first that is not legal, and ValueError if they end the match."""
    after, state, actions = game.after(moves), game.initial(), []
    for text in moves.split():
        actions.append(game.parse_action(state, text))
        state = game.play(state, actions[-1])
    if game.outcome(after) is not None:
        raise ValueError("the match is over after these moves; there is nothing left to play")
    return actions


class _Shown:
    """A player whose moves are shown, and what chance drew before; a person sees the board before moving anyway."""

    def __init__(self, player: Player, game: Game, values: bool) -> None:
        self.player, self.game, self.values = player, game, values
        self.name = player.name

    def new_match(self, game: Game, seed: int) -> None:
        self.player.new_match(game, seed)
        self._state, self._drawn = game.initial(), ""

    def select(self, state: State, limit: Limit) -> Move:
        if self._drawn:
            print(f"\nchance draws {self._drawn}")
        move = self.player.select(state, limit)
        if self.name != "human":
            name = self.game.action_name(state, move.action)
            print(f"\n{self.game.text(self.game.play(state, move.action))}")
            print(f"{self.name} ({self.game.side(state)}) plays {name}{self._values(move)}")
        return move

    def _values(self, move: Move) -> str:
        if not self.values or move.value is None:
            return ""
        if self.game.players == 1:
            return f" (expected {move.value:.1f}{'' if move.proven is None else ', exactly'})"
        proven = "" if move.proven is None else f", {words.proof(move.proven, self.game.stochastic)}"
        return f" (value for the first player {move.value:+.3f}{proven})"

    def observe(self, action: int, following: State) -> None:
        by_chance = self.game.player(self._state) == CHANCE
        self._drawn = self.game.action_name(self._state, action) if by_chance else ""
        self._state = following
        if self.name != "human":
            self.player.observe(action, following)

    def close(self) -> None:
        self.player.close()


def _show_result(game: Game, record: MatchRecord) -> None:
    end = game.after(game.moves(record.actions))
    if record.forfeit is not None:
        print(f"The match ends because {record.forfeit}.")
    elif not record.resigned:
        if record.plies[-1].side == CHANCE:
            print(f"\nchance draws {game.moves(record.actions).split()[-1]}")
        print(f"\n{game.text(end)}")
    if game.players == 1:
        print("You gave up." if record.resigned else f"The match is over: score {record.score}.")
        return
    if record.resigned:
        print(f"The {words.PLAYERS[record.outcome > 0]} resigns.")
    score = "" if record.score is None else f", score {record.score:+d}"
    result = words.result(record.outcome)
    print(f"{result[0].upper()}{result[1:]} after {len(record.actions)} actions{score}.")
