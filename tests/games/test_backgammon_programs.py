"""Backgammon as other programs know it: OpenSpiel, GNU Backgammon."""

import random
from itertools import islice

import numpy as np
import pytest
from test_backgammon import BENCHMARK, GAME, after

from athenan import GameError, make
from athenan.engines.process import find_program
from athenan.games.backgammon import gnubg, positions


@pytest.mark.parametrize("hyper", [False, True])
def test_openspiel_has_the_same_moves(hyper: bool) -> None:
    """A small sample: benchmarks/backgammon_plays.py compares as many positions as wanted."""
    pytest.importorskip("pyspiel")
    game, said = make("backgammon:hyper" if hyper else "backgammon"), []
    assert BENCHMARK["run"](game, BENCHMARK["openspiel_cases"](hyper, 5), 150, said.append), said


def test_openspiel_has_the_same_scores() -> None:
    """The last turns of OpenSpiel's random matches, whose x, player 0, is our first player."""
    spiel = pytest.importorskip("pyspiel").load_game("backgammon(scoring_type=full_scoring)")
    source, scores = random.Random(2), set()
    for _ in range(25):
        theirs = spiel.new_initial_state()
        while not theirs.is_terminal():
            if theirs.is_chance_node():
                theirs.apply_action(source.choice(theirs.legal_actions()))
                continue
            player = theirs.current_player()
            dice = tuple(round(number) for number in theirs.observation_tensor(player)[198:])
            before = BENCHMARK["spiel_position"](theirs, player)
            while not theirs.is_terminal() and theirs.current_player() == player:  # a double is two of its actions
                theirs.apply_action(source.choice(theirs.legal_actions()))
        state = after(before, (dice[0], dice[1]), player)
        for action in positions.plays(GAME, state)[BENCHMARK["spiel_position"](theirs, player)]:
            state = GAME.play(state, action)
        assert GAME.score(state) == theirs.returns()[0]
        scores.add(abs(GAME.score(state)))
    assert scores == {1, 2, 3}


needs_gnubg = pytest.mark.skipif(find_program("gnubg") is None, reason="gnubg is not installed")


@needs_gnubg
def test_gnubg_has_the_same_moves_and_position_ids() -> None:
    """A small sample, as above; each position is given to gnubg by its ID."""
    said: list[str] = []
    assert BENCHMARK["run"](GAME, BENCHMARK["gnubg_cases"](find_program("gnubg"), GAME, 9), 250, said.append), said


def test_position_ids() -> None:
    """Those of the starts, from GNU Backgammon's manual and its hypergammon; and back, in random positions."""
    assert gnubg.position_id(GAME.initial()) == "4HPwATDgc/ABMA"
    hyper = make("backgammon:hyper")
    assert np.array_equal(gnubg.from_position_id(hyper, gnubg.position_id(hyper.initial()))[8:], hyper.initial()[8:])
    for number, position in enumerate(islice(BENCHMARK["random_positions"](GAME, 4), 100)):
        state = positions.before_roll(GAME, position, number % 2)
        text = gnubg.position_id(state)
        assert gnubg.position_of_id(text) == position
        assert np.array_equal(gnubg.from_position_id(GAME, text, number % 2), state)
        board = gnubg.external_board(state, (5, 2))
        assert gnubg.read_external_board(board) == (position, (5, 2))
    for text in ("", "4HPwATDgc/ABM", "4HPwATDgc/ABM!", "/////////////w", "AAAAAAAAAAAAAA"):
        with pytest.raises(GameError):
            gnubg.from_position_id(GAME, text)
    for text in ("", "board:a:b:0:0:0:1", "board" + ":x" * 52):
        with pytest.raises(GameError):
            gnubg.read_external_board(text)


def test_boards_of_the_external_interface() -> None:
    """What GNU Backgammon 1.07 prints as raw boards: at the start, and from the other side of the board."""
    start = positions.position_of(GAME.initial(), 0)
    text = (
        "board:root:gnubg:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:6:2:6:2:1:1:1:0:1:-1:0:25"
        ":0:0:0:0:0:0:0:1"
    )
    assert gnubg.read_external_board(text) == (start, (6, 2))
    with pytest.raises(GameError):
        gnubg.external_board(GAME.after("3-1"))
