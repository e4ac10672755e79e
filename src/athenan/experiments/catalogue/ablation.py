"""One setting of the recipe at a time, with pattern networks (not in the papers)."""

from athenan.experiments.description import Combination, Experiment, Procedure, Settings

_CHANGES: dict[str, Settings] = {
    "the recipe": {},
    "leaves, too": {"learning": {"target": "tree_with_leaves"}},
    "roots, λ = 0.7": {"learning": {"target": "root", "trace": 0.7}},
    "learnt once": {"replay": {"duplication": 1.0}},
    "learnt six times": {"replay": {"duplication": 6.0}},
    "annealed": {"playing": {"exploitation": "annealed"}},
    "random ends first": {"learning": {"random_ends": 100_000}},
    "resolved states kept": {"playing": {"resolved_period": 1000}},
}


def recipe(scale: str) -> Experiment:
    """The effect of each change of the default recipe on its pattern networks, on boards of the usual size."""
    paper = scale == "paper"
    procedure = Procedure(
        games=("hex:7", "othello:8", "breakthrough:8x8", "connect_four", "clobber:10x10", "ataxx:7"), repetitions=3,
        minutes=30.0 if paper else 5.0, random_opening=2, seconds=0.1 if paper else 0.03,
    )  # fmt: skip
    return Experiment(
        name="ablation", title="one setting of the recipe at a time, with pattern networks", source="not in the papers",
        procedure=procedure, combinations={name: Combination(settings) for name, settings in _CHANGES.items()},
        common={"torch": False}, players={"": ""}, baseline="the recipe",
    )  # fmt: skip
