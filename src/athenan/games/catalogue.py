"""The games by name: the games of this package, of other installed packages and of users' files.

>>> from athenan import GAMES, make
>>> len(GAMES), make("hex:11,swap=false").name
(24, 'hex:11,swap=false')

A game of your own is a module with a function `make`. Its name is its file, `./nim.py:5`, or its import path,
`package.module:5`. The canonical name of a file has its absolute path. An installed package names its games by entry
points of the group `athenan.games`, whose values are such modules. `openspiel:NAME(...)` is a game of OpenSpiel.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import signature
from os.path import exists, isdir
from types import ModuleType
from typing import Any

from athenan import loading, settings
from athenan.games.first_use import check_once
from athenan.loading import LoadingError, can_be_imported, is_dotted, is_file, what
from athenan.rules.game import Game, GameError, State

_OTHER_NAMES = {"outer_open_gomoku": "gomoku"}
"""Second names of games -> their own."""
GAMES = {
    name: f"athenan.games.{_OTHER_NAMES.get(name, name)}"
    for name in (
        "amazons", "arimaa", "ataxx", "backgammon", "breakthrough", "clobber", "connect6", "connect_four", "draughts",
        "einstein", "go", "gomoku", "havannah", "hex", "lines_of_action", "morpion", "othello", "outer_open_gomoku",
        "pig", "santorini", "shobu", "surakarta", "tictactoe", "xiangqi",
    )
}  # fmt: skip
"""Name of every game -> the module that holds its rules and its `make` function."""

USUAL = "hex:7"
"""The game of a command that is not given one."""
MEASURED = ("connect_four", "othello:8", "hex:11", "hex:7", "breakthrough:8")
"""The games whose speed is measured by default."""
SMALL = ("tictactoe", "connect_four:4x4", "hex:3", "othello:4", "breakthrough:3x4", "einstein:3,pieces=1")
"""Games whose last positions exhaustive search solves at once, with which searches are checked by default."""

ELSEWHERE = {"openspiel": "athenan.games.openspiel"}
"""Name -> the module that makes games with the rules of other software."""

MODULES = GAMES | ELSEWHERE
"""Every name of this package -> its module."""


def make(specification: str | Game) -> Game:
    """The game that a text such as "hex", "hex:11,swap=false", "breakthrough:6x8" or "./nim.py:5" names.

    The first value sets the game's first setting (a board size; WIDTHxHEIGHT if the board may be oblong). SETTING=VALUE
    follow, in upper or lower case. A `Game` is returned unchanged. The code of a file or module runs when it is first
    named. Raises GameError if the game, setting or value does not exist, or if the user's code does not make a game.
    """
    if isinstance(specification, Game):
        return specification
    if not isinstance(specification, str):
        raise GameError(f"a game is named by a text such as 'hex:7', not by {settings.shown(specification)}")
    name, values = settings.split(specification)
    canonical = _canonical(name)
    if _is_own(canonical):
        loading.allow(canonical)
    return _make(name, canonical, values)


def known(name: str) -> Game:
    """The game of a name from a file, a page or another program, which must not choose the code that is run.

    So a file or module must have been named to `make` before. If the file no longer exists, a named file with the same
    file name in another folder takes its place. Raises GameError like `make`, and if the game may not be loaded.
    """
    written, values = settings.split(name)
    canonical = _canonical(written)
    if _is_own(canonical):
        canonical = _allowed(name, canonical)
    return _make(written, canonical, values)


def _allowed(name: str, canonical: str) -> str:
    """The file or module that the user named for a canonical name. Raises GameError if the user named neither."""
    if (allowed := loading.allowed(canonical)) is None:
        kind = "file" if is_file(canonical) else "module"
        raise GameError(
            f"the game {name} is code in the {kind} {canonical}, which a file may not load by itself; allow it by "
            f"naming it, as the command's game or with --rules {canonical}"
        )
    return allowed


def settings_of(game: Game) -> dict[str, Any]:
    """All settings of a game by name, including defaults."""
    name, values = settings.split(game.name)
    build = module_of(name).make
    defaults = {key: one.default for key, one in signature(build).parameters.items()}
    return defaults | settings.read(build, values)


def points(game: Game, state: State) -> float:
    """The score of a finished match as players say it, first player's point of view, perhaps in half points.

    Raises GameError in a game without a score.
    """
    score = game.score(state)
    return score if game.ruleset.unit == 1.0 else score * game.ruleset.unit


def changed(game: Game, **settings_: Any) -> Game:
    """The same game with other settings, such as `size=9`. Raises GameError if it cannot have them."""
    name, _ = settings.split(game.name)
    try:
        written = settings.write(name, module_of(name).make, settings_of(game) | settings_)
    except ValueError as error:
        raise GameError(f"{name}: {error}") from None
    return make(written)


def carries_over(trained: Game, played: Game) -> bool:
    """Whether a network of one game plays the other: both declare all differing settings as carrying over."""
    if trained.name == played.name:
        return True
    if trained.maker is None or played.maker is None:
        return False
    if settings.split(trained.name)[0] != settings.split(played.name)[0] or trained.planes != played.planes:
        return False
    one, other = settings_of(trained), settings_of(played)
    declared = set(trained.carries_over) & set(played.carries_over)
    return {name for name in one if one[name] != other[name]} <= declared


def own_code(name: str) -> str | None:
    """The user's file or module in a canonical name; None for games of the table and of installed packages."""
    own = settings.split(name)[0]
    return own if _is_own(own) else None


def is_game_name(text: str) -> bool:
    """Whether a text that may also name a run or a player has the form of a game's name.

    A game's name begins with a game of the table, a path that ends with .py and is not a folder, the name of an entry
    point, or a dotted name that can be imported and is not a path.
    """
    name = settings.split(text)[0]
    if name.lower() in MODULES or name in MODULES.values():
        return True
    if is_file(name):
        return not isdir(name) and ("," not in name or exists(name))  # RUN,search=FILE.py is a player
    return _entry_point(name) is not None or (is_dotted(name) and not exists(name) and can_be_imported(name))


def module_of(name: str) -> ModuleType:
    """The module of a game, named without settings. Raises GameError without such a module, or if it has no `make`."""
    canonical = _canonical(name)
    if canonical in MODULES:
        return import_module(MODULES[canonical])
    if _is_own(canonical):
        canonical = _allowed(name, canonical)
    entry = None if is_file(canonical) else _entry_point(canonical)
    try:
        module = entry.load() if entry else loading.load_module(canonical)
    except LoadingError as error:
        raise GameError(str(error)) from error
    except (Exception, SystemExit) as error:  # of the package of an entry point
        raise GameError(f"{canonical} cannot be loaded: {what(error)}") from error
    if not (isinstance(module, ModuleType) and callable(getattr(module, "make", None))):
        raise GameError(f"{name}: it has no function make, which would return the game")
    return module


def _make(name: str, canonical: str, values: settings.Values) -> Game:
    module = module_of(canonical)
    build = module.make
    try:
        settings.require_text(build)
        given = settings.read(build, values)
    except (ValueError, TypeError) as error:
        raise GameError(f"{name}: {error}") from None
    try:
        written = settings.write(canonical, build, given)
        if canonical in GAMES:
            return _packaged(written)
        made = _named(written, build, given, own=canonical not in MODULES)
        return made if canonical in MODULES else replace(made, before_use=partial(check_once, module))
    except ValueError as error:
        raise GameError(f"{name}: {error}") from error


@lru_cache(maxsize=64)  # a process often names a game many times, and more is cached for each game
def _packaged(name: str) -> Game:
    """A game of this package by its canonical name. Raises ValueError if its settings are out of range."""
    canonical, values = settings.split(name)
    build = module_of(canonical).make
    return _named(name, build, settings.read(build, values), own=False)


def _named(name: str, build: Callable[..., Any], given: dict[str, Any], own: bool) -> Game:
    return replace(_built(build, given, own=own), name=name, maker=make, picture=_picture)


def _picture(game: Game, state: State) -> str:
    from athenan.drawing.svg import draw

    return draw(game, state).svg


def _built(build: Callable[..., Any], given: dict[str, Any], *, own: bool) -> Game:
    """The result of a `make`; a user's `make` may raise anything. Raises ValueError if the result is not a game."""
    try:
        made = build(**given)
    except Exception as error:
        if own and not isinstance(error, ValueError):
            raise GameError(f"its make raised {what(error)}") from error
        raise
    if not isinstance(made, Game):
        raise GameError(f"its make must return an athenan.Game, not {settings.shown(made)}")
    if unknown := set(made.carries_over) - set(signature(build).parameters):
        raise GameError(f"carries_over names {', '.join(sorted(unknown))}, which is no option of its make")
    return made


def _canonical(name: str) -> str:
    """The canonical name of a game without settings. Raises GameError if the game does not exist."""
    module = MODULES.get(name.lower(), name)
    for first, other in MODULES.items():  # the first of several names of one module
        if module == other:
            return first
    if is_file(name):
        try:
            return loading.absolute(name)
        except LoadingError as error:
            raise GameError(str(error)) from None
    if is_dotted(name) or _entry_point(name):
        return name
    if "/" in name:
        raise GameError(f"there is no game {name!r}; the path of a game's file ends with .py and has no colon")
    games = f"the games are {', '.join(GAMES)}"
    raise GameError(f"there is no game {name!r}{settings.did_you_mean(name, GAMES, games)}")


def _is_own(canonical: str) -> bool:
    """Whether it is a user's file or module, whose code runs only if the user names it."""
    return canonical not in MODULES and (is_file(canonical) or not _entry_point(canonical))


def _entry_point(name: str) -> EntryPoint | None:
    return next(iter(entry_points(group="athenan.games", name=name)), None)
