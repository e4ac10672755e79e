"""athenan: learns to play board games from their rules alone, then plays, analyses and proves positions.

The names below are the public interface; they are loaded when first used, so that `import athenan` stays fast.
"""

from typing import TYPE_CHECKING

from athenan.extras import names_when_used
from athenan.version import __version__ as __version__

if TYPE_CHECKING:  # the same names for type checkers, which do not see what `__getattr__` loads
    from athenan.arena.learnt_players import load_player as load_player
    from athenan.arena.roster import PLAYERS as PLAYERS
    from athenan.arena.roster import make_player as make_player
    from athenan.arena.series import play_series as play_series
    from athenan.drawing.overlay import Value as Value
    from athenan.drawing.svg import draw as draw
    from athenan.games.catalogue import GAMES as GAMES
    from athenan.games.catalogue import make as make
    from athenan.jobs import Machines as Machines
    from athenan.learning.config import TrainingConfig as TrainingConfig
    from athenan.learning.recipe import recommended as recommended
    from athenan.learning.training import resume as resume
    from athenan.learning.training import train as train
    from athenan.play.cube import CubeRules as CubeRules
    from athenan.play.limit import Clock as Clock
    from athenan.play.match import play_match as play_match
    from athenan.play.player import Move as Move
    from athenan.play.player import Player as Player
    from athenan.play.search_player import SearchPlayer as SearchPlayer
    from athenan.play.session import Session as Session
    from athenan.play.session import analyze as analyze
    from athenan.rules.conformance import check_game as check_game
    from athenan.rules.game import Game as Game
    from athenan.rules.game import GameError as GameError
    from athenan.rules.leaves import Leaves as Leaves
    from athenan.rules.perft import perft as perft
    from athenan.runs.export import export_network as export_network
    from athenan.runs.export import plain_network as plain_network
    from athenan.runs.learnt import learnt_network as learnt_network
    from athenan.search.algorithms.bandits import Puct as Puct
    from athenan.search.algorithms.bandits import Uct as Uct
    from athenan.search.algorithms.best_first import Descent as Descent
    from athenan.search.algorithms.best_first import Ubfm as Ubfm
    from athenan.search.algorithms.exit import Exit as Exit
    from athenan.search.algorithms.gumbel import Gumbel as Gumbel
    from athenan.search.algorithms.korf_chickering import KorfChickering as KorfChickering
    from athenan.search.alpha_beta.search import AlphaBeta as AlphaBeta
    from athenan.search.budget import Budget as Budget
    from athenan.search.named import SEARCHES as SEARCHES
    from athenan.search.named import make_search as make_search
    from athenan.search.named import parse_search as parse_search
    from athenan.search.settings import SearchSettings as SearchSettings
    from athenan.search.walking.walk_search import Search as Search
    from athenan.settings import Between as Between
    from athenan.testing import check_search as check_search
else:  # a type checker that saw this function would take any name, misspelt ones as well
    _HOMES = {
        "athenan.arena.learnt_players": ("load_player",),
        "athenan.arena.roster": ("PLAYERS", "make_player"),
        "athenan.arena.series": ("play_series",),
        "athenan.drawing.overlay": ("Value",),
        "athenan.drawing.svg": ("draw",),
        "athenan.games.catalogue": ("GAMES", "make"),
        "athenan.jobs": ("Machines",),
        "athenan.learning.config": ("TrainingConfig",),
        "athenan.learning.recipe": ("recommended",),
        "athenan.learning.training": ("resume", "train"),
        "athenan.play.cube": ("CubeRules",),
        "athenan.play.limit": ("Clock",),
        "athenan.play.match": ("play_match",),
        "athenan.play.player": ("Move", "Player"),
        "athenan.play.search_player": ("SearchPlayer",),
        "athenan.play.session": ("Session", "analyze"),
        "athenan.rules.conformance": ("check_game",),
        "athenan.rules.game": ("Game", "GameError"),
        "athenan.rules.leaves": ("Leaves",),
        "athenan.rules.perft": ("perft",),
        "athenan.runs.export": ("export_network", "plain_network"),
        "athenan.runs.learnt": ("learnt_network",),
        "athenan.search.alpha_beta.search": ("AlphaBeta",),
        "athenan.search.algorithms.bandits": ("Puct", "Uct"),
        "athenan.search.algorithms.best_first": ("Descent", "Ubfm"),
        "athenan.search.budget": ("Budget",),
        "athenan.search.algorithms.exit": ("Exit",),
        "athenan.search.algorithms.gumbel": ("Gumbel",),
        "athenan.search.algorithms.korf_chickering": ("KorfChickering",),
        "athenan.search.named": ("SEARCHES", "make_search", "parse_search"),
        "athenan.search.settings": ("SearchSettings",),
        "athenan.search.walking.walk_search": ("Search",),
        "athenan.settings": ("Between",),
        "athenan.testing": ("check_search",),
    }
    __getattr__, _EXPORTS = names_when_used(__name__, _HOMES)
    __all__ = ["__version__", *sorted(_EXPORTS)]  # noqa: PLE0604

    def __dir__() -> list[str]:
        return [*globals(), *_EXPORTS]
