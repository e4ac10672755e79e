"""The searches that evaluate states, by their names, as players, analyses and measurements take them.

>>> from athenan import make
>>> search = make_search(make("hex:5"), settings=search_settings("alphabeta")(depth=2))
>>> search.settings
AlphaBetaSettings(depth=2, completion=True, transpositions=True)
"""

from collections.abc import Callable
from functools import partial

from athenan.rules.game import Game
from athenan.rules.leaves import Evaluate
from athenan.rules.terminal import Gain, TerminalValue
from athenan.search.alpha_beta import AlphaBeta, AlphaBetaSettings
from athenan.search.forest import DEFAULT_MEMORY
from athenan.search.search import ALGORITHMS, Search, SearchSettings, asked

Settings = SearchSettings | AlphaBetaSettings
ALPHA_BETA = "alphabeta"


def search_names() -> tuple[str, ...]:
    """The names of all searches."""
    return (*ALGORITHMS, ALPHA_BETA)


def search_settings(name: str) -> Callable[..., Settings]:
    """What makes the settings of a search; its parameters are annotated. Raises ValueError if there is none."""
    if name == ALPHA_BETA:
        return AlphaBetaSettings
    if name in ALGORITHMS:
        return partial(SearchSettings, name)
    raise ValueError(f"search must be {' or '.join(search_names())}, not {name!r}")


def heads_asked(settings: Settings) -> tuple[str, ...]:
    """The heads of a network that a search needs, such as values and policies."""
    return ("values",) if isinstance(settings, AlphaBetaSettings) else asked(settings)


def make_search(
    game: Game,
    evaluate: Evaluate | None = None,
    terminal: TerminalValue = Gain(),
    settings: Settings = SearchSettings(),
    slots: int = 1,
    memory: int = DEFAULT_MEMORY,
    seed: int = 0,
) -> Search | AlphaBeta:
    """The search that the settings are of; the others are as in `Search`."""
    if isinstance(settings, AlphaBetaSettings):
        return AlphaBeta(game, evaluate, terminal, settings, slots, memory, seed)
    return Search(game, evaluate, terminal, settings, slots, memory, seed)
