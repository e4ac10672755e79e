"""Whole turns: what they can lead to, their values, and matches played turn by turn."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from evaluators import hash_values, of_values
from small_trainings import assert_same_checkpoint, changed, quiet

from athenan.arena.learnt_players import load_player
from athenan.evaluation.architectures import Patterns, Shallow, parse_architecture
from athenan.evaluation.native import NativeNetwork, native_network
from athenan.evaluation.shallow.network import ShallowNetwork
from athenan.games.backgammon.positions import plays, position_of
from athenan.games.catalogue import make
from athenan.learning.config import TrainingConfig
from athenan.learning.learner.native_learner import NativeEvaluator
from athenan.learning.recipe import recommended
from athenan.learning.self_play.by_turns import TurnPlay
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.learning.training import resume, train
from athenan.rules.facts import altered
from athenan.rules.game import Game, State
from athenan.rules.playouts import random_match
from athenan.rules.randomness import streams
from athenan.rules.state import CHANCE
from athenan.rules.terminal import Gain
from athenan.runs.checkpoint import load
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.alpha_beta.search import AlphaBeta
from athenan.search.budget import Budget
from athenan.search.named import make_search, parse_search
from athenan.search.settings import SearchSettings
from athenan.search.walking.turn_leaf import NativeTurns, most_states

HYPER, PIG, EINSTEIN = make("backgammon:hyper"), make("pig:8,length=40"), make("einstein")
GAMES = [HYPER, PIG, EINSTEIN]


def states_of(game: Game, seed: int) -> list[State]:
    """The states of a random match."""
    states = [game.initial()]
    for action in random_match(game, seed):
        states.append(game.play(states[-1], action))
    return states


def ends(game: Game, state: State) -> list[State]:
    """The states in which the turn of a state can end, with repetitions: literally, one action after the other."""
    found, open_ = list[State](), [game.play(state, int(action)) for action in game.actions(state)]
    while open_:
        reached = open_.pop()
        if game.outcome(reached) is None and game.player(reached) == game.player(state):
            open_ += [game.play(reached, int(action)) for action in game.actions(reached)]
        else:
            found.append(reached)
    return found


def value_of(game: Game, state: State) -> float:
    """The value of a state by the ends of its turn, or by itself."""
    outcome = game.outcome(state)
    if outcome is not None:
        return float(outcome)
    if game.player(state) == CHANCE:
        return float(hash_values(game.encode(state).reshape(1, -1))[0])
    best: Callable[..., float] = max if game.player(state) == 0 else min
    return best(known(game, end) for end in ends(game, state))


def known(game: Game, end: State) -> float:
    """The value of the end of a turn: f_t, or what the evaluator says."""
    outcome = game.outcome(end)
    return float(hash_values(game.encode(end).reshape(1, -1))[0]) if outcome is None else float(outcome)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_search_by_turns_values_children_by_the_ends_of_their_turns(game: Game) -> None:
    search = make_search(game, of_values(hash_values), Gain(), Ubfm(turns=True, completion=False))
    for state in states_of(game, 3)[:-1:2]:
        search.reset(state)
        search.run(Budget(iterations=1))
        root = search.root()
        expected = [value_of(game, game.play(state, int(action))) for action in root.actions]
        assert root.values == pytest.approx(expected, abs=1e-6)


def test_the_first_iteration_sees_the_best_play_of_a_roll() -> None:
    """All positions that a roll can lead to, by the enumeration that is compared with other programs."""
    search = make_search(HYPER, of_values(hash_values), Gain(), Ubfm(turns=True, completion=False))
    for state in states_of(HYPER, 5):
        if HYPER.outcome(state) is not None or HYPER.player(state) == CHANCE:
            continue
        by_position = {position_of(end, HYPER.player(state)): known(HYPER, end) for end in ends(HYPER, state)}
        assert by_position.keys() == plays(HYPER, state).keys()
        search.reset(state)
        search.run(Budget(iterations=1))
        sign = search.root().sign
        assert search.root().value == pytest.approx(sign * max(sign * value for value in by_position.values()))


@pytest.mark.parametrize("settings", [Ubfm(turns=True), Ubfm(turns=True, completion=False), AlphaBeta(turns=True)])
@pytest.mark.parametrize("name", ["backgammon:hyper", "einstein", "pig"])
def test_turns_inside_the_search_give_the_trees_of_turns_outside(name: str, settings: SearchSettings) -> None:
    game = make(name)
    network = ShallowNetwork(game, Shallow(hidden=32))
    network.output[:] = np.random.default_rng(3).normal(0, 0.2, network.output.shape)
    trees = []
    for evaluate in (network, network.__call__):
        search = make_search(game, evaluate, Gain(), settings, seed=5)
        search.reset(game.play(game.initial(), int(game.actions(game.initial())[0])))
        for _ in range(2):
            search.run(Budget(evaluations=400))
            search.play(int(search.root().actions[0]))
        trees.append(search)
    inside, outside = trees
    assert inside.evaluations == outside.evaluations >= 400
    count = inside.forest.slots["nodes"][0]
    for field in ("value", "completion", "resolution", "visits", "player"):
        assert np.array_equal(inside.forest.nodes[field][0, :count], outside.forest.nodes[field][0, :count]), field


def test_turns_without_room_inside_are_evaluated_outside() -> None:
    assert most_states(make("backgammon")) > 2048
    large = altered(make("backgammon"), max_actions=100_000)
    assert not most_states(large)
    with pytest.raises(ValueError, match="there is no room for the turns"):
        NativeTurns(large, ShallowNetwork(make("backgammon")), Gain())


def test_turns_are_a_setting_of_searches_for_values() -> None:
    with pytest.raises(ValueError, match="there is no option 'turns'"):
        parse_search("puct:turns=true")
    with pytest.raises(ValueError, match="turns must be false unless evaluate is children"):
        Ubfm(evaluate="action_values", turns=True)
    assert Ubfm(turns=True).for_play().turns
    for name in ("descent", "alphabeta", "uct"):
        assert parse_search(name, turns=True).turns
        assert not parse_search(f"{name}:turns=false", turns=True).turns
        assert not parse_search(name).turns
    assert not parse_search("puct", turns=True).turns
    assert AlphaBeta(turns=True).turns


def turn_play(game: Game, slots: int = 3, trace: float = 0.7) -> TurnPlay:
    return TurnPlay(game, of_values(hash_values), Gain(), trace, slots)


def matches(players: TurnPlay, count: int) -> list[FinishedMatch]:
    found = [players.next_match(lambda: False) for _ in range(count)]
    assert all(found)
    return [match for match in found if match]


def random_network(game: Game, name: str) -> NativeNetwork:
    """A network with random weights."""
    architecture = parse_architecture(name)
    assert isinstance(architecture, Patterns | Shallow)
    network = native_network(game, architecture)
    network.weights[:] = np.random.default_rng(5).normal(0, 0.1, len(network.weights)).astype(np.float32)
    return network


@pytest.mark.parametrize(
    ("game", "name"),
    [(HYPER, "shallow"), (EINSTEIN, "patterns:entries=64"), (EINSTEIN, "patterns:entries=64,vector=8")],
)
def test_compiled_rounds_play_the_matches_of_single_rounds(game: Game, name: str) -> None:
    network = random_network(game, name)
    compiled, single = (
        TurnPlay(game, evaluate, Gain(), 0.7, 3, exploitation=0.9) for evaluate in (NativeEvaluator(network), network)
    )
    assert compiled._rounds and not single._rounds
    for one, other in zip(matches(compiled, 12), matches(single, 12), strict=True):
        assert one.actions == other.actions and one.outcome == other.outcome
        np.testing.assert_array_equal(one.examples.states, other.examples.states)
        np.testing.assert_array_equal(one.examples.values, other.examples.values)
    np.testing.assert_array_equal(compiled.random, single.random)
    assert (compiled.spent.evaluations, compiled.spent.batches) == (single.spent.evaluations, single.spent.batches)


def test_compiled_rounds_end_at_a_value_that_is_no_number() -> None:
    network = random_network(HYPER, "shallow")
    network.weights[:] = np.nan
    with pytest.raises(ValueError, match=r"the evaluation of \d+ of \d+ states is NaN or infinite, and must be finite"):
        matches(TurnPlay(HYPER, NativeEvaluator(network), Gain(), 0.7), 1)


def before_chance(game: Game, match: FinishedMatch) -> list[int]:
    """The actions of a match before chance first moves."""
    for count in range(len(match.actions)):
        if game.player(game.replay(match.actions[:count])) == CHANCE:
            return match.actions[:count]
    return []


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_turn_is_played_to_its_best_end(game: Game) -> None:
    for match in matches(turn_play(game), 5):
        opening = before_chance(game, match)
        state, turn = game.replay(opening), None
        for action in [*match.actions[len(opening) :], None]:
            if turn is not None and (game.outcome(state) is not None or game.player(state) != game.player(turn)):
                assert known(game, state) == pytest.approx(value_of(game, turn), abs=1e-6)
                turn = None
            if action is None or game.player(state) == CHANCE:
                turn = None
            elif turn is None:
                turn = state
            if action is not None:
                assert action in game.actions(state)
                state = game.play(state, action)
        assert game.outcome(state) == match.outcome


def test_what_precedes_the_first_roll_varies_and_is_learnt() -> None:
    placed = [before_chance(EINSTEIN, match) for match in matches(turn_play(EINSTEIN), 20)]
    assert {len(actions) for actions in placed} == {6}
    assert len({tuple(actions) for actions in placed}) > 10
    match = matches(turn_play(EINSTEIN), 1)[0]
    assert (match.examples.states[0] == EINSTEIN.replay(before_chance(EINSTEIN, match))).all()


def test_a_match_that_ends_before_chance_moves_is_not_random() -> None:
    """Chance never moves in this game, so its matches begin without random actions, and end."""
    players = TurnPlay(make("tictactoe"), of_values(hash_values), Gain(), 0.7, 2)
    first, second = matches(players, 2)
    assert first.actions == second.actions


@pytest.mark.parametrize("trace", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_is_learnt_is_the_forward_view_of_td_lambda(game: Game, trace: float) -> None:
    """Of the ends of turns V_0, V_1, ... and f_t: the sum of (1 - λ) λ^n V_(t+1+n), and f_t with the rest."""
    for match in matches(turn_play(game, trace=trace), 4):
        states, values = match.examples.states, match.examples.values
        assert values[-1] == match.outcome
        later = [known(game, state) for state in states]
        if game.outcome(states[-1]) is not None and len(states) > 1:
            later[-1] = match.outcome
        for number, value in enumerate(values[:-1]):
            after = later[number + 1 :]
            weights = [(1 - trace) * trace**n for n in range(len(after) - 1)] + [trace ** (len(after) - 1)]
            assert value == pytest.approx(np.dot(weights, after), abs=1e-5)


def turns_of(game: Game, match: FinishedMatch) -> list[tuple[State, State]]:
    """The states in which the turns of a match begin and end, without those before chance first moves."""
    opening = before_chance(game, match)
    state, begin, found = game.replay(opening), None, list[tuple[State, State]]()
    for action in match.actions[len(opening) :]:
        if game.player(state) != CHANCE and begin is None:
            begin = state
        state = game.play(state, action)
        if begin is not None and (game.outcome(state) is not None or game.player(state) != game.player(begin)):
            found.append((begin, state))
            begin = None
    return found


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_trace_ends_before_a_turn_that_explores(game: Game) -> None:
    trace, explored = 0.7, 0
    players = TurnPlay(game, of_values(hash_values), Gain(), trace, 3, exploitation=0.5)
    for match in matches(players, 6):
        expected = [float(match.outcome)]
        for begin, end in reversed(turns_of(game, match)):
            best = value_of(game, begin)
            follows_best = known(game, end) == pytest.approx(best, abs=1e-6)
            explored += not follows_best
            expected.append(trace * expected[-1] + (1 - trace) * best if follows_best else best)
        values = match.examples.values
        assert values == pytest.approx(expected[::-1][-len(values) :], abs=1e-5)
    assert explored > 5


def test_a_seed_makes_the_same_matches() -> None:
    one, other = (turn_play(HYPER) for _ in range(2))
    for players in (one, other):
        players.random[:] = streams(7, len(players.random))
    for first, second in zip(matches(one, 8), matches(other, 8), strict=True):
        assert first.actions == second.actions
        assert np.array_equal(first.examples.values, second.examples.values)
    other.random[:] = streams(8, len(other.random))
    other.restart()
    assert [match.actions for match in matches(one, 3)] != [match.actions for match in matches(other, 3)]


def test_many_matches_side_by_side_do_not_disturb_each_other() -> None:
    """A match depends on the random numbers of its slot alone."""
    three, one = turn_play(HYPER), turn_play(HYPER, slots=1)
    three.random[:] = streams(4, len(three.random))
    one.random[:] = three.random[1]
    played = {tuple(match.actions) for match in matches(three, 12)}
    assert tuple(matches(one, 1)[0].actions) in played


def config(**changes: object) -> TrainingConfig:
    """A short training of Pig, one match at a time."""
    return changed(
        recommended("pig:10,length=40", matches=7, threads=1),
        network="c:filters=8,dense=16", strength={"seconds": 0}, device="cpu", parallel_matches=1, actors=1,
        phase_matches=1, overlap=False, **changes,
    )  # fmt: skip


def test_a_training_by_turns_is_the_default_of_dice_and_resumes_exactly(tmp_path: Path) -> None:
    assert config().playing.matches_by == "turns"
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train(config(), whole, quiet())
    train(changed(config(), matches=3), parts, quiet())
    resume(parts, matches=7, display=quiet())
    assert_same_checkpoint(whole, parts)
    assert load(whole).document["progress"]["learnt"] > 7


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"target": "tree", "trace": 0.0}, "matches_by turns needs the target root"),
        ({"exploitation": "uniform"}, "matches_by turns needs a number as exploitation"),
        ({"determinization": True}, "determinization needs --matches-by search and a search without turns"),
        ({"resolved_period": 3}, "resolved_period needs --matches-by search"),
    ],
)
def test_what_does_not_go_with_turns_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        config(**settings)


@pytest.mark.slow
def test_hypergammon_is_learnt_in_seconds(tmp_path: Path) -> None:
    """After 3,000 matches the best ends of turns win more than half a point a game from random play."""
    settings = {"strength": {"seconds": 0}, "device": "cpu", "overlap": False}
    learning = changed(recommended("backgammon:hyper", matches=3000, threads=1), **settings)
    player = load_player(train(learning, tmp_path / "run", quiet()), HYPER)
    points = 0
    for number in range(100):
        random, state, side = np.random.default_rng(number), HYPER.initial(), number % 2
        player.new_match(HYPER, number)
        while HYPER.outcome(state) is None:
            if HYPER.player(state) == side:
                action = player.select(state, Budget(iterations=1)).action
            else:
                action = HYPER.draw(state, random)
            state = HYPER.play(state, action)
            player.observe(action, state)
        points += HYPER.score(state) * (1 - 2 * side)
    assert points / 100 > 0.5
