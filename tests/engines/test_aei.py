"""AEI: turns of Arimaa, the server and the client, with the engine and the rules of the package AEI."""

import shlex
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest
from arimaa_setups import GOLD, SILVER
from protocol_servers import Told
from scripted_programs import Scripted
from search_players import search_player

from athenan import Budget, Clock, make
from athenan.arena.roster import make_player
from athenan.engines.aei.client import AeiConversation
from athenan.engines.aei.server import AeiServer
from athenan.engines.aei.turns import read_turn, whole_turns
from athenan.engines.engine import Engine
from athenan.engines.program import ProgramPlayer
from athenan.play.match import play_match
from athenan.play.player import PlayerError, RandomPlayer
from athenan.rules.game import GameError

pyrimaa = pytest.importorskip("pyrimaa.board", reason="the package AEI is not installed")

GAME = make("arimaa:200")
ORDERED = "Ca1 Db1 Hc1 Md1 Ee1 Hf1 Dg1 Ch1 Ra2 Rb2 Rc2 Rd2 Re2 Rf2 Rg2 Rh2"


def blank() -> Any:
    return pyrimaa.Position(pyrimaa.Color.GOLD, 4, pyrimaa.BLANK_BOARD)


@pytest.mark.parametrize("seed", range(2))
def test_turns_are_those_of_another_program(seed: int) -> None:
    """Random turns, captures included, lead to the same boards there, and are read back as the same actions."""
    random, state, actions = np.random.default_rng(seed), GAME.initial(), list[int]()
    while GAME.outcome(state) is None and len(actions) < 180:
        actions.append(int(random.choice(GAME.actions(state))))
        state = GAME.play(state, actions[-1])
    written, _ = whole_turns(GAME, actions)
    position, state, again = blank(), GAME.initial(), list[int]()
    for turn in written:
        position = position.do_move_str(turn)
        for action in read_turn(GAME, state, turn):
            again.append(action)
            state = GAME.play(state, action)
        ours = "".join("".join(line.split()[1:]) for line in GAME.text(state).splitlines()[1:])
        theirs = position.board_to_str("short").strip("[]").replace(" ", ".")
        assert ours.replace("x", ".") == theirs
    assert again == actions[: len(again)]
    assert any("x" in turn for turn in written) or len(written) < 20


def test_setups_have_any_order() -> None:
    state = GAME.initial()
    for _ in range(3):
        pieces = GOLD.split()
        np.random.default_rng(1).shuffle(pieces)
        assert len(read_turn(GAME, state, " ".join(pieces))) == 16


@pytest.mark.parametrize("turn", ["Ra2", "Ra3n", "", "Ra2n Ra3n Ra4n Ra5n Ra6n", "ra7s", "Ra2n Ra2n", "x", "Ra2n no"])
def test_illegal_turns_are_refused(turn: str) -> None:
    state = GAME.initial()
    for setup in (GOLD, SILVER):
        for action in read_turn(GAME, state, setup):
            state = GAME.play(state, action)
    with pytest.raises(GameError):
        read_turn(GAME, state, turn)


def served(player: str = "mcts:2") -> Told[AeiServer]:
    return Told(AeiServer, "arimaa:200", player)


def test_the_server_answers_whole_turns_and_keeps_the_position() -> None:
    told = served()
    assert told("aei", "isready")[0] == "protocol-version 1"
    position = blank()
    for number in range(4):
        [answer] = [line for line in told("go") if line.startswith("bestmove")]
        assert told.engine.game.player(told.engine.session.state) == number % 2
        move = answer.removeprefix("bestmove ")
        position = position.do_move_str(move)
        assert told(f"makemove {move}") == []
    assert told("makemove Ra2n")[0].startswith("log Error: ")


def test_positions() -> None:
    """The positions of another program, after each of its turns, and what is none."""
    told, position, state = served(), blank(), GAME.initial()
    for turn in (None, GOLD, SILVER):
        if turn:
            position = position.do_move_str(turn)
            for action in read_turn(GAME, state, turn):
                state = GAME.play(state, action)
        assert told(f"setposition {'gs'[position.color]} {position.board_to_str('short')}") == []
        assert told.engine.session.state.tobytes() == state.tobytes()
    random = np.random.default_rng(5)
    for _ in range(60):
        state = GAME.play(state, int(random.choice(GAME.actions(state))))
        if GAME.outcome(state) is None and not state[4] & 3:
            board = "".join("".join(line.split()[1:]) for line in GAME.text(state).splitlines()[1:])
            assert told(f"setposition {'gs'[state[0]]} [{board.replace('.', ' ')}]") == []
            there = told.engine.session.state
            assert GAME.text(there) == GAME.text(state)
            assert set(GAME.actions(there).tolist()) >= set(GAME.actions(state).tolist())
            assert [line for line in told("go") if line.startswith("bestmove")]
    for wrong, message in (
        ("g [r]", "is not a position"),
        (f"g [{64 * 'R'}]", "at most 8 pieces R"),
        (f"s [{64 * ' '}]", "has no pieces"),
        (f"g [{'r' + 55 * ' ' + 'Er' + 6 * ' '}]", "is over"),
        (f"g [{'r' + 17 * ' ' + 'E' + 37 * ' ' + 'R' + 7 * ' '}]", "on a trap"),
    ):
        [line] = told(f"setposition {wrong}")
        assert line.startswith("log Error: ")
        assert message in line


def test_after_a_turn_or_position_that_is_refused_there_is_no_move() -> None:
    told = served()
    for wrong in ("setposition g [r]", "makemove Ra2n"):
        for known in ([], [f"makemove {GOLD}"]):
            assert told("newgame", wrong)[0].startswith("log Error: ")
            for line in ("go", "go ponder", *known):
                [error] = told(line)
                assert error.startswith("log Error: the position is unknown, as the last one was refused: ")
    assert any(line.startswith("bestmove") for line in told("newgame", "go"))


def test_times_follow_the_options() -> None:
    told = served()
    for line in (
        "tcmove value 10",
        "tcreserve value 100",
        "sreserve value 200",
        "tcturntime value x",
        "opponent value a b",
    ):
        told(f"setoption name {line}")
    assert (told.server._seconds(0), told.server._seconds(1)) == (15, 20)
    told("setoption name tcturntime value 12")
    assert told.server._seconds(1) == 12


def test_stop_ends_a_search_which_then_answers() -> None:
    told = served("mcts:3600s")
    told.server.handle("go")
    told.server.handle("stop")
    assert any(line.startswith("bestmove") for line in told.lines)


def test_a_program_is_told_no_more_time_than_there_is() -> None:
    """What is left has the increments of earlier actions in it."""
    conversation = AeiConversation("aei:it", Scripted(), 5)
    for clock, move, reserve in ((Clock(10, 5), 10, 0), (Clock(60, 5), 20, 40), (Clock(60), 0, 60)):
        times = [f"name tcmove value {move}", f"name greserve value {reserve}"]
        assert conversation._times(clock, 0) == times


def test_a_program_is_told_the_turns() -> None:
    transport = Scripted(
        ("aei", "protocol-version 1", "aeiok"), ("isready", "readyok"), ("newgame",),
        ("isready", "readyok"), ("newgame",), ("setoption name tcmove value 2",), ("setoption name tcreserve value 0",),
        ("go", f"bestmove {GOLD}"), (f"makemove {ORDERED}",), (f"makemove {SILVER}",),
        ("setoption name tcmove value 4",), ("setoption name greserve value 56",),
        ("go", "info time 1", "bestmove Ra2n Ra3n Rb2n"),
    )  # fmt: skip
    player = ProgramPlayer(GAME, "aei:it", lambda: AeiConversation("aei:it", transport, 5))
    player.new_match(GAME, 1)
    state, names = GAME.initial(), list[str]()
    for limit in (Budget(0.5), Clock(60, 1)):
        side = GAME.player(state)
        while GAME.player(state) == side:
            action = player.select(state, limit).action
            names.append(GAME.action_name(state, action))
            state = GAME.play(state, action)
            player.observe(action, state)
        for action in read_turn(GAME, state, SILVER) if len(names) == 16 else []:
            state = GAME.play(state, action)
            player.observe(action, state)
    assert names[16:] == ["Ra2n", "Ra3n", "Rb2n", "end"]
    assert not transport.script


def test_other_games_are_refused() -> None:
    with pytest.raises(PlayerError, match="which is for arimaa, not for tictactoe"):
        make_player("aei:cat", make("tictactoe"))
    with pytest.raises(GameError, match="AEI is for arimaa"):
        AeiServer(Engine(make("tictactoe"), partial(search_player, "mcts:2")), print)


def test_the_sample_engine_plays_a_match() -> None:
    """Its turns, chosen at random by its own rules, are legal by ours, and ours by its."""
    player = make_player(f"aei:{shlex.join([sys.executable, '-m', 'pyrimaa.simple_engine'])}", GAME)
    try:
        record = play_match(GAME, (player, RandomPlayer()), seed=1)
    finally:
        player.close()
    assert record.forfeit is None
    assert len(record.actions) > 40
