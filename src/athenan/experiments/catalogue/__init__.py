"""The experiments of the papers, by their names; each at the papers' scale and at that of a laptop."""

from collections.abc import Callable
from typing import Literal

from athenan.experiments.catalogue import expert, learning, searches, stochastic, strikes_back
from athenan.experiments.description import Experiment

Scale = Literal["paper", "laptop"]

EXPERIMENTS: dict[str, Callable[[Scale], Experiment]] = {
    "003-table-2": learning.data, "003-table-3": learning.searches, "003-table-4": learning.heuristics,
    "003-remark-25": learning.selections, "completion": learning.completion, "action-values": learning.action_values,
    "graded": learning.graded,
    "000-table-6": searches.shallow, "000-table-7": searches.deep,
    "003-table-6": expert.expert_iteration,
    "004-figure-3": strikes_back.performance, "004-table-4": strikes_back.data_efficiency,
    "001-table-2": stochastic.searches, "001-table-3": stochastic.polygames,
}  # fmt: skip
"""Name -> experiment(scale). Add your own."""


def listing() -> str:
    """The experiments with what they cost at both scales."""
    lines = []
    for name, experiment in EXPERIMENTS.items():
        described = experiment("paper")
        lines.append(f"{name:14} {described.title} ({described.source})")
        lines.append(f"{'':14}   laptop {_cost(experiment('laptop'))}")
        lines.append(f"{'':14}   paper  {_cost(described)}")
    return "\n".join(lines) + "\n"


def _cost(experiment: Experiment) -> str:
    protocol = experiment.protocol
    count = sum(len({one.combination for one in experiment.contestants(game)}) for game in protocol.games)
    trainings = count * protocol.repetitions
    hours = trainings * protocol.minutes * protocol.cores / 60
    length = f"{protocol.minutes:g} minutes" if protocol.minutes < 600 else f"{protocol.minutes / 1440:g} days"
    return (
        f"{trainings:,} trainings of {length} at {len(protocol.games)} "
        f"game{'s' if len(protocol.games) > 1 else ''}: {hours:,.1f} hours of cores"
    )
