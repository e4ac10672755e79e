"""The check of a user's game before its first use: a wrong kernel would end the process, or play wrongly in silence."""

from functools import partial
from types import ModuleType

from athenan.rules.conformance import check_quickly
from athenan.rules.conformance.passed import once
from athenan.rules.game import Game


def check_once(module: ModuleType, game: Game) -> None:
    """Checks a game of a user's module unless it has passed before. Raises GameError with the fault."""
    once(module, game.name, partial(check_quickly, game))
