"""Searches with a hand-written evaluation of the game, for players and analyses."""

from athenan.evaluation.handwritten import KIND, evaluation, own_evaluation, require_values, terminal_of
from athenan.rules.game import Game
from athenan.rules.leaves import Evaluate
from athenan.search.named import make_search, search_name
from athenan.search.settings import SearchSettings
from athenan.search.trees.forest_search import ForestSearch


def evaluator(game: Game, name: str, settings: SearchSettings) -> Evaluate:
    """The evaluation of this name (default: the game's first) or of a user's file, for a search with these settings.

    Raises ValueError if there is no such evaluation, or if the search needs more than the values that a game's give.
    """
    if KIND.own_code(name):
        return own_evaluation(game, name)
    require_values(settings.heads(game.stochastic), search_name(settings))
    return evaluation(game, name)


def evaluated_search(game: Game, name: str, settings: SearchSettings, memory: int, threads: int = 1) -> ForestSearch:
    """A search with what `evaluator` returns; `memory` is in bytes. Raises ValueError as it does."""
    evaluate = evaluator(game, name, settings)
    return make_search(game, evaluate, terminal_of(game), settings, memory=memory, threads=threads)
