"""Relearning: when a phase is due, what it learns and holds out, which weights it keeps, and its loss."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sizes import size

from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.heads import ActionSpace
from athenan.evaluation.networks import build_network
from athenan.games.catalogue import make
from athenan.learning.examples.examples import ActionNumbers, Batch, Examples
from athenan.learning.learner.losses import LossWeights
from athenan.learning.learner.relearning import Relearning
from athenan.learning.learner.torch_learner import TorchLearner
from athenan.learning.progress import POLICY, POLICY_AND_VALUE, WARM_START
from athenan.learning.replay import ReplayConfig, make_replay
from athenan.learning.replay.methods import AllReplay
from athenan.rules.game import State

ARCHITECTURE = parse_architecture("c:filters=8,dense=16")


def never() -> bool:
    return False


def network(game, heads=("values", "policies"), bounded=True):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    return build_network(ARCHITECTURE, game.planes, 1.0, bounded, heads, ActionSpace.of(game))


def examples_of(game, count, seed=0):
    """States of random matches, whose policy is their first action."""
    random, states = np.random.default_rng(seed), list[State]()
    while len(states) < count:
        state = game.initial()
        while game.outcome(state) is None:
            states.append(state)
            state = game.play(state, int(random.choice(game.actions(state))))
    chosen = [states[number] for number in random.permutation(len(states))[:count]]
    first = np.array([game.actions(state)[0] for state in chosen], np.int32)
    policies = ActionNumbers(np.ones(count, np.int32), first, np.ones(count, np.float32))
    return Examples(np.stack(chosen), random.choice([-1.0, 1.0], count).astype(np.float32), policies)


def test_the_divergence_is_the_formula():
    game = make("hex:3")
    net = network(game)
    planes = np.random.default_rng(1).integers(0, 2, (6, *game.planes), np.int8)
    values = np.array([1, -1, 1, -1, 0, 0.5], np.float32)
    learner = TorchLearner(net, precision="float32", weights=LossWeights(policies=0, values_by="divergence"))
    v = (net(torch.from_numpy(planes).float()).detach().numpy().astype(float) + 1) / 2
    z = (values + 1) / 2
    assert learner.loss(Batch(planes, values)) == pytest.approx(
        np.mean(-z * np.log(v) - (1 - z) * np.log(1 - v)), rel=1e-5
    )
    first = learner.step(Batch(planes, values))
    for _ in range(200):
        last = learner.step(Batch(planes, values))
    assert last < first / 2
    with pytest.raises(ValueError, match="values_by must be squares: divergence is for the heuristic classic"):
        TorchLearner(network(game, bounded=False), precision="float32", weights=LossWeights(values_by="divergence"))


def relearning(game, stage=POLICY, patience=2, out_of_time=never, growth=0.1, **weights):
    replay = make_replay(
        game, ReplayConfig("all", batch_size=64, augmentation="none", growth=growth, patience=patience), seed=5
    )
    assert isinstance(replay, AllReplay)
    learner = TorchLearner(network(game), precision="float32", l2=0.0, weights=LossWeights(**weights))
    return Relearning(learner, replay, lambda: stage, out_of_time), learner, replay


def learn(phases, learner):
    return [learner.step(batch) for batch in phases.batches()]


def test_a_phase_is_due_when_there_is_more_data():
    game = make("hex:3")
    phases, learner, replay = relearning(game, growth=0.5)
    replay.add(examples_of(game, 40))
    assert learn(phases, learner)
    assert replay.learnt == len(replay) == 40
    for added, due in ((10, False), (9, False), (1, True), (5, False)):
        replay.add(examples_of(game, added, seed=added))
        assert bool(learn(phases, learner)) == due


def test_a_phase_is_due_also_when_the_memory_is_full():
    game = make("hex:3")
    phases, learner, replay = relearning(game, growth=0.5)
    replay.config = replace(replay.config, pairs_limit=40)
    for added, due in ((40, True), (10, False), (10, True), (29, False), (1, True)):
        replay.add(examples_of(game, added, seed=added))
        assert bool(learn(phases, learner)) == due
        assert len(replay) <= 40
    fresh = relearning(game)[2].restore({}, replay.state_document(), replay.match_arrays())
    assert (fresh.learnt, fresh.added) == (replay.learnt, replay.added) == (90, 90)


def test_nothing_is_learnt_in_the_warm_start():
    game = make("hex:3")
    phases, learner, replay = relearning(game, stage=WARM_START)
    replay.add(examples_of(game, 40))
    assert not learn(phases, learner)


def test_held_out_examples_are_not_learnt():
    game = make("tictactoe")
    _, _, replay = relearning(game)
    for seed in range(30):
        replay.add(examples_of(game, 7, seed))
    held, learnt = ([batch.planes for batch in batches] for batches in (replay.held_out(), replay.batches()))
    assert sum(map(len, held)) + sum(map(len, learnt)) == len(replay)
    assert sum(map(len, held)) == pytest.approx(len(replay) / 10, rel=0.1)
    again = np.concatenate([batch.planes for batch in replay.held_out()])
    assert again.tobytes() == np.concatenate(held).tobytes()
    marks = {number: match.examples.states.tobytes() for number, match in replay.memory.items()}
    for number, (match, items) in enumerate(replay._items(True)):
        assert match.examples.states.tobytes() == marks[number]
        assert {(number + item % 7) % 10 for item in items.tolist()} <= {0}


def test_values_are_0_until_they_are_learnt():
    game = make("hex:3")
    planes = torch.from_numpy(np.random.default_rng(1).integers(0, 2, (6, *game.planes), np.int8)).float()
    for stage, learnt in ((WARM_START, False), (POLICY, False), (POLICY_AND_VALUE, True)):
        phases, learner, replay = relearning(game, stage=stage, values_by="divergence")
        replay.add(examples_of(game, 40))
        learn(phases, learner)
        assert learner.network(planes).any().item() == learnt


def test_the_weights_of_the_least_loss_are_kept():
    """The losses of the held out examples are given here: 5, 3, 4, 2, 6, 7, so that the fourth pass is the best."""
    game = make("hex:3")
    phases, learner, replay = relearning(game)
    replay.add(examples_of(game, 40))
    given, seen = iter([5.0, 3.0, 4.0, 2.0, 6.0, 7.0]), []

    def loss():
        seen.append([tensor.clone() for tensor in learner.network.state_dict().values()])
        return next(given)

    phases._held_out_loss = loss
    learn(phases, learner)
    assert len(seen) == 6
    assert all(map(torch.equal, learner.network.state_dict().values(), seen[3]))
    assert not learner.state_dict()  # the next phase has a new optimizer


def test_it_learns_the_policy():
    game = make("tictactoe")
    phases, learner, replay = relearning(game)
    replay.add(examples_of(game, 300))
    learn(phases, learner)
    losses = [learner.loss(batch) for batch in replay.held_out()]
    assert np.mean(losses) < 1  # of nine actions, an untrained network's is 2.2


@pytest.mark.parametrize("steps", [0, 3, *size((), (1,))])
def test_a_phase_that_is_out_of_time_does_no_harm(steps):
    game = make("tictactoe")
    clock = SimpleNamespace(left=10**9)

    def out_of_time():
        clock.left -= 1
        return clock.left < 0

    phases, learner, replay = relearning(game, out_of_time=out_of_time)
    replay.add(examples_of(game, 200))
    learn(phases, learner)
    before = phases._held_out_loss()
    replay.add(examples_of(game, 100, seed=9))
    held, learnt, clock.left = phases._held_out_loss(), replay.learnt, steps
    learn(phases, learner)
    assert phases._held_out_loss() <= held
    assert before < 2.1
    assert replay.learnt == learnt  # so that the next phase is due at once
