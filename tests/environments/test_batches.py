"""Batches of states: they equal stepping one by one, refuse what is not possible, and do not depend on threads."""

import gc
import json
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_rows import SlowRow, require_same

from athenan import GAMES, make
from athenan.environments import StateBatch, images_of_actions, images_of_planes
from athenan.environments.threads import Crew, _Helper
from athenan.rules.game import GameError

TESTS = Path(__file__).parent.parent
PERFT = json.loads((TESTS / "data" / "perft.json").read_text())
VARIED = [
    "hex:4", "go:5,komi=0", "connect_four:5x4", "othello:6", "draughts:brazilian",
    "backgammon:hyper", "pig:20,length=30", str(TESTS / "support" / "dice_nim.py"),
]  # fmt: skip
EVERY = [*GAMES, *VARIED]


def compare(name, rows, steps, matches, drawn=True, threads=1):
    """Compares rows with slow ones until they have ended some matches, or for some steps."""
    game = make(name)
    batch = StateBatch(game, rows, chance="drawn" if drawn else "left", threads=threads)
    batch.reset(seed=11)
    slow, ended = [SlowRow(game, 11 + row, drawn) for row in range(rows)], 0
    for _ in range(steps):
        require_same(batch, slow)
        actions = batch.sample().copy()
        assert actions.tolist() == [one.sample() for one in slow]
        batch.step(actions)
        for one, action in zip(slow, actions.tolist(), strict=True):
            one.step(action)
        ended += batch.ends.sum()
        if ended >= matches:
            return
    assert steps < 10**6


@pytest.mark.parametrize("name", EVERY)
def test_a_batch_equals_stepping_one_by_one(name):
    compare(name, rows=3, steps=150, matches=6)


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_ten_thousand_matches_equal_stepping_one_by_one(name):
    compare(name, rows=500, steps=10**6, matches=10_000, threads=2)


CHANCE = ["pig:20,length=30", "backgammon:hyper", "einstein", str(TESTS / "support" / "dice_nim.py")]


@pytest.mark.parametrize("name", CHANCE)
def test_outcomes_of_chance_can_be_left_to_the_caller(name):
    compare(name, rows=3, steps=150, matches=3, drawn=False)
    batch = StateBatch(make(name), 8, chance="left")
    while not (batch.players == 2).any():
        batch.step(batch.sample())
    row = int((batch.players == 2).argmax())
    assert batch.probabilities(row).sum() == pytest.approx(1) and len(batch.legal(row)) == len(batch.probabilities(row))


@pytest.mark.parametrize(
    "case", [one for one in PERFT if one["game"] in ("connect_four:7x6", "hex:11", "go:9", "othello:8", "amazons:6",
                                                     "draughts:international", "tictactoe", "shobu")],
    ids=lambda case: case["game"],
)  # fmt: skip
def test_perft_by_batches(case):
    game = make(case["game"])
    states = game.initial()[None]
    for count in case["perft"]:
        if count > 30_000:
            break
        rows = StateBatch(game, len(states), resets=False, observes=False)
        rows.put(states)
        parents, actions = rows.masks.nonzero()
        assert len(actions) == count
        children = StateBatch(game, count, resets=False, masks=False)
        children.put(states[parents])
        children.step(actions)
        states = children.states[~children.over]


def test_threads_change_nothing():
    batches = [StateBatch(make("backgammon:hyper"), 700, threads=threads) for threads in (1, 2, 3)]
    for batch in batches:
        batch.reset(seed=5)
    for _ in range(120):
        for batch in batches:
            batch.step(batch.sample())
    first, *others = (batch._rows for batch in batches)
    for other in others:
        for name in ("states", "planes", "masks", "rewards", "ends", "final_states", "random"):
            assert np.array_equal(getattr(first, name), getattr(other, name)), name


def test_threads_end_with_their_batch():
    before = set(threading.enumerate())
    batch = StateBatch(make("tictactoe"), 1000, threads=4)
    batch.step(batch.sample())
    started = set(threading.enumerate()) - before
    assert len(started) == 3
    del batch
    gc.collect()
    for thread in started:
        thread.join(timeout=10)
        assert not thread.is_alive()


def test_an_interrupted_call_leaves_no_thread_in_the_next_one(monkeypatch):
    crew, waits = Crew(3), _Helper.wait

    def interrupted(helper):
        monkeypatch.setattr(_Helper, "wait", waits)
        raise KeyboardInterrupt

    monkeypatch.setattr(_Helper, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        crew.run(lambda number: None)
    for _ in range(3):
        calls = list[int]()
        crew.run(calls.append)
        assert sorted(calls) == [0, 1, 2]


def test_several_threads_name_the_first_illegal_action():
    batch = StateBatch(make("tictactoe"), 5000, threads=3)
    before, actions = batch.states.copy(), batch.sample().copy()
    actions[[4999, 2600, 4000]] = -1
    with pytest.raises(GameError, match="action -1 is not legal in row 2600; nothing was played"):
        batch.step(actions)
    assert np.array_equal(batch.states, before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork")
def test_a_batch_works_in_a_fork():
    batch = StateBatch(make("tictactoe"), 1000, threads=2)
    batch.step(batch.sample())
    if (child := os.fork()) == 0:
        batch.step(batch.sample())
        os._exit(int(batch._rows.counts.min() < 7))
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_buffers_are_handed_out_without_copies():
    batch = StateBatch(make("othello:6"), 16)
    planes, masks = torch.from_numpy(batch.observations), torch.from_dlpack(batch.masks)
    kept, shown = planes.clone(), batch.observations
    batch.step(batch.sample())
    assert batch.observations is shown and planes.data_ptr() == shown.ctypes.data
    assert not torch.equal(planes, kept) and np.array_equal(masks.numpy(), batch.masks)
    assert not batch.states.flags.writeable
    assert batch.memory < 16 * 3000


def test_masks_that_were_overwritten_allow_nothing():
    batch = StateBatch(make("tictactoe"), 2)
    batch.step([4, 4])
    batch.masks[:] = True
    with pytest.raises(GameError, match="action 4 is not legal in row 1; nothing was played"):
        batch.step([0, 4])


WRONG = [
    (np.zeros(3, np.int64), "shape"), (np.zeros((4, 1), np.int64), "shape"), (np.zeros(4), "float64"),
    (np.zeros(4, bool), "bool"), (np.array(["0"] * 4), "<U1"), (np.array([None] * 4), "object"), (0, "shape"),
    ([0, 0, 0, 9], "action 9 is not legal in row 3"), ([0, -1, 0, 0], "action -1 is not legal in row 1"),
    (np.array([0, 2**64 - 1, 0, 0], np.uint64), "action 18446744073709551615 is not legal in row 1"),
    (np.array([0, 2**32, 0, 0]), "action 4294967296 is not legal in row 1"),
]  # fmt: skip


@pytest.mark.parametrize(("actions", "message"), WRONG)
def test_wrong_actions_change_nothing(actions, message):
    batch = StateBatch(make("tictactoe"), 4)
    before = [array.copy() for array in batch._rows]
    with pytest.raises(ValueError, match=message):
        batch.step(actions)
    assert all(np.array_equal(one, np.asarray(other)) for one, other in zip(before, batch._rows, strict=True))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=5, max_size=5), st.integers(0, 40))
@settings(max_examples=150, deadline=None)
def test_any_numbers_are_played_or_refused(numbers, moves):
    batch = StateBatch(make("connect_four:4x4"), 5)
    batch.reset(seed=moves)
    for _ in range(moves):
        batch.step(batch.sample())
    near = [number % 6 - 1 for number in numbers]
    for actions in (numbers, near):
        legal = [action in batch.legal(row) for row, action in enumerate(actions)]
        before = batch.states.copy()
        if all(legal):
            batch.step(actions)
        else:
            with pytest.raises(GameError, match=f"in row {legal.index(False)}"):
                batch.step(actions)
            assert np.array_equal(before, batch.states)


def test_some_rows_are_stepped_alone():
    game = make("tictactoe")
    batch = StateBatch(game, 5)
    batch.step([8, 0], rows=[4, 1])
    assert [game.length(state) for state in batch.states] == [0, 1, 0, 0, 1]
    assert batch.legal(4).tolist() == [0, 1, 2, 3, 4, 5, 6, 7] and not batch.masks[1, 0]
    batch.step([0], rows=batch.players == [1, 0, 1, 1, 1])
    assert game.length(batch.states[0]) == 0 and game.length(batch.states[4]) == 2
    batch.step([], rows=[])
    for rows, message in (([5], "from 0 to 4"), ([1, 1], "only once"), ([0.5], "vector of numbers"), ([-1], "from 0")):
        with pytest.raises(ValueError, match=message):
            batch.step([0] * len(rows), rows)


def test_without_resets_a_match_stays_over():
    game = make("tictactoe")
    batch = StateBatch(game, 2, resets=False)
    for action in (0, 3, 1, 4, 2):
        batch.step([action, action])
    assert batch.over.all() and batch.ends.all() and not batch.masks.any()
    assert batch.rewards.tolist() == [[1, -1], [1, -1]]
    batch.step([0, -5])
    assert batch.rewards.tolist() == [[0, 0], [0, 0]] and batch.ends.all() and game.outcome(batch.states[0]) == 1
    assert batch.sample().tolist() == [0, 0]
    batch.reset(rows=[1])
    assert batch.over.tolist() == [True, False] and batch.masks[1].all()


def test_states_are_put_and_copied():
    game = make("othello:6")
    batch = StateBatch(game, 4)
    for _ in range(9):
        batch.step(batch.sample())
    before = batch.states.copy()
    batch.copy([1, 0, 3], [0, 1, 2])
    assert np.array_equal(batch.states, before[[1, 0, 3, 3]])
    assert np.array_equal(batch.observations[0], game.encode(before[1]))
    other = StateBatch(game, 2)
    other.put(batch.states[2:])
    assert np.array_equal(other.masks, batch.masks[2:])
    with pytest.raises(ValueError, match=r"states must be int8\[2, 32\], not int8\[1, 32\]"):
        other.put(batch.states[:1])
    with pytest.raises(ValueError, match="as many sources as targets"):
        batch.copy([0], [1, 2])


def test_a_row_depends_on_its_own_seed_only():
    game = make("einstein")
    many, one = StateBatch(game, 6), StateBatch(game, 1)
    many.reset(seed=[9, 1, 4, 7, 7, 0])
    one.reset(seed=4)
    for _ in range(60):
        many.step(many.sample())
        one.step(one.sample())
        assert np.array_equal(many.states[2], one.states[0]) and np.array_equal(many.states[3], many.states[4])
    wrong: tuple[Any, ...] = -1, 2**63, [1, 2], [0.5] * 6, [-1] * 6
    for seed in wrong:
        with pytest.raises(ValueError, match="seed"):
            many.reset(seed=seed)


@pytest.mark.parametrize("name", ["othello:6", "hex:4", "go:5,komi=0", "santorini", "gomoku:7"])
def test_images_are_those_of_the_symmetries(name):
    game = make(name)
    batch, count = StateBatch(game, 12), len(game.plane_symmetries)
    for _ in range(4):
        batch.step(batch.sample())
    chosen = np.arange(12) % count
    planes = images_of_planes(game, batch.observations, chosen)
    masks = images_of_actions(game, batch.masks, chosen)
    numbers = np.random.default_rng(0).random(batch.masks.shape, np.float32)
    moved = images_of_actions(game, numbers, chosen)
    for row, one in enumerate(chosen):
        assert np.array_equal(planes[row].ravel(), batch.observations[row].ravel()[game.plane_symmetries[one]])
        images = sorted(game.action_symmetries[one][action] for action in batch.legal(row))
        assert masks[row].nonzero()[0].tolist() == images
        assert np.array_equal(moved[row][game.action_symmetries[one]], numbers[row])
    for wrong in ([count], [-1], [0.5], [0, 0]):
        with pytest.raises(ValueError, match="symmetries"):
            images_of_planes(game, batch.observations[:1], wrong)


@pytest.mark.parametrize(
    ("given", "message"),
    [({"rows": 0}, "rows must be from 1"), ({"rows": 2.5}, "rows"), ({"threads": 0}, "threads"),
     ({"chance": "none"}, "chance must be drawn or left")],
)  # fmt: skip
def test_impossible_batches_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        StateBatch(make("tictactoe"), **{"rows": 2, **given})
