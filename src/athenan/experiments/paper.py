"""The recipe `paper` of `athenan train`: the settings of 003's trainings, for any game and length of a run.

>>> config = paper_recipe("hex:11", minutes=60)
>>> config.run.network, config.action.seconds, config.replay.method, config.learning.overlap
('hex_11', 2.0, 'games', False)
"""

from dataclasses import fields
from typing import Any

from athenan.evaluation.heuristics import default_heuristic, heuristics_of
from athenan.experiments.catalogue.stated import COMMON, Stated
from athenan.experiments.catalogue.stated_long import ARIMAA, HEX_11, HEX_13, MORPION, OTHELLO
from athenan.games.catalogue import make
from athenan.learning.config import TrainingConfig
from athenan.learning.learner.losses import LossWeights
from athenan.learning.recipe import recommended
from athenan.runs.description import differences, flat
from athenan.settings import unmet

LONG: dict[str, Stated] = {
    "hex:11": HEX_11, "hex:13": HEX_13, "othello": OTHELLO, "arimaa": ARIMAA, "morpion": MORPION,
}  # fmt: skip
"""Game -> the settings of its long training in 003, sections 9 to 12. All others have the settings of section 3.3.1."""

_LEFT_OUT = {
    "run.saving", "playing.precision", "learning.learning_precision", "learning.device", "learning.learning_threads",
    *(f"losses.{one.name}" for one in fields(LossWeights)),
}  # fmt: skip


def stated_for(game: str) -> Stated:
    """003's settings for a game: of its long training, or of section 3.3.1."""
    name = make(game).name
    return next((stated for one, stated in LONG.items() if make(one).name == name), COMMON)


def paper_recipe(
    game: str,
    minutes: float | None = None,
    matches: int | None = None,
    timed: bool = True,
    threads: int | None = None,
    initial: str | None = None,
    network: str | None = None,
) -> TrainingConfig:
    """The configuration of 003's training in a game, with the parameters of `recommended`.

    Two settings differ from the paper's. A run without an end has a uniform exploitation, since annealing needs one.
    Random terminal states, 10 to 15 million in the long trainings, are not learnt first: that takes hours.
    """
    found: dict[str, Any] = dict(stated_for(game).settings)
    chosen = found["run"].get("network", "c")
    config = recommended(
        game, minutes, matches, timed, threads, "descent", initial, "children", network or chosen, torch=True
    )
    heuristic = found["run"]["heuristic"]
    if heuristic not in heuristics_of(make(game)):
        heuristic = default_heuristic(make(game))
    run = {} if initial else {"network": config.run.network, "heuristic": heuristic}
    playing = dict(found["playing"])
    if minutes is None and matches is None and playing["exploitation"] == "annealed":
        playing["exploitation"] = "uniform"
    changes = {name: found[name] for name in ("replay", "search")} | {
        "run": run, "playing": playing, "learning": {**found["learning"], "random_ends": 0},
        "action": found["action"] if timed else {"seconds": None},
    }  # fmt: skip
    return config.changed(**changes)


def recipes_side_by_side(game: str, minutes: float) -> list[tuple[str, str, str]]:
    """The settings in which the recipes of a game differ: the setting, in the default recipe, in the papers' one.

    Both are for two threads. A setting that does nothing in a recipe is a dash there. Settings of the machine, such as
    the precision, and the weights of losses, all 1, are left out.
    """
    both = [one(game, minutes, threads=2) for one in (recommended, paper_recipe)]
    silent = [{f"{one.component}.{one.name}": "–" for one in unmet(TrainingConfig, of.components)} for of in both]
    flats = [flat(config.as_json()) | dashes for config, dashes in zip(both, silent, strict=True)]
    return [(name, one, two) for name, (one, two) in differences(flats).items() if name not in _LEFT_OUT]
