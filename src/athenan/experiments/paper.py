"""The recipe `paper` of `athenan train`: the settings of 003's trainings, for any game and length of a run.

>>> config = paper_recipe("hex:11", minutes=60)
>>> config.run.network, config.action.seconds, config.replay.method, config.learning.overlap
('hex_11', 2.0, 'games', False)
"""

from typing import Any

from athenan.evaluation.heuristics import default_heuristic, heuristics_of
from athenan.experiments.catalogue.stated import COMMON, Stated
from athenan.experiments.catalogue.stated_long import ARIMAA, HEX_11, HEX_13, MORPION, OTHELLO
from athenan.games.catalogue import make
from athenan.learning.config import TrainingConfig
from athenan.learning.recipe import recommended

LONG: dict[str, Stated] = {
    "hex:11": HEX_11, "hex:13": HEX_13, "othello": OTHELLO, "arimaa": ARIMAA, "morpion": MORPION,
}  # fmt: skip
"""Game -> the settings of its long training in 003, sections 9 to 12. All others have the settings of section 3.3.1."""


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
    if config.run.is_open_ended and playing["exploitation"] == "annealed":
        playing["exploitation"] = "uniform"
    changes = {name: found[name] for name in ("replay", "search")} | {
        "run": run, "playing": playing, "learning": {**found["learning"], "random_ends": 0},
        "action": found["action"] if timed else {"seconds": None},
    }  # fmt: skip
    return config.changed(**changes)
