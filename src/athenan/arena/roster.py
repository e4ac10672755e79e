"""The names of players, for the command and for Python.

    random                                uniformly random actions
    human                                 a person at the terminal
    naive                                 wins at once, or prevents that the opponent does; otherwise random actions
    naive:2                               the same, looking two turns of each side ahead
    mcts:1000, mcts:0.5s                  UCT with 1,000 rollouts, or 0.5 seconds, per action
    mcts:rollouts=1000,exploration=1.4    with other settings
    rave:1000                             the same with RAVE
    rave:1s,informed=true,network=athenan           the same, with rollouts of the game and the prior of a network
    evaluation:material                   alpha-beta with an evaluation that the game's file declares
    evaluation:material,search=ubfm,seconds=0.5      with other settings
    gnubg, gnubg:plies=2                  GNU Backgammon, if it is installed
    gtp:gnugo --mode gtp                  a program that speaks a protocol, with its arguments
    uci:./engine --fast,timeout=30        with other settings
    uci:stockfish,options=(Threads=1; Hash=64)         with options of the program
    gtp:./engine,setup=(param_x max_time 1)            after commands to the program
    runs/x                                a run or checkpoint: its search with its network, see `playing_search`
    runs/x,search=descent,seconds=0.5     with other settings
    runs/x,search=uct:exploration=1.4     with Monte Carlo tree search
    runs/x,search=alphabeta:depth=2       with alpha-beta
    runs/x,search=(ubfm:play=best,exact=true),threads=2    several settings of a search are in parentheses
    runs/x,search=./mine.py               with a search of your own
    runs/x@30                             its network after 30 minutes of training, if it was kept
    runs/x,level=club                     at a level: beginner, casual, club, expert or strongest
    runs/x,evaluations=50,temperature=0.3,sight=0.9   between levels
    athenan                               the package's network of the game, with the same settings as a run
    athenan:beginner, athenan,seconds=0.5 at a level, with other settings
    athenan@1f8ac03e                      the same, but only this network; results are stored under this name, with the
                                          settings of the level

To add your own player, add a class or function to `PLAYERS`. Its first parameter is the game; the others are its
settings, annotated as in `athenan.settings`:

    >>> from typing import Annotated
    >>> from athenan import make
    >>> from athenan.play.player import Move, RandomPlayer
    >>> from athenan.settings import Between
    >>> class Stubborn(RandomPlayer):
    ...     def __init__(self, game, action: Annotated[int, Between(0, 1000)] = 0):
    ...         self.name, self.action = f"stubborn:{action}", action
    ...
    ...     def select(self, state, limit):
    ...         return Move(self.action) if self.action in self._game.actions(state) else super().select(state, limit)
    >>> PLAYERS["stubborn"] = Stubborn
    >>> make_player("stubborn:4", make("tictactoe")).name
    'stubborn:4'
    >>> make_player("stubborn:-1", make("tictactoe"))
    Traceback (most recent call last):
        ...
    athenan.play.player.PlayerError: 'stubborn:-1': action must be from 0 to 1,000, not -1
    >>> del PLAYERS["stubborn"]
"""

import re
from collections.abc import Callable, Collection, Iterable
from functools import partial

from athenan import loading, settings
from athenan.arena.learnt_players import learnt_player, naming, runs_beside, split_path
from athenan.arena.makers import (
    make_commanded,
    make_evaluation,
    make_gnubg,
    make_gtp,
    make_human,
    make_mcts,
    make_naive,
    make_optioned,
    make_random,
    make_rave,
)
from athenan.engines.names import OPTIONED, PROTOCOLS, withdrawn
from athenan.evaluation.handwritten import KIND as OWN_EVALUATION
from athenan.networks.catalogue import NAME, available
from athenan.play.player import Player, PlayerError
from athenan.rules.game import Game, require_game
from athenan.runs.description import game_name
from athenan.search.named import parse_search
from athenan.settings import Values

PLAYERS: dict[str, Callable[..., Player]] = {
    "random": make_random, "mcts": make_mcts, "rave": make_rave, "naive": make_naive, "evaluation": make_evaluation,
    "gnubg": make_gnubg, "human": make_human,
    **{protocol: partial(make_commanded, protocol) for protocol in PROTOCOLS},
    **{protocol: partial(make_optioned, protocol) for protocol in OPTIONED},
    "gtp": make_gtp,
}  # fmt: skip
"""Name -> a function that makes the player from the game and the player's settings. Add your own."""

_FORMS: dict[str, str] = {
    "mcts": "mcts:ROLLOUTS (such as mcts:1000), mcts:SECONDSs (such as mcts:0.5s)",
    "evaluation": "evaluation:NAME (such as evaluation:material)",
    **{one: f"{one}:COMMAND" for one in PROTOCOLS},
}


def make_player(text: str, game: Game, threads: int | None = 1, people: bool = True, named: bool = True) -> Player:
    """The player of `game` that a text names, such as `mcts:1000` or `runs/x,search=ubfm:play=best`.

    `threads` is the default for players with a network. None means the number for a person (`load_player`). `named`
    says that the user gave the text, which may then run a command or the code of a search. It must be False for a text
    from a file, a page or another program: such a text only finds what the user has named before.

    Raises PlayerError if there is no such player or setting, if it is a person and `people` is False, or if the text
    would run what nobody named.
    """
    settings.require_type("the name of a player", text, str, "'mcts:1000'")
    require_game(game)
    name, values = settings.split(text)
    if name in PROTOCOLS:
        if named:
            loading.allow_command(text)
        elif not loading.command_allowed(text):
            raise PlayerError(
                f"{settings.shown(text)} is a command, which runs only if a command line names it as a player"
            )
        values = _command(text.partition(":")[2], settings.annotations(partial(PLAYERS[name], game)))
    if name == "human" and not people:
        raise PlayerError(f"a person plays with `athenan play` only; players are {_forms(people)}")
    if name in PLAYERS:
        maker = partial(PLAYERS[name], game)
        with naming(text):
            given = settings.read(maker, _with_seconds(values, settings.annotations(maker)))
            if named and "search" in given:
                parse_search(given["search"])  # a user's file: its code may run because it is named here
            if named and OWN_EVALUATION.own_code(given.get("evaluation", "")):
                OWN_EVALUATION.named(given["evaluation"])
            player = maker(**given)
        if named and name in PROTOCOLS:
            loading.allow_command(player.name)  # under which results are stored and other processes make it
        return player
    if (learnt := learnt_player(text, game, threads, named)) is None:
        if why := withdrawn(name):
            raise PlayerError(f"{settings.shown(text)}: {why}")
        similar = settings.did_you_mean(name, [*PLAYERS, NAME, *runs_beside(text)], f"players are {_forms(people)}")
        raise PlayerError(f"there is no player {text!r}{similar}")
    return learnt


def allow_player(text: str) -> None:
    """Notes that the user named a player, so that its command or the code of its search may run.

    Raises ValueError for a search that does not exist.
    """
    if is_command(text):
        loading.allow_command(text)
        return
    name, values = settings.split(text)
    if name == "evaluation" and values and OWN_EVALUATION.own_code(values[0][1]):
        OWN_EVALUATION.named(values[0][1])
    for setting, value in settings.split_settings(text):
        if setting == "search":
            parse_search(value)


_GROUPED = re.compile(r'(.*),\s*(\w+)\s*=\s*("[^"]*"|\((?:[^()]|\([^()]*\))*\))\s*', re.DOTALL)
_PLAIN = re.compile(r"(.*),\s*(\w+)\s*=([^,]*)", re.DOTALL)
"""Matches a command, a setting and its value, which may be in quotes or parentheses."""


def _command(text: str, known: Collection[str]) -> Values:
    """The settings in COMMAND,SETTING=VALUE,...: a command may have commas and equals signs of its own."""
    values = list[tuple[str | None, str]]()
    while (found := _GROUPED.fullmatch(text) or _PLAIN.fullmatch(text)) and found[2].lower() in known:
        text, name, value = found.groups()
        values.append((name.lower(), value.strip()))
    return [(None, text.strip()), *reversed(values)]


DEFAULT_OPPONENT = f"{NAME}:casual"
"""The default opponent of a person where the package has a network."""


def default_opponent(game: Game) -> str:
    """The default opponent of a person, whom a newcomer can beat: the package's network at casual, or else mcts:100."""
    return DEFAULT_OPPONENT if available(game) else "mcts:100"


def default_adviser(game: Game) -> str:
    """The player that advises a person by default: the package's network, or else mcts:1000."""
    return NAME if available(game) else "mcts:1000"


def known_game(text: str) -> str | None:
    """The name of the game of a player's run; None for players that play any game.

    This is why `athenan play RUN` needs no game. Raises CheckpointError if a path is neither a run nor a checkpoint.
    """
    return None if (run := run_of(text)) is None else game_name(run)


def run_of(text: str) -> str | None:
    """The path of a player's run or checkpoint; None for other players.

    >>> run_of("mcts:1000") is None
    True
    """
    found = split_path(text) if settings.split(text)[0] not in PLAYERS else None
    return found and found[0]


def is_command(text: str) -> bool:
    """Whether a text names another program, by a command that would be run."""
    return settings.split(text)[0] in PROTOCOLS


def require_command(text: str) -> None:
    """Raises PlayerError if a text names another program by a command, and that program does not exist."""
    if not is_command(text):
        return
    from athenan.engines.process import require_program
    from athenan.engines.starting import words_of

    protocol, _, rest = text.partition(":")
    (_, command), *_ = _command(rest, settings.annotations(partial(PLAYERS[protocol], None)))
    require_program(text, words_of(protocol, command)[0])


def is_path(text: str) -> bool:
    """Whether a text begins with the path of a run or of a checkpoint."""
    return run_of(text) is not None


def _with_seconds(values: Values, known: Iterable[str]) -> Values:
    """Settings with a leading time, such as 0.5s, read as `seconds=0.5`."""
    if "seconds" in known and values and values[0][0] is None and re.fullmatch(r"[\d.]+s", values[0][1]):
        return [("seconds", values[0][1][:-1]), *values[1:]]
    return values


def _forms(people: bool) -> str:
    """The forms of players' names, for messages."""
    forms = [_FORMS.get(name, name) for name in PLAYERS if name != "human"]
    return ", ".join([*forms, NAME, "a run or a checkpoint (a path)", *["or human"] * people])
