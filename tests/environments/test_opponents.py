"""Matches against opponents: rewards and sides are right, and opponents play as the same players do alone."""

import numpy as np
import pytest
from search_players import search_player

from athenan import Budget, Search, Ubfm, make, make_player
from athenan.environments import BatchEvaluator, BatchSearch, OpponentBatch, make_opponent
from athenan.environments.opponents import MOST_SINGLE, Opponent
from athenan.environments.trees import ORDERS, first_rows
from athenan.play.player import PlayerError
from athenan.rules.game import GameError
from athenan.rules.playouts import encoded_states, random_ends, random_states
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.selection import safest_or_exact


class Recording(Opponent):
    """Plays the first legal action and keeps what it is told."""

    observes = True

    def __init__(self, rows):
        self.matches: list[list[list[tuple[int, np.ndarray]]]] = [[] for _ in range(rows)]
        self.seeds = list[int]()

    def begin(self, rows, seeds):
        for row in rows.tolist():
            self.matches[row].append([])
        self.seeds += seeds.tolist()

    def select(self, batch, rows):
        return np.array([batch.legal(row)[0] for row in rows])

    def observe(self, rows, actions, states):
        for row, action, state in zip(rows.tolist(), actions.tolist(), states, strict=True):
            self.matches[row][-1].append((action, state.copy()))


@pytest.mark.parametrize(("name", "side"), [("tictactoe", "both"), ("einstein", "second"), ("go:5,komi=0", "first")])
def test_matches_are_legal_and_rewarded_by_the_side(name, side):
    game, rows = make(name), 5
    opponent = Recording(rows)
    batch = OpponentBatch(game, rows, opponent, side=side)
    opponent.matches = [[] for _ in range(rows)]
    batch.reset(seed=3)
    rewards = [list[float]() for _ in range(rows)]
    sides = [[int(side)] for side in batch.sides]
    for _ in range(200):
        assert (batch.players == batch.sides).all()
        batch.step(batch.sample())
        for row in batch.ends.nonzero()[0].tolist():
            rewards[row].append(batch.rewards[row])
            sides[row].append(int(batch.sides[row]))
        assert not batch.rewards[~batch.ends].any()
    for row in range(rows):
        assert len(rewards[row]) > 2
        assert sides[row] == [(row + one) % 2 if side == "both" else side == "second" for one in range(len(sides[row]))]
        for match, reward, own in zip(opponent.matches[row], rewards[row], sides[row], strict=False):
            state = game.initial()
            for action, following in match:
                if state[0] == 1 - own:
                    assert action == game.actions(state)[0]
                state = game.play(state, action)
                assert np.array_equal(state, following)
            assert game.outcome(state) == reward * (1 - 2 * own)


@pytest.mark.parametrize("opponent", ["mcts:20", "rave:20"])
def test_the_same_seed_gives_the_same_matches(opponent):
    """Searches by rollouts share few players, also RAVE, which keeps its tree where it follows one match."""
    batches = [OpponentBatch(make("einstein"), 6, opponent, threads=threads) for threads in (1, 2)]
    for batch in batches:
        batch.reset(seed=2)
        for _ in range(8):
            batch.step(batch.sample())
    assert np.array_equal(batches[0].states, batches[1].states)
    OpponentBatch(make("tictactoe"), MOST_SINGLE + 1, opponent).close()


def test_a_search_for_many_rows_plays_as_it_does_alone():
    game = make("connect_four")
    name = "athenan,evaluations=60"
    batch = OpponentBatch(game, 3, name, side="second", threads=2)
    batch.reset(seed=1)
    alone = [search_player(name, game) for _ in range(3)]
    moved = 0
    for player in alone:
        player.new_match(game, 0)
    for _ in range(6):
        before, actions = batch.states.copy(), batch.sample().copy()
        batch.step(actions)
        for row, player in enumerate(alone):
            following = game.play(before[row], int(actions[row]))
            if batch.ends[row] or game.outcome(following) is not None:
                player.new_match(game, 0)
                continue
            player.observe(int(actions[row]), following)
            chosen = player.select(following, Budget(evaluations=60)).action
            root = player.searcher.root()
            same = [one for one in root.actions if root.counts[root.actions == one] == root.counts.max()]
            answer = game.play(following, chosen)
            if len(same) == 1:  # ties are broken at random
                assert np.array_equal(batch.states[row], answer)
                moved += 1
            played = next(one for one in game.actions(following)
                          if np.array_equal(game.play(following, int(one)), batch.states[row]))  # fmt: skip
            player.observe(int(played), batch.states[row].copy())
    assert moved > 8


@pytest.mark.parametrize("opponent", ["athenan:casual", "athenan:beginner"])
def test_levels_choose_as_often_as_they_do_alone(opponent):
    game, rows = make("connect_four"), 1000
    state = game.after("4 4 3 5 2")  # one action stops a line of four
    batch = BatchSearch.of(search_player(opponent, game), rows)
    found = np.bincount(batch.select(np.repeat(state[None], rows, 0)), minlength=7) / rows
    player, counts = make_player(opponent, game), np.zeros(7)
    for seed in range(300):
        player.new_match(game, seed)
        counts[player.select(state, Budget(evaluations=1)).action] += 1
    assert np.abs(found - counts / 300).max() < 0.12


@pytest.mark.parametrize("choice", ORDERS)
@pytest.mark.parametrize("name", ["tictactoe", "einstein"])
def test_many_rows_choose_by_the_orders_of_one_search(name, choice):
    game, rows = make(name), 24
    search = Search(game, settings=Ubfm(exact=choice is safest_or_exact), slots=rows, memory=1 << 26)
    for row, state in enumerate(random_states(game, rows, seed=5)):
        search.reset(state, row)
    search.run(Budget(iterations=30))
    slots, actions = np.repeat(np.arange(rows), 40), np.zeros(40 * rows, np.int64)
    first_rows(search.forest, np.arange(rows, dtype=np.uint64)[:, None], ORDERS[choice], slots, actions)
    equal = 0
    for row in range(rows):
        root = search.root(row)
        wanted = {int(root.actions[choice(root, np.random.default_rng(seed))]) for seed in range(60)}
        assert set(actions[slots == row].tolist()) == wanted
        equal += len(wanted) > 1
    assert 0 < equal < rows


def test_what_a_search_of_many_states_found_can_be_read():
    game = make("connect_four")
    won, lost = game.after("4 4 3 3 2 7"), game.after("4 1 3 1 2")
    search = BatchSearch.of(search_player("athenan,evaluations=200", game), 2)
    actions = search.select(np.stack([won, lost]))
    assert actions[0] in (0, 4) and search.values().shape == (2,)
    values, visits = search.action_values(), search.visits()
    assert values[0].argmax() in (0, 4) and visits[1].sum() > 0 and not np.isnan(values[0]).any()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("random", "random does not search: choose a player that does, such as athenan:club"),
        ("mcts:10", "the search of mcts:10 does not search many states at once"),
        ("athenan", "has no limit of its own: add one, such as evaluations=100"),
    ],
)
def test_a_player_that_cannot_search_many_states_says_why(name, message):
    with pytest.raises(ValueError, match=message):
        BatchSearch.of(make_player(name, make("connect_four")), rows=4)


@pytest.mark.parametrize(("name", "network"), [("connect_four", "athenan"), ("othello:8", "athenan")])
def test_many_states_are_evaluated_as_the_network_does(name, network):
    game = make(name)
    evaluate, alone = BatchEvaluator.of(network, game), search_player("athenan:casual", game).searcher
    states = random_states(game, 40, seed=2)
    assert isinstance(alone, ForestSearch) and alone.evaluate
    expected = alone.evaluate(encoded_states(game, states)).values
    assert evaluate.values(states) == pytest.approx(expected, abs=1e-5)
    ends = random_ends(game, 5, seed=1)
    assert evaluate.values(ends) == pytest.approx([alone.end_value(end) for end in ends])
    with pytest.raises(ValueError, match="no policy"):
        evaluate.policies(states)
    with pytest.raises(ValueError, match="states must be"):
        evaluate.values(states[0])


def test_policies_of_a_learner_and_of_itself_earlier_play():
    def first(observations, masks, players):
        assert observations.shape[1:] == (3, 3, 3) and (players == 1).all()
        return masks.argmax(1)

    batch = OpponentBatch(make("tictactoe"), 4, first, side="first")
    for _ in range(20):
        batch.step(batch.sample())
    with pytest.raises(GameError, match="the opponent's play: tictactoe: action -1 is not legal in row 0"):
        OpponentBatch(make("tictactoe"), 4, lambda planes, masks, players: np.full(len(planes), -1), side="second")


@pytest.mark.parametrize(
    ("name", "opponent", "error", "message"),
    [("tictactoe", "nobody", PlayerError, "there is no player 'nobody'"),
     ("tictactoe", "human", PlayerError, "a person plays"),
     ("tictactoe", 3, TypeError, "an opponent is a player.s name"),
     ("connect_four", "athenan", PlayerError, "no limit for an action: add one, such as athenan,evaluations=100"),
     ("morpion:5D", "random", ValueError, "no opponent")],
)  # fmt: skip
def test_impossible_opponents_are_refused(name, opponent, error, message):
    with pytest.raises(error, match=message):
        OpponentBatch(make(name), 2, opponent)


def test_players_that_follow_their_matches_are_limited_in_number():
    with pytest.raises(PlayerError, match="at most 256 rows, not 300"):
        make_opponent("athenan,seconds=0.01", make("connect_four"), 300)
    batch = OpponentBatch(make("connect_four"), 2, "athenan,seconds=0.001", side="both")
    for _ in range(4):
        batch.step(batch.sample())
    batch.close()
