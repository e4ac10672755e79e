"""Self-play, targets and trainings of games of chance."""

from collections import Counter
from pathlib import Path

import numpy as np
import pig_variants
import pytest
from evaluators import hash_values
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from sizes import size
from small_trainings import Interrupting, assert_same_checkpoint, changed, quiet, small
from walk_settings import walk_settings

from athenan import analyze
from athenan.arena.learnt_players import load_player
from athenan.arena.roster import make_player
from athenan.arena.series import play_series
from athenan.evaluation.heuristics import make_heuristic
from athenan.games.catalogue import make
from athenan.learning.algorithms import TRAININGS
from athenan.learning.config import TrainingConfig
from athenan.learning.examples.examples import Examples
from athenan.learning.examples.targets import TreeTarget, make_target, returns
from athenan.learning.recipe import recommended
from athenan.learning.replay import ReplayConfig
from athenan.learning.self_play.by_policy import ExpertIteration
from athenan.learning.self_play.by_search import SearchPlay
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.learning.training import resume, train
from athenan.play.search_player import SearchPlayer
from athenan.rules import CHANCE, Game, State
from athenan.rules.leaves import Leaves
from athenan.rules.playouts import random_match
from athenan.rules.terminal import value_of_end
from athenan.runs.checkpoint import load
from athenan.runs.learnt import learnt_network
from athenan.search.algorithms.bandits import Puct, Uct
from athenan.search.algorithms.best_first import Descent
from athenan.search.algorithms.exit import Exit
from athenan.search.budget import Budget
from athenan.search.named import parse_search
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.walking.walk_search import Search

PIG = make("pig:10,length=20")
LOADED = pig_variants.make()
GAMES = [PIG, LOADED]
FILE = str(Path(pig_variants.__file__))
"""The loaded die as a game of a user, which begins with a roll."""


def never() -> bool:
    return False


def evaluate(planes: np.ndarray) -> Leaves:
    return Leaves(hash_values(planes))


def self_play(game: Game, algorithm: str = "ubfm", target: str = "tree", slots: int = 1, seed: int = 0) -> SearchPlay:
    """Matches with random actions."""
    search = Search(game, evaluate, settings=walk_settings(algorithm), slots=slots, seed=seed)
    random = np.random.default_rng(seed)
    return SearchPlay(
        game, search, Budget(iterations=3), lambda root, played: int(random.integers(len(root.actions))),
        target=make_target(target),
    )  # fmt: skip


def played(players: SearchPlay, count: int) -> list[FinishedMatch]:
    matches = [players.next_match(never) for _ in range(count)]
    return [match for match in matches if match]


def path(game: Game, match: FinishedMatch) -> list[State]:
    """The states of a match, all of whose actions are legal and lead to its outcome."""
    states = [game.initial()]
    for action in match.actions:
        states.append(game.play(states[-1], action))
    assert game.outcome(states[-1]) == match.outcome
    return states


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("slots", [1, 3])
def test_matches_draw_by_the_probabilities(game: Game, slots: int) -> None:
    matches = played(self_play(game, slots=slots), 150)
    seen = Counter[tuple[bytes, int]]()
    for match in matches:
        for state, action in zip(path(game, match), match.actions, strict=False):
            if game.player(state) == CHANCE:
                seen[game.probabilities(state).tobytes(), action] += 1
    for weights in {key for key, _ in seen}:
        actions = sorted({action for key, action in seen if key == weights})
        found = [seen[weights, action] for action in actions]
        expected = np.frombuffer(weights) * sum(found)
        if expected.min() >= 5:
            assert chisquare(found, expected).pvalue > 1e-4
    assert len({tuple(match.actions) for match in matches}) > 50


class Watching(TreeTarget):
    """Tree learning that checks what is learnt of the states where chance is to move."""

    seen = unexpanded = 0

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[State] = []
        self.drawn: dict[bytes, float] = {}

    def at_chance(self, state: State, value: float | None) -> None:
        super().at_chance(state, value)
        if value is None:
            self.waiting.append(state)

    def before_action(self, search: ForestSearch, slot: int) -> None:
        super().before_action(search, slot)
        self.drawn |= {state.tobytes(): search.root(slot).value for state in self.waiting}
        self.waiting.clear()

    def finished(self, search: ForestSearch, slot: int, end: State) -> Examples:
        examples, game = super().finished(search, slot, end), search.game
        learnt = {state.tobytes(): value for state, value in zip(examples.states, examples.values, strict=True)}
        for number in range(search.effort().states):
            node, state = search.node(number), np.array(search.forest.states[slot, number])
            if node.player == CHANCE and len(node.actions):
                mean = np.dot(game.probabilities(state), node.values.astype(np.float64))
                assert learnt.pop(state.tobytes()) == pytest.approx(mean, abs=1e-6)
                Watching.seen += 1
        self.drawn |= {state.tobytes(): value_of_end(game, search.terminal, end) for state in self.waiting}
        assert {key: value for key, value in learnt.items() if key[0] == CHANCE} == pytest.approx(self.drawn)
        Watching.unexpanded += len(self.drawn)
        return examples


@pytest.mark.parametrize("algorithm", ["descent", "ubfm"])
@pytest.mark.parametrize("game", GAMES)
def test_tree_learning_learns_expectations(game: Game, algorithm: str) -> None:
    """A state where chance is to move has the mean of the values of its outcomes, weighted by their probabilities; one
    of the match that no search has expanded has the value of what was drawn.
    """
    search = Search(game, evaluate, settings=walk_settings(algorithm))
    random, Watching.seen, Watching.unexpanded = np.random.default_rng(3), 0, 0
    iterations = {"descent": 3, "ubfm": 2}[algorithm]
    players = SearchPlay(
        game, search, Budget(iterations=iterations), lambda root, played: int(random.integers(len(root.actions))),
        target=Watching,
    )  # fmt: skip
    assert len(played(players, 10)) == 10
    assert Watching.seen > 10
    assert Watching.unexpanded >= (10 if game is LOADED else 0) + 10 * (algorithm == "ubfm")


@pytest.mark.parametrize("game", GAMES)
def test_root_learning_has_the_states_of_the_match(game: Game) -> None:
    for match in played(self_play(game, target="root"), 5):
        assert [s.tobytes() for s in match.examples.states] == [s.tobytes() for s in path(game, match)]
        assert match.examples.values[-1] == match.outcome


def test_root_learning_of_a_chance_state_has_its_expectation_or_what_was_drawn() -> None:
    players, expected = self_play(PIG, target="root"), list[float | None]()

    def choose(root, played):
        if root.actions[0] == 0:
            child = root.children[0]
            node = players.search.node(child) if child >= 0 else None
            if node and len(node.actions):
                assert node.priors is not None and node.values is not None
                expected.append(float(node.priors @ node.values))
            else:
                expected.append(None)
        return 0

    players.choose = choose
    (match,) = played(players, 1)
    values = match.examples.values
    by_chance = [number for number, state in enumerate(match.examples.states) if PIG.player(state) == CHANCE]
    assert {known is None for known in expected} == {False, True}
    for number, known in zip(by_chance, expected, strict=True):
        assert values[number] == pytest.approx(values[number + 1] if known is None else known, abs=1e-6)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=12), st.floats(0, 1))
def test_a_trace_gives_the_returns_of_td_lambda(values: list[float], trace: float) -> None:
    """Sutton's sum: the n-step returns, each the value n states later, weighted by (1 - λ) λ^n, and the end by the
    rest. Root and terminal learning are its ends.
    """
    known = np.array(values, np.float32)
    for number, found in enumerate(returns(known, trace)):
        later = values[number:]
        weights = [(1 - trace) * trace**n for n in range(len(later) - 1)] + [trace ** (len(later) - 1)]
        assert found == pytest.approx(np.dot(weights, later), abs=1e-5)
    assert returns(known, 0.0) == pytest.approx(known)
    assert returns(known, 1.0) == pytest.approx([known[-1]] * len(known))


def test_action_values_of_outcomes_are_not_learnt() -> None:
    def answer(planes: np.ndarray) -> Leaves:
        values = hash_values(planes)
        return Leaves(values, action_values=np.repeat(values[:, None], LOADED.action_count, 1))

    search = Search(LOADED, answer, settings=Descent(evaluate="action_values"))
    players = SearchPlay(LOADED, search, Budget(iterations=3), lambda root, played: 0)
    for match in played(players, 3):
        numbers = match.examples.action_values
        assert numbers is not None
        by_chance = match.examples.states[:, 0] == CHANCE
        assert numbers.counts[by_chance].sum() == 0
        assert numbers.counts[~by_chance].sum() > by_chance.sum() > 0


@pytest.mark.parametrize("game", GAMES)
def test_terminal_learning_has_the_states_of_the_match(game: Game) -> None:
    for match in played(self_play(game, target="terminal"), 5):
        assert [s.tobytes() for s in match.examples.states] == [s.tobytes() for s in path(game, match)]
        assert set(match.examples.values) == {match.outcome}


def test_a_search_that_asks_for_states_learns_all_of_the_match() -> None:
    """With UCT and root learning, too."""
    for match in played(self_play(PIG, "uct", "root"), 30):
        assert [s.tobytes() for s in match.examples.states] == [s.tobytes() for s in path(PIG, match)]
        assert np.isfinite(match.examples.values).all()


@pytest.mark.parametrize("stage", [0, 2])
@pytest.mark.parametrize("game", GAMES)
def test_expert_iteration_labels_decisions(game: Game, stage: int) -> None:
    def both(planes: np.ndarray) -> Leaves:
        return Leaves(hash_values(planes), policies=np.zeros((len(planes), game.action_count), np.float32))

    search = Search(game, both, settings=Exit(completion=False), slots=3)
    seeds = iter(range(100))
    players = ExpertIteration(game, search, Budget(iterations=8), lambda: next(seeds), lambda: stage, 50)
    for _ in range(9):
        while (match := players.next_match(never)) is None:
            pass
        (labelled,) = match.examples.states
        assert game.player(labelled) != CHANCE
        assert labelled.tobytes() in {state.tobytes() for state in path(game, match)}
        assert match.examples.policies is not None
        assert set(match.examples.policies.actions) <= set(game.actions(labelled))


def test_a_run_of_one_player_keeps_the_match_that_was_played() -> None:
    """The best match that a search has seen needs luck."""
    alone = pig_variants.alone()
    search = Search(alone, evaluate, settings=Descent())
    players = SearchPlay(alone, search, Budget(iterations=3), lambda root, played: 0)
    for match in played(players, 3):
        assert match.line == match.actions


VARIANTS = {
    "chance": small(FILE, matches=7, random_ends=300),
    "resolved": small(FILE, matches=7, resolved_period=3, target="tree_with_leaves"),
    "root": small("pig:10,length=20", matches=7, target="root", trace=0.7, heuristic="classic"),
    "alphazero": small(
        FILE, matches=7, iterations=9, search=Puct(completion=False, noise=0.25), target="terminal",
        policy_target="visits", selection="visits", drawn_actions=3, completed_selection=False,
        heuristic="classic", replay=ReplayConfig("stratified", duplication=2, augmentation="random"),
    ),
    "determinized": small(FILE, matches=7, determinization=True),
    "determinized rival": small(
        "pig:10,length=20", matches=7, determinization=True, search=Uct(), target="root",
        heuristic="cumulative_mobility",
    ),
}  # fmt: skip


@pytest.mark.parametrize("variant", list(VARIANTS)[:: size(3, 1)])
def test_a_resumed_run_equals_an_uninterrupted_one(variant: str, tmp_path: Path) -> None:
    config, whole, parts = VARIANTS[variant], tmp_path / "whole", tmp_path / "parts"
    train(config, whole, quiet())
    with pytest.raises(KeyboardInterrupt):
        train(config, parts, Interrupting(matches=0))
    with pytest.raises(KeyboardInterrupt):
        resume(parts, display=Interrupting(matches=2))
    resume(parts, matches=4, display=quiet())
    resume(parts, matches=7, display=quiet())
    assert_same_checkpoint(whole, parts)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("determinization", [False, True])
@pytest.mark.parametrize("algorithm", TRAININGS)
def test_every_training(algorithm: str, determinization: bool, tmp_path: Path) -> None:
    config = training(algorithm, determinization)
    saved = load(train(config, tmp_path / "run", quiet()))
    progress = saved.document["progress"]
    assert progress["matches"] == config.run.matches
    assert progress["learnt"] > 0
    sides = {int(side) for arrays in saved.matches.values() for side in arrays["states"][:, 0]}
    assert (CHANCE in sides) == (algorithm != "exit")


def training(algorithm: str, determinization: bool) -> TrainingConfig:
    """A short training of Pig."""
    matches = {"exit": 32, "alphazero": 8, "gumbel": 8}.get(algorithm, 3)
    config = recommended("pig:10,length=20", timed=False, algorithm=algorithm, matches=matches)
    small_: dict[str, object] = {
        "network": "c:filters=8,dense=16", "precision": "float32", "learning_precision": "float32", "device": "cpu",
        "threads": 1, "overlap": False, "strength": {"seconds": 0}, "determinization": determinization,
    }  # fmt: skip
    searches = algorithm != "td" or determinization
    small_ |= ({"memory": 64} if searches else {}) | ({"rollouts": 50} if algorithm == "exit" else {})
    if determinization:
        small_ |= {"matches_by": "policy" if algorithm == "exit" else "search"}
        small_ |= {"turns": False} if config.search.turns else {}
    if config.replay.method == "none":
        small_["method"] = "stratified"  # so that the matches are in the checkpoint
    if searches and "policies" not in config.search.heads():
        small_["evaluations"] = 30
    return changed(config, **small_)


@pytest.mark.parametrize("game", GAMES)
def test_heuristics_of_games_of_chance(game: Game) -> None:
    """Depth counts rolls as actions; mobility is that of decisions alone."""
    depth, mobility = make_heuristic("multiplicative_depth", game), make_heuristic("cumulative_mobility", game)
    tracked = mobility.tracked(game)
    for seed in range(20):
        actions, state, counts = random_match(game, seed), tracked.initial(), (list[int](), list[int](), list[int]())
        for action in actions:
            counts[tracked.player(state)].append(len(tracked.actions(state)))
            state = tracked.play(state, action)
        outcome = tracked.outcome(state)
        assert outcome is not None
        below = np.ascontiguousarray(state[: game.state_size])
        assert value_of_end(game, depth, below) == outcome * game.typical_length / len(actions)
        first, second = (float(np.mean(of)) if of else 0.0 for of in counts[:2])
        expected = float(outcome)
        if outcome and first and second:
            expected = first / second if outcome > 0 else -second / first
        assert value_of_end(tracked, mobility, state) == pytest.approx(expected)


@pytest.mark.parametrize("algorithm", ["descent", "uct", "alphabeta"])
def test_the_players_of_a_determinized_run_search_with_chance_nodes(algorithm: str, tmp_path: Path) -> None:
    config = small(
        FILE, matches=3, determinization=True, search=parse_search(algorithm),
        strength={"seconds": 1e-6, "games": 2, "opponent": "mcts:10"},
    )  # fmt: skip
    run = train(config, tmp_path / "run", quiet())
    assert load(run).document["progress"]["measurement"]["games"] == 2
    game = make(FILE)
    player = load_player(run, game, Budget(evaluations=30))
    assert isinstance(player, SearchPlayer)
    assert player.searcher.game.stochastic
    assert play_series(game, [player, make_player("random", game)], games=4).games == 4
    assert analyze(game, None, Budget(evaluations=30), learnt_network(run).evaluate).chance
    begun = small(FILE, matches=2, initial=str(run), network=config.run.network, heuristic=config.run.heuristic)
    assert load(train(begun, tmp_path / "begun", quiet())).document["progress"]["matches"] == 2
