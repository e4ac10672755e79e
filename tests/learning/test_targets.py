"""What targets select of a match and its trees, but for plain tree learning."""

import numpy as np
import pytest
from evaluators import hash_values
from self_play import as_counter, evaluate, never, random_choice
from tree_memory import forest_bytes

from athenan.evaluation.heuristics import make_heuristic
from athenan.games.catalogue import make
from athenan.learning.examples.targets import TARGETS
from athenan.learning.self_play.by_search import SearchPlay
from athenan.rules.leaves import Leaves
from athenan.search.algorithms.best_first import Descent
from athenan.search.budget import Budget
from athenan.search.trees.node import Node
from athenan.search.walking.walk_search import Search


@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize("nodes", [1000, 80])
@pytest.mark.parametrize("name", ["tictactoe", "connect_four:4x4", "hex:3"])
def test_tree_learning_with_leaves(name: str, nodes: int, transpositions: bool) -> None:
    """003, Remark 3: what Algorithm 3 learns, and all children that are not expanded, with their evaluation."""
    game = make(name)
    searches = [
        Search(game, evaluate, settings=Descent(transpositions=transpositions),
               memory=forest_bytes(game, nodes), seed=3)
        for _ in range(2)
    ]  # fmt: skip
    without, with_leaves = (
        SearchPlay(game, search, Budget(iterations=4), random_choice(1), target=TARGETS[target])
        for search, target in zip(searches, ("tree", "tree_with_leaves"), strict=True)
    )
    for _ in range(3):
        inner, match = without.next_match(never), with_leaves.next_match(never)
        assert inner is not None
        assert match is not None
        assert inner.actions == match.actions
        known, found = as_counter(inner.examples), as_counter(match.examples)
        assert known <= found
        expanded = {state for state, _ in known}
        leaves = {state: value for state, value in found if state not in expanded}
        parents = [state for state in inner.examples.states if game.outcome(state) is None]
        children = {game.play(state, int(action)).tobytes() for state in parents for action in game.actions(state)}
        assert leaves.keys() == children - expanded
        for state, value in leaves.items():
            planes = game.encode(np.frombuffer(state, np.int8)).reshape(1, -1)
            assert value == hash_values(planes)[0]
        if transpositions:
            assert len(found) == found.total() == len(children | expanded)


def test_leaves_that_action_values_only_guess_are_not_learnt() -> None:
    game = make("hex:3")

    def guess(planes: np.ndarray) -> Leaves:
        return Leaves(hash_values(planes), action_values=np.full((len(planes), game.action_count), 5, np.float32))

    chosen = Descent(evaluate="action_values", refining=2)
    search = Search(game, guess, settings=chosen, memory=forest_bytes(game, 1000))
    players = SearchPlay(game, search, Budget(iterations=4), random_choice(1), target=TARGETS["tree_with_leaves"])
    match = players.next_match(never)
    assert match is not None
    forest = search.forest
    inner = {state.tobytes() for state in forest.states[0, : forest.slots[0]["nodes"]]}
    rows = [row for row, state in enumerate(match.examples.states) if state.tobytes() not in inner]
    assert rows
    planes = np.stack([game.encode(match.examples.states[row]).reshape(-1) for row in rows])
    assert match.examples.values[rows].tolist() == hash_values(planes).tolist()


@pytest.mark.parametrize("heuristic", ["classic", "additive_depth"])
@pytest.mark.parametrize("target", ["root", "terminal"])
def test_root_and_terminal_learning(target: str, heuristic: str) -> None:
    """003, Algorithms 4 and 5: the states of the match, with what was known when they were played, or its end."""
    game, roots = make("connect_four:4x4"), []
    terminal = make_heuristic(heuristic, game)

    def choose(root: Node, played: int) -> int:
        roots.append(root.value)
        return int(np.argmin(root.counts))

    search = Search(game, evaluate, terminal, Descent(), memory=1 << 22)
    players = SearchPlay(game, search, Budget(iterations=5), choose, target=TARGETS[target])
    for _ in range(2):
        roots.clear()
        match = players.next_match(never)
        assert match is not None
        states = [game.initial()]
        for action in match.actions:
            states.append(game.play(states[-1], action))
        assert match.examples.states.tobytes() == np.stack(states).tobytes()
        plies = len(match.actions)
        end = match.outcome * (1 if heuristic == "classic" else max(1, terminal.constants[0] - plies))
        values = [*roots, end] if target == "root" else [end] * len(states)
        np.testing.assert_array_equal(match.examples.values, np.array(values, np.float32))
