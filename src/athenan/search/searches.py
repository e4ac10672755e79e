"""All searches by the settings that name them, as trainings, players, analyses and measurements take them.

>>> from athenan import SearchSettings, make
>>> search = make_search(make("hex:5"), settings=SearchSettings("alphabeta", depth=2))
>>> type(search).__name__, search.settings.depth
('AlphaBeta', 2)
"""

from athenan.rules.game import Game
from athenan.rules.leaves import Evaluate
from athenan.rules.terminal import Gain, TerminalValue
from athenan.search.alpha_beta import AlphaBeta
from athenan.search.forest import DEFAULT_MEMORY
from athenan.search.search import ALGORITHMS, ALPHA_BETA, Search, SearchSettings
from athenan.search.selection import safest


def heads_asked(settings: SearchSettings, game: Game | None = None) -> tuple[str, ...]:
    """The heads of a network that a search of this game needs, such as values and policies.

    Without a game, those that it needs in every game.
    """
    if settings.algorithm == ALPHA_BETA:
        return ("values",)
    return ALGORITHMS[settings.algorithm](settings, safest).asked(game is not None and game.stochastic)


def make_search(
    game: Game,
    evaluate: Evaluate | None = None,
    terminal: TerminalValue = Gain(),
    settings: SearchSettings = SearchSettings(),
    slots: int = 1,
    memory: int = DEFAULT_MEMORY,
    seed: int = 0,
) -> Search | AlphaBeta:
    """The search that the settings name; the other parameters are those of `Search`."""
    made = AlphaBeta if settings.algorithm == ALPHA_BETA else Search
    return made(game, evaluate, terminal, settings, slots, memory, seed)
