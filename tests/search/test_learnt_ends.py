"""Finished matches valued by the network (2505.04525)."""

import numpy as np
import pytest

from athenan import Budget, Ubfm, make
from athenan.evaluation.architectures import Patterns
from athenan.evaluation.heuristics import make_heuristic
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.learning.config import TrainingConfig
from athenan.rules.leaf import leaf_values
from athenan.runs.run import RunSettings
from athenan.search.named import make_search, parse_search


@pytest.mark.parametrize("name", ["ubfm", "korf_chickering"])
def test_finished_matches_have_the_networks_values_and_exact_proofs(name):
    game = make("tictactoe")
    heuristic, network = make_heuristic("classic", game), PatternNetwork(game, Patterns(walks=4, length=3))
    arrays = network.as_arrays()
    arrays["weights"] = np.random.default_rng(1).normal(size=arrays["weights"].shape).astype(arrays["weights"].dtype)
    network = PatternNetwork(game, network.settings, arrays=arrays)
    search = make_search(game, network, heuristic, parse_search(f"{name}:learnt_ends=true"), memory=1 << 24)
    search.reset(game.initial())
    search.run(Budget(iterations=400))
    nodes, leaf = search.forest.nodes[0, : search.forest.slots[0]["nodes"]], network.leaf
    ends = np.flatnonzero(nodes["terminal"])
    assert len(ends) > 20
    for number in ends:
        state, value = search.forest.states[0, number].copy(), np.zeros(1, np.float32)
        leaf_values(leaf.address, game.rules, state, state[None], leaf.numbers, leaf.weights, value)
        assert nodes["value"][number] == value[0]
        assert nodes["completion"][number] == game.outcome(state) and nodes["resolution"][number] == 1


@pytest.mark.parametrize("game", ["tictactoe", "einstein"])
def test_it_needs_a_network_in_compiled_code_and_a_game_without_chance(game):
    with pytest.raises(ValueError, match="learnt_ends must be false"):
        make_search(make(game), lambda planes: None, settings=parse_search("ubfm:learnt_ends=true"), memory=1 << 20)


def test_a_training_and_a_run_in_play_do_without():
    search = parse_search("ubfm:learnt_ends=true")
    assert search.for_play() == Ubfm()
    with pytest.raises(ValueError, match="learnt_ends must be false in a training"):
        TrainingConfig(RunSettings("tictactoe", 1)).changed(search=search)
