"""The protocol of Gomocup: the examples of its description, and the server and the client with each other."""

import sys
from functools import reduce

import numpy as np
import pytest
from clocks import Ticking
from protocol_servers import Told
from scripted_programs import Scripted, match_with

from athenan import Budget, make
from athenan.arena.roster import make_player
from athenan.engines.engine import ThinkingOptions
from athenan.engines.gomocup.client import GomocupConversation
from athenan.engines.gomocup.server import GomocupServer
from athenan.engines.program import ProgramPlayer
from athenan.play.player import PlayerError
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import GameError
from athenan.search.monte_carlo.mcts import Mcts


def served(game: str = "gomoku:15,opening=free", player: str = "mcts:20") -> Told[GomocupServer]:
    return Told(GomocupServer, game, player)


def moves(told: Told[GomocupServer]) -> str:
    session = told.engine.session
    return session.game.moves(session.actions)


def test_a_match_as_it_is_described() -> None:
    told = served()
    assert told("START 9\r") == ["OK"]
    assert told("INFO timeout_turn 50", "INFO folder C:\\brains", "INFO rule 0") == []
    [cell] = told("BEGIN")
    x, y = map(int, cell.split(","))
    assert moves(told) == f"{'abcdefghi'[x]}{9 - y}"
    free = "0,0" if cell != "0,0" else "1,0"
    assert len(told(f"TURN {free}")) == 1
    assert told(f"TAKEBACK {told.lines[0]}") == ["OK"]
    assert told("RESTART") == ["OK"]
    assert moves(told) == ""
    assert told("ABOUT")[0].startswith('name="athenan"')
    assert told("SWAP2BOARD")[0].startswith("UNKNOWN")
    assert told.server.handle("END") is False


def test_a_board_may_begin_a_match() -> None:
    told = served()
    assert len(told("START 15", "BOARD", "7,7,2", "DONE")) == 2
    assert moves(told).startswith("h8 ")
    assert len(told("RESTART", "BOARD", "0,0,1", "14,14,1", "1,0,2", "2,0,2", "DONE")) == 2
    assert moves(told).startswith("a15 b15 o1 c15 ")
    [ok, cell] = told("RESTART", "BOARD", "DONE")  # an empty one: the brain begins
    assert (ok, cell.count(","), moves(told).count(" ")) == ("OK", 1, 0)
    for board in (["0,0,1", "DONE"], ["0,0,3", "DONE"], ["x", "DONE"], ["0,0,2", "1,1,2", "DONE"], ["99,0,2", "DONE"]):
        assert told("BOARD", *board)[0].startswith("ERROR ")


def test_after_a_board_or_size_that_is_refused_there_is_no_move() -> None:
    told = served()
    for wrong, right in ((["BOARD", "0,0,2", "0,0,1", "1,1,2", "DONE"], "RESTART"), (["START 3"], "START 9")):
        assert len(told("START 9", "TURN 4,4")) == 2
        assert told(*wrong)[0].startswith("ERROR ")
        for line in ("TURN 1,1", "BEGIN", "TAKEBACK 4,4"):
            [error] = told(line)
            assert error.startswith("ERROR the position is unknown, as the last one was refused: ")
        assert told(right) == ["OK"]
        assert len(told("TURN 4,4")) == 1
    assert told("START 3", "RESTART") == 2 * ["ERROR gomoku: size must be from 5 to 19, not 3"]


def test_a_won_position_is_finished() -> None:
    """Four in a row: the first player takes the fifth."""
    told = served("gomoku:6,opening=free", "mcts:500")
    stones = [f"{x},0,1\n" for x in range(4)] + [f"{x},5,2" for x in (0, 2, 3, 5)]
    answers = told("BOARD", *map(str.strip, stones), "DONE")
    assert answers == ["4,0"]
    assert told("TURN 1,1") == ["ERROR 'b5' cannot be played: the match is over"]


@pytest.mark.parametrize("line", ["START 20", "START x", "START", "TURN 15,0", "TURN 1", "TURN", "TAKEBACK 1,1"])
def test_bad_lines_are_answered_with_an_error(line: str) -> None:
    assert served()(line)[0].startswith("ERROR ")


def test_a_size_that_does_not_exist_is_answered_with_the_sizes_that_do() -> None:
    assert served()("START 3") == ["ERROR gomoku: size must be from 5 to 19, not 3"]


def test_exact_lines_are_a_rule() -> None:
    told = served()
    assert told("INFO rule 1") == []
    assert "exact=true" in told.engine.game.name


def test_the_time_of_a_match_alone_limits_an_action() -> None:
    """Half of it at most; only without any time the engine takes its own."""
    options = ThinkingOptions(Budget(seconds=1), margin=0)
    told = Told(GomocupServer, "gomoku:5,opening=free", lambda game: SearchPlayer("uct", Mcts(game)), options)
    told.engine.session.clock = clock = Ticking(0.001)
    assert len(told("INFO timeout_match 1000", "INFO time_left 40", "BEGIN")) == 1
    assert clock.now < 0.03  # when the search looked the last time


def test_a_program_is_told_the_stones() -> None:
    transport = Scripted(
        ("START 5", "OK"), ("INFO rule 0",), ("START 5", "DEBUG x", "OK"), ("INFO rule 0",),
        ("INFO timeout_turn 500",), ("INFO timeout_match 0",), ("INFO time_left 2147483647",),
        ("RESTART", "OK"), ("BOARD",), ("0,0,2",), ("1,0,1",), ("2,0,2",), ("DONE", "MESSAGE x", "4,4"),
        ("TURN 3,0", "0,4"),
    )  # fmt: skip
    game = make("gomoku:5")
    player = ProgramPlayer(game, "gomocup:it", lambda: GomocupConversation("gomocup:it", transport, 5))
    moves = match_with(player, game, ("a5", "b5", "c5", Budget(0.5), "d5", Budget(iterations=1)))
    assert not transport.script
    assert moves == game.moves(player._actions) == "a5 b5 c5 e1 d5 a1"


def test_other_games_are_refused() -> None:
    with pytest.raises(GameError, match="Gomocup is for gomoku, not for tictactoe"):
        served("tictactoe")
    with pytest.raises(PlayerError, match="Gomocup is for gomoku, not for tictactoe"):
        make_player("gomocup:cat", make("tictactoe"))


def test_pygomo_plays_a_match() -> None:
    """A library of others for Gomocup plays random moves against the engine, and loses."""
    pygomo = pytest.importorskip("pygomo", reason="the package pygomo-lib is not installed")
    game, random = make("gomoku:9,opening=free"), np.random.default_rng(3)
    arguments = ["-m", "athenan", "engine", game.name, "--protocol", "gomocup", "--player", "mcts:300"]
    with pygomo.EngineClient(sys.executable, args=arguments) as engine:
        process = engine._transport._process
        assert engine.start(board_size=9, timeout=300)
        assert "athenan" in engine.about(timeout=300)
        engine.configure(timeout_turn=5000)
        moves = [engine.begin(timeout=300).move.to_tuple()]
        while game.outcome(state := reduce(game.play, [9 * (8 - y) + x for x, y in moves], game.initial())) is None:
            action = int(random.choice(game.actions(state)))
            moves.append((action % 9, 8 - action // 9))
            if game.outcome(game.play(state, action)) is None:
                moves.append(engine.turn(moves[-1], timeout=300).move.to_tuple())
        assert game.outcome(state) == 1
        assert engine.takeback(f"{moves[-1][0]},{moves[-1][1]}", timeout=300)
    for pipe in (process.stdin, process.stdout, process.stderr):  # which it leaves open
        pipe.close()
