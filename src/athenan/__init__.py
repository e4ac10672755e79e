"""athenan: learns to play board games from their rules alone, then plays, analyses and proves positions.

The names below are the public interface; they are loaded when first used, so that `import athenan` stays fast.
"""

import os
from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# torch reads this when it is loaded. If more threads run than there are cores (actors beside a learner, other
# programs), a thread that waits by spinning takes the core that the others need.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

_EXPORTS = {
    "AlphaBeta": "athenan.search.alpha_beta",
    "Budget": "athenan.search.budget",
    "Clock": "athenan.play.limit",
    "Descent": "athenan.search.best_first",
    "Exit": "athenan.search.exit",
    "GAMES": "athenan.games.catalogue",
    "Game": "athenan.rules.game",
    "GameError": "athenan.rules.game",
    "Gumbel": "athenan.search.gumbel",
    "KorfChickering": "athenan.search.korf_chickering",
    "Move": "athenan.play.player",
    "PLAYERS": "athenan.arena.roster",
    "Player": "athenan.play.player",
    "Puct": "athenan.search.bandits",
    "SEARCHES": "athenan.search.named",
    "Search": "athenan.search.walk_search",
    "SearchSettings": "athenan.search.settings",
    "Session": "athenan.play.session",
    "TrainingConfig": "athenan.learning.config",
    "Ubfm": "athenan.search.best_first",
    "Uct": "athenan.search.bandits",
    "analyze": "athenan.play.session",
    "check_game": "athenan.rules.conformance",
    "draw": "athenan.drawing.svg",
    "export_network": "athenan.runs.export",
    "learnt_network": "athenan.runs.learnt",
    "load_player": "athenan.arena.roster",
    "make": "athenan.games.catalogue",
    "make_player": "athenan.arena.roster",
    "make_search": "athenan.search.named",
    "parse_search": "athenan.search.named",
    "perft": "athenan.rules.perft",
    "plain_network": "athenan.runs.export",
    "play_match": "athenan.play.match",
    "play_series": "athenan.arena.series",
    "recommended": "athenan.learning.recipe",
    "resume": "athenan.learning.trainer",
    "train": "athenan.learning.trainer",
}

__all__ = ["__version__", *_EXPORTS]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'athenan' has no attribute {name!r}")
    return getattr(import_module(_EXPORTS[name]), name)
