"""Experience replay against a literal transcription of the paper's algorithms, and its checkpoint."""

import json
import math
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_items import GAME, add, random_states
from sizes import size

from athenan import make
from athenan.games.catalogue import GAMES
from athenan.learning.examples.examples import Examples
from athenan.learning.replay import Replay, ReplayConfig, make_replay
from athenan.learning.replay.divided import DividedReplay, move
from athenan.learning.replay.drawing import batch_count, deal, random_order
from athenan.learning.replay.encoding import augment, encode_batch
from athenan.runs import checkpoint


def learnt(replay: Replay) -> list[list[tuple[int, int]]]:
    """(match, item) of every item of every minibatch of one phase."""
    return [[divmod(int(value), 1000) for value in batch.values] for batch in replay.batches()]


class LiteralStratified:
    """Algorithm 8 of 003, line by line, with Python lists for sets."""

    def __init__(self, memory: int, duplication: Fraction, batch: int, seed: int) -> None:
        self.memory, self.duplication, self.batch = memory, duplication, batch
        self.queue: list[list[list[tuple[int, int]]]] = []
        self.random = random.Random(seed)

    def phase(self, data: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
        self.queue.append([list(data), []])
        if len(self.queue) > self.memory:
            self.queue = self.queue[-self.memory :]
        n = sum(math.ceil(self.duplication / self.memory * (len(d) + len(archive))) for d, archive in self.queue)
        g = max(1, math.floor(n / self.batch))
        if abs(math.floor(n / g) - self.batch) > abs(math.floor(n / (g + 1)) - self.batch):
            g = g + 1
        free = list(range(g))
        batches: list[list[tuple[int, int]]] = [[] for _ in range(g)]
        for pair in self.queue:
            count = math.ceil(self.duplication / self.memory * (len(pair[0]) + len(pair[1])))
            for _ in range(count):
                item = self.random.choice(pair[0])
                pair[0].remove(item)
                pair[1].append(item)
                if not pair[0]:
                    pair[0], pair[1] = pair[1], []
                j = self.random.choice(free)
                free.remove(j)
                if not free:
                    free = list(range(g))
                batches[j].append(item)
        return batches


matches = st.lists(st.integers(1, 40), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(lengths=matches, memory=st.integers(1, 6), tenths=st.integers(1, 80), batch=st.integers(1, 30))
def test_algorithm_8_counts(lengths: list[int], memory: int, tenths: int, batch: int) -> None:
    config = ReplayConfig(memory_matches=memory, duplication=tenths / 10, batch_size=batch, augmentation="none")
    replay, literal = make_replay(GAME, config, seed=1), LiteralStratified(memory, Fraction(tenths, 10), batch, 2)
    times = {number: Counter[int]() for number in range(len(lengths))}
    for number, length in enumerate(lengths):
        add(replay, length)
        ours, theirs = learnt(replay), literal.phase([(number, item) for item in range(length)])
        assert sorted(map(len, ours)) == sorted(map(len, theirs))
        of_match = Counter(m for part in ours for m, _ in part)
        assert of_match == Counter(m for part in theirs for m, _ in part)
        for m in of_match:
            in_batches = [sum(other == m for other, _ in part) for part in ours]
            assert max(in_batches) - min(in_batches) <= 2  # two broken rounds of dealing
            times[m].update(item for part in ours for other, item in part if other == m)
            often = [times[m][item] for item in range(lengths[m])]
            assert max(often) - min(often) <= 1  # no item again before all of its match's


def test_algorithm_8_distribution() -> None:
    """Three phases with refills inside them: every item in every minibatch, and every pair together, as often."""
    phases, repetitions = [3, 2, 4], size(600, 2000)
    counts = [Counter[tuple[object, ...]](), Counter[tuple[object, ...]]()]
    for repetition in range(repetitions):
        config = ReplayConfig(memory_matches=2, duplication=2.6, batch_size=4, augmentation="none")
        replay, literal = make_replay(GAME, config, repetition), LiteralStratified(2, Fraction(26, 10), 4, repetition)
        for number, length in enumerate(phases):
            add(replay, length)
            for count, batches in zip(
                counts, (learnt(replay), literal.phase([(number, item) for item in range(length)])), strict=True
            ):
                for j, part in enumerate(batches):
                    count.update((number, j, item) for item in set(part))
                    count.update((number, *sorted(both)) for both in {(a, b) for a in part for b in part if a < b})
    assert len(counts[0]) > 50 and counts[0].keys() == counts[1].keys()
    for event in counts[0]:
        one, other = counts[0][event] / repetitions, counts[1][event] / repetitions
        deviation = math.sqrt((one * (1 - one) + other * (1 - other)) / repetitions)
        assert abs(one - other) <= 5 * deviation, event


@pytest.mark.parametrize(
    ("duplication", "memory", "length", "size"), [(7, 100, 100, 7), (0.1, 1, 10, 1), (3, 100, 101, 4), (3, 2, 5, 8)]
)
def test_sample_sizes_are_exact(duplication: float, memory: int, length: int, size: int) -> None:
    """In floating point 7 / 100 * 100 is above 7, and its ceiling 8."""
    replay = make_replay(GAME, ReplayConfig(memory_matches=memory, duplication=duplication, augmentation="none"), 0)
    add(replay, length)
    assert sum(map(len, learnt(replay))) == size


def test_every_item_is_learnt_as_often_as_the_duplication_factor() -> None:
    replay = make_replay(GAME, ReplayConfig(memory_matches=20, duplication=3, batch_size=50, augmentation="none"), 3)
    times = Counter[tuple[int, int]]()
    for _ in range(60):
        add(replay, 100)
        times.update(item for part in learnt(replay) for item in part)
    assert set(times.values()) - {times[59, 0]} and all(times[m, item] == 3 for m in range(40) for item in range(100))


@given(items=st.integers(0, 300), batch_size=st.integers(1, 50))
def test_batches_are_close_to_their_size(items: int, batch_size: int) -> None:
    count = batch_count(items, batch_size)
    parts = deal(items, count, np.random.default_rng(0))
    assert sorted(np.concatenate(parts)) == list(range(items))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    best = min(abs(items // g - batch_size) for g in range(1, items + 2))
    assert abs(items // count - batch_size) == best


@given(seed=st.integers(0, 2**64 - 1), items=st.integers(0, 100))
def test_random_order_is_a_permutation(seed: int, items: int) -> None:
    assert sorted(random_order(seed, items)) == list(range(items))


def test_random_order_is_uniform_and_never_changes() -> None:
    assert random_order(1, 8).tolist() == [0, 3, 4, 1, 7, 2, 6, 5]
    counts = Counter(tuple(random_order(seed, 3).tolist()) for seed in range(6000))
    assert len(counts) == 6 and all(abs(count - 1000) < 150 for count in counts.values())


# Algorithm 6


def test_replay_by_pairs() -> None:
    config = ReplayConfig("pairs", memory_pairs=100, sampling_rate=0.3, batch_size=8, augmentation="none")
    replay = make_replay(GAME, config, 0)
    add(replay, 20)
    assert sorted(item for part in learnt(replay) for item in part) == [(0, item) for item in range(20)]
    add(replay, 15)
    parts = learnt(replay)
    assert list(map(len, parts)) == [8, 8, 8, 6]
    assert len({item for part in parts for item in part}) == 30
    add(replay, 70)
    times = Counter(item for _ in range(400) for part in learnt(replay) for item in part)
    assert set(times) == {(0, i) for i in range(5, 20)} | {(1, i) for i in range(15)} | {(2, i) for i in range(70)}
    assert all(abs(count - 120) < 50 for count in times.values())
    add(replay, 95)
    assert list(replay.memory) == [2, 3]
    add(replay, 100)
    assert list(replay.memory) == [4]


def test_replay_by_games() -> None:
    config = ReplayConfig("games", memory_matches=10, sampling_rate=0.2, batch_size=8, augmentation="none")
    replay = make_replay(GAME, config, 0)
    sizes = []
    for _ in range(12):
        add(replay, 20)
        parts = learnt(replay)
        assert len({item for part in parts for item in part}) == sum(map(len, parts))
        sizes.append(sum(map(len, parts)))
    assert sizes == [20, 40] + 10 * [40]
    assert list(replay.memory) == list(range(2, 12))


# Augmentation and encoding


@pytest.mark.parametrize("name", [*GAMES, "hex:5,swap=false"])
def test_encoded_batches(name: str) -> None:
    game = make(name)
    states = random_states(game, 50)
    symmetries = np.random.default_rng(0).integers(len(game.plane_symmetries), size=50).astype(np.uint8)
    planes = np.empty((50, game.plane_symmetries.shape[1]), np.int8)
    encode_batch(game.rules, states, symmetries, game.plane_symmetries, planes[0].copy(), planes)
    for row in range(50):
        expected = game.encode(states[row]).reshape(-1)[game.plane_symmetries[symmetries[row]]]
        np.testing.assert_array_equal(planes[row], expected)


@pytest.mark.parametrize("mode", ["add", "random", "none"])
@given(states=st.integers(1, 50), symmetries=st.sampled_from([1, 2, 8]))
def test_augmentation(mode: str, states: int, symmetries: int) -> None:
    result = augment(states, symmetries, np.random.default_rng(0), mode)
    assert result.dtype == np.uint8 and (result < symmetries).all()
    if mode == "none" or symmetries == 1:
        assert result.tolist() == [0] * states
    elif mode == "random":
        assert len(result) == states
    else:
        assert len(result) == 2 * states and not result[:states].any() and result[states:].all()


def test_rotated_copies_are_learnt_with_the_same_value() -> None:
    game = make("hex:4")
    states = random_states(game, 10)
    replay = make_replay(game, ReplayConfig(memory_matches=1, duplication=1, batch_size=100), 0)
    replay.add(Examples(states, np.arange(10, dtype=np.float32)))
    (batch,) = replay.batches()
    expected = [(value, game.encode(s)) for value, s in enumerate(states)]
    expected += [(value, game.encode(s)[:, ::-1, ::-1]) for value, s in enumerate(states)]
    key = lambda pair: (pair[0], pair[1].tobytes())
    assert sorted(map(key, zip(batch.values, batch.planes, strict=True))) == sorted(map(key, expected))


# Limits and errors


def test_long_matches_push_out_the_oldest() -> None:
    replay = make_replay(GAME, ReplayConfig(memory_matches=5, pairs_limit=100, augmentation="none"), 0)
    for length in (30, 30, 30, 30, 200):
        add(replay, length)
        assert len(replay) <= 100 or len(replay.memory) == 1
    assert list(replay.memory) == [4]
    add(replay, 50)
    assert list(replay.memory) == [5]


@pytest.mark.parametrize("method", ["stratified", "games", "pairs"])
def test_a_limit_in_bytes_forgets_the_oldest(method: str) -> None:
    """A match takes 29 bytes a state: 24 of it, 4 of its value and 1 of its symmetry; and 4 of a pass over it."""
    size = 33 if method == "stratified" else 29
    replay = make_replay(GAME, ReplayConfig(method, memory=1, augmentation="none"), 0)
    fitting = (1 << 20) // size
    for length in (fitting // 3, fitting // 3, fitting // 3):
        add(replay, length)
    assert list(replay.memory) == [0, 1, 2]
    add(replay, 3)
    assert list(replay.memory) == [1, 2, 3]
    add(replay, 2 * fitting)  # the latest match always stays
    assert list(replay.memory) == [4]


def test_without_replay_each_match_is_learnt_once_and_forgotten() -> None:
    """Algorithm 7 on the data of the match: all of it, in minibatches of B, the last of the rest, in random order."""
    replay = make_replay(GAME, ReplayConfig("none", batch_size=16, augmentation="none"), 5)
    for number, length in enumerate((40, 16, 7)):
        add(replay, length)
        batches = learnt(replay)
        assert [len(batch) for batch in batches] == [16] * (length // 16) + [length % 16] * (length % 16 > 0)
        items = [item for batch in batches for item in batch]
        assert items != sorted(items)
        assert sorted(items) == [(number, item) for item in range(length)]
        assert len(replay) == 0
        assert not replay.match_arrays()
    assert learnt(replay) == []


@pytest.mark.parametrize("method", ["stratified", "games", "pairs", "none", "all"])
def test_a_share_of_a_match_is_remembered(method: str) -> None:
    kept = []
    for seed in (0, 1, 0):
        replay = make_replay(GAME, ReplayConfig(method, share=0.25, augmentation="none"), seed)
        for length in (40, 41, 1):
            add(replay, length)
        items = [match.examples.values.tolist() for match in replay.memory.values()]
        assert [len(of_match) for of_match in items][-1] == 1
        if method != "none":
            assert [len(of_match) for of_match in items] == [10, 11, 1]
        for number, of_match in zip(replay.memory, items, strict=True):
            assert of_match == sorted(set(of_match)) and all(int(item) // 1000 == number for item in of_match)
        kept.append(items)
    assert kept[0] == kept[2] and (method == "none" or kept[0] != kept[1])


def test_a_memory_that_is_divided_anew_keeps_the_share_it_has() -> None:
    config = ReplayConfig(share=0.25, augmentation="none")
    whole, divided = make_replay(GAME, config, 0), DividedReplay(GAME, config, 0, 2)
    for length in (40, 41):
        add(whole, length)
    move(whole, divided)
    assert [[len(match) for match in part.memory.values()] for part in divided.parts] == [[10], [11]]


def test_an_empty_memory_gives_no_batches() -> None:
    for method in ("stratified", "games", "pairs", "none"):
        assert list(make_replay(GAME, ReplayConfig(method), 0).batches()) == []


def test_the_data_is_copied() -> None:
    replay = make_replay(GAME, ReplayConfig(memory_matches=1, duplication=1), 0)
    states, values = GAME.initial()[None].copy(), np.ones(1, np.float32)
    replay.add(Examples(states, values))
    states[:], values[:] = 9, 9
    (batch,) = replay.batches()
    assert (batch.values == 1).all() and batch.planes.max() == 1


@pytest.mark.parametrize(
    ("states", "values"),
    [(np.zeros((0, 24)), []), (np.zeros((1, 24)), [math.nan]), (np.zeros((2, 24)), [1]), (np.zeros((1, 16)), [1])],
)
def test_what_is_no_match_is_refused(states: np.ndarray, values: list[float]) -> None:
    with pytest.raises(ValueError, match="examples"):
        make_replay(GAME, ReplayConfig(), 0).add(Examples(states.astype(np.int8), np.array(values, np.float32)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"method": 3}, {"augmentation": "x"}, {"memory_matches": 0}, {"batch_size": 0}, {"duplication": 0},
        {"duplication": math.inf}, {"sampling_rate": 1.5}, {"sampling_rate": math.nan}, {"memory_pairs": -1},
    ],
)  # fmt: skip
def test_wrong_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        ReplayConfig(**wrong)


# Checkpoints


@pytest.mark.parametrize("method", ["stratified", "games", "pairs", "none"])
def test_a_restored_replay_goes_on_exactly(method: str, tmp_path: Path) -> None:
    config = ReplayConfig(method, memory_matches=4, memory_pairs=90, duplication=1.7, sampling_rate=0.4, batch_size=16)
    one, chance = make_replay(GAME, config, 7), random.Random(2)
    with checkpoint.RunDirectory(tmp_path) as run:
        for _ in range(9):
            add(one, chance.randint(1, 40))
            learnt(one)
            run.save(one.state_arrays(), {"replay": one.state_document()}, one.match_arrays())
    loaded = checkpoint.load(tmp_path)
    other = make_replay(GAME, config, 8).restore(loaded.tensors, loaded.document["replay"], loaded.matches)
    for _ in range(6):
        for mine, theirs in zip(one.batches(), other.batches(), strict=True):
            np.testing.assert_array_equal(mine.planes, theirs.planes)
            np.testing.assert_array_equal(mine.values, theirs.values)
        length = chance.randint(1, 40)
        add(one, length)
        add(other, length)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("tensors", "replay.cursors", np.array([0, 99])),
        ("tensors", "replay.cursors", np.array([0, -1])),
        ("tensors", "replay.cursors", np.array([0])),
        ("tensors", "replay.seeds", np.array([0.0, 1.0])),
        ("document", "next_number", 1),
        ("document", "next_number", "2"),
        ("document", "random", {"bit_generator": "none"}),
        ("match", "states", np.zeros((5, 16), np.int8)),
        ("match", "states", np.zeros((4, 24), np.int8)),
        ("match", "values", np.array([0, 1, 2, 3, np.nan], np.float32)),
        ("match", "symmetries", np.array([0, 0, 0, 0, 2], np.uint8)),
        ("match", "symmetries", np.zeros(7, np.uint8)),
        ("match", "symmetries", np.zeros(0, np.uint8)),
    ],
)
def test_damaged_states_are_refused(part: str, name: str, value: object) -> None:
    replay = make_replay(GAME, ReplayConfig(augmentation="none"), 0)
    add(replay, 5)
    add(replay, 5)
    saved: dict[str, dict[str, Any]] = {"tensors": replay.state_arrays(), "match": replay.match_arrays()[1]}
    saved["document"] = json.loads(json.dumps(replay.state_document()))
    saved[part][name] = value
    with pytest.raises(checkpoint.CheckpointError):
        make_replay(GAME, ReplayConfig(), 0).restore(
            saved["tensors"], saved["document"], {0: replay.match_arrays()[0], 1: saved["match"]}
        )
