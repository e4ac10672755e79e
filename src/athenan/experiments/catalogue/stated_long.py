"""The settings of the long trainings: 003, sections 9 to 12, and Descent and ExIt in 000, section 8.2.

As in `stated`, they are complete: stated by the paper, or ours.
"""

from athenan.experiments.catalogue.stated import ATHENAN_BESIDE_EXIT, EXIT, Stated, combined

_COMPLETED = combined(
    {component: ATHENAN_BESIDE_EXIT.told[component] for component in ("playing", "search", "learning")},
    {
        "playing": {"exploitation": "annealed"}, "learning": {"learning_rate": 0.001},
        "replay": {"augmentation": "add"},
    },
)  # fmt: skip
"""Completed Descent, tree learning and the completed ordinal distribution. What a section does not name is as in
section 3.3.1, such as the annealing and the L2 penalty."""
_STRATIFIED = combined(_COMPLETED, {"replay": ATHENAN_BESIDE_EXIT.told["replay"]})
_UNTOLD = ATHENAN_BESIDE_EXIT.untold

HEX_11 = Stated(
    combined(_COMPLETED, {
        "run": {"network": "hex_11", "heuristic": "additive_depth"}, "action": {"seconds": 2.0},
        "learning": {"random_ends": 15_168_000},
        "replay": {"method": "games", "memory_matches": 100, "sampling_rate": 0.05, "batch_size": 3000},
    }), _UNTOLD,
)  # fmt: skip
"""003, section 9.3.1; its replay remembers matches (footnote 8)."""

HEX_13 = Stated(
    combined(HEX_11.told, {
        "run": {"network": "hex_13"}, "action": {"seconds": 5.0}, "learning": {"random_ends": 0},
        "replay": {"memory_matches": 250, "sampling_rate": 0.02},
    }), _UNTOLD,
)  # fmt: skip
"""003, section 9.4.1: the settings of 9.3.1 except these."""

OTHELLO = Stated(
    combined(_STRATIFIED, {
        "run": {"network": "othello_10", "heuristic": "score"}, "action": {"seconds": 5.0},
        "playing": {"exploitation": "uniform"}, "learning": {"learning_rate": 0.0001, "l2": 0.99},
        "replay": {"batch_size": 4000},
    }), _UNTOLD,
)  # fmt: skip
"""003, section 10.3."""

ARIMAA = Stated(
    combined(_STRATIFIED, {
        "run": {"network": "arimaa", "heuristic": "arimaa"}, "action": {"seconds": 5.0},
        "learning": {"learning_rate": 0.0001}, "replay": {"batch_size": 4000},
    }), _UNTOLD,
)  # fmt: skip
"""003, sections 11.3 and 11.4."""

MORPION = Stated(
    combined(_STRATIFIED, {
        "run": {"network": "morpion", "heuristic": "score"}, "action": {"seconds": 1.0},
        "playing": {"completed_selection": False}, "learning": {"learning_rate": 0.0001},
    }), _UNTOLD,
)  # fmt: skip
"""003, sections 12.3 and 12.4. With one player the switch for completion means resolved states (Remark 30)."""

_BESIDE_EACH_OTHER = {"learning_rate": 0.001, "averaging": 0.0, "cooldown": 0.0}

DESCENT_000 = Stated(
    {
        "run": {"network": "c:filters=166,convolutions=3,dense=120"},
        "playing": {
            "selection": "epsilon_greedy", "exploitation": "annealed", "parallel_matches": 1, "actors": 1,
        },
        "search": {"algorithm": "descent"},
        "learning": {"target": "tree", "phase_matches": 1, "overlap": False, "l2": 0.001, "random_ends": 0},
        "replay": {
            "method": "pairs", "memory_pairs": 1_000_000, "sampling_rate": 0.05, "batch_size": 3000,
            "augmentation": "add",
        },
    },
    combined(
        _UNTOLD,
        {
            "run": {"heuristic": "additive_depth"}, "action": {"seconds": 2.0},
            "playing": {"completed_selection": True}, "search": {"completion": True},
            "learning": _BESIDE_EACH_OTHER,
        },
    ),
)  # fmt: skip
"""000, sections 8.1 and 8.2.1, and Algorithm 2 for the annealing."""

EXIT_000 = Stated(
    {
        "run": {"network": "c:filters=166,convolutions=3,dense=126", "heuristic": "classic"},
        "action": {"iterations": 1000},
        "playing": {"matches_by": "policy", "parallel_matches": 14},
        "search": {"algorithm": "exit"},
        "learning": {"target": "terminal", "policy_target": "visits", "l2": 0.001, "overlap": False},
        "replay": {"method": "all", "batch_size": 250, "augmentation": "add"},
        "losses": {"values_by": "divergence"},
        "exit": {"warm_start": 1 / 8, "warm_start_search": "rave", "value_start": 3 / 8},
    },
    combined(EXIT.untold, EXIT.told, {"learning": {**_BESIDE_EACH_OTHER, "phase_matches": 14}}),
)
"""000, sections 8.1 and 8.2.1. What it does not state is as in 003, except the learning rate, which is its rival
Descent's, and the matches of a phase.

The paper adapts Descent's network "while keeping the same number of neurons", and gives 126 for "the number of layers
and the number of neurons of the fully connected layer". Read as neurons, beside Descent's 166 filters, the network has
5% more weights than Descent's; read also as filters, it would have 25% fewer.
"""
