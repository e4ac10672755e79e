"""CECP: the server by its lines, and the client with scripted programs and Fairy-Stockfish."""

from typing import Any

import pytest
from clocks import Ticking
from scripted import Scripted, match_with
from told import Told

from athenan import Budget, Clock, make
from athenan.arena.roster import make_player
from athenan.engines.cecp.client import CecpConversation
from athenan.engines.cecp.server import CecpServer
from athenan.engines.cecp.timing import GivenTime
from athenan.engines.process import find_program
from athenan.engines.program import ProgramPlayer
from athenan.play.match import play_match
from athenan.play.player import PlayerError, RandomPlayer
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game, GameError
from athenan.search.alpha_beta.search import AlphaBetaSearch
from athenan.search.monte_carlo.mcts import Mcts

STOCKFISH = find_program("fairy-stockfish")
ENDGAME = "8/P7/8/8/8/8/p7/8 w - - 0 1"


def served(game: str = "breakthrough", player: Any = "mcts:30") -> Told[CecpServer]:
    return Told(CecpServer, game, player)


def moves_of(lines: list[str]) -> list[str]:
    return [line.removeprefix("move ") for line in lines if line.startswith("move ")]


def test_it_introduces_itself_with_its_variant() -> None:
    lines = served()("xboard", "protover 2")
    assert 'variants="breakthrough"' in lines[1]
    assert lines[2].startswith("setup (P")
    lines = served("xiangqi")("xboard", "protover 2")
    assert lines[-1].startswith('feature variants="xiangqi" myname="athenan ')
    with pytest.raises(GameError, match="CECP is for breakthrough:8x8 and xiangqi:120, not for hex:3"):
        served("hex:3")


def test_it_answers_as_the_second_player_and_on_go_as_the_one_to_move() -> None:
    told = served()
    assert len(moves_of(told("new", "usermove a2a3"))) == 1
    assert len(told.engine.session.actions) == 2
    assert moves_of(told("force", "usermove b2b3")) == []
    assert len(moves_of(told("go"))) == 1
    assert len(moves_of(told("new", "go"))) == 1  # now it plays the first side
    assert moves_of(told("new", "force", "playother")) == []  # the first player is to move
    assert len(moves_of(told("usermove a2a3"))) == 1


def test_moves_are_taken_back() -> None:
    told = served()
    told("new", "force", "usermove a2a3", "usermove a7a6", "usermove b2b3", "undo")
    assert told.engine.game.moves(told.engine.session.actions) == "a2-a3 a7-a6"
    told("remove")
    assert not told.engine.session.actions
    [error] = told("undo")
    assert error.startswith("Error (there is no action to take back")
    [error] = told("usermove a2a3", "remove")
    assert error.startswith("Error (there is only one move to take back, not 2)")
    assert told.engine.game.moves(told.engine.session.actions) == "a2-a3"


def test_after_the_end_of_a_match_it_does_not_move() -> None:
    """A clock may end the match while the engine thinks; another match begins as usual."""
    told = served(player=lambda game: SearchPlayer("uct", Mcts(game)))
    assert moves_of(told("new", "st 100", "usermove a2a3", "result 1-0 {Black forfeits on time}")) == []
    assert moves_of(told("usermove a7a6")) == []
    assert len(moves_of(told("new", "st 0.01", "usermove a2a3"))) == 1


def test_after_an_illegal_position_there_is_no_move() -> None:
    told = served()
    told("new", "force", "usermove a2a3", "setboard 8/8")
    assert told("usermove a7a6") == ["Illegal move: a7a6"]
    for line in ("go", "playother", "undo", "hint"):
        [error] = told(line)
        assert error.startswith("Error (the position is unknown, as the last one was refused: ")
    told("analyze")
    assert told("exit") == []
    assert moves_of(told(f"setboard {ENDGAME}", "go")) == ["a7a8"]
    told("setboard 8/8")
    assert len(moves_of(told("new", "usermove a2a3"))) == 1


def test_a_refused_command_does_not_end_the_search() -> None:
    told = served(player=lambda game: SearchPlayer("uct", Mcts(game)))
    for line in ("st 1000", "new", "go", "usermove a1a1", "sd 3", "level"):
        told.server.handle(line)
    assert moves_of(told.lines) == []
    assert len(moves_of(told("?"))) == 1


def test_what_is_wrong_is_said_and_changes_nothing() -> None:
    told = served()
    told("new", "force", "usermove a2a3")
    before = told.engine.session.state.tobytes()
    assert told("usermove a2a3") == ["Illegal move: a2a3"]
    assert told("nonsense 1") == ["Error (unknown command): nonsense"]
    assert told("st x") == ["Error (st must be a number, not 'x'): st"]
    assert "cannot search to a depth" in told("sd 3")[0]
    assert told.engine.session.state.tobytes() == before
    assert told("setboard 8/8")[0].startswith("tellusererror Illegal position: ")


def test_it_says_when_the_match_is_over() -> None:
    told = served()
    assert told("new", "force", f"setboard {ENDGAME}", "go")[-2:] == ["move a7a8", "1-0 {the first player wins}"]
    assert told("go") == []
    assert told("new", "force", f"setboard {ENDGAME}", "usermove a7a8") == ["1-0 {the first player wins}"]


def test_force_ends_a_search_without_a_move_and_a_question_mark_with_one() -> None:
    def unlimited(game: Game) -> SearchPlayer:
        return SearchPlayer("uct", Mcts(game))

    told = served(player=unlimited)
    for line in ("st 1000", "new", "usermove a2a3", "ping 7"):
        told.server.handle(line)
    assert told.lines == ["pong 7"]
    assert moves_of(told("force")) == []
    told.server.handle("go")
    assert len(moves_of(told("?"))) == 1


def test_analysis_goes_on_through_moves_until_exit() -> None:
    told = served(player=lambda game: SearchPlayer("uct", Mcts(game)))
    for line in ("new", "analyze", "usermove a2a3"):
        told.server.handle(line)
    told.until(bool)
    _, _, _, nodes, first, *_ = told.lines[0].split()
    assert int(nodes) > 0
    assert first[:2] in {f"{column}{row}" for column in "abcdefgh" for row in "78"}
    assert told("exit", "ping 1")[-1] == "pong 1"
    assert moves_of(told.lines) == []


@pytest.mark.parametrize(
    ("lines", "played", "limit"),
    [
        ((), 3, None), (("st 2.5",), 3, Budget(2.5)), (("level 0 5 3",), 0, Clock(300, 3)),
        (("level 0 1:30 0.5", "time 1234"), 9, Clock(12.34, 0.5)), (("level 40 2 0",), 0, Budget(3)),
        (("level 40 2 0", "time 1000"), 79, Budget(10)), (("st 1", "level 0 1 0"), 0, Clock(60)),
        (("level 0 1 0", "time -50"), 0, Clock(0)),
    ],
)  # fmt: skip
def test_limits(lines: tuple[str, ...], played: int, limit: Any) -> None:
    timing = GivenTime()
    for line in lines:
        command, rest = line.split(" ", 1)
        {"st": timing.seconds, "level": timing.level, "time": timing.told}[command](rest)
    assert timing.limit(played) == limit


def test_depths_are_those_of_alpha_beta() -> None:
    told = served(player=lambda game: SearchPlayer("it", AlphaBetaSearch(game)))
    assert len(moves_of(told("new", "sd 2", "usermove a2a3"))) == 1
    assert told.engine.session.searcher.effort().iterations == 2


def test_a_depth_and_a_time_are_both_observed() -> None:
    told = served(player=lambda game: SearchPlayer("it", AlphaBetaSearch(game)))
    told.server.handle("new")
    told.engine.session.clock = Ticking(1)  # the time is over when the search first looks
    assert len(moves_of(told("sd 7", "st 0.1", "usermove a2a3"))) == 1
    assert told.engine.session.searcher.effort().iterations < 7
    assert len(moves_of(told("new", "sd 2", "st 1000", "usermove a2a3"))) == 1
    assert told.engine.session.searcher.effort().iterations == 2


# The client.

FEATURES = ("protover 2", "feature done=0", 'feature usermove=1 variants="normal,breakthrough" done=1')
MATCH = (("new",), ("variant breakthrough",), ("force",), ("easy", "Error (unknown command): easy"))


def client(*script: Any) -> tuple[ProgramPlayer, Scripted]:
    transport = Scripted(*script)
    game = make("breakthrough")
    return ProgramPlayer(game, "cecp:it", lambda: CecpConversation("cecp:it", transport, 5)), transport


def test_a_program_is_told_what_it_does_not_know_yet() -> None:
    player, transport = client(
        ("xboard",), FEATURES, *MATCH, *MATCH, ("force",), ("level 0 0:03 0.5",), ("time 300",), ("otim 300",),
        ("go", "# thinks", "move a2a3"), ("force",), ("usermove b7b6",), ("st 1",), ("go", "move a3a4"),
    )  # fmt: skip
    moves = match_with(player, make("breakthrough"), (Clock(3, 0.5), "b7-b6", Budget(0.1)))
    assert not transport.script
    assert moves == "a2-a3 b7-b6 a3-a4"


@pytest.mark.parametrize("answer", ["move a1a9", "move", "Illegal move: a2a3", "Error (no): go"])
def test_an_illegal_answer_loses(answer: str) -> None:
    player, _ = client(("xboard",), FEATURES, *MATCH, *MATCH, ("force",), ("go", answer))
    record = play_match(make("breakthrough"), (player, RandomPlayer()), limit=Budget(iterations=5))
    assert record.outcome == -1
    assert record.forfeit
    assert "which is not legal" in record.forfeit


def test_a_program_without_the_variant_is_refused() -> None:
    with pytest.raises(PlayerError, match="its variants have no breakthrough"):
        client(("xboard",), ("protover 2", "feature variants=normal done=1"))


@pytest.mark.skipif(STOCKFISH is None, reason="fairy-stockfish is not installed")
@pytest.mark.parametrize("game", ["breakthrough", "xiangqi"])
def test_fairy_stockfish_beats_random_play(game: str) -> None:
    made = make(game)
    player = make_player(f"cecp:{STOCKFISH}", made)
    try:
        for pair, outcome in (((player, RandomPlayer()), 1), ((RandomPlayer(), player), -1)):
            record = play_match(made, pair, seed=1, limit=Clock(2, 0.01))
            assert (record.forfeit, record.outcome) == (None, outcome)
    finally:
        player.close()
