"""The check of a search that users call: every search of the package passes, and each kind of fault is found."""

from collections.abc import Callable
from typing import Any

import epsilon_greedy_search
import numpy as np
import pytest
from exhaustive_search import exhaustive, secured

from athenan import SEARCHES, check_search, make, testing
from athenan.games.catalogue import SMALL
from athenan.rules.playouts import random_match
from athenan.search.named import make_search
from athenan.testing import SearchFault


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_keeps_its_promises(name):
    check_search(name, positions=1)


@pytest.mark.parametrize("settings", ["ubfm:exact=true", "uct:play=best,transpositions=false", "descent:turns=true"])
def test_settings_keep_them_as_well(settings):
    check_search(settings, ["tictactoe", "othello:4"], positions=2)


def test_the_example_of_the_documents_keeps_them():
    check_search(epsilon_greedy_search.Wandering(epsilon=0.5), positions=2)


@pytest.mark.parametrize("name", SMALL)
def test_its_truth_is_that_of_exhaustive_search(name):
    game = make(name)
    state = game.replay(random_match(game, 5)[:-4])
    ours = testing._certain_gain(game)(state)
    assert ours == (secured(game, game.outcome)(state)[0] if game.stochastic else exhaustive(game)(state))


def broken(monkeypatch, **methods):
    """Searches have these methods instead, each given the search and the genuine method."""

    def made(*given, **named):
        search = make_search(*given, **named)
        for name, method in methods.items():
            genuine = getattr(search, name)
            monkeypatch.setattr(search, name, lambda *got, _method=method, _genuine=genuine: _method(_genuine, *got))
        return search

    monkeypatch.setattr(testing, "make_search", made)


def altered(node, **values):
    for name, value in values.items():
        object.__setattr__(node, name, value)
    return node


FAULTS: dict[str, dict[str, Callable[..., Any]]] = {
    "which is wrong in": {"node": lambda node, *at: altered(node(*at), completion=1, resolution=1)},
    "of a node are not the legal ones": {
        "node": lambda node, *at: altered(found := node(*at), actions=found.actions[1:])
    },
    "a value is not finite": {"node": lambda node, *at: altered(node(*at), value=np.nan)},
    "another side to move": {"node": lambda node, *at: altered(found := node(*at), player=1 - found.player)},
    "a child is not the state": {"node": lambda node, *at: altered(f := node(*at), children=np.roll(f.children, 1))},
    "it chooses action": {"choose": lambda choose, root, random: len(root.actions)},
    "does not play a win": {"choose": lambda choose, root, random: int((root.sign * root.completions).argmin())},
    "its line is not legal": {"line": lambda line: [10_000]},
    "iterations with a budget of 1": {"start": lambda start, budget: start(type(budget)(iterations=90))},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found(fault, monkeypatch):
    broken(monkeypatch, **FAULTS[fault])
    with pytest.raises(SearchFault, match=fault):
        check_search("ubfm", ["tictactoe", "connect_four:4x4"])


def test_trees_that_depend_on_more_than_the_seed_are_found(monkeypatch):
    made = list[int]()

    def other_seed(*given, **named):
        made.append(named["seed"])
        return make_search(*given, **{**named, "seed": len(made)})

    monkeypatch.setattr(testing, "make_search", other_seed)
    with pytest.raises(SearchFault, match=r"the same seed gives another (tree|line) in a new search"):
        check_search(epsilon_greedy_search.Wandering(epsilon=0.5), ["othello:4"])


def test_a_root_that_play_does_not_move_is_found(monkeypatch):
    broken(monkeypatch, play=lambda play, action: None)
    with pytest.raises(SearchFault, match="after play its root is another state"):
        check_search("uct", ["othello:4"])


def test_games_of_one_player_are_refused():
    with pytest.raises(ValueError, match="check_search needs games of two players, not morpion:4T"):
        check_search("ubfm", ["morpion:4T,size=9"])
