"""The names of players, for the command and for Python.

    random                                uniformly random actions
    human                                 a person at the terminal
    mcts:1000, mcts:0.5s                  UCT with 1,000 rollouts, or 0.5 seconds, per action
    mcts:rollouts=1000,exploration=1.4    with other settings
    rave:1000                             the same with RAVE
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
    runs/x,evaluations=50,exploitation=0.7            between levels
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
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

from athenan import settings
from athenan.arena.makers import (
    make_commanded,
    make_evaluation,
    make_gnubg,
    make_gtp,
    make_human,
    make_mcts,
    make_optioned,
    make_random,
    make_rave,
)
from athenan.engines.names import OPTIONED, PROTOCOLS
from athenan.games.catalogue import carries_over, known
from athenan.networks.catalogue import NAME, available, levels_of, name_in_messages, network_of
from athenan.play.levels import LevelName
from athenan.play.limit import Limit
from athenan.play.player import Player, PlayerError
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game, require_game
from athenan.runs.checkpoint import CHECKPOINT, is_run
from athenan.runs.description import game_name
from athenan.runs.run import usual_threads
from athenan.search.budget import ActionLimits
from athenan.search.named import (
    SEARCHES,
    as_setting,
    known_search,
    make_search,
    own_code,
    parse_search,
    search_text,
)  # fmt: skip
from athenan.search.settings import SearchSettings
from athenan.search.trees.planting import PLAYER_MEMORY
from athenan.settings import Between, Threads, Values

PLAYERS: dict[str, Callable[..., Player]] = {
    "random": make_random, "mcts": make_mcts, "rave": make_rave, "evaluation": make_evaluation, "gnubg": make_gnubg,
    "human": make_human,
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


@dataclass(frozen=True)
class LearntSettings(ActionLimits):
    """How a player searches with the network of a run."""

    search: str | None = None
    """The search with its settings, as `athenan.search.named.parse_search` reads it; by default the run's."""
    threads: Threads | None = None
    """Threads of the search, or of a network on PyTorch."""
    level: LevelName = "strongest"
    """How strong it plays (`play.levels`); a limit given here takes precedence over the limit of the level."""
    exploitation: Annotated[float, Between(0, 1)] | None = None
    """How surely it plays the best action that it sees, in place of the level's own rate."""


def make_player(text: str, game: Game, threads: int | None = 1, people: bool = True, programs: bool = True) -> Player:
    """The player of `game` that a text names, such as `mcts:1000` or `runs/x,search=ubfm:play=best`.

    `threads` is the default for players with a network. None means the number for a person (`load_player`). Raises
    PlayerError if there is no such player or setting, if it is a person and `people` is False, or if it is a command
    and `programs` is False. `programs` must be False for a text that was read from a file, which would otherwise choose
    what this computer runs.
    """
    settings.require_type("the name of a player", text, str, "'mcts:1000'")
    require_game(game)
    name, values = settings.split(text)
    if name in PROTOCOLS and not programs:
        raise PlayerError(f"{text!r} is a command, which runs only if a command line names it as a player")
    if name in PROTOCOLS:
        values = _command(text.partition(":")[2], settings.annotations(partial(PLAYERS[name], game)))
    if name == "human" and not people:
        raise PlayerError(f"a person plays with `athenan play` only; players are {_forms(people)}")
    if name in PLAYERS:
        maker = partial(PLAYERS[name], game)
        with _naming(text):
            given = settings.read(maker, _with_seconds(values, settings.annotations(maker)))
            if programs and "search" in given:
                parse_search(given["search"])  # a user's file: its code may run because it is named here
            return maker(**given)
    if (found := _source(text.strip(), game)) is None:
        similar = settings.did_you_mean(name, [*PLAYERS, NAME, *runs_beside(text)], f"players are {_forms(people)}")
        raise PlayerError(f"there is no player {text!r}{similar}")
    with _naming(text):
        own = _learnt_settings(found.settings)
        search = _search(own.search, found.path, programs) if own.search else _playing_search(found.path)
    name = _canonical(found, own)
    player = load_player(found.path, game, own.limit, search, own.threads or threads, name, own.level)
    if own.exploitation is not None:
        if player.level is None:
            raise PlayerError(_without_levels(name_in_messages(found.path), search))
        player.level = replace(player.level, exploitation=own.exploitation)
    return player


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


def _learnt_settings(text: str) -> LearntSettings:
    """The settings after the path of a run. Raises ValueError for bad ones."""
    values, known = settings.split_settings(text), settings.annotations(LearntSettings)
    for name, value in values:
        if name not in known:
            of_search = any(name in settings.annotations(kind) for kind in SEARCHES.values())
            where = f", and {name} is a setting of a search: search=NAME:{name}={value}" if of_search else ""
            similar = settings.did_you_mean(name or "", known, f"its options are {', '.join(known)}{where}")
            raise ValueError(f"there is no option {(name or value)!r}{similar}")
    return LearntSettings(**settings.read(LearntSettings, values))


def default_opponent(game: Game) -> str:
    """The default opponent of a person: the package's network, or else mcts:1000."""
    return NAME if available(game) else "mcts:1000"


_SHIPPED = re.compile(rf"{NAME}(?:@([0-9a-f]+))?(?:(?P<sign>[:,])(.*))?", re.DOTALL)


def is_shipped(text: str) -> bool:
    """Whether a text names the package's network of the game, with or without settings."""
    return _SHIPPED.fullmatch(text.strip()) is not None


@dataclass(frozen=True)
class _Source:
    """The location of a player's network."""

    path: str
    name: str
    """The path, or the network of the package and no other."""
    settings: str
    """The settings of the player, as they are written."""


def _source(text: str, game: Game) -> _Source | None:
    """The location of a player's network; None if the text names no network.

    Raises PlayerError if the package has no network of the game, or not the one that is named.
    """
    if (found := _SHIPPED.fullmatch(text)) is None:
        split = _split_path(text)
        return split and _Source(split[0], *split)
    digest, rest = found[1], found[3] or ""
    try:
        network = network_of(game, digest)
    except ValueError as error:
        raise PlayerError(str(error)) from None
    level = "level=" if found["sign"] == ":" and rest and "=" not in rest.partition(",")[0] else ""
    return _Source(str(network.file), network.name, level + rest)


def _canonical(found: _Source, own: LearntSettings) -> str:
    """The canonical text of a player. It has the settings of a level, which other versions of the package may change.

    So results that are kept by names are not mixed.
    """
    level = levels_of(found.path).settings[own.level]
    parts = [
        part
        for part in settings.parts(found.settings)
        if part and all(name != "level" for name, _ in settings.split_settings(part))
    ]
    if own.limit is None and level.evaluations is not None:
        parts.append(f"evaluations={level.evaluations}")
    if own.exploitation is None and level.exploitation != 1:
        parts.append(f"exploitation={level.exploitation:g}")
    return ",".join([found.name, *parts])


def _search(text: str, path: str, code: bool) -> SearchSettings:
    """The search that a player's settings name; it may be a user's file or module only if `code` is True."""
    from athenan.runs.learnt import plays_by_turns

    parse_search(text) if code else known_search(text)  # first: allows the code of a run's search
    return parse_search(text, plays_by_turns(path))


def load_player(
    path: str | Path,
    game: Game,
    limit: Limit | None = None,
    search: SearchSettings | None = None,
    threads: int | None = 1,
    name: str | None = None,
    level: LevelName = "strongest",
) -> SearchPlayer:
    """A player with the network of a run; `limit` is the player's own, and `search` by default the usual one.

    `threads` is the number of threads that search, or that evaluate a network on PyTorch. None means the usual number
    for a person who waits, or 1 on PyTorch.

    Raises PlayerError if the network does not carry over from the run's game to this one, or its search has no levels,
    and CheckpointError if the network lacks an output that the search needs.
    """
    from athenan.runs.learnt import learnt_network

    require_game(game)
    search = search or _playing_search(path)
    trained, called = known(game_name(path)), name_in_messages(path)
    if not carries_over(trained, game):
        raise PlayerError(f"{called} has learnt {trained.name}, not {game.name}")
    heads = search.heads(game.stochastic)
    learnt = learnt_network(path, threads=threads or 1, heads=heads, game=game, called=called)
    searcher = make_search(
        game, learnt.evaluate, learnt.heuristic, search, memory=PLAYER_MEMORY, threads=threads or usual_threads()
    )
    if not search.sees_actions and level != "strongest":
        raise PlayerError(_without_levels(called, search))
    levels = levels_of(path) if search.sees_actions else None
    return SearchPlayer(name or str(path), searcher, limit, learnt.chances, levels, level)


def _without_levels(called: str, search: SearchSettings) -> str:
    return f"{called} has no levels: its search {search_text(search)} does not value all actions"


def _playing_search(path: str | Path) -> SearchSettings:
    from athenan.runs.learnt import playing_search

    return playing_search(path)


def run_player(path: str, search: SearchSettings) -> str:
    """The text of the player with the network of a run that was trained with `search`.

    It names the search if that is a user's, because its code runs only if it is named.
    """
    if own_code(search) is None:
        return path
    playing = search.for_play()
    return f"{path},search={as_setting(playing if own_code(playing) else search)}"


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
    found = _split_path(text) if settings.split(text)[0] not in PLAYERS else None
    return found and found[0]


def handicap_of(text: str) -> str | None:
    """The setting of a player with the network of a run by which some of its actions are drawn; None without one.

    Raises PlayerError for settings that it does not have.
    """
    if (found := _split_path(text)) is None:
        return None
    with _naming(text):
        own = _learnt_settings(found[1])
    if own.exploitation is not None:
        return f"exploitation={own.exploitation:g}" if own.exploitation < 1 else None
    return f"level={own.level}" if own.level != "strongest" else None


def is_command(text: str) -> bool:
    """Whether a text names another program, by a command that would be run."""
    return settings.split(text)[0] in PROTOCOLS


def is_path(text: str) -> bool:
    """Whether a text begins with the path of a run or of a checkpoint."""
    return run_of(text) is not None


def runs_beside(path: str) -> list[str]:
    """The runs in the folder of a path that does not exist: one of them may be meant."""
    try:
        return [str(one) for one in sorted(Path(path).parent.iterdir()) if (one / CHECKPOINT).exists()]
    except (OSError, ValueError):  # there is no such folder, or it is not a path
        return []


def _split_path(text: str) -> tuple[str, str] | None:
    """The path and the settings in PATH,SETTING=VALUE,...: the longest path that exists, or None if none does."""
    parts = text.strip().split(",")
    for count in range(len(parts), 0, -1):
        path = ",".join(parts[:count])
        if path and is_run(path):
            return path, ",".join(parts[count:])
    return None


def _with_seconds(values: Values, known: Iterable[str]) -> Values:
    """Settings with a leading time, such as 0.5s, read as `seconds=0.5`."""
    if "seconds" in known and values and values[0][0] is None and re.fullmatch(r"[\d.]+s", values[0][1]):
        return [("seconds", values[0][1][:-1]), *values[1:]]
    return values


@contextmanager
def _naming(text: str) -> Iterator[None]:
    """Makes messages about a player's settings begin with its text."""
    try:
        yield
    except ValueError as error:
        raise PlayerError(f"{text!r}: {error}") from None


def _forms(people: bool) -> str:
    """The forms of players' names, for messages."""
    forms = [_FORMS.get(name, name) for name in PLAYERS if name != "human"]
    return ", ".join([*forms, NAME, "a run or a checkpoint (a path)", *["or human"] * people])
