"""Every search trains with every target, and with resolved states that are kept from match to match."""

from pathlib import Path

import numpy as np
import pytest
from sizes import size
from small_trainings import quiet, small

from athenan.learning.training import train
from athenan.runs.checkpoint import load
from athenan.search.alpha_beta.search import AlphaBeta
from athenan.search.named import SEARCHES


@pytest.mark.one_of(4)
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("target", ["tree", "tree_with_leaves", "root", "terminal"])
@pytest.mark.parametrize("period", [0, 2])
def test_a_search_with_a_target(search: str, target: str, period: int, tmp_path: Path) -> None:
    changes = {
        "search": SEARCHES[search](),
        "target": target,
        "resolved_period": period,
        "iterations": 3 if search == "alphabeta" else 12,  # an iteration of alpha-beta is a depth
        "heuristic": "classic",
    }
    if "policies" in SEARCHES[search]().heads():
        if target.startswith("tree"):
            with pytest.raises(ValueError, match="policy_target"):
                small("tictactoe", matches=4, policy_target="visits", **changes)
            return
        changes["policy_target"] = "visits"
    if search == "gumbel":
        changes |= {"policy_target": "improved", "evaluations": None}
    saved = load(train(small("tictactoe", matches=(matches := size(2, 4)), **changes), tmp_path / "run", quiet()))
    assert saved.document["progress"]["matches"] == matches
    assert saved.document["progress"]["learnt"] > 0
    assert ("resolved.0.values" in saved.tensors) == (period > 0)
    for arrays in saved.matches.values():
        assert np.abs(arrays["values"]).max() <= 1


@pytest.mark.parametrize("target", ["tree", "tree_with_leaves"])
def test_depths_of_matches_side_by_side(target: str, tmp_path: Path) -> None:
    config = small(
        "connect_four:4x4", matches=6, search=AlphaBeta(depth=2), target=target,
        parallel_matches=4, borrowing=True, seconds=0.002, evaluations=None,
    )  # fmt: skip
    saved = load(train(config, tmp_path / "run", quiet()))
    assert saved.document["configuration"]["search"] == "alphabeta:depth=2"
    assert saved.document["progress"]["matches"] == 6
