"""AlphaZero's self-play: what is learnt of a search, the noise at its root, the actions that are played."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from evaluators import hash_leaves
from small_trainings import changed, quiet

from athenan.arena.roster import make_player
from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.heads import MOST_ACTIONS, ActionSpace
from athenan.evaluation.networks import build_network, saved_heads
from athenan.games.catalogue import make
from athenan.learning.algorithms import TRAININGS
from athenan.learning.config import PlayingSettings, TrainingConfig
from athenan.learning.examples.targets import make_target
from athenan.learning.recipe import recommended
from athenan.learning.self_play.by_search import SearchPlay
from athenan.learning.self_play.choice import Choice
from athenan.learning.training import train
from athenan.runs.checkpoint import load
from athenan.runs.learnt import learnt_network
from athenan.search.algorithms.bandits import Puct
from athenan.search.algorithms.exit import Exit
from athenan.search.budget import Budget
from athenan.search.named import parse_search, search_text
from athenan.search.trees.node import Node
from athenan.search.walking.walk_search import Search

TINY = {
    "network": "c:filters=8,dense=16", "precision": "float32", "learning_precision": "float32", "device": "cpu",
    "threads": 1, "overlap": False, "memory": 16, "strength": {"seconds": 0}, "actors": 1, "iterations": 10,
}  # fmt: skip


ARCHITECTURE = parse_architecture("c:filters=8,dense=16")


def never() -> bool:
    return False


def search_of(name, slots=1, **settings):
    game = make(name)
    evaluate = partial(hash_leaves, game)
    return Search(game, evaluate, settings=Puct(**settings), slots=slots, memory=1 << 23)


@pytest.mark.parametrize("target", ["root", "terminal"])
@pytest.mark.parametrize("completion", [True, False])
def test_the_policy_that_is_learnt_is_the_shares_of_visits(target, completion):
    search, roots = search_of("connect_four:4x4", completion=completion), list[Node]()

    def choose(root, played):
        assert played == len(roots)
        roots.append(root)
        return int(np.argmax(root.counts))

    players = SearchPlay(search.game, search, Budget(iterations=30), choose, target=make_target(target, "visits"))
    for _ in range(2):
        roots.clear()
        match = players.next_match(never)
        assert match
        examples = match.examples
        examples.check(search.game)
        images = np.tile(np.arange(search.game.action_count, dtype=np.int32), (len(examples), 1))
        assert examples.policies
        policies = examples.policies.rows(images, 0.0)
        assert not policies[-1].any()  # of the last state, which has no actions
        for root, policy in zip(roots, policies[:-1], strict=True):
            wins = root.sign * root.completions > 0
            losses = root.sign * root.completions < 0
            wanted = np.where(losses & ~losses.all(), 0, root.counts)
            if wins.any():
                wanted = wins.astype(int)
            elif not wanted.any():
                wanted = 1 - losses
            assert policy[root.actions] == pytest.approx(wanted / wanted.sum(), abs=1e-6)
            assert policy.sum() == pytest.approx(1, abs=1e-5)
        if not completion:
            assert all(root.counts.sum() >= 29 for root in roots)


def test_noise_is_added_once_to_each_root_that_is_expanded():
    search, noised, chosen = search_of("hex:3", slots=3, completion=False), list[tuple[int, bytes]](), list[int]()
    noise = Puct(noise=0.25).preparation(Budget(iterations=20), np.random.default_rng(2))
    assert noise

    def noting(of, slot):
        assert of.expanded(slot)
        noised.append((slot, of.state(slot).tobytes()))
        return noise.prepare(of, slot)

    def choose(root, played):
        chosen.append(int(root.counts.sum()))
        return int(np.argmax(root.counts))

    players = SearchPlay(search.game, search, Budget(iterations=20), choose, preparation=replace(noise, prepare=noting))
    matches = [players.next_match(never) for _ in range(4)]
    assert len(noised) >= sum(len(match.actions) for match in matches if match) and all(matches)
    paths: dict[int, list[bytes]] = {0: [], 1: [], 2: []}
    for slot, state in noised:
        paths[slot].append(state)
    initial = search.game.initial().tobytes()
    for path in paths.values():
        assert path[0] == initial
        assert all(one != other for one, other in pairwise(path))
    assert min(chosen) >= 20  # searched so often beside the expansion of the root


@pytest.mark.parametrize("settings", [Puct, Exit])
def test_players_have_no_noise(settings):
    search = settings(noise=0.25, noise_concentration=3.0)
    assert search.preparation(Budget(iterations=20), np.random.default_rng(2)) is not None
    assert search.preparation(Budget(iterations=20)) is None
    assert search.for_play() == settings()
    assert parse_search(search_text(search)) == search


def test_actions_are_drawn_by_visits_and_later_the_most_visited():
    search = search_of("tictactoe")
    search.reset(search.game.initial())
    search.run(Budget(iterations=200))
    root = search.root()
    settings = PlayingSettings("visits", drawn_actions=4, completed_selection=False)
    choice = Choice(settings, 1.0, np.random.default_rng(5), lambda: 0.0)
    drawn = np.bincount([choice.choose(root, 3) for _ in range(4000)], minlength=9) / 4000
    assert drawn == pytest.approx(root.counts / root.counts.sum(), abs=0.04)
    assert {choice.choose(root, 4) for _ in range(50)} <= set(np.flatnonzero(root.counts == root.counts.max()))


def test_a_training_has_the_heads_that_it_needs(tmp_path):
    config = changed(recommended("connect_four:4x4", matches=40, algorithm="alphazero", torch=True), **TINY)
    assert config.heads == ("values", "policies")
    train(config, tmp_path / "run", quiet())
    saved = load(tmp_path / "run")
    assert saved.document["progress"]["matches"] == 40
    assert saved.document["progress"]["learnt"] > 0
    assert all(match["policies.counts"].any() for match in saved.matches.values())
    learnt = learnt_network(tmp_path / "run", heads=("values", "policies"))
    assert learnt.evaluate(np.zeros((2, *learnt.game.planes), np.int8)).policies.shape == (2, 4)
    player = make_player(f"{tmp_path}/run,search=puct,iterations=30", learnt.game)
    player.new_match(learnt.game, 1)
    assert player.select(learnt.game.initial(), Budget(iterations=30)).action in range(4)


def test_the_heads_of_saved_weights():
    game = make("hex:3")
    for heads in (("values",), ("values", "policies"), ("values", "action_values", "policies")):
        network = build_network(ARCHITECTURE, game.planes, 1.0, True, heads, ActionSpace.of(game))
        assert saved_heads(network.state_dict()) == heads


@pytest.mark.parametrize("algorithm", TRAININGS)
def test_recipes_are_configurations(algorithm):
    for game in ("hex:5", "othello:6", "amazons"):
        assert isinstance(recommended(game, minutes=5, algorithm=algorithm), TrainingConfig)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"search": Puct()}, "policy_target must not be none: puct follows the policy that is learnt"),
        ({"search": {"noise": 0.25}}, "there is no setting of descent 'noise'"),
        ({"policy_target": "visits"}, "policy_target needs a target that takes a policy, such as --target root"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        changed(recommended("hex:3"), **settings)


def test_an_unknown_algorithm_is_refused():
    with pytest.raises(ValueError, match=r"there is no algorithm 'muzero'; the algorithms are descent, .* alphazero"):
        recommended("hex:3", algorithm="muzero")


def test_a_policy_of_too_many_actions_is_refused():
    space = ActionSpace(count=MOST_ACTIONS + 1)
    with pytest.raises(ValueError, match="at most 20,000 actions, but this game has 20,001"):
        build_network(ARCHITECTURE, (3, 5, 5), 1.0, True, ("policies",), space)
