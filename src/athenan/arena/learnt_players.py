"""Players with a network: of a run or a checkpoint, whose path names them, or of the package.

Their names, such as `runs/x@30,search=ubfm` and `athenan:club`, are listed in `roster`.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from athenan import settings
from athenan.evaluation.architectures import may_take_gpu
from athenan.evaluation.chances import OF_RESULTS
from athenan.games.catalogue import carries_over, known
from athenan.networks.catalogue import NAME, levels_of, name_in_messages, network_of
from athenan.play.levels import Level, LevelName, Sight, Temperature
from athenan.play.limit import Limit
from athenan.play.player import PlayerError
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game, require_game
from athenan.runs.checkpoint import CHECKPOINT, CheckpointError, is_run
from athenan.runs.description import describe, game_name
from athenan.runs.run import usual_threads
from athenan.search.budget import ActionLimits
from athenan.search.monte_carlo.prior import Prior
from athenan.search.monte_carlo.rave import informs, usual_rave
from athenan.search.named import SEARCHES, as_setting, known_search, make_search, own_code, parse_search, search_text
from athenan.search.settings import SearchSettings
from athenan.search.trees.planting import PLAYER_MEMORY
from athenan.settings import Threads


@dataclass(frozen=True)
class LearntSettings(ActionLimits):
    """How a player searches with the network of a run."""

    search: str | None = None
    """The search with its settings, as `athenan.search.named.parse_search` reads it; by default the run's."""
    threads: Threads | None = None
    """Threads of the search, or of a network on PyTorch."""
    level: LevelName = "strongest"
    """How strong it plays (`play.levels`); a limit given here takes precedence over the limit of the level."""
    temperature: Temperature | None = None
    """How far it errs, in place of the level's own; 0: it plays what its search chooses."""
    sight: Sight | None = None
    """How surely it sees what is about to happen, in place of the level's own."""
    device: str = "auto"
    """The device of a network on PyTorch: auto (measured), cpu, cuda, or one of several, such as cuda:1."""

    def of_level(self, level: Level) -> Level:
        """The level with the temperature and the sight that are given in place of its own."""
        temperature = level.temperature if self.temperature is None else self.temperature
        return replace(level, temperature=temperature, sight=level.sight if self.sight is None else self.sight)


def learnt_player(text: str, game: Game, threads: int | None, named: bool) -> SearchPlayer | None:
    """The player that a text names by a run, a checkpoint or the package's network; None for any other text.

    Takes the parameters of `roster.make_player`. Raises PlayerError for bad settings.
    """
    if (found := _source(text.strip(), game)) is None:
        return None
    with naming(text):
        own = _settings(found.settings)
    name = _canonical(found, own)
    if is_shipped(text) and rolls_out(game, own):
        return SearchPlayer(name, usual_rave(game, prior=prior_with(found.path, game)), own.limit, OF_RESULTS)
    with naming(text):
        search = _search(own.search, found.path, named) if own.search else _playing_search(found.path)
    try:
        player = load_player(found.path, game, own.limit, search, own.threads or threads, name, own.level, own.device)
    except (PlayerError, CheckpointError):
        raise
    except ValueError as error:  # of the device
        raise PlayerError(f"{text!r}: {error}") from None
    if (own.temperature, own.sight) != (None, None):
        if player.level is None:
            raise PlayerError(_without_levels(name_in_messages(found.path), search))
        player.level = own.of_level(player.level)
    return player


def rolls_out(game: Game, own: LearntSettings = LearntSettings()) -> bool:
    """Whether the package's network with these settings plays by RAVE: at full strength, where rollouts are informed.

    Levels below it, settings of a search and limits other than seconds need the network's own search.
    """
    return informs(game) and replace(own, seconds=None, threads=None) == LearntSettings()


def prior_with(path: str | Path, game: Game) -> Prior:
    """What the network of a run says in advance to RAVE; raises ValueError unless compiled code evaluates it."""
    from athenan.runs.learnt import learnt_network

    return learnt_network(path, game=game, called=name_in_messages(path)).prior(game)


def named_prior(text: str, game: Game) -> tuple[str, Prior]:
    """The network that a text names, as athenan or a run, by its canonical name, and what it says to RAVE.

    Raises PlayerError if the text names no network.
    """
    found = _source(text.strip(), game)
    if found is None or found.settings:
        raise PlayerError(f"network must be {NAME} or a run or a checkpoint (a path), not {settings.shown(text)}")
    return found.name, prior_with(found.path, game)


def require_settings(text: str) -> None:
    """Raises PlayerError unless a text has settings of a player with a network, and a search that may be loaded."""
    with naming(text):
        if search := _settings(text).search:
            known_search(search)


def _settings(text: str) -> LearntSettings:
    """The settings after the path of a run. Raises ValueError for bad ones."""
    values, known = settings.split_settings(text), settings.annotations(LearntSettings)
    for name, value in values:
        settings.require_value(name, value, known)
        if name not in known:
            of_search = any(name in settings.annotations(kind) for kind in SEARCHES.values())
            where = f", and {name} is a setting of a search: search=NAME:{name}={value}" if of_search else ""
            similar = settings.did_you_mean(name or "", known, f"its options are {', '.join(known)}{where}")
            raise ValueError(f"there is no option {(name or value)!r}{similar}")
    return LearntSettings(**settings.read(LearntSettings, values))


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


def takes_gpu(text: str, game: Game) -> bool:
    """Whether a player takes a GPU where there is one (`may_take_gpu`). Raises PlayerError as `learnt_player`."""
    if (found := _source(text.strip(), game)) is None:
        return False
    with naming(text):
        return may_take_gpu(describe(found.path, whole=False).settings.network, _settings(found.settings).device)


def _source(text: str, game: Game) -> _Source | None:
    """The location of a player's network; None if the text names no network.

    Raises PlayerError if the package has no network of the game, or not the one that is named.
    """
    if (found := _SHIPPED.fullmatch(text)) is None:
        split = split_path(text)
        return split and _Source(split[0], *split)
    try:
        network = network_of(game, found[1])
    except ValueError as error:
        raise PlayerError(str(error)) from None
    return _Source(str(network.file), network.name, _after_name(found))


def _after_name(shipped: re.Match[str]) -> str:
    """The settings of the package's network, of which athenan:club names the level."""
    rest = shipped[3] or ""
    level = "level=" if shipped["sign"] == ":" and rest and "=" not in rest.partition(",")[0] else ""
    return level + rest


def level_of(text: str) -> LevelName:
    """The level of a player with a network, by its settings alone. Raises PlayerError for ones that it has not."""
    shipped = _SHIPPED.fullmatch(text.strip())
    with naming(text):
        return _settings(_after_name(shipped) if shipped else (split_path(text) or ("", ""))[1]).level


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
    given = {name for name, _ in settings.split_settings(found.settings)}
    parts += [part for part in own.of_level(level).errors if part.partition("=")[0] not in given]
    return ",".join([found.name, *parts])


def _search(text: str, path: str, named: bool) -> SearchSettings:
    """The search that a player's settings name; its code is loaded if the user `named` it here or before."""
    from athenan.runs.learnt import plays_by_turns

    if named:
        parse_search(text)  # first: allows the code of a run's search
    return known_search(text, plays_by_turns(path))


def load_player(
    path: str | Path,
    game: Game,
    limit: Limit | None = None,
    search: SearchSettings | None = None,
    threads: int | None = 1,
    name: str | None = None,
    level: LevelName = "strongest",
    device: str = "auto",
) -> SearchPlayer:
    """A player with the network of a run; `limit` is the player's own, and `search` by default the usual one.

    `threads` is the number of threads that search, or that evaluate a network on PyTorch. None means the usual number
    for a person who waits, or 1 on PyTorch. `device` is the network's, see `Evaluator`.

    Raises ValueError if this machine lacks the device, or the network needs the CPU, PlayerError if the network does
    not carry over from the run's game to this one, or its search has no levels, and CheckpointError if the network
    lacks an output that the search needs.
    """
    from athenan.runs.learnt import learnt_network

    require_game(game)
    search = search or _playing_search(path)
    trained, called = known(game_name(path)), name_in_messages(path)
    if not carries_over(trained, game):
        raise PlayerError(f"{called} has learnt {trained.name}, not {game.name}")
    heads = search.heads(game.stochastic)
    learnt = learnt_network(path, device, threads=threads or 1, heads=heads, game=game, called=called)
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


def handicap_of(text: str) -> str | None:
    """The setting of a player with the network of a run by which some of its actions are drawn; None without one.

    Raises PlayerError for settings that it does not have.
    """
    if (found := split_path(text)) is None:
        return None
    with naming(text):
        own = _settings(found[1])
    if own.temperature is not None:
        return f"temperature={settings.written(own.temperature)}" if own.temperature > 0 else None
    return f"level={own.level}" if own.level != "strongest" else None


def labelled(name: str, game: Game) -> str:
    """The name of a player for people: if it has the settings of a level, the level follows in brackets."""
    level = _level_of(name, game)
    return name if level in (None, "strongest") else f"{name} ({level})"


def _level_of(name: str, game: Game) -> LevelName | None:
    """The level of a player with the network of a run, by its settings; None between levels and for other players."""
    try:
        if (found := _source(name, game)) is None:
            return None
        own = _settings(found.settings)
        level = own.of_level(Level(own.evaluations))
        of_level = LearntSettings(evaluations=own.evaluations, temperature=own.temperature, sight=own.sight)
        return levels_of(found.path).name_of(level) if own == of_level else None
    except ValueError:  # a network that the package no longer has, for example
        return None


def runs_beside(path: str) -> list[str]:
    """The runs in the folder of a path that does not exist: one of them may be meant."""
    try:
        return [str(one) for one in sorted(Path(path).parent.iterdir()) if (one / CHECKPOINT).exists()]
    except (OSError, ValueError):  # there is no such folder, or it is not a path
        return []


def split_path(text: str) -> tuple[str, str] | None:
    """The path and the settings in PATH,SETTING=VALUE,...: the longest path that exists, or None if none does."""
    parts = text.strip().split(",")
    for count in range(len(parts), 0, -1):
        path = ",".join(parts[:count])
        if path and is_run(path):
            return path, ",".join(parts[count:])
    return None


def parts_of(name: str) -> tuple[str | None, float | None, str | None]:
    """The run, the minutes at which it kept the network, and the settings of a player; None for what it has not."""
    if is_shipped(name) or (found := split_path(name)) is None:
        return None, None, None
    run, at, minutes = found[0].rpartition("@")
    if not at or not re.fullmatch(r"\d+(\.\d+)?(e[+-]?\d+)?", minutes):
        return found[0], None, found[1] or None
    return run, float(minutes), found[1] or None


@contextmanager
def naming(text: str) -> Iterator[None]:
    """Makes messages about a player's settings begin with its text."""
    try:
        yield
    except ValueError as error:
        raise PlayerError(f"{text!r}: {error}") from None
