"""Best-first search by action values: trees, what is learnt from them, and the players of such runs."""

import json
from functools import partial

import numpy as np
import pytest
from best_first_transcription import Transcription
from evaluators import LEVELS, hash_levels, hash_values, of_values
from hypothesis import given, settings
from hypothesis import strategies as st
from korf_chickering_transcription import Completed as KorfChickering
from small_trainings import assert_same_checkpoint, quiet, small
from walk_settings import walk_settings

from athenan import Budget, Search, make
from athenan.arena.roster import make_player
from athenan.cli import main
from athenan.learning.config import TrainingConfig
from athenan.learning.recipe import recommended
from athenan.learning.self_play.by_search import SearchPlay
from athenan.learning.training import resume, train
from athenan.rules.leaves import Leaves
from athenan.runs.checkpoint import CheckpointError, load
from athenan.runs.learnt import playing_search
from athenan.search.algorithms.bandits import Puct
from athenan.search.algorithms.best_first import BestFirstSettings, Descent, Ubfm
from athenan.search.named import parse_search

GAMES = ["tictactoe", "connect_four:4x4", "hex:3", "othello:4", "breakthrough:4x4", "clobber:3x4"]


def action_values(game, planes, levels=LEVELS):
    """Values that depend on the state and the action, from -1 to 1."""
    mixed = hash_levels(planes)[:, None] * (2 * np.arange(game.action_count) + 3) % (levels + 1)
    return (2 * mixed / levels - 1).astype(np.float32)


def evaluator(game, levels=LEVELS):
    return lambda planes: Leaves(hash_values(planes, levels), action_values=action_values(game, planes, levels))


class ByActionValues(Transcription):
    """The papers' algorithms; f(s') of an unfinished child is replaced by a function of (s, a) but for the best few.

    It is not better than f of these.
    """

    refining, refining_root, levels = 0, 0, LEVELS
    start = None

    def add(self, s):
        if s not in self.S and not self.terminal(s):
            self.estimate(s)
        super().add(s)

    def estimate(self, s):
        found = action_values(self.game, self.game.encode(self.state(s))[None], self.levels)[0]
        unfinished = [a for a in self.actions(s) if not self.terminal(self.after(s, a))]
        sign = 1 if self.first_player(s) else -1
        best = sorted(unfinished, key=lambda a: -sign * found[a])
        best = best[: max(self.refining, self.refining_root if s == self.start else 0)]
        refined = {a: self.f_exact(self.after(s, a)) for a in best}
        most = min((sign * value for value in refined.values()), default=np.inf)
        others = {a: sign * min(sign * found[a], most) for a in unfinished if a not in best}
        self.exact = getattr(self, "exact", {}) | {self.after(s, a): v for a, v in (refined | others).items()}

    def f(self, s):
        return self.exact[s]

    def f_exact(self, s):
        return super().f(s)


class KorfChickeringByActionValues(KorfChickering, ByActionValues):
    pass


def compare(game, start, algorithm, completion, iterations, seed, refining=0, refining_root=0, levels=LEVELS):
    chosen = walk_settings(algorithm,
        completion=completion, transpositions=False, evaluate="action_values", refining=refining,
        refining_root=refining_root,
    )  # fmt: skip
    search = Search(game, evaluator(game, levels), settings=chosen, memory=1 << 26, seed=seed)
    kind = KorfChickeringByActionValues if algorithm == "korf_chickering" else ByActionValues
    reference = kind(game, partial(hash_values, levels=levels), search.forest.random[0], transpositions=False)
    reference.refining, reference.refining_root, reference.levels = refining, refining_root, levels
    reference.start = reference.root(start)
    search.reset(start)
    search.run(Budget(iterations=iterations))
    reference.run(reference.start, "descent" if algorithm == "descent" else "ubfm", completion, iterations)
    assert search.forest.slots[0]["nodes"] == len(reference.order)
    for number, s in enumerate(reference.order):
        node = search.node(number)
        assert search.forest.states[0, number].tobytes() == s[0]
        assert node.value == reference.v[s]
        if reference.terminal(s):
            continue
        assert node.values.tolist() == [reference.va[s, a] for a in node.actions.tolist()]
        assert node.counts.tolist() == [reference.na.get((s, a), 0) for a in node.actions.tolist()]
        if completion:
            assert node.resolutions.tolist() == [reference.ra[s, a] for a in node.actions.tolist()]


@pytest.mark.one_of(4)
@pytest.mark.parametrize("specification", GAMES)
@pytest.mark.parametrize(
    ("algorithm", "completion"), [("descent", True), ("descent", False), ("ubfm", True), ("ubfm", False),
                                  ("korf_chickering", True)]
)  # fmt: skip
@pytest.mark.parametrize(("refining", "root"), [(0, 0), (2, 0), (1, 3), (0, 100)])
def test_equals_the_transcription(specification, algorithm, completion, refining, root):
    game = make(specification)
    compare(game, game.initial(), algorithm, completion, 40, seed=1, refining=refining, refining_root=root)


@pytest.mark.parametrize("algorithm", ["descent", "ubfm"])
@pytest.mark.parametrize("specification", GAMES)
def test_when_all_children_are_refined_the_search_is_that_of_children(specification, algorithm):
    game, trees = make(specification), []
    for chosen in (
        walk_settings(algorithm), walk_settings(algorithm, evaluate="action_values", refining=10**6),
    ):  # fmt: skip
        search = Search(game, evaluator(game), settings=chosen, slots=3, memory=1 << 26, seed=5)
        for slot in range(3):
            search.reset(game.play(game.initial(), int(game.actions(game.initial())[slot])), slot)
        search.run(Budget(iterations=60))
        for slot in range(3):
            nodes = search.forest.nodes[slot, : search.forest.slots[slot]["nodes"]]
            trees.append((search.forest.states[slot, : len(nodes)].tobytes(), nodes["value"].tolist()))
    assert trees[:3] == trees[3:]


def test_a_root_that_was_expanded_before_is_refined():
    game = make("hex:4")
    chosen = Ubfm(evaluate="action_values", refining_root=100)
    search = Search(game, evaluator(game), settings=chosen, memory=1 << 26, seed=2)
    search.reset(game.initial())
    search.run(Budget(iterations=50))
    root = search.root()
    search.play(int(root.actions[np.argmax(root.counts)]))
    before, state = search.root(), search.state()
    assert (before.children >= 0).any()
    assert (before.children < 0).any()
    search.run(Budget(iterations=1))
    after = search.root()
    for number, action in enumerate(after.actions):
        exact = hash_values(game.encode(game.play(state, int(action)))[None])[0]
        if before.children[number] < 0:
            assert before.values[number] != exact
            assert after.values[number] == exact
        else:
            assert after.values[number] == before.values[number]
    assert after.counts.tolist() == before.counts.tolist()
    evaluations = search.evaluations
    search.run(Budget(iterations=1))
    assert search.evaluations == evaluations + 1  # once a root


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_others_that_are_drawn_are_evaluated_too(data):
    game = make(data.draw(st.sampled_from(GAMES)))
    best, drawn, root = (data.draw(st.integers(low, 5)) for low in (1, 0, 0))
    chosen = data.draw(st.sampled_from([Descent, Ubfm]))(
        evaluate="action_values", refining=best, refining_random=drawn,
        refining_root=root,
    )  # fmt: skip
    search = Search(game, evaluator(game), settings=chosen, memory=1 << 26, seed=data.draw(st.integers(0, 999)))
    search.reset(game.initial())
    search.run(Budget(iterations=data.draw(st.integers(1, 30))))
    record, evaluations = search.forest.slots[0], 0
    for number, node in enumerate(search.forest.nodes[0, : record["nodes"]]):
        edges = search.forest.edges[0, node["first_edge"] :][: node["edges"]]
        state = search.forest.states[0, number]
        after = [game.play(state, int(action)) for action in edges["action"]]
        unfinished = sum(game.outcome(child) is None for child in after)
        seen = [position for position, edge in enumerate(edges) if edge["evaluated"]]
        wanted = (max(best, root) if number == record["root"] else best) + drawn
        assert len(seen) == min(wanted, unfinished)
        evaluations += (len(edges) > 0) + len(seen)
        leaves = [position for position in seen if edges["child"][position] < 0]
        assert [edges["value"][position] for position in leaves] == [
            hash_values(game.encode(after[position])[None])[0] for position in leaves
        ]
    assert search.evaluations == evaluations


def test_each_of_the_others_is_drawn_as_often():
    game = make("hex:4")
    chosen = Ubfm(evaluate="action_values", refining=4, refining_random=3)
    search = Search(game, evaluator(game), settings=chosen, memory=1 << 24, seed=4)
    seen = np.zeros(16)
    for _ in range(800):
        search.reset(game.initial())
        search.run(Budget(iterations=1))
        seen[search.forest.edges[0]["action"][:16]] += search.forest.edges[0]["evaluated"][:16]
    assert sorted(seen)[-4:] == [800] * 4
    others = np.sort(seen)[:-4]
    assert others.sum() == 3 * 800
    assert np.abs(others - 200).max() < 5 * np.sqrt(800 * 0.25 * 0.75)


def test_an_expansion_is_one_evaluation():
    game = make("hex:5")
    search = Search(game, evaluator(game), settings=Ubfm(evaluate="action_values"), memory=1 << 26)
    search.reset(game.initial())
    search.run(Budget(iterations=100))
    assert search.evaluations == 100
    assert search.effort().evaluations == 100


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_equals_the_transcription_with_ties(data):
    game = make(data.draw(st.sampled_from(GAMES)))
    compare(
        game, game.initial(), data.draw(st.sampled_from(["descent", "ubfm"])), data.draw(st.booleans()), 30,
        data.draw(st.integers(0, 999)), levels=3,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"refining": 3}, "refining must be 0 unless evaluate is action_values"),
        ({"refining_root": 3}, "refining_root must be 0 unless evaluate is action_values"),
        ({"refining_random": 3}, "refining_random must be 0 unless evaluate is action_values"),
        ({"evaluate": "action_values", "refining_random": 3}, "refining_random must be 0 unless some children are"),
        ({"evaluate": "states"}, "evaluate must be children or action_values, not 'states'"),
    ],
)
def test_settings_that_cannot_be_are_refused(chosen, message):
    with pytest.raises(ValueError, match=message):
        Ubfm(**chosen)


@pytest.mark.parametrize("name", ["uct", "puct", "gumbel", "exit", "alphabeta"])
def test_action_values_are_for_best_first_search(name):
    with pytest.raises(
        ValueError, match=f"^search '{name}:evaluate=action_values': there is no option 'evaluate'; its"
    ):
        parse_search(f"{name}:evaluate=action_values")


def test_without_a_network_there_are_no_action_values():
    with pytest.raises(ValueError, match="Ubfm needs a network with action values, and there is no network"):
        Search(make("hex:3"), settings=Ubfm(evaluate="action_values"))


# Learning


def never():
    return False


@pytest.mark.parametrize("memory", [1 << 24, 0])
@pytest.mark.parametrize("refined", [{}, {"refining": 1, "refining_random": 2}])
@pytest.mark.parametrize("specification", ["tictactoe", "connect_four:4x4", "hex:3", "othello:4"])
def test_a_match_teaches_the_values_of_children_in_s_or_evaluated(specification, refined, memory):
    """With a memory of 0, of as little as possible, the tree forgets nodes during the match."""
    game = make(specification)
    if not memory:
        from tree_memory import forest_bytes

        memory = forest_bytes(game, 2 * (game.max_actions + 2) + 40)
    chosen = Descent(evaluate="action_values", **refined)
    search = Search(game, evaluator(game), settings=chosen, memory=memory, seed=1)
    random, learnt = np.random.default_rng(0), 0
    players = SearchPlay(
        game, search, Budget(evaluations=20), lambda root, *played: int(random.integers(len(root.actions)))
    )
    for _ in range(5):
        match = players.next_match(never)
        assert match and match.examples.action_values
        examples = match.examples
        examples.check(game)
        values = {state.tobytes(): value for state, value in zip(examples.states, examples.values, strict=True)}
        numbers, begin = match.examples.action_values, 0
        for state, count in zip(examples.states, numbers.counts, strict=True):
            known = dict(zip(numbers.actions[begin:][:count], numbers.numbers[begin:][:count], strict=True))
            begin += count
            learnt += count
            if game.outcome(state) is not None:
                assert not count
                continue
            for action in map(int, game.actions(state)):
                following = game.play(state, action)
                if game.outcome(following) is not None and count:
                    assert known[action] == values[following.tobytes()] == game.outcome(following)
                elif action in known and memory == 1 << 24:  # nothing was forgotten: the latest value of each
                    evaluated = hash_values(game.encode(following)[None])[0]  # also where another edge leads to S
                    assert known[action] in (values.get(following.tobytes()), evaluated if refined else None)
            if refined and memory == 1 << 24:
                assert count == 0 or count >= min(3, len(game.actions(state)))
    assert learnt > 100


def test_a_search_of_children_teaches_no_action_values():
    game = make("hex:3")
    search = Search(game, of_values(hash_values), settings=Descent(), memory=1 << 22)
    match = SearchPlay(game, search, Budget(evaluations=20), lambda root, *played: 0).next_match(never)
    assert match and match.examples.action_values is None


def by_action_values(**changes):
    return small("hex:3", search=Descent(evaluate="action_values"), **changes)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return train(by_action_values(matches=6), tmp_path_factory.mktemp("runs") / "values", quiet(), measure=False)


def test_a_training_resumes_exactly(run, tmp_path):
    train(by_action_values(matches=3), tmp_path / "x", quiet(), measure=False)
    resume(tmp_path / "x", matches=6, display=quiet(), measure=False)
    assert_same_checkpoint(run, tmp_path / "x")


def test_a_run_has_learnt_values_and_action_values(run):
    names = load(run).tensors
    assert any(name.startswith("network.others.action_values") for name in names)
    assert any("optimizer.others.action_values" in name for name in names)
    assert any("action_values.numbers" in name for arrays in load(run).matches.values() for name in arrays)


def test_the_strength_of_such_a_network_is_measured(tmp_path):
    changes = {"seconds": 1e-3, "opponent": "random", "games": 2}
    train(by_action_values(matches=3, strength=changes), tmp_path / "x", quiet())
    assert load(tmp_path / "x").document["progress"]["measurement"]["games"] == 2


def test_the_run_plays_as_it_was_trained(run):
    assert playing_search(run) == Ubfm(evaluate="action_values")


@pytest.mark.parametrize("options", ["search=ubfm", "search=(descent:action_values,refining=2)", ""])
def test_players_of_the_run(run, options):
    game = make("hex:3")
    player = make_player(f"{run},{options},iterations=5".replace(",,", ","), game)
    player.new_match(game, seed=1)
    assert player.select(game.initial(), Budget(seconds=1)).action in game.actions(game.initial())


def test_a_run_without_action_values_is_refused(tmp_path, capsys):
    train(small("hex:3", matches=1), tmp_path / "x", quiet(), measure=False)
    with pytest.raises(CheckpointError, match=r"the network of .*x has no action values, which this search needs"):
        make_player(f"{tmp_path / 'x'},search=ubfm:action_values", make("hex:3"))


def test_analyze_searches_by_action_values(run, capsys):
    main(["analyze", str(run), "--iterations", "20", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["evaluations"] <= found["iterations"] <= 20


def test_the_recipe_for_action_values():
    config = recommended("hex:7", minutes=5, evaluate="action_values")
    assert config.heads == ("values", "action_values")
    assert "padded=true" in config.run.network
    counted = recommended("hex:7", matches=5, timed=False, evaluate="action_values")
    assert counted.playing.parallel_matches == 1
    assert counted.search == config.search


def test_action_values_are_the_default_of_convolutions_where_actions_are_very_many():
    config = recommended("gomoku:15", minutes=5, torch=True)
    assert config == recommended("gomoku:15", minutes=5, evaluate="action_values")
    for name, evaluate in (("gomoku:15", "action_values"), ("hex:11", "action_values"), ("hex:10", "children"),
                           ("hex:7", "children")):  # fmt: skip
        search = recommended(name, minutes=5, torch=True).search
        assert isinstance(search, BestFirstSettings) and search.evaluate == evaluate
    assert recommended("gomoku:15", minutes=5, evaluate="children").heads == ("values",)
    assert recommended("gomoku:15", minutes=5, algorithm="alphazero").search == Puct(completion=False, noise=0.25)


def test_what_is_drawn_is_for_learning_alone():
    config = recommended("hex:7", minutes=5, evaluate="action_values")
    search = config.search
    assert isinstance(search, BestFirstSettings) and search.refining_random
    assert search.for_play() == Ubfm(evaluate="action_values", refining=search.refining)


def test_action_values_are_learnt_from_trees():
    with pytest.raises(ValueError, match="target must be tree or tree_with_leaves to learn action values, not root"):
        TrainingConfig().changed(search={"evaluate": "action_values"}, learning={"target": "root"})
