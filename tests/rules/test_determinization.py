"""Determinization: d is a function drawn with the true probabilities, and D_d is that of the definition."""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

import numpy as np
import pig_variants
import pytest
from evaluators import hash_values
from scipy.stats import chisquare

from athenan.evaluation.heuristics import heuristics_of, make_heuristic
from athenan.games.catalogue import make
from athenan.learning.examples.targets import make_target
from athenan.learning.self_play.by_policy import ExpertIteration
from athenan.learning.self_play.by_search import SearchPlay
from athenan.learning.self_play.determinized import DeterminizedPlay, completed
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.rules import CHANCE, TERMINAL_VALUE, Game, GameError, OwnHeuristic, State, kernel
from athenan.rules.determinization import Determinization
from athenan.rules.facts import altered
from athenan.rules.leaves import Leaves
from athenan.rules.playouts import random_match
from athenan.rules.terminal import value_of_end
from athenan.search.algorithms.best_first import Descent
from athenan.search.algorithms.exit import Exit
from athenan.search.budget import Budget
from athenan.search.named import SEARCHES, make_search
from athenan.search.walking.walk_search import Search

PIG = make("pig:10,length=20")
LOADED = pig_variants.make()
GAMES = [PIG, LOADED]
MORE = [*GAMES, make("einstein:3,pieces=3"), make("einstein:3,pieces=3,placement=random")]


def never() -> bool:
    return False


def evaluate(planes: np.ndarray) -> Leaves:
    return Leaves(hash_values(planes))


def chance_states(game: Game, count: int) -> list[State]:
    """Some states of random matches where chance is to move, all different."""
    found = dict[bytes, State]()
    for seed in range(1000):
        state = game.initial()
        for action in random_match(game, seed):
            if game.player(state) == CHANCE:
                found.setdefault(state.tobytes(), state)
            state = game.play(state, action)
        if len(found) >= count:
            return list(found.values())[:count]
    raise AssertionError


@pytest.mark.parametrize("game", GAMES)
def test_outcomes_have_the_probabilities_of_the_game(game: Game) -> None:
    """Of each state over the seeds, and of each pair of states, whose outcomes are independent."""
    of, seeds = Determinization(game), np.random.default_rng(1).integers(2**63, size=6000)
    states = chance_states(game, 4)
    drawn = np.array([[of.outcome(int(seed), state) for state in states] for seed in seeds])
    for column, state in enumerate(states):
        expected = game.probabilities(state) * len(seeds)
        assert chisquare([(drawn[:, column] == a).sum() for a in game.actions(state)], expected).pvalue > 1e-4
    for (left, one), (right, other) in pairwise(enumerate(states)):
        both = [
            ((drawn[:, left] == a) & (drawn[:, right] == b)).sum()
            for a in game.actions(one)
            for b in game.actions(other)
        ]
        expected = np.outer(game.probabilities(one), game.probabilities(other)).reshape(-1) * len(seeds)
        assert chisquare(both, expected).pvalue > 1e-4


@pytest.mark.parametrize("game", GAMES)
def test_successive_seeds_draw_the_first_outcome_with_its_probabilities(game: Game) -> None:
    of = Determinization(game)
    count = 3000
    chance = game.initial() if game.player(game.initial()) == CHANCE else game.play(game.initial(), 0)
    outcomes = {game.play(chance, int(a)).tobytes(): n for n, a in enumerate(game.actions(chance))}
    found = np.zeros(len(outcomes))
    for seed in range(count):
        state = of.begin(seed)
        if chance.tobytes() != game.initial().tobytes():
            state = of.game.play(state, 0)
        found[outcomes[of.strip(state).tobytes()]] += 1
    assert chisquare(found, game.probabilities(chance) * count).pvalue > 1e-4


@pytest.mark.parametrize("game", MORE)
def test_a_match_is_one_of_the_stochastic_game(game: Game) -> None:
    """Step by step: the rules are those of the stochastic game, and chance is never to move."""
    of = Determinization(game)
    assert not of.game.stochastic
    rolls = set()
    for seed in range(30):
        random, state, actions = np.random.default_rng(seed), of.begin(seed), list[int]()
        while of.game.outcome(state) is None:
            below = of.strip(state)
            assert of.game.player(state) == game.player(below) != CHANCE
            assert of.game.actions(state).tolist() == game.actions(below).tolist()
            assert np.array_equal(of.game.encode(state), game.encode(below))
            assert of.seed(state) == seed
            assert of.game.text(state) == game.text(below)
            actions.append(int(random.choice(of.game.actions(state))))
            following = of.game.play(state, actions[-1])
            assert np.array_equal(following, of.game.play(state, actions[-1]))
            assert game.length(below) < of.game.length(following) <= game.length(below) + 2
            state = following
        end = game.initial()
        for action in of.replayed(seed, actions):
            end = game.play(end, action)
        assert np.array_equal(end, of.strip(state))
        assert of.game.outcome(state) == game.outcome(end)
        rolls.add(tuple(of.replayed(seed, actions)))
    assert len(rolls) > 20
    assert np.array_equal(of.game.initial(), of.begin(0))


@pytest.mark.parametrize("game", GAMES)
def test_all_searches_of_a_match_know_one_function(game: Game) -> None:
    """Every edge of every tree leads where the action leads, or to d(c): the same one for every c of the match."""
    of, jumps = Determinization(game), dict[bytes, bytes]()
    for algorithm in ("ubfm", "descent", "uct", "alphabeta"):
        search = make_search(of.game, evaluate, of.value, SEARCHES[algorithm]())
        search.reset(of.begin(9))
        search.run(Budget(iterations=60))
        jumped = 0
        for number in range(search.effort().states):
            node, state = search.node(number), search.forest.states[0, number]
            for action, child in zip(node.actions, node.children, strict=True):
                if child < 0:
                    continue
                following = of.strip(np.array(search.forest.states[0, child]))
                between = game.play(of.strip(np.array(state)), int(action))
                if game.player(between) != CHANCE:
                    assert np.array_equal(between, following)
                    continue
                outcomes = [game.play(between, int(a)).tobytes() for a in game.actions(between)]
                assert following.tobytes() in outcomes
                assert jumps.setdefault(between.tobytes(), following.tobytes()) == following.tobytes()
                jumped += 1
        assert jumped > 10


def literal(of: Determinization, match: FinishedMatch, seed: int) -> set[tuple[bytes, float]]:
    """D_d of 001, section 3.1.2, as it is written: of D, the examples of a match of the deterministic game."""
    game = of.stochastic
    v = {
        of.strip(s).tobytes(): float(value)
        for s, value in zip(match.examples.states, match.examples.values, strict=True)
    }
    children = {s: [game.play(_state(s), int(a)) for a in game.actions(_state(s))] for s in v}

    def d_of(c: State) -> bytes:
        return game.play(c, of.outcome(seed, c)).tobytes()

    def between(s: bytes, following: bytes) -> Iterator[State]:  # C_d(s, s')
        for c in children[s]:
            if game.player(c) == CHANCE and game.outcome(c) is None and d_of(c) == following:
                yield c

    found = set(v.items())
    found |= {(c.tobytes(), v[following]) for s in v for following in v for c in between(s, following)}
    if game.player(game.initial()) == CHANCE:
        found.add((game.initial().tobytes(), v[d_of(game.initial())]))
    return found


def _state(key: bytes) -> State:
    return np.frombuffer(key, np.int8).copy()


@pytest.mark.one_of(2)
@pytest.mark.parametrize("game", MORE)
@pytest.mark.parametrize("target", ["tree", "tree_with_leaves", "root", "terminal"])
def test_what_is_learnt_is_that_of_the_definition(game: Game, target: str) -> None:
    of = Determinization(game)
    search = Search(of.game, evaluate, of.value, Descent())
    random = np.random.default_rng(5)
    players = SearchPlay(
        of.game, search, Budget(iterations=3), lambda root, played: int(random.integers(len(root.actions))),
        target=make_target(target), begin=of.begin,
    )  # fmt: skip
    for _ in range(4):
        match = players.next_match(never)
        assert match is not None
        seed = of.seed(match.examples.states[0])
        learnt = completed(match.examples, of)
        learnt.check(game)
        found = [(s.tobytes(), float(value)) for s, value in zip(learnt.states, learnt.values, strict=True)]
        assert len(found) == len(set(found))
        assert set(found) == literal(of, match, seed)
        assert any(game.player(state) == CHANCE for state in learnt.states)


@pytest.mark.parametrize("game", MORE)
def test_matches_are_handed_on_as_those_of_the_stochastic_game(game: Game) -> None:
    of = Determinization(game)
    search = Search(of.game, evaluate, of.value, Descent(), slots=2)
    matches_of_search = SearchPlay(
        of.game, search, Budget(iterations=2), lambda root, played: played % len(root.actions), begin=of.begin
    )
    players = DeterminizedPlay(matches_of_search, of)
    matches = [players.next_match(never) for _ in range(6)]
    for match in matches:
        assert match is not None
        state, path = game.initial(), [game.initial().tobytes()]
        for action in match.actions:
            state = game.play(state, action)
            path.append(state.tobytes())
        assert game.outcome(state) == match.outcome
        assert set(path) <= {learnt.tobytes() for learnt in match.examples.states}
    assert len({tuple(match.actions) for match in matches if match}) == len(matches)


@pytest.mark.parametrize("stage", [0, 2])
def test_expert_iteration_of_deterministic_games(stage: int) -> None:
    of = Determinization(LOADED)

    def both(planes: np.ndarray) -> Leaves:
        return Leaves(hash_values(planes), policies=np.zeros((len(planes), LOADED.action_count), np.float32))

    search = Search(of.game, both, of.value, Exit(completion=False))
    seeds = iter(range(100))
    players = DeterminizedPlay(
        ExpertIteration(of.game, search, Budget(iterations=8), partial(next, seeds), lambda: stage, 50, of.begin), of
    )
    for _ in range(4):
        match = players.next_match(never)
        while match is None:
            match = players.next_match(never)
        match.examples.check(LOADED)
        assert LOADED.player(match.examples.states[0]) != CHANCE
        assert match.examples.policies is not None


@kernel(TERMINAL_VALUE)
def far(rules, state, outcome, constants):
    """A heuristic that looks at the parameters of its game and at the size of its states."""
    return outcome * (float(rules.params[0]) + len(state) + state[8])


def test_heuristics_see_the_stochastic_game() -> None:
    game = altered(PIG, heuristics={"far": OwnHeuristic(far, 1000.0)})
    assert {"classic", "additive_depth", "cumulative_mobility", "far"} <= set(heuristics_of(game))
    for name in heuristics_of(game):
        heuristic = make_heuristic(name, game)
        of = Determinization(heuristic.tracked(game), heuristic)
        for seed in range(20):
            state, random = of.begin(seed), np.random.default_rng(seed)
            while of.game.outcome(state) is None:
                state = of.game.play(state, of.game.draw(state, random))
            expected = value_of_end(of.stochastic, heuristic, of.strip(state))
            assert value_of_end(of.game, of.value, state) == expected
            assert name != "far" or expected == of.game.outcome(state) * (10 + game.state_size + state[8])


def test_what_cannot_be_determinized_is_refused() -> None:
    with pytest.raises(GameError, match="tictactoe cannot be determinized: it has no chance"):
        Determinization(make("tictactoe"))
