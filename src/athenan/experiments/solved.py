"""The solved positions of an experiment: from the package, or made for games that the package has no positions of."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from athenan.experiments.description import ExperimentError, Procedure
from athenan.games.catalogue import known
from athenan.grading.positions import PositionsError, Recipe, Solved, packaged, read_positions
from athenan.grading.solving import check_recipe, usual_recipe
from athenan.rules.game import Game


def check_positions(procedure: Procedure, game: Game) -> None:
    """Raises ExperimentError if a game has fewer solved positions than the procedure asks for, or cannot have any."""
    if not procedure.positions:
        return
    if (have := of_package(game.name)) is None:
        try:
            check_recipe(recipe(procedure, game.name))
        except PositionsError as error:
            raise ExperimentError(f"--positions must be 0 for {game.name}: {error}") from None
    elif len(have) < procedure.positions:
        raise ExperimentError(f"--positions must be at most {len(have):,} for {game.name}: the package has no more")


def of_package(game: str) -> Sequence[Solved] | None:
    """The positions of a game that the package has, by its canonical name; None without any."""
    path = packaged(game)
    return None if path is None else read_positions(path).positions


def recipe(procedure: Procedure, game: str) -> Recipe:
    """How to make positions of a game for an experiment, if the package has none."""
    return replace(usual_recipe(known(game)), seed=procedure.seed, evaluations=None, seconds=procedure.solving)


def source(game: str) -> str:
    """Which positions a game has: a digest of the package's file, or that they are made."""
    path = packaged(game)
    return "made" if path is None else hashlib.sha256(path.read_bytes()).hexdigest()[:16]
