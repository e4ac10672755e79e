"""Backgammon as other programs know it: OpenSpiel, GNU Backgammon."""

import random
import re
import subprocess
from itertools import groupby, islice

import numpy as np
import pytest
from backgammon_positions import BENCHMARK, GAME, after
from gnubg_boards import read_external_board

from athenan import GameError, make
from athenan.engines.process import find_program
from athenan.games.backgammon import gnubg, positions
from athenan.rules import CHANCE


@pytest.mark.parametrize("hyper", [False, True])
def test_openspiel_has_the_same_moves(hyper: bool) -> None:
    """A small sample: benchmarks/backgammon_plays.py compares as many positions as wanted."""
    pytest.importorskip("pyspiel")
    game, said = make("backgammon:hyper" if hyper else "backgammon"), list[str]()
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
    assert np.array_equal(hyper.read_fen(gnubg.position_id(hyper.initial())), hyper.initial())
    for number, position in enumerate(islice(BENCHMARK["random_positions"](GAME, 4), 100)):
        state = positions.before_roll(GAME, position, number % 2)
        text = gnubg.position_id(state)
        assert gnubg.position_of_id(text) == position
        assert np.array_equal(GAME.read_fen(f"{text} {'xo'[number % 2]}"), state)
        board = gnubg.external_board(state, (5, 2))
        assert read_external_board(board) == (position, (5, 2))
    for text in ("", "4HPwATDgc/ABM", "4HPwATDgc/ABM!", "/////////////w", "AAAAAAAAAAAAAA"):
        with pytest.raises(GameError):
            GAME.read_fen(text)


def xgid(position: positions.Position, player: int, dice: str) -> str:
    """Written after eXtreme Gammon's description: the bottom player is the first one, whose checkers are capitals."""
    bottom, top = position if player == 0 else position[::-1]
    letters = ["-"] * 26
    for place in range(1, 26):
        if bottom[place]:
            letters[place] = chr(64 + bottom[place])
        if top[place]:
            letters[25 - place] = chr(96 + top[place])
    return f"XGID={''.join(letters)}:0:0:{1 - 2 * player}:{dice}:0:0:0:0:10"


@needs_gnubg
def test_gnubg_reads_the_same_xgids() -> None:
    """It names the position by its ID, and the dice."""
    program, commands, wanted = str(find_program("gnubg")), list[str](), list[str]()
    for number, position in enumerate(islice(BENCHMARK["random_positions"](GAME, 4), 40)):
        text = xgid(position, number % 2, "62")
        fen = GAME.write_fen(GAME.read_fen(text))
        assert fen == f"{gnubg.position_id(positions.before_roll(GAME, position, number % 2))} {'xo'[number % 2]} 6-2"
        commands.append(f"set xgid {text}\n")
        wanted.append(fen.split()[0])
    options = [program, "-t", "-q", "-r"]
    done = subprocess.run(options, input="".join(commands), capture_output=True, text=True, timeout=60, check=True)
    said = done.stdout
    shown = [text for text, _ in groupby(re.findall(r"Position ID: (\S+)", said))]
    assert [text for text in shown if text != "4HPwATDgc/ABMA"] == wanted  # before each there is a new match
    assert said.count("dice have been set to 6 and 2") == len(wanted)


def test_xgids() -> None:
    """The start, and a position with both bars, as GNU Backgammon 1.07 reads it."""
    start = "XGID=-b----E-C---eE---c-e----B-:0:0:{}:{}:0:0:3:0:10"
    assert np.array_equal(GAME.read_fen(start.format(1, "00")), GAME.initial())
    assert np.array_equal(GAME.read_fen(start.format(1, 31)), GAME.read_fen("4HPwATDgc/ABMA x 3-1"))
    assert np.array_equal(GAME.read_fen(start.format(-1, 66)), GAME.read_fen("4HPwATDgc/ABMA o 6-6"))
    wrong = {
        start.format(1, "D"): "is not a roll, such as 31",
        start.format(2, 31): "is not an XGID",
        start.format(1, 31)[:-25]: "is not an XGID",
        start.format(1, 31).replace("=-", "=A"): "on the bar of the other player",
        start.format(1, 31).replace("E-C", "O-C"): "more than 15 checkers",
        start.format(1, 31).replace("=-b", "=bb"): "more than 15 checkers",
    }
    for text, message in wrong.items():
        with pytest.raises(GameError, match=message):
            GAME.read_fen(text)


@pytest.mark.parametrize("name", ["backgammon", "backgammon:hyper"])
def test_a_fen_is_what_is_seen(name: str) -> None:
    """In random matches: the same picture and score, and all that may be played, whichever order a turn has had."""
    game, random_numbers = make(name), np.random.default_rng(1)
    for _ in range(5):
        state = game.initial()
        while True:
            text = game.write_fen(state)
            again = game.read_fen(text)
            assert game.write_fen(again) == text
            assert (game.text(again), game.player(again)) == (game.text(state), game.player(state))
            if (outcome := game.outcome(state)) is not None:
                assert (outcome, game.score(state)) == (game.outcome(again), game.score(again))
                break
            assert game.player(state) == CHANCE or set(game.actions(state)) <= set(game.actions(again))
            state = game.play(state, game.draw(state, random_numbers))


@pytest.mark.parametrize("turn", ["z", "x 7", "x 3 1", "x 1 1 1 1 1", "x 3-", "3-1 x"])
def test_a_wrong_turn_is_refused(turn: str) -> None:
    with pytest.raises(GameError, match="is not a position ID with a turn, such as 4HPwATDgc/ABMA x 3-1"):
        GAME.read_fen(f"4HPwATDgc/ABMA {turn}")


def test_boards_of_the_external_interface() -> None:
    """What GNU Backgammon 1.07 prints as raw boards: at the start, and from the other side of the board."""
    start = positions.position_of(GAME.initial(), 0)
    text = (
        "board:root:gnubg:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:6:2:6:2:1:1:1:0:1:-1:0:25"
        ":0:0:0:0:0:0:0:1"
    )
    assert read_external_board(text) == (start, (6, 2))
    with pytest.raises(GameError):
        gnubg.external_board(GAME.after("3-1"))
