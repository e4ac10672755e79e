"""Searches with a hand-written evaluation of the game, for players and analyses."""

from athenan.evaluation.handwritten import evaluation, require_values, terminal_of
from athenan.rules.game import Game
from athenan.search.named import make_search, search_name
from athenan.search.settings import SearchSettings
from athenan.search.trees.forest_search import ForestSearch


def evaluated_search(game: Game, name: str, settings: SearchSettings, memory: int, threads: int = 1) -> ForestSearch:
    """A search with the evaluation of this name (default: the game's first); `memory` is in bytes.

    Raises ValueError if there is no such evaluation, or if the search needs more than the values of states.
    """
    require_values(settings.heads(game.stochastic), search_name(settings))
    return make_search(game, evaluation(game, name), terminal_of(game), settings, memory=memory, threads=threads)
