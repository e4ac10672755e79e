"""Hub: moves and positions of draughts, the server driven by its lines, the client with a scripted program."""

import numpy as np
import pytest
from hub_positions import START
from protocol_servers import Told
from scripted_programs import Scripted, match_with

from athenan import Budget, Clock, make
from athenan.arena.roster import make_player
from athenan.engines.engine import ThinkingOptions
from athenan.engines.hub import lines
from athenan.engines.hub.client import HubConversation
from athenan.engines.hub.moves import moves, read_move, read_position, write_position
from athenan.engines.hub.server import HubServer
from athenan.engines.program import ProgramPlayer
from athenan.play.player import PlayerError
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import GameError
from athenan.search.alpha_beta.search import AlphaBetaSearch
from athenan.search.monte_carlo.mcts import Mcts

GAME = make("draughts")


def test_lines_are_read_and_written() -> None:
    assert lines.read('pos pos=W moves="32-28 19-23" flag') == ("pos", {"pos": "W", "moves": "32-28 19-23", "flag": ""})
    assert lines.read(lines.write("id", name="a b", country="", move_time=1)) == (
        "id", {"name": "a b", "country": "", "move-time": "1"},
    )  # fmt: skip


def test_positions() -> None:
    assert write_position(GAME, GAME.initial()) == START
    assert np.array_equal(read_position(GAME, START), GAME.initial())
    example = "BeeeWWeeeeeeeeeeeeeeeeeeeweeeeeeeeewweBeeeeeeeeeBee"
    assert write_position(GAME, read_position(GAME, example)) == example
    for text in ("", START[1:], START.replace("e", "x"), "W" + 50 * "B"):
        with pytest.raises(GameError):
            read_position(GAME, text)


@pytest.mark.parametrize("seed", range(3))
def test_moves_are_read_as_they_are_written(seed: int) -> None:
    random, state, actions = np.random.default_rng(seed), GAME.initial(), list[int]()
    while GAME.outcome(state) is None and len(actions) < 80:
        actions.append(int(random.choice(GAME.actions(state))))
        state = GAME.play(state, actions[-1])
    written, state, again = moves(GAME, actions, GAME.initial()), GAME.initial(), list[int]()
    for move in written:
        for action in read_move(GAME, state, move):
            again.append(action)
            state = GAME.play(state, action)
    assert again == actions[: len(again)]
    assert any(move.count("x") > 1 for move in written)


def test_a_capture_says_what_it_takes() -> None:
    state = GAME.after("32-28 19-23")
    [move] = {name for action in GAME.actions(state) if (name := GAME.action_name(state, int(action)))}
    assert move == "28x19"
    assert read_move(GAME, state, "28x19x23") == read_move(GAME, state, "28x19")
    for wrong in ("28x19x24", "28-19", "33-29", "x", "28", "99x1x2"):
        with pytest.raises(GameError):
            read_move(GAME, state, wrong)


def test_the_examples_of_the_description() -> None:
    told = Told(HubServer, "draughts")
    assert [line.split()[0] for line in told("hub")] == ["id", "param", "wait"]
    assert told("set-param name=book value=false", "init", "ping", "nonsense") == ["ready", "pong"]
    *_, done = told(f"pos pos={START}", "level move-time=0.1", "go think")
    command, arguments = lines.read(done)
    assert command == "done"
    assert read_move(GAME, GAME.initial(), arguments["move"])
    example = 'pos pos=BeeeWWeeeeeeeeeeeeeeeeeeeweeeeeeeeewweBeeeeeeeeeBee moves="38-15 5-41 48-26"'
    assert told(example, "level moves=9 time=291.587", "go ponder", "stop")[-1].startswith("done move=")


def test_after_a_position_that_does_not_exist_there_is_no_move() -> None:
    told = Told(HubServer, "draughts")
    for line in ("pos pos=x", f'pos pos={START} moves="32-28 32-28"'):
        told(f"pos pos={START}")
        [refused, unknown] = told(line, "go think", "ponder-hit")
        assert refused.startswith("error message=")
        assert unknown.startswith('error message="the position is unknown, as the last one was refused: ')
        for known in (f"pos pos={START}", "new-game"):
            assert told(line, known, "go think")[-1].startswith("done move=")


def test_a_level_that_is_refused_leaves_no_earlier_one() -> None:
    options = ThinkingOptions(Budget(iterations=20))
    told = Told(HubServer, "draughts", lambda game: SearchPlayer("uct", Mcts(game)), options)
    for level in ("move-time=x", "depth=3"):
        [error, *_, done] = told("level infinite", f"level {level}", "go think")
        assert error.startswith("error message=")
        assert done.startswith("done move=")


def test_limits() -> None:
    told = Told(HubServer, "draughts")
    for level, limit in (
        ("time=60 inc=2", Clock(60, 2)), ("moves=9 time=90", Budget(10)), ("move-time=1.5", Budget(1.5)),
        ("time=-3", Clock(0)),
    ):  # fmt: skip
        assert told(f"level {level}") == []
        assert told.server._given == limit
    [refused] = told("level depth=3")
    assert refused.startswith("error message=")
    assert "cannot search to a depth" in refused
    assert told("level time=x")[0].startswith("error message=")
    assert told("level time=nan")[0].startswith("error message=")


def test_a_ponder_hit_begins_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("athenan.engines.hub.server.REPORT_SECONDS", 0.01)
    told = Told(HubServer, "draughts")
    told.server.handle("level move-time=0.1")
    told.server.handle("go ponder")
    told.until(lambda lines: any("time=" in line and "time=0.00" not in line for line in lines))
    told.server.handle("ponder-hit")
    told.engine.wait()
    assert [line.split()[0] for line in told.lines].count("done") == 1


def test_a_ponder_hit_after_the_answer_is_ignored() -> None:
    told = Told(HubServer, "draughts", lambda game: SearchPlayer("it", AlphaBetaSearch(game)))
    told.server.handle("level depth=1")
    told.server.handle("pos pos=B" + 20 * "e" + "b" + 28 * "e" + "W")
    told.server.handle("go ponder")
    told.engine.wait()  # it is proven
    assert [line.split()[0] for line in told.lines].count("done") == 1
    assert told("ponder-hit") == []


def test_a_program_is_told_the_match() -> None:
    transport = Scripted(
        ("hub", "id name=it", "wait"), ("init", "ready"), ("new-game",), ("new-game",),
        (f"pos pos={START}",), ("level move-time=0.500",), ("go think", "info score=0", "done move=32-28 ponder=19-23"),
        (f'pos pos={START} moves="32-28 19-23"',), ("level time=60.000 inc=1.000",), ("go think", "done move=28x19x23"),
    )  # fmt: skip
    player = ProgramPlayer(GAME, "hub:it", lambda: HubConversation("hub:it", transport, 5))
    moves = match_with(player, GAME, (Budget(0.5), "19-23", Clock(60, 1)))
    assert not transport.script
    assert moves == GAME.moves(player._actions) == "32-28 19-23 28x19"


def test_other_games_are_refused() -> None:
    with pytest.raises(PlayerError, match="Hub is for international draughts, not for tictactoe"):
        make_player("hub:cat", make("tictactoe"))
