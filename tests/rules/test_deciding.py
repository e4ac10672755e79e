"""Which places decided a match, in matches of random moves and in known positions."""

from itertools import zip_longest

import numpy as np
import pytest
from boards import board_of, decision_of

from athenan.drawing.svg import draw
from athenan.games.catalogue import make

SEEDS = range(8)


def ended(game, seed):
    """The states and the actions of a random match that somebody wins."""
    random = np.random.default_rng(seed)
    while True:
        states, actions = [game.initial()], []
        while game.outcome(states[-1]) is None:
            actions.append(int(random.choice(game.actions(states[-1]))))
            states.append(game.play(states[-1], actions[-1]))
        if game.outcome(states[-1]):
            return states, actions


def decided(game, state):
    """The winner and the places that decided the match."""
    winner = int(game.outcome(state) < 0)
    deciding = board_of(game).deciding
    assert deciding
    return winner, list(deciding(state, winner))


PLACING = {"hex:5": 5, "havannah:4": 4, "connect_four": 4, "connect_four:5x5,connect=3": 3, "tictactoe": 3,
           "gomoku:9": 5, "gomoku:7,exact=true,opening=free": 5, "connect6:8": 6}  # fmt: skip
"""Games of stones that are never moved -> the fewest stones that win."""


@pytest.mark.parametrize("name", PLACING)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_last_stone_and_only_stones_of_the_winner_decide(name, seed):
    """Before its last stone nothing was won, so whatever decided the match needs that stone."""
    game = make(name)
    states, actions = ended(game, seed)
    winner, places = decided(game, states[-1])
    owners = {piece.place: piece.owner for piece in board_of(game).scene(states[-1]).pieces}
    assert {owners[place] for place in places} == {winner}
    assert game.places(states[-2], actions[-1])[0] in places
    assert len(places) >= PLACING[name] and len(set(places)) == len(places)
    assert draw(game, states[-1]).svg.count('class="decided"') == len(places)
    assert draw(game, states[-2]).svg.count('class="decided"') == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_the_chain_of_hex_is_a_path_between_the_sides_without_shortcuts(seed):
    game = make("hex:6")
    states, _ = ended(game, seed)
    winner, places = decided(game, states[-1])
    cells = [divmod(place, 6) for place in places]
    along = [cell[winner] for cell in cells]
    assert along.count(0) == along.count(5) == 1
    around = {(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)}
    neighbours = [sum((two[0] - one[0], two[1] - one[1]) in around for two in cells) for one in cells]
    assert sorted(neighbours) == [1, 1] + [2] * (len(places) - 2)


@pytest.mark.parametrize(
    ("name", "moves", "places"),
    [
        ("connect_four", "4 1 4 1 4 1 4", ["d1", "d2", "d3", "d4"]),
        ("connect_four:9x6", "1 9 2 9 3 9 5 8 6 8 7 8 4", ["a1", "b1", "c1", "d1", "e1", "f1", "g1"]),
        ("tictactoe", "a1 b3 b2 c1 c3", ["a1", "b2", "c3"]),
        ("breakthrough:3x4,piece_rows=1", "a1-a2 c4-c3 a2-a3 c3-c2 a3xb4", ["b4"]),
    ],
)
def test_known_ends(name, moves, places):
    game = make(name)
    state = game.after(moves)
    assert [board_of(game).places[place].name for place in decided(game, state)[1]] == places


@pytest.mark.parametrize(
    ("how", "stones", "others"),
    [
        ("bridge", "a1 c1 b1 d1", "g5 g6 e7"),
        ("ring", "c3 d3 e4 e5 d5 c4", "a1 b1 g5 g6 a3"),
        ("fork", "b1 a2 b2 c2 d2 e2", "g5 g6 c6 e7 d4"),
    ],
)
def test_each_end_of_havannah_shows_its_own_stones(how, stones, others):
    """The match has a lone stone besides, which does not decide anything."""
    game, first, second = make("havannah:4,swap=false"), ["f5", *stones.split()], ["d1" if how != "bridge" else "d7"]
    second += others.split()
    moves = [move for pair in zip_longest(first, second) for move in pair if move]
    winner, places = decided(game, state := game.after(" ".join(moves)))
    assert (winner, decision_of(game, state, 0)) == (0, how)
    assert {board_of(game).places[place].name for place in places} == set(stones.split())


def test_where_nothing_decides_nothing_is_shown():
    game = make("connect_four")
    assert 'class="decided"' not in draw(game, game.initial()).svg
    stuck = make("breakthrough:2x3,piece_rows=1")
    states, _ = ended(stuck, 1)
    winner, places = decided(stuck, states[-1])
    assert bool(places) == (decision_of(stuck, states[-1], winner) == "row")
