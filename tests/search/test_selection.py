"""Action selection against the papers' formulas, written out literally."""

from collections import Counter
from collections.abc import Callable
from math import exp, isclose, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from athenan.search.trees.node import Node
from athenan.search.trees.selection import (
    Select,
    best,
    completed,
    epsilon_greedy,
    ordinal,
    safest,
    safest_securing_draw,
    softmax,
    softmax_temperature,
)  # fmt: skip


def node(player: int, edges: list[tuple[float, int, int, int]]) -> Node:
    """A state whose actions have these (v, c, r, n)."""
    values, completions, resolutions, counts = zip(*edges, strict=True)
    return Node(
        player=player, value=0.0, completion=0, resolution=0, visits=sum(counts),
        actions=np.arange(10, 10 + len(edges), dtype=np.int32), children=np.full(len(edges), -1, np.int32),
        values=np.array(values, np.float32), priors=np.zeros(len(edges), np.float32),
        completions=np.array(completions, np.int8), resolutions=np.array(resolutions, np.int8),
        counts=np.array(counts, np.int32),
    )  # fmt: skip


EDGE = st.tuples(
    st.sampled_from([-1.5, -0.5, 0.0, 0.5, 1.5]), st.sampled_from([(0, 0), (0, 1), (1, 1), (-1, 1)]), st.integers(0, 3)
).map(lambda parts: (parts[0], *parts[1], parts[2]))
NODES = st.builds(node, st.integers(0, 1), st.lists(EDGE, min_size=1, max_size=7))


def literal_best(s: Node) -> set[int]:
    """Algorithm 11, completed_best_action(s, A)."""
    if s.player == 0:
        return arg(max, range(len(s.actions)), lambda a: (s.completions[a], s.values[a], s.counts[a]))
    return arg(min, range(len(s.actions)), lambda a: (s.completions[a], s.values[a], -s.counts[a]))


def literal_safest(s: Node) -> set[int]:
    """Algorithm 13, safest_action(s, T)."""
    if s.player == 0:
        return arg(max, range(len(s.actions)), lambda a: (s.completions[a], s.counts[a], s.values[a]))
    return arg(min, range(len(s.actions)), lambda a: (s.completions[a], -s.counts[a], s.values[a]))


def literal_safest_securing_draw(s: Node) -> set[int]:
    """Remark 16."""
    if s.player == 0:
        key = lambda a: (s.completions[a], s.resolutions[a], s.counts[a], s.values[a])
        return arg(max, range(len(s.actions)), key)
    key = lambda a: (s.completions[a], -s.resolutions[a], -s.counts[a], s.values[a])
    return arg(min, range(len(s.actions)), key)


def arg(extreme, A, key) -> set[int]:
    """All arg max or arg min."""
    return {a for a in A if key(a) == extreme(key(b) for b in A)}


@settings(max_examples=100)
@given(NODES)
def test_lexicographic_rules(s: Node) -> None:
    random = np.random.default_rng(0)
    rules = ((best, literal_best), (safest, literal_safest), (safest_securing_draw, literal_safest_securing_draw))
    for rule, literal in rules:
        chosen = Counter(rule(s, random) for _ in range(8 * len(s.actions)))
        assert set(chosen) <= literal(s)
        if len(literal(s)) < 4:  # ties are broken at random: each comes
            assert set(chosen) == literal(s)


@settings(max_examples=200)
@given(NODES)
def test_completed_selection(s: Node) -> None:
    """Section 5.2, point 3: A+ (A- for the second player), else A0 by the given method, else the best of all."""
    everything, asked = range(len(s.actions)), []

    def last(given_node: Node, positions: np.ndarray, random: np.random.Generator) -> int:
        asked.append(positions.tolist())
        return int(positions[-1])

    chosen = completed(s, last, np.random.default_rng(1))
    sign = 1 if s.player == 0 else -1
    extreme = max if s.player == 0 else min
    winning = [a for a in everything if sign * s.completions[a] > 0]
    unproven = [a for a in everything if s.completions[a] == 0]
    if winning:
        assert chosen in arg(extreme, winning, lambda a: s.values[a])
    elif unproven:
        assert (asked, chosen) == ([unproven], unproven[-1])
    else:
        assert chosen in arg(extreme, everything, lambda a: s.values[a])
    assert bool(asked) == (not winning and bool(unproven))


def ordinal_formula(count: int, exploitation: float) -> list[float]:
    """P(c_i) of section 7, from the best action to the worst."""
    probabilities: list[float] = []
    for i in range(count):
        factor = exploitation + (1 - exploitation) / (count - i)
        probabilities.append(factor * (1 - sum(probabilities)))
    assert isclose(sum(probabilities), 1)
    return probabilities


class Uniform:
    """A number drawn uniformly from [0, 1], of which one comparison is known."""

    def __init__(self, source: "Enumerated") -> None:
        self.source = source

    def __le__(self, threshold: float) -> bool:
        return self.source.branch([threshold, 1 - threshold]) == 0


class Enumerated:
    """A generator of random numbers that takes one of all possible ways, and knows how probable it is."""

    def __init__(self, ways: list[int]) -> None:
        self.ways, self.open, self.probability = ways, list[list[int]](), 1.0
        self.taken: list[int] = []

    def branch(self, probabilities: list[float]) -> int:
        taken = self.ways[len(self.taken)] if len(self.taken) < len(self.ways) else 0
        if len(self.taken) >= len(self.ways):
            self.open += [[*self.taken, other] for other in range(1, len(probabilities)) if probabilities[other] > 0]
        self.taken.append(taken)
        self.probability *= probabilities[taken]
        return taken

    def random(self) -> Uniform:
        return Uniform(self)


def enumerated(draw: Callable[[Enumerated], int]) -> dict[int, float]:
    """The exact probability of everything that may be drawn."""
    probabilities, ways = dict[int, float](), [list[int]()]
    while ways:
        random = Enumerated(ways.pop())
        drawn = draw(random)
        probabilities[drawn] = probabilities.get(drawn, 0.0) + random.probability
        ways += random.open
    return probabilities


def literal_ordinal(s: Node, progress: float, random: Any) -> int:
    """Algorithm 14, ordinal(s, v), with t / t_max = progress; the position of the action."""
    if s.player == 0:
        ranked = sorted(range(len(s.actions)), key=lambda a: s.values[a], reverse=True)
    else:
        ranked = sorted(range(len(s.actions)), key=lambda a: s.values[a])
    i = 0
    n = len(ranked)
    for a in ranked:
        if random.random() <= (progress * (n - i - 1) + 1) / (n - i):
            return a
        i = i + 1
    raise AssertionError


EXPLOITATION = st.sampled_from([0.0, 0.25, 0.6, 0.97, 1.0])


@settings(max_examples=60)
@given(
    st.integers(0, 1),
    st.lists(st.integers(-50, 50), min_size=1, max_size=5, unique=True),
    EXPLOITATION,
)
def test_the_ordinal_formula_is_algorithm_14_by_enumeration(player: int, values: list[int], progress: float) -> None:
    """All ways that the random numbers of the algorithm as written can take, with probabilities."""
    s = node(player, [(float(value), 0, 0, 0) for value in values])
    ranked = sorted(range(len(values)), key=lambda position: values[position], reverse=player == 0)
    formula = dict(zip(ranked, ordinal_formula(len(values), progress), strict=True))
    literal = enumerated(lambda random: literal_ordinal(s, progress, random))
    for position, probability in formula.items():
        assert isclose(literal.get(position, 0.0), probability, abs_tol=1e-12)


@settings(max_examples=300)
@given(st.integers(0, 1), st.lists(st.integers(-9, 9), min_size=1, max_size=40), EXPLOITATION, st.integers(0, 2**32))
def test_the_ordinal_choice_is_algorithm_14_with_the_same_random_numbers(
    player: int, values: list[int], progress: float, seed: int
) -> None:
    """Ties are in the order of a permutation, which is drawn first."""
    s = node(player, [(float(value), 0, 0, 0) for value in values])
    random, clone = np.random.default_rng(seed), np.random.default_rng(seed)
    everything = np.arange(len(values))
    chosen = ordinal(progress)(s, everything, random)
    order = clone.permutation(everything)
    permuted = node(player, [(float(values[position]), 0, 0, 0) for position in order])
    assert chosen == order[literal_ordinal(permuted, progress, clone)]
    assert random.random() == clone.random()


def test_without_actions_there_is_no_ordinal_choice() -> None:
    with pytest.raises(ValueError, match="no action"):
        ordinal(0.5)(node(0, [(0.0, 0, 0, 0)]), np.arange(0), np.random.default_rng(1))


def agree(select: Select, s: Node, positions: list[int], expected: dict[int, float], draws: int = 4000) -> None:
    """Every frequency is within five standard deviations of its probability."""
    random = np.random.default_rng(3)
    counts = Counter(select(s, np.array(positions), random) for _ in range(draws))
    assert set(counts) <= set(positions)
    for position, p in expected.items():
        assert abs(counts[position] - draws * p) <= 5 * sqrt(draws * p * (1 - p)) + 1e-9, (position, p)


@pytest.mark.parametrize("exploitation", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("player", [0, 1])
def test_the_ordinal_distribution(player: int, exploitation: float) -> None:
    values = [0.1, -0.7, 0.9, 0.3, -0.2, 0.5]
    s = node(player, [(value, 0, 0, 0) for value in values])
    for positions in ([0, 1, 2, 3, 4, 5], [4, 1, 5], [2]):
        ranked = sorted(positions, key=lambda position: values[position], reverse=player == 0)
        expected = dict(zip(ranked, ordinal_formula(len(ranked), exploitation), strict=True))
        agree(ordinal(exploitation), s, positions, expected)


def test_ties_share_their_ordinal_probabilities() -> None:
    s = node(0, [(0.5, 0, 0, 0), (0.5, 0, 0, 0), (0.5, 0, 0, 0), (-1.0, 0, 0, 0)])
    *tied, worst = ordinal_formula(4, 0.6)
    agree(ordinal(0.6), s, [0, 1, 2, 3], {0: sum(tied) / 3, 1: sum(tied) / 3, 2: sum(tied) / 3, 3: worst})


@pytest.mark.parametrize(("player", "best_position"), [(0, 2), (1, 1)])
def test_epsilon_greedy(player: int, best_position: int) -> None:
    s = node(player, [(0.1, 0, 0, 0), (-0.7, 0, 0, 0), (0.9, 0, 0, 0), (5.0, 1, 1, 0)])
    for epsilon in (0.0, 0.4, 1.0):
        expected = {position: epsilon / 3 + (1 - epsilon) * (position == best_position) for position in range(3)}
        agree(epsilon_greedy(epsilon), s, [0, 1, 2], expected)


@pytest.mark.parametrize("player", [0, 1])
def test_softmax(player: int) -> None:
    values = [0.1, -0.7, 0.9]
    s = node(player, [(value, 0, 0, 0) for value in [*values, 40.0]])
    for temperature in (0.5, 2.0):
        weights = [exp((1 - 2 * player) * value / temperature) for value in values]
        expected = {position: weight / sum(weights) for position, weight in enumerate(weights)}
        agree(softmax(temperature), s, [0, 1, 2], expected)
    for cold in (0.0, 1e-300):
        assert softmax(cold)(s, np.arange(4), np.random.default_rng(0)) == (1 if player else 3)
    agree(softmax(np.inf), s, [0, 1, 2], dict.fromkeys(range(3), 1 / 3))


def test_the_temperature_of_an_exploitation_rate() -> None:
    """Uniform at 0, the best action at 1, and falling between."""
    assert softmax_temperature(0.0, 0.1) == np.inf
    assert softmax_temperature(1.0, 0.1) == 0.0
    assert softmax_temperature(0.5, 0.1) == 0.1
    assert isclose(softmax_temperature(0.2, 0.1), 0.4)
