"""`athenan play`: a match in the terminal."""

import shlex
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Annotated

from athenan.arena.human import HumanPlayer
from athenan.arena.learnt_players import labelled
from athenan.arena.preparing import PreparedPlayer, prepared_player
from athenan.arena.roster import DEFAULT_OPPONENT, default_adviser, default_opponent, known_game, make_player
from athenan.cli.arguments import Argument
from athenan.cli.interruption import ctrl_c_calls
from athenan.cli.options import GameOrRun, Limits, Moves, OwnRules, UsualThreads, allow_rules, is_game, parse
from athenan.cli.screen import Screen
from athenan.cli.streams import width
from athenan.cli.threads import reasons_of, tell_idle
from athenan.files.moves import unfinished
from athenan.files.typed import actions_of
from athenan.games.catalogue import make
from athenan.networks.catalogue import NAME
from athenan.play import words
from athenan.play.analysis import Analysis
from athenan.play.limit import Limit
from athenan.play.match import play_match
from athenan.play.player import Move, Player, Quit
from athenan.play.records import MatchRecord
from athenan.play.search_player import SearchPlayer
from athenan.play.session import Session
from athenan.rules.compiler import NotCompiledError, only_compiled
from athenan.rules.game import Game, State
from athenan.rules.state import CHANCE
from athenan.settings import Seed, counted


@dataclass(frozen=True)
class Play:
    """Plays a match in the terminal.

    Players are human, random, mcts:1000 or rave:1000 (rollouts per action), mcts:0.5s (seconds per action),
    evaluation:material (alpha-beta with an evaluation that the game declares), gnubg, another program (gtp:COMMAND,
    uci:COMMAND and so on), a run directory or checkpoint, or athenan, the package's network of the game. athenan:club
    plays at a level (beginner, casual, club, expert, strongest). A run given instead of a game is the default opponent,
    and its game is played. A one-player game has only a first player.
    """

    game: GameOrRun
    """The game, such as hex:7, or a run directory or checkpoint."""
    limits: Limits = field(default_factory=Limits)
    first: Annotated[
        str | None,
        Argument(metavar="PLAYER", default="human; in a one-player game the run"),
    ] = None
    """The first player."""
    second: Annotated[
        str | None,
        Argument(
            metavar="PLAYER",
            default="the run; for a game athenan:casual, or mcts:100 without a network in the package; "
            "human if the first player is not",
        ),
    ] = None
    """The second player."""
    moves: Moves = ""
    """Actions to play first, such as "d3 c5", including what chance drew."""
    show_values: bool = False
    """After each move of a player that searches, show the move's value and what is proven."""
    threads: UsualThreads = None
    rules: OwnRules = ""
    seed: Seed = 0
    """Seed for the players and the dice."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Play, "play", arguments)
    allow_rules(options.rules)
    if is_game(options.game):
        game = make(options.game)
        default, adviser = _default(game)
    else:
        game, default, adviser = make(known_game(options.game) or ""), options.game, options.game
    names = _names(game, options, default)
    limit = options.limits.or_seconds(1.0)
    with ExitStack() as closing_all:
        computers = dict[int, Player]()
        for number, name in enumerate(names):
            if name != "human":
                computers[number] = _computer(name, names, game, options)
                closing_all.callback(computers[number].close)
        # only now are the rules used: another process may be compiling them for a computer
        opening = unfinished(game, actions_of(game, options.moves))
        screen, advise = Screen(game), _Adviser(adviser, game, options.threads, limit)
        made = [computers.get(number) or _person(screen, advise) for number in range(len(names))]
        tell_idle(options.threads, reasons_of(made, limit))
        watched = any(isinstance(player, HumanPlayer) for player in made)
        players = [
            _Shown(player, name, side, screen, watched, options.show_values)
            for side, (player, name) in enumerate(zip(made, names, strict=True))
        ]
        for side, player in zip(words.sides(game), made, strict=True):
            if isinstance(player, PreparedPlayer):
                print(f"{side}: {player.name}, which is being prepared, once. Until then {player.smaller.name} plays.")
            else:
                print(f"{side}: {labelled(player.name, game)}")
        over = False
        try:
            record = play_match(game, players, opening, options.seed, limit)
            over = True
            _show_result(game, record, screen)
        except Quit:
            print("You left: the match has no result.")
        finally:
            _show_moves(options, screen, over)


def _default(game: Game) -> tuple[str, str]:
    """The default opponent and adviser: the package's network if a check of its rules would compile them."""
    try:
        with only_compiled():
            return default_opponent(game), default_adviser(game)
    except NotCompiledError:
        return DEFAULT_OPPONENT, NAME


def _computer(name: str, names: Sequence[str], game: Game, options: Play) -> Player:
    """A player that is no person. If a person waits for it, another process may prepare it."""
    repeatable = options.limits.iterations or options.limits.evaluations
    make_it = make_player if repeatable or "human" not in names else prepared_player
    return make_it(name, game, options.threads)


def _names(game: Game, options: Play, default: str) -> list[str]:
    """The players' names; `default` names an opponent. Raises ValueError for a second player in a one-player game."""
    if game.players == 1:
        if options.second is not None:
            raise ValueError(f"{game.name} has one player: leave out the second")
        return [options.first or ("human" if is_game(options.game) else default)]
    first = options.first or "human"
    return [first, options.second or (default if first == "human" else "human")]


class _Shown:
    """A player whose moves are shown under the name that the command gave, each after what chance drew.

    If a person plays, the board is shown when it is that person's turn, and Ctrl-C makes a search play at once.
    """

    def __init__(self, player: Player, shown: str, side: int, screen: Screen, watched: bool, show_values: bool) -> None:
        self.player, self.game, self.screen, self.name, self._shown = player, screen.game, screen, player.name, shown
        self._side, self._watched, self._show_values = side, watched, show_values

    def new_match(self, game: Game, seed: int) -> None:
        self.player.new_match(game, seed)
        self._state, self._drawn = game.initial(), ""
        if self._side == 0:
            self.screen.new_match()

    def select(self, state: State, limit: Limit) -> Move:
        if self._drawn:
            print(f"\nchance draws {self._drawn}")
        if isinstance(self.player, HumanPlayer):
            return self.player.select(state, limit)
        if not self._watched:
            self.screen.show()
        player, shown = self._playing()
        searching = player if self._watched and isinstance(player, SearchPlayer) else None
        with ctrl_c_calls(searching.stop) if searching else nullcontext():
            move = player.select(state, limit)
        side = words.sides(self.game)[self._side]
        print(f"\n{shown} ({side}) plays {self.game.action_name(state, move.action)}{self._values(move)}")
        return move

    def _playing(self) -> tuple[Player, str]:
        """The player that plays now, and how it is shown."""
        player = self.player
        if not isinstance(player, PreparedPlayer):
            return player, self._shown
        if player.take_over():
            print(f"\n{self._shown} is ready, and plays from now on")
        return player.playing, player.playing.name if player.playing is player.smaller else self._shown

    def _values(self, move: Move) -> str:
        if not self._show_values or move.value is None:
            return ""
        if self.game.players == 1:
            return f" (expected {move.value:.1f}{'' if move.proven is None else ', exactly'})"
        proven = "" if move.proven is None else f", {words.proof(move.proven, self.game.stochastic, self.game.sides)}"
        return f" (value for {self.game.sides[0]} {move.value:+.3f}{proven})"

    def observe(self, action: int, following: State) -> None:
        by_chance = self.game.player(self._state) == CHANCE
        self._drawn = self.game.action_name(self._state, action) if by_chance else ""
        self._state = following
        self.player.observe(action, following)
        if self._side == 0:
            self.screen.observe(action, following)

    def close(self) -> None:
        self.player.close()


class _Adviser:
    """Analyses positions for a person, with a player that is made on the first request."""

    def __init__(self, name: str, game: Game, threads: int | None, limit: Limit) -> None:
        self._player = name, game, threads
        self._limit = limit
        self._session: Session | None = None

    def __call__(self, state: State) -> Analysis:
        if self._session is None:
            player = make_player(*self._player)
            if not isinstance(player, SearchPlayer):
                raise ValueError(f"{player.name} does not search")
            self._limit, self._session = player.limit or self._limit, Session(player.searcher, player.chances)
        self._session.position(state)
        with ctrl_c_calls(self._session.stop):
            return self._session.think(self._limit)


def _person(screen: Screen, advise: _Adviser) -> HumanPlayer:
    """A person at the terminal, who can edit input lines."""
    with suppress(ImportError):  # not on every platform
        import readline  # noqa: F401  # `input` uses it
    return HumanPlayer(picture=lambda state: screen.show(), advise=advise, width=lambda: width(words.WIDTH))


def _show_moves(options: Play, screen: Screen, over: bool) -> None:
    """Prints the moves, so that nothing is lost."""
    if screen.actions:
        moves = screen.game.moves(screen.actions)
        print(f"moves: {moves}")
        if not over:
            print(f"go on with: {shlex.join(['athenan', 'play', *_again(options), '--moves', moves])}")


def _again(options: Play) -> list[str]:
    """The given arguments without the moves."""
    given = {
        "first": options.first, "second": options.second, "seconds": options.limits.seconds,
        "iterations": options.limits.iterations, "evaluations": options.limits.evaluations,
        "rules": options.rules or None, "threads": options.threads,
        "seed": options.seed or None,
    }  # fmt: skip
    named = [word for name, value in given.items() if value is not None for word in (f"--{name}", str(value))]
    return [options.game, *named, *["--show-values"] * options.show_values]


def _show_result(game: Game, record: MatchRecord, screen: Screen) -> None:
    if record.forfeit is not None:
        print(f"The match is forfeited because {record.forfeit}.")
    elif not record.resigned:
        if record.plies[-1].side == CHANCE:
            print(f"\nchance draws {game.moves(record.actions).split()[-1]}")
        screen.show()
    if game.players == 1:
        print("You gave up." if record.resigned else f"The match is over: score {record.score}.")
        return
    if record.resigned:
        print(f"{game.sides[record.outcome > 0]} resigns.")
    score = "" if record.score is None else f", score {record.score:+d}"
    result = words.result(record.outcome, game.sides)
    print(f"{result[0].upper()}{result[1:]} after {counted(len(record.actions), 'action')}{score}.")
