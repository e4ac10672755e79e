"""The trial of a user's search before its first use: a wrong kernel would end the process, or search at random.

A trial searches two positions of the game, with values that look random. Before each iteration it follows the edges as
the iteration will, and checks each position that `follow` gives.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from athenan.loading import what
from athenan.rules.compiler import NotCompiledError
from athenan.rules.conformance.passed import once
from athenan.rules.conformance.progress import Mark
from athenan.rules.conformance.watching import tried
from athenan.rules.game import Game, State
from athenan.rules.leaves import Evaluate, Leaves
from athenan.rules.playouts import random_match
from athenan.rules.state import CHANCE
from athenan.search.budget import Budget
from athenan.search.searcher import run
from athenan.search.settings import SearchSettings
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.planting import memory_for
from athenan.search.walking.walk_search import Search
from athenan.settings import shown

_ITERATIONS = 40
_LEFT = 4
"""One of the positions is this many actions before the end of a random match."""
_MEMORY = 1 << 24
_SECONDS = 10.0
"""The most seconds of an iteration."""

Make = Callable[[Evaluate, int], ForestSearch]
"""make(evaluate, memory): makes the search."""


class SearchError(ValueError):
    """A user's search is not what it claims."""


def try_once(name: str, settings: SearchSettings, game: Game, make: Make) -> None:
    """Tries the search of a user's module with these settings in a game, unless it has passed before.

    Raises SearchError with the fault.
    """
    module = sys.modules.get(type(settings).__module__)
    if module is not None:
        once(module, f"{settings!r} in {game.name}", partial(_try, f"search {name}", settings, game, make))


def _try(name: str, settings: SearchSettings, game: Game, make: Make) -> None:
    try:
        search = make(looks_random(game, settings.heads(game.stochastic)), max(_MEMORY, 2 * memory_for(game)))
    except NotCompiledError:
        raise
    except ValueError as error:
        raise SearchError(f"{name}: {error}") from error
    except Exception as error:
        raise SearchError(f"{name}: it raised {what(error)}") from error
    if not isinstance(search, ForestSearch):
        raise SearchError(f"{name}: make must return a search, not {shown(search)}")
    late = game.replay(random_match(game, 0)[:-_LEFT])
    tried(name, lambda mark: _search([game.initial(), late], name, search, mark), _SECONDS, SearchError)


def _search(states: list[State], name: str, search: ForestSearch, mark: Mark) -> None:
    """Searches each state. Raises SearchError for a position that there is not."""
    for state in states:
        mark("an iteration")
        search.reset(state)
        if isinstance(search, Search):
            _search_in_steps(search, name, mark)
        mark("an iteration")
        run(search, Budget(iterations=_ITERATIONS), watch=lambda seconds: mark("an iteration"))
        root = search.root()
        if root.player != CHANCE and len(root.actions):
            mark("choose")
            _require("choose", search.choose(root, np.random.default_rng(0)), len(root.actions), "actions", name)


def _search_in_steps(search: Search, name: str, mark: Mark) -> None:
    """Makes iterations of one expansion each, after `_follow` has checked them."""
    for _ in range(_ITERATIONS):
        _follow(search, name, mark)
        mark("update or back_up")
        search.expand()


def _follow(search: Search, name: str, mark: Mark) -> None:
    """Follows the edges that the next iteration will follow, with copies of all that a kernel gets."""
    forest, algorithm, constants = search.forest, search.algorithm, search.steps.constants
    random, number = forest.random[:1].copy(), int(forest.slots[0]["root"])
    while number >= 0:
        node, state = forest.nodes[0, number], forest.states[0, number]
        edges = forest.edges[0, node["first_edge"] : node["first_edge"] + node["edges"]].copy()
        if not len(edges) or (algorithm.resolution_stop and node["resolution"]):
            return
        if node["player"] == CHANCE:
            position = int(edges["visits"].argmax())
        else:
            mark("goes_on")
            algorithm.goes_on(node.copy(), constants)
            mark("follow")
            position = algorithm.follow(node.copy(), edges, constants, random)
            _require("follow", position, len(edges), "edges", name)
        number = int(edges["child"][position])
        if number < 0 and algorithm.transpositions:
            number = _known(search, search.game.play(state, int(edges["action"][position])))


def _known(search: Search, state: State) -> int:
    """The node of a state to which an edge leads for the first time; -1 if the tree does not have it."""
    states = search.forest.states[0, : search.forest.slots[0]["nodes"]]
    return int(max((states == state).all(1).nonzero()[0], default=-1))


def _require(function: str, position: int, count: int, things: str, name: str) -> None:
    if not 0 <= position < count:
        raise SearchError(f"{name}: {function} gave position {position} of {count} {things}")


def looks_random(
    game: Game, heads: Sequence[str] = ("values", "policies", "action_values")
) -> Callable[[NDArray[np.int8]], Leaves]:
    """The `heads`: values, policies and action values that depend on all planes, equal on every machine."""

    def evaluate(planes: NDArray[np.int8]) -> Leaves:
        flat = planes.reshape(len(planes), -1).astype(np.int64)
        mixed = flat @ (np.arange(1, flat.shape[1] + 1) ** 3 % 1021) % 1009
        values = (mixed / 504.0 - 1).astype(np.float32)
        if set(heads) == {"values"}:
            return Leaves(values)
        by_action = mixed[:, None] * (np.arange(game.action_count) + 1) % 1009 / 504.0 - 1
        policies = by_action.astype(np.float32)
        return Leaves(values, policies, policies)

    return evaluate
