"""The games that CECP supports. Their moves lead from square to square, on boards that XBoard draws.

Moves are written as in UCI. Ranks of Xiangqi count from 0, as XBoard does on boards of ten ranks.
"""

from athenan.engines.uci.dialect import DIALECTS
from athenan.rules.game import Game, GameError

MOVES = DIALECTS["uci"]
"""How moves are written."""
VARIANTS = {"breakthrough:8x8": "breakthrough", "xiangqi:120": "xiangqi"}
"""Our games -> the variants of XBoard. Breakthrough is one that an engine defines."""
SETUPS = {
    "breakthrough": (
        "setup (P.................p.................) 8x8+0_fairy pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1",
        "piece P& fmWfF",
    )
}
"""The lines that tell XBoard the board and the moves of a variant that it does not know."""


def variant(game: Game) -> str:
    """The variant that the game is. Raises GameError if CECP has no variant for it."""
    if game.name not in VARIANTS:
        raise GameError(f"CECP is for {' and '.join(VARIANTS)}, not for {game.name}")
    return VARIANTS[game.name]
