"""Foresight: the ends that it sees, compared with a recursion in Python."""

import pytest

from athenan import make
from athenan.rules.game import Game, State
from athenan.rules.playouts import random_states
from athenan.rules.state import CHANCE
from athenan.search.trees.foresight import Foresight

# the last one has chance, and turns of several actions
GAMES = "tictactoe", "connect_four:4x4", "hex:3", "breakthrough:4x4", "go:3", "pig:8,length=8"


def forced(game: Game, state: State, side: int, turns: int, winner: int) -> bool:
    """Whether `winner` wins within these turns, the first of which is the turn of `side`."""
    outcome = game.outcome(state)
    if outcome is not None:
        return outcome == (1, -1)[winner]
    mover = game.player(state)
    if mover not in (CHANCE, side):
        side, turns = mover, turns - 1
    if turns == 0:
        return False
    following = [forced(game, game.play(state, int(one)), side, turns, winner) for one in game.actions(state)]
    return any(following) if mover == winner else all(following)


def ends(game: Game, state: State, turns: int) -> list[int]:
    found, side = [], game.player(state)
    for action in game.actions(state):
        after = game.play(state, int(action))
        wins = [n for n in range(1, turns + 1) if forced(game, after, side, n, side if n % 2 else 1 - side)]
        lost = game.outcome(after) == (-1, 1)[side]
        found.append(-1 if lost else 0 if not wins else wins[0] if wins[0] % 2 else -wins[0])
    return found


@pytest.mark.parametrize("name", GAMES)
def test_it_sees_the_same_ends_as_a_recursion(name: str) -> None:
    game = make(name)
    states = [state for state in random_states(game, 300, seed=3) if game.player(state) != CHANCE]
    late = [state for state in states if len(game.actions(state)) <= 9][::11]
    kinds = set[int]()
    for turns in (1, 2, 3):
        for state in late:
            actions = game.actions(state)
            found = Foresight(game, turns).ends(state, actions).tolist()
            assert found == ends(game, state, turns), (state, turns)
            kinds |= set(found)
    assert len(kinds) > 1  # there was something to see


def test_it_looks_at_a_limited_number_of_states_and_keeps_what_it_has_seen() -> None:
    game = make("gomoku:15")
    state = game.after("a1 h8 a3 h9 a5 h10 a7")
    actions = game.actions(state)
    wins = Foresight(game, 3).ends(state, actions)
    assert (wins == 3).sum() >= 2  # four in a row with two free ends
    foresight = Foresight(game, 4, most=1000)
    assert not foresight.ends(state, actions).any()
    assert foresight.played <= 1000 + 2 * game.max_actions
