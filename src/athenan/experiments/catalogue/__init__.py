"""The experiments by name, the papers' and our own, each at the papers' scale and at laptop scale."""

from collections.abc import Callable
from typing import Literal

from athenan.experiments.catalogue import (
    ablation,
    equal_time,
    expert,
    learning,
    programs,
    searches,
    sequels,
    stochastic,
    strikes_back,
)  # fmt: skip
from athenan.experiments.description import Experiment
from athenan.settings import counted

Scale = Literal["paper", "laptop"]

EXPERIMENTS: dict[str, Callable[[Scale], Experiment]] = {
    "003-table-2": learning.data, "003-table-3": learning.searches, "003-table-4": learning.heuristics,
    "003-remark-25": learning.selections, "completion": learning.completion, "action-values": learning.action_values,
    "graded": learning.graded, "ablation": ablation.recipe,
    "000-table-6": searches.shallow, "000-table-7": searches.deep,
    "003-table-6": expert.expert_iteration,
    "003-table-8": programs.hex_11, "003-table-9": programs.hex_13, "003-table-10": programs.othello,
    "003-table-11": programs.arimaa, "003-figure-8": programs.morpion,
    "000-table-10": equal_time.seven_days, "000-table-11": equal_time.twice_as_long,
    "000-table-12": equal_time.one_core,
    "004-figure-3": strikes_back.performance, "004-table-4": strikes_back.data_efficiency,
    "004-figure-4": strikes_back.long_training, "004-figure-5": strikes_back.tournament_networks,
    "001-table-2": stochastic.searches, "001-table-3": stochastic.polygames,
    "sequel-unbounded": sequels.unbounded, "sequel-searches": sequels.searches,
}  # fmt: skip
"""Name -> experiment(scale). Add your own."""


def listing() -> str:
    """The experiments with their costs at both scales."""
    lines = []
    for name, experiment in EXPERIMENTS.items():
        described = experiment("paper")
        lines.append(f"{name:14} {described.title} ({described.source})")
        lines.append(f"{'':14}   laptop {_cost(experiment('laptop'))}")
        lines.append(f"{'':14}   paper  {_cost(described)}")
    return "\n".join(lines) + "\n"


def _cost(experiment: Experiment) -> str:
    procedure = experiment.procedure
    every = [name for game in procedure.games for name in experiment.trained(game)]
    if not every:
        return f"no trainings: matches with the package's networks of {counted(len(procedure.games), 'game')}"
    trainings = sum(map(experiment.repetitions, every))
    minutes = [experiment.times(name)[-1] for name in every]
    hours = sum(experiment.repetitions(name) * experiment.times(name)[-1] for name in every) * procedure.cores / 60
    longest = max(minutes)
    length = counted(longest, "minute") if longest < 600 else f"{longest / 1440:.3g} days"
    upto = "up to " if min(minutes) < longest else ""
    return (
        f"{counted(trainings, 'training')} of {upto}{length} at {counted(len(procedure.games), 'game')}: "
        f"{hours:,.1f} hours of cores"
    )
