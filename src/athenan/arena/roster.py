"""The players by their names, in the command and in Python.

    random                                uniformly random actions
    human                                 a person at the terminal
    mcts:1000, mcts:0.5s                  UCT with 1,000 rollouts, or 0.5 seconds, per action
    mcts:rollouts=1000,exploration=1.4    with other settings
    rave:1000                             the same with RAVE
    gnubg, gnubg:plies=2                  GNU Backgammon, if it is installed
    gtp:gnugo --mode gtp                  a program that speaks a protocol, with its arguments
    uci:./engine --fast,timeout=30        with other settings
    runs/x                                a run or checkpoint: its search with its network, UBFM_s for Descent
    runs/x,search=descent,seconds=0.5     with other settings
    runs/x,search=uct,exploration=1.4     with Monte Carlo tree search
    runs/x,search=alphabeta,depth=2       with alpha-beta
    runs/x@30                             its network after 30 minutes of training, if that was kept

A player of your own is a class or function, added to `PLAYERS`. Its first parameter is the game; the others are the
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
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from athenan import settings
from athenan.engines.names import PROTOCOLS, ProtocolName
from athenan.play.limit import Limit
from athenan.play.player import Player, PlayerError, RandomPlayer
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game
from athenan.runs.checkpoint import is_run
from athenan.runs.description import game_name
from athenan.search.budget import ActionLimits, Budget
from athenan.search.mcts import MOST_ROLLOUTS, Uct, UctSettings
from athenan.search.rave import Rave, RaveSettings
from athenan.search.search import SearchSettings, search_names
from athenan.search.searches import changed, heads_asked, instead, make_search
from athenan.settings import Between, Mebibytes, Seconds, Threads, Values

MEMORY = 1 << 30
"""Bytes that the tree of a player with a network may take."""


def make_random(game: Game) -> Player:
    """Uniformly random actions."""
    return RandomPlayer()


def make_human(game: Game) -> Player:
    """A person at the terminal."""
    from athenan.arena.human import HumanPlayer

    return HumanPlayer()


def make_mcts(
    game: Game,
    *,
    rollouts: Annotated[int, Between(1, MOST_ROLLOUTS)] | None = None,
    seconds: Seconds | None = None,
    exploration: Annotated[float, Between(0, 1000)] = UctSettings.exploration,
    memory: Mebibytes = UctSettings.memory >> 20,
) -> Player:
    """UCT with a number of rollouts or seconds per action, by default 1,000 rollouts; `memory` is in MiB."""
    searcher = Uct(game, UctSettings(exploration, memory << 20))
    others = {"exploration": exploration, "memory": memory}
    return _rollout_player("mcts", partial(make_mcts, game), searcher, rollouts, seconds, others)


def make_rave(
    game: Game,
    *,
    rollouts: Annotated[int, Between(1, MOST_ROLLOUTS)] | None = None,
    seconds: Seconds | None = None,
    exploration: Annotated[float, Between(0, 1000)] = RaveSettings.exploration,
    equivalence: Annotated[float, Between(1e-6, 1e9)] = RaveSettings.equivalence,
    memory: Mebibytes = RaveSettings.memory >> 20,
) -> Player:
    """The same with RAVE (`search.rave`)."""
    searcher = Rave(game, RaveSettings(exploration, memory << 20, equivalence))
    others = {"exploration": exploration, "equivalence": equivalence, "memory": memory}
    return _rollout_player("rave", partial(make_rave, game), searcher, rollouts, seconds, others)


def _rollout_player(
    name: str,
    maker: Callable[..., Player],
    searcher: Uct,
    rollouts: int | None,
    seconds: float | None,
    others: dict[str, float],
) -> Player:
    """A player with a limit of its own, by which it is named first."""
    if rollouts is None and seconds is None:
        rollouts = 1000
    first, more = (f"{settings.written(seconds)}s", None) if rollouts is None else (str(rollouts), seconds)
    rest = settings.write("", maker, {"seconds": more, **others}).replace(":", ",", 1)
    return SearchPlayer(f"{name}:{first}{rest}", searcher, Budget(seconds=seconds, iterations=rollouts))


def make_gnubg(game: Game, *, plies: Annotated[int, Between(0, 4)] = 0, timeout: Seconds = 60.0) -> Player:
    """GNU Backgammon, looking so many plies ahead; an answer that takes more than `timeout` seconds is an error."""
    from athenan.engines import gnubg

    name = settings.write("gnubg", partial(make_gnubg, game), {"plies": plies, "timeout": timeout})
    return gnubg.start(game, name, plies, timeout)


def make_program(protocol: ProtocolName, game: Game, command: str, *, timeout: Seconds = 10.0) -> Player:
    """A program that speaks a protocol; `timeout` is in seconds, beyond the limit of an action."""
    from athenan.engines.starting import start_program

    return start_program(game, protocol, command, timeout)


PLAYERS: dict[str, Callable[..., Player]] = {
    "random": make_random, "mcts": make_mcts, "rave": make_rave, "gnubg": make_gnubg, "human": make_human,
    **{protocol: partial(make_program, protocol) for protocol in PROTOCOLS},
}  # fmt: skip
"""Name -> a function that makes the player from the game and the player's settings. Add your own."""

_FORMS: dict[str, str] = {
    "mcts": "mcts:ROLLOUTS (such as mcts:1000), mcts:SECONDSs (such as mcts:0.5s)",
    **{one: f"{one}:COMMAND" for one in PROTOCOLS},
}


@dataclass(frozen=True)
class LearntSettings(ActionLimits):
    """How a player searches with the network of a run; the other settings of `SearchSettings` come with these."""

    search: str | None = None
    """The search, one of `athenan.search.search.search_names()`; by default what `runs.learnt.playing_search` tells."""
    threads: Threads | None = None
    """Threads of the network on a CPU."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.search not in (None, *search_names()):
            raise ValueError(f"search must be {' or '.join(search_names())}, not {self.search!r}")


def make_player(text: str, game: Game, threads: int = 1, people: bool = True, programs: bool = True) -> Player:
    """The player of `game` that a text names, such as `mcts:1000` or `runs/x,play=best`.

    `threads` is the default, on a CPU, for players with a network. Raises PlayerError if there is no such player or
    setting, or if it is a person and `people` is False, or a command and `programs` is False, as it must be for a text
    that was read from a file: it would choose what this computer runs.
    """
    name, values = settings.split(text)
    if name in PROTOCOLS and not programs:
        raise PlayerError(f"{text!r} is a command, which is run only where a command line names it as a player")
    if name in PROTOCOLS:
        values = _command(text.partition(":")[2], settings.annotations(partial(PLAYERS[name], game)))
    if name == "human" and not people:
        raise PlayerError(f"a person plays with `athenan play` only; players are {_forms(people)}")
    if name in PLAYERS:
        maker = partial(PLAYERS[name], game)
        with _naming(text):
            return maker(**settings.read(maker, _with_seconds(values, settings.annotations(maker))))
    if (found := _split_path(text)) is None:
        raise PlayerError(f"there is no player {text!r}; players are {_forms(people)}")
    with _naming(text):
        own, changes = _learnt_settings(found[1])
        playing = _playing_search(found[0])
        search = changed(instead(own.search, playing) if own.search else playing, changes)
    return load_player(found[0], game, own.limit, search, own.threads or threads, name=text.strip())


def _command(text: str, known: Iterable[str]) -> Values:
    """The settings in COMMAND,SETTING=VALUE,...: a command may have commas and equals signs of its own."""
    parts, values = text.split(","), list[tuple[str | None, str]]()
    while len(parts) > 1 and parts[-1].partition("=")[0].strip().lower() in known and "=" in parts[-1]:
        values += settings.split_settings(parts.pop())
    return [(None, ",".join(parts).strip()), *reversed(values)]


def _learnt_settings(text: str) -> tuple[LearntSettings, dict[str, Any]]:
    """The settings after the path of a run: of the player and of its search. Raises ValueError for bad ones."""
    values, own = settings.split_settings(text), settings.annotations(LearntSettings)
    known = {**own, **settings.annotations(partial(SearchSettings, SearchSettings.algorithm))}
    for name, value in values:
        if name not in known:
            raise ValueError(f"there is no option {(name or value)!r}; its options are {', '.join(known)}")
    of_player = LearntSettings(**settings.read(LearntSettings, [pair for pair in values if pair[0] in own]))
    of_search = settings.read(SearchSettings, [pair for pair in values if pair[0] not in own])
    return of_player, of_search


def load_player(
    path: str | Path,
    game: Game,
    limit: Limit | None = None,
    search: SearchSettings | None = None,
    threads: int = 1,
    name: str | None = None,
) -> SearchPlayer:
    """A player with the network of a run; `limit` is the player's own, and `search` by default that of such players.

    Raises PlayerError if the game differs, and CheckpointError if the network lacks what the search asks for.
    """
    from athenan.runs.learnt import learnt_network

    search = search or _playing_search(path)
    learnt = learnt_network(path, threads=threads, heads=heads_asked(search, game))
    if learnt.game.name != game.name:
        raise PlayerError(f"{path} has learnt {learnt.game.name}, not {game.name}")
    searcher = make_search(game, learnt.evaluate, learnt.heuristic, search, memory=MEMORY)
    return SearchPlayer(name or str(path), searcher, limit)


def _playing_search(path: str | Path) -> SearchSettings:
    from athenan.runs.learnt import playing_search

    return playing_search(path)


def known_game(text: str) -> str | None:
    """The name of the game of a player's run, None for players of any game.

    So `athenan play RUN` needs no game. Raises CheckpointError if a path is neither a run nor a checkpoint.
    """
    if not is_path(text) or (found := _split_path(text)) is None:
        return None
    return game_name(found[0])


def is_path(text: str) -> bool:
    """Whether a text begins with the path of a run or of a checkpoint."""
    return settings.split(text)[0] not in PLAYERS and _split_path(text) is not None


def _split_path(text: str) -> tuple[str, str] | None:
    """The path and the settings in PATH,SETTING=VALUE,...; the longest path that exists, None if none exists."""
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
    return ", ".join([*forms, "a run or a checkpoint (a path)", *["or human"] * people])
