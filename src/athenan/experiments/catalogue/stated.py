"""The settings of the papers' trainings. They are complete: nothing comes from the recipe of short runs.

Either the paper states a setting, or the value here is ours; docs/experiments.md has both in a table. The combinations
of an experiment change what they compare, such as the search.
"""

from dataclasses import dataclass, field
from typing import Any

from athenan.experiments.description import Settings
from athenan.experiments.trainings import changed_search, merged

_MACHINE: Settings = {
    "playing": {"precision": "auto", "renewal": 1.0},
    "learning": {"device": "auto", "learner": "adam", "learning_precision": "auto", "learning_threads": 1},
    "replay": {"memory": 8192, "pairs_limit": 20_000_000},
}  # fmt: skip
"""The settings of the machine rather than the algorithm, and the learner, of which there is one."""
_UNUSED: Settings = {
    "run": {"initial": None},
    "action": {"seconds": None, "iterations": None, "evaluations": None},
    "playing": {
        "temperature": 0.1, "drawn_actions": 30, "borrowing": False, "resolved_period": 0, "matches_by": "search",
        "determinization": False,
    },
    "learning": {"trace": 0.0, "policy_target": "none", "random_ends": 0},
    "replay": {
        "memory_matches": 100, "duplication": 3.0, "memory_pairs": 1_000_000, "sampling_rate": 0.05, "colours": False,
        "growth": 0.1, "patience": 3, "share": 1.0,
    },
    "losses": {"values": 1.0, "policies": 1.0, "action_values": 1.0, "values_by": "squares"},
    "exit": {"warm_start": 1 / 30, "warm_start_search": "rave", "rollouts": 2500, "value_start": 2 / 15},
}  # fmt: skip
"""Settings that are off or without effect unless a training gives them."""


@dataclass(frozen=True)
class Stated:
    """The settings of one kind of training."""

    told: Settings
    """What the paper prints, or its algorithms show."""
    untold: Settings = field(default_factory=dict)
    """What the paper does not state, with the values used instead."""

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, except those that the experiment determines; the search is a complete text.

        The papers' searches expand all actions.
        """
        found = combined(_MACHINE, _UNUSED, self.untold, self.told)
        search = found["search"]
        every = {"forced": False} if search.get("algorithm", "descent") == "descent" else {}
        return found | {"search": changed_search("descent", every | search)}


def combined(*settings: Settings) -> dict[str, Any]:
    """Settings by component; later ones replace earlier ones."""
    found: dict[str, Any] = {}
    for one in settings:
        found = merged(found, one)
    return found


def searching(algorithm: str, **components: Any) -> dict[str, Any]:
    """The settings that another search changes, in a recipe at laptop scale and in a stated training."""
    return merged({"algorithm": algorithm, "search": {"algorithm": algorithm}}, components)


_ONE_AFTER_THE_OTHER: Settings = {
    "playing": {"parallel_matches": 1, "actors": 1},
    "learning": {"target": "tree", "phase_matches": 1, "overlap": False},
}
"""Athénan (003, Algorithm 3 and Remark 28; 004, Algorithm 3; 001, Figure 3): each match is learnt before the next."""
_SMOOTH: Settings = {
    "replay": {"method": "stratified", "memory_matches": 100, "duplication": 3.0, "batch_size": 3000},
}
_UNTOLD: Settings = {
    "search": {"transpositions": True}, "learning": {"averaging": 0.0, "cooldown": 0.0},
    "replay": {"augmentation": "none"},
}  # fmt: skip

COMMON = Stated(
    combined(
        _ONE_AFTER_THE_OTHER,
        {
            "run": {"network": "c:filters=64,convolutions=3,dense=100", "heuristic": "classic"},
            "action": {"seconds": 2.0},
            "playing": {"selection": "epsilon_greedy", "exploitation": "annealed", "completed_selection": False},
            "search": {"algorithm": "descent", "completion": False},
            "learning": {"learning_rate": 0.001, "l2": 0.001},
            "replay": {
                "method": "pairs", "memory_pairs": 1_000_000, "sampling_rate": 0.04, "batch_size": 128,
            },
        },
    ),
    _UNTOLD,
)  # fmt: skip
"""003, section 3.3.1."""

ATHENAN_BESIDE_EXIT = Stated(
    combined(
        _ONE_AFTER_THE_OTHER, _SMOOTH,
        {
            "run": {"heuristic": "classic"},
            "action": {"seconds": 3.0},
            "playing": {"selection": "ordinal", "exploitation": "uniform", "completed_selection": True},
            "search": {"algorithm": "descent", "completion": True},
            "learning": {"learning_rate": 0.0001, "l2": 0.001, "random_ends": 10_000_000},
        },
    ),
    _UNTOLD,
)  # fmt: skip
"""003, sections 8.3, 8.4.1 and 8.4.3; networks by Table 5."""

EXIT = Stated(
    {
        "run": {"heuristic": "classic"},
        "action": {"iterations": 2500},
        "playing": {"matches_by": "policy", "parallel_matches": 500},
        "search": {"algorithm": "exit", "exploration": 0.05, "policy_weight": 100.0, "value_weight": 0.75},
        "learning": {
            "target": "terminal",
            "policy_target": "visits",
            "learning_rate": 0.0001,
            "l2": 0.001,
            "overlap": False,
        },
        "replay": {"method": "all", "batch_size": 250},
        "losses": {"values_by": "divergence"},
        "exit": {"warm_start": 1 / 30, "warm_start_search": "mcts", "value_start": 2 / 15},
    },
    combined(
        _UNTOLD,
        {
            "playing": {"selection": "ordinal", "exploitation": "uniform", "completed_selection": True, "actors": 1},
            "search": {"completion": False},
            "learning": {"phase_matches": 500},
            "replay": {"growth": 0.1, "patience": 3},
            "exit": {"rollouts": 2500},
        },
    ),
)
"""003, sections 8.1, 8.4.1 and 8.4.2; networks by Table 5. Selection and its switches have no effect: no search plays.
"""

_ATHENAN_UNTOLD: Settings = combined(
    _UNTOLD,
    {
        "action": {"seconds": 2.0},
        "learning": {"learning_rate": 0.001, "l2": 0.001},
    },
)
"""What neither 004 nor 001 states about Athénan."""

ATHENAN_BESIDE_POLYGAMES = Stated(
    combined(
        _ONE_AFTER_THE_OTHER,
        _SMOOTH,
        {
            "playing": {"selection": "ordinal", "exploitation": "uniform", "completed_selection": False},
            "search": {"algorithm": "descent", "completion": False},
        },
    ),
    _ATHENAN_UNTOLD,
)
"""004, sections 2.4 and 3.1.1, and Algorithm 1, which is Descent without completion; networks by Table 3, heuristics by
game. It leaves the rest to an appendix."""

_POLYGAMES: Settings = {
    "action": {"iterations": 1600},
    "playing": {"drawn_actions": 30},
    "learning": {"learning_rate": 0.001},
    "replay": {"method": "pairs", "memory_pairs": 1_000_000, "batch_size": 128},
}
"""Defaults of Polygames (pypolygames/params.py): 1,600 rollouts, 30 drawn actions, a million examples, Adam's rate."""
_ALPHAZERO: Settings = {
    "run": {"heuristic": "classic"},
    "playing": {"selection": "visits"},
    "search": {"algorithm": "puct"},
    "learning": {"target": "terminal", "policy_target": "visits", "overlap": False},
}
"""004, sections 2.2 and 2.3, Algorithm 2. The learnt policy is in proportion to N^(1/τ), N the visits of an action; no
paper gives τ, and `visits` is τ = 1."""
_ALPHAZERO_UNTOLD: Settings = combined(
    _UNTOLD,
    {
        "playing": {
            "exploitation": "uniform", "completed_selection": False, "parallel_matches": 32, "actors": 1,
        },
        "search": {"completion": False, "noise": 0.25, "noise_concentration": 10.0},
        "learning": {"phase_matches": 8, "l2": 0.0001},
        "replay": {"sampling_rate": 0.0128},
    },
)  # fmt: skip
"""Polygames learns without a pause; here 100 minibatches, its `sync_period`, are learnt between two playing networks.
Noise and the L2 penalty are AlphaZero's."""

POLYGAMES_004 = Stated(_ALPHAZERO, combined(_ALPHAZERO_UNTOLD, _POLYGAMES))
"""004, sections 2.2 and 2.3."""

ATHENAN_EINSTEIN = Stated(
    combined(
        _ONE_AFTER_THE_OTHER,
        _SMOOTH,
        {
            "run": {"network": "r2:filters=83,blocks=4,dense=425,dense_layers=2", "heuristic": "classic"},
            "playing": {"selection": "ordinal", "exploitation": "annealed", "completed_selection": False},
            "search": {"algorithm": "descent", "completion": False},
        },
    ),
    _ATHENAN_UNTOLD,
)
"""001, section 3.2.1 and appendix, and Figure 2, which is Descent Expectiminimax without completion."""

POLYGAMES_001 = Stated(
    combined(_ALPHAZERO, _POLYGAMES),
    combined(_ALPHAZERO_UNTOLD, {"run": {"network": "r2:filters=83,blocks=4,dense=425,dense_layers=2"}}),
)
"""001, section 3.2.1: the default settings of Polygames. The appendix says that its network is the others' with a
policy, and an analogous number of weights; this one has 0.2% more."""
