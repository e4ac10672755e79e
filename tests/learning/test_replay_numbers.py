"""Replay of policies and action values."""

from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from replay_items import GAME, add, random_states
from small_trainings import assert_same_arrays

from athenan import make
from athenan.learning.examples.examples import ActionNumbers, Examples
from athenan.learning.replay import ReplayConfig, make_replay
from athenan.rules.game import Game
from athenan.rules.playouts import random_match
from athenan.runs import checkpoint


def _numbers(game: Game, states: np.ndarray, seed: int) -> ActionNumbers:
    """A number from 0 to 1 for each legal action."""
    legal = [game.actions(state) for state in states]
    counts = np.array([len(actions) for actions in legal], np.int32)
    return ActionNumbers(
        counts, np.concatenate(legal), np.random.default_rng(seed).random(counts.sum()).astype(np.float32)
    )


def _examples(game: Game, count: int, seed: int = 0) -> Examples:
    """States of random matches with numbers of all kinds; the value of state i is i."""
    states = random_states(game, count)
    values = np.arange(count, dtype=np.float32)
    more = {"length": values.copy(), "pair": np.stack([values, -values], 1)}
    return Examples(states, values, _numbers(game, states, seed), _numbers(game, states, seed + 1), more)


def _image(game: Game, line: list[int], symmetry: int) -> np.ndarray:
    """The state after the images of actions."""
    state = game.initial()
    for action in line:
        state = game.play(state, int(game.action_symmetries[symmetry, action]))
    return state


@pytest.mark.parametrize("name", ["hex:4,swap=false", "connect_four", "tictactoe", "gomoku:5", "breakthrough:5x5"])
@pytest.mark.parametrize("augmentation", ["add", "random", "none"])
def test_policies_are_seen_through_the_symmetry_of_their_state(
    name: str, augmentation: Literal["add", "random", "none"]
) -> None:
    """The batch is that of the state which the images of the actions lead to, with its legal actions."""
    game, line, states = make(name), random_match(make(name), 3), [make(name).initial()]
    for action in line[:-1]:
        states.append(game.play(states[-1], action))
    policies, action_values = (_numbers(game, np.stack(states), seed) for seed in (0, 1))
    values = np.arange(len(states), dtype=np.float32)
    replay = make_replay(game, ReplayConfig(memory_matches=1, duplication=1, augmentation=augmentation), 0)
    replay.add(Examples(np.stack(states), values, policies, action_values))
    seen = set()
    for batch in replay.batches():
        assert batch.policies is not None and batch.action_values is not None
        for planes, value, policy, numbers in zip(
            batch.planes, batch.values, batch.policies, batch.action_values, strict=True
        ):
            number = int(value)
            images = {symmetry: _image(game, line[:number], symmetry) for symmetry in range(len(game.plane_symmetries))}
            same = [s for s, state in images.items() if game.encode(state).tobytes() == planes.tobytes()]
            assert same
            legal, mine = game.actions(states[number]), slice(sum(policies.counts[:number]), None)
            fitting = []
            for symmetry in same:
                expected = np.zeros((2, game.action_count), np.float32)
                expected[1] = np.nan
                image = game.action_symmetries[symmetry, legal]
                assert sorted(image) == game.actions(images[symmetry]).tolist()
                for row, known in zip(expected, (policies, action_values), strict=True):
                    row[image] = known.numbers[mine][: len(legal)]
                fitting.append(np.array_equal(np.stack([policy, numbers]), expected, equal_nan=True))
            assert any(fitting)
            seen.add(same[0])
    assert (len(seen) > 1) == (augmentation != "none")


def test_examples_are_taken_and_joined_state_by_state() -> None:
    examples = _examples(GAME, 12)
    images = np.tile(np.arange(GAME.action_count, dtype=np.int32), (12, 1))
    assert examples.policies
    rows = examples.policies.rows(images, 0)
    order = np.array([5, 0, 5, 11, 3])
    taken = examples.take(order)
    assert taken.policies
    np.testing.assert_array_equal(taken.policies.rows(images[:5], 0), rows[order])
    plain = Examples(examples.states[:2], examples.values[:2])
    joined = Examples.joined([plain, taken, taken])
    assert joined.policies
    assert joined.policies.counts.tolist() == [0, 0, *2 * taken.policies.counts.tolist()]
    np.testing.assert_array_equal(joined.policies.rows(images, 0), np.concatenate([0 * rows[:2], *2 * [rows[order]]]))
    assert joined.more == {}
    assert Examples.joined([taken, taken]).more["pair"].shape == (10, 2)
    assert Examples.joined([plain, plain]).policies is None


@pytest.mark.parametrize("method", ["stratified", "games", "pairs"])
def test_a_restored_replay_has_all_numbers(method: str, tmp_path: Path) -> None:
    config = ReplayConfig(method, memory_matches=4, memory_pairs=90, duplication=1.7, sampling_rate=0.4, batch_size=16)
    one = make_replay(GAME, config, 7)
    add(one, 10)  # a match without policies, as those of old files are
    with checkpoint.RunDirectory(tmp_path) as run:
        for number in range(3):
            one.add(_examples(GAME, 5 + 6 * number, number))
            list(one.batches())
            run.save(one.state_arrays(), {"replay": one.state_document()}, one.match_arrays())
    loaded = checkpoint.load(tmp_path)
    other = make_replay(GAME, config, 8).restore(loaded.tensors, loaded.document["replay"], loaded.matches)
    for _ in range(3):
        for mine, theirs in zip(one.batches(), other.batches(), strict=True):
            assert mine.targets().keys() == theirs.targets().keys()
            assert {"values", "policies", "action_values"} <= mine.targets().keys()
            for name, array in mine.targets().items():
                np.testing.assert_array_equal(array, theirs.targets()[name])
        one.add(_examples(GAME, 7))
        other.add(_examples(GAME, 7))


def test_saved_examples_are_the_same() -> None:
    examples = _examples(GAME, 9)
    arrays = examples.as_arrays("waiting.")
    assert_same_arrays(Examples.from_arrays(arrays, GAME, "waiting.").as_arrays("waiting."), arrays)
    plain = Examples(examples.states, examples.values)
    assert plain.as_arrays().keys() == {"states", "values"}  # as in files of before there was more


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("states", np.zeros((9, 16), np.int8)),
        ("values", np.zeros(8, np.float32)),
        ("values", np.zeros((9, 1), np.float32)),
        ("policies.counts", np.ones(9, np.int64)),
        ("policies.counts", np.ones(8, np.int32)),
        ("policies.counts", np.full(9, 2**31 - 1, np.int32)),
        ("policies.counts", np.array([-1, 90, 0, 0, 0, 0, 0, 0, 0], np.int32)),
        ("policies.actions", np.zeros(3, np.int32)),
        ("policies.numbers", np.zeros(3, np.float32)),
        ("action_values.actions", -1),
        ("action_values.actions", 99),
        ("action_values.numbers", np.nan),
        ("policies.numbers", -0.5),
        ("more.length", np.zeros(9)),
        ("more.length", np.zeros(8, np.float32)),
        ("more.length", np.array(1, np.float32)),
        ("more.length", np.full(9, np.inf, np.float32)),
    ],
)
def test_damaged_examples_are_refused(name: str, value: object) -> None:
    arrays = _examples(GAME, 9).as_arrays()
    if not isinstance(value, np.ndarray):  # in place of one number of the array
        arrays[name][4], value = value, arrays[name]
    with pytest.raises(checkpoint.CheckpointError):
        Examples.from_arrays({**arrays, name: value}, GAME)
