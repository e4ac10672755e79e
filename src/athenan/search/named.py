"""All searches by name, for trainings, players, analyses and measurements.

The text of a search is NAME, or NAME:SETTING=VALUE,..., where the value of the first setting needs no name:

    >>> parse_search("alphabeta:2").depth, search_text(AlphaBeta(depth=2, completion=False))
    (2, 'alphabeta:completion=false,depth=2')
    >>> from athenan import make
    >>> type(make_search(make("hex:5"), settings=AlphaBeta(depth=2))).__name__
    'AlphaBetaSearch'

Your own search is a class that derives from `WalkSettings`, the only one in its file or module, and is named by the
file or module: `./mine.py:setting=2` or `package.module:setting=2`.
"""

from dataclasses import fields, replace
from typing import Any

from athenan import settings
from athenan.loading import what
from athenan.rules.fitting import require_whole
from athenan.rules.game import Game, require_game
from athenan.rules.leaf import Native
from athenan.rules.leaves import Evaluate
from athenan.rules.terminal import Gain, TerminalValue
from athenan.search.algorithms.bandits import Puct, Uct
from athenan.search.algorithms.best_first import Descent, Ubfm
from athenan.search.algorithms.exit import Exit
from athenan.search.algorithms.gumbel import Gumbel
from athenan.search.algorithms.korf_chickering import KorfChickering
from athenan.search.alpha_beta.accompanied import AccompaniedSearch
from athenan.search.alpha_beta.search import AlphaBeta
from athenan.search.finishing.finishing_search import FinishingSearch
from athenan.search.first_use import try_once
from athenan.search.settings import SearchSettings, WalkSettings
from athenan.search.trees.algorithm import Algorithm
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.planting import DEFAULT_MEMORY
from athenan.search.trees.selection import safest
from athenan.search.walking.turn_leaf import by_turns
from athenan.search.walking.walk_search import Search
from athenan.settings import Kind, classes, is_code, require_type, shown

SEARCHES: dict[str, type[SearchSettings]] = {
    "descent": Descent, "ubfm": Ubfm, "korf_chickering": KorfChickering, "uct": Uct, "puct": Puct, "gumbel": Gumbel,
    "exit": Exit, "alphabeta": AlphaBeta,
}  # fmt: skip
"""The searches by name: the papers' searches, and yours."""
ALIASES = {"expectiminimax": "alphabeta"}
"""Other names of searches: alpha-beta in a game of chance is Expectiminimax."""
KIND = Kind(
    "search", "--search", SEARCHES, lambda module: classes(module, SearchSettings),
    "one class that derives from WalkSettings", aliases=ALIASES,
)  # fmt: skip
"""Searches among the parts that a user's file may bring."""


def parse_search(text: str, turns: bool = False) -> SearchSettings:
    """The search that a text such as "ubfm" or "puct:exploration=1.4" names; the text may be in parentheses.

    The code of a file or module runs when it is first named. With `turns` the search evaluates whole turns by default,
    if it can. Raises ValueError, listing valid choices, for an unknown search or setting, or a value out of bounds.
    """
    return _made(KIND.named(text), turns)


def known_search(text: Any, turns: bool = False) -> SearchSettings:
    """The search of a text from a file, a page or another program, which must not choose the code that is run.

    So a file or module must have been named to `parse_search` before; `turns` is as there. Raises ValueError like
    `parse_search`, and LoadingError for a search that does not exist or whose code may not be loaded.
    """
    return _made(KIND.known(text), turns)


def _made(part: settings.Part, turns: bool) -> SearchSettings:
    by_default = {"turns": True} if turns and "turns" in KIND.settings(part.definition) else {}
    made: SearchSettings = replace(part, values=by_default | part.values).make()
    if KIND.own_code(part.text):
        _require_answers(part.text, made)
    return made


def _require_answers(text: str, made: SearchSettings) -> None:
    """Raises ValueError if the methods of a user's search raise anything, or if it gives no algorithm."""
    try:
        if isinstance(made, WalkSettings) and not isinstance(given := made.algorithm(safest), Algorithm):
            raise ValueError(f"algorithm must return an Algorithm, not {shown(given)}")
        for method in (made.heads, made.for_play, lambda: made.sees_actions):
            method()
    except Exception as error:
        said = str(error) if isinstance(error, ValueError) else f"it raised {what(error)}"
        raise ValueError(f"search {text!r}: {said}") from error


def search_name(search: SearchSettings) -> str:
    """The name of a search without its settings; a file has its absolute path."""
    return next((name for name, kind in SEARCHES.items() if kind is type(search)), type(search).__module__)


def own_code(search: SearchSettings) -> str | None:
    """The user's file or module of a search; None for the searches of the table."""
    name = search_name(search)
    return None if name in SEARCHES else name


def as_setting(search: SearchSettings) -> str:
    """The text of a search as the value of a setting: several settings of its own are in parentheses.

    >>> as_setting(AlphaBeta(depth=2)), as_setting(AlphaBeta(depth=2, completion=False))
    ('alphabeta:depth=2', '(alphabeta:completion=false,depth=2)')
    """
    return in_parentheses(search_text(search))


def in_parentheses(text: str) -> str:
    """The text of a part as the value of a setting: with parentheses if it has several settings."""
    return f"({text})" if "," in text else text


def search_text(search: SearchSettings) -> str:
    """The canonical text of a search: equal settings give equal text, which `parse_search` reads.

    Settings at their defaults are left out. Raises ValueError for a search that has no name.
    """
    name = search_name(search)
    changed = [
        f"{item.name}={settings.written(value)}"
        for item in fields(search)
        if (value := getattr(search, item.name)) != item.default
    ]
    text = f"{name}:{','.join(changed)}" if changed else name
    try:
        same = known_search(text) == search
    except ValueError:
        same = False
    if not same:
        raise ValueError(f"{search!r} has no name: add its class to SEARCHES, or put it into a file of its own")
    return text


def make_search(
    game: Game,
    evaluate: Evaluate | None = None,
    terminal: TerminalValue = Gain(),
    settings: SearchSettings = Ubfm(),
    slots: int = 1,
    memory: int = DEFAULT_MEMORY,
    seed: int = 0,
    threads: int = 1,
) -> ForestSearch:
    """The search that the settings describe; the other parameters are as for `Search`.

    Of the searches that have their own walk, alpha-beta takes several threads, and the others one. Raises ValueError if
    a user's search fails in its trial (`first_use`).
    """
    require_game(game)
    require_type("settings", settings, SearchSettings, "Ubfm()")
    require_type("terminal", terminal, TerminalValue, "make_heuristic('score', game)")
    require_whole("threads", threads)
    try_own(settings, game, terminal)
    return _make(game, evaluate, terminal, settings, slots, memory, seed, threads)


def try_own(settings: SearchSettings, game: Game, terminal: TerminalValue) -> None:
    """Tries the search of a user's file or module once in each game. Raises ValueError with the fault."""
    if (own := own_code(settings)) is None or not is_code(own):
        return

    def make(evaluate: Evaluate, memory: int) -> ForestSearch:
        tried = replace(settings, ends=0, margin=False) if isinstance(settings, WalkSettings) else settings
        return _make(game, evaluate, terminal, tried, slots=1, memory=memory, seed=0, threads=1)

    try_once(own, settings, game, make)


def _make(
    game: Game,
    evaluate: Evaluate | None,
    terminal: TerminalValue,
    settings: SearchSettings,
    slots: int,
    memory: int,
    seed: int,
    threads: int,
) -> ForestSearch:
    if settings.turns and evaluate is not None:
        game, evaluate = by_turns(game, evaluate, terminal)
    if isinstance(settings, WalkSettings):
        kind = FinishingSearch if settings.finishes else Search
        return kind(game, evaluate, terminal, settings, slots, memory, seed, threads)
    if isinstance(settings, AlphaBeta) and slots == 1 and isinstance(evaluate, Native):
        return AccompaniedSearch(game, evaluate, terminal, settings, memory, seed, threads)
    return settings.make(game, evaluate, terminal, slots, memory, seed)
