"""UCI, UGI and UCCI: the server driven by python-chess, the client with Fairy-Stockfish, and both by their lines."""

import subprocess
from functools import partial
from typing import Any

import chess
import chess.engine
import numpy as np
import pytest
from clocks import Ticking
from protocol_servers import NAMED_DIALECTS, Told
from scripted_programs import Scripted, match_with

from athenan import Budget, Clock, make
from athenan.arena.roster import make_player
from athenan.engines.process import find_program
from athenan.engines.program import ProgramPlayer
from athenan.engines.uci.client import UciConversation
from athenan.engines.uci.dialect import DIALECTS
from athenan.engines.uci.server import UciServer
from athenan.evaluation.chances import Chances
from athenan.play.match import play_match
from athenan.play.player import PlayerError, RandomPlayer
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game
from athenan.search.alpha_beta.search import AlphaBetaSearch
from athenan.search.monte_carlo.mcts import Mcts
from athenan.search.walking.walk_search import Search

STOCKFISH = find_program("fairy-stockfish")
needs_stockfish = pytest.mark.skipif(STOCKFISH is None, reason="fairy-stockfish is not installed")


def served(game: str, dialect: str = "uci", player: Any = "mcts:30") -> Told[UciServer]:
    return Told(partial(UciServer, dialect=NAMED_DIALECTS[dialect]), game, player)


def bestmoves(told: Told[UciServer]) -> list[str]:
    return [line for line in told.lines if "bestmove" in line]


def bestmoves_after(told: Told[UciServer], *lines: str) -> list[str]:
    """The moves that it answers."""
    told(*lines)
    return [line for line in bestmoves(told) if line.startswith("bestmove") and "none" not in line]


def unlimited(game: Game) -> SearchPlayer:
    return SearchPlayer("uct", Mcts(game))


def test_it_introduces_itself() -> None:
    assert served("xiangqi")("uci")[-2:] == ["option name UCI_Variant type combo default xiangqi var xiangqi", "uciok"]
    assert served("hex:3", "ugi")("ugi")[-1] == "ugiok"
    assert served("xiangqi", "ucci")("ucci", "isready", "quit")[-3:] == ["ucciok", "readyok", "bye"]


def test_wins_draws_and_losses_are_shown_where_win_chances_were_learnt() -> None:
    chances = Chances((-1.0, 0.0, 1.0), (0.2, 0.6, 0.9), 100, draws=0.5)

    def player(game: Game) -> SearchPlayer:
        return SearchPlayer("proofs", Search(game), Budget(iterations=1), chances)

    told = served("breakthrough:5x5", player=player)
    assert "option name UCI_ShowWDL type check default false" in told("uci")
    assert not [line for line in told("position startpos", "go nodes 1") if "wdl" in line]
    board = chess.Board()
    for moves, expected in (("", (400, 400, 200)), (" moves a2a3", (200, 400, 400))):
        lines = told("setoption name UCI_ShowWDL value true", f"position startpos{moves}", "go nodes 1")
        info = next(line for line in lines if "wdl" in line)
        wdl = chess.engine._parse_uci_info(info.split(" pv ")[0].removeprefix("info "), board)["wdl"]
        assert tuple(wdl.relative) == expected
    assert "UCI_ShowWDL" not in " ".join(served("breakthrough:5x5")("uci"))


def test_moves_have_no_sign_between_squares() -> None:
    told = served("breakthrough:5x5", "ugi")
    assert told("position startpos moves a2a3 b4a3 b2xa3", "query p1turn") == ["response false"]
    assert told.engine.session.actions == tuple(told.engine.session.actions)
    [answer] = [line for line in told("go nodes 20") if line.startswith("bestmove")]
    assert answer.split()[1].isalnum()


def test_what_is_asked_about_a_position() -> None:
    told, ask = served("tictactoe", "ugi"), ("query gameover", "query p1turn", "query result", "query nonsense")
    assert told("position startpos", *ask) == ["response false", "response true", "response none"]
    assert told("position startpos moves a1 b1 a2 b2 a3", *ask)[::2] == ["response true", "response p1win"]
    assert told("go movetime 10")[-1] == "bestmove (none)"


@pytest.mark.parametrize("dialect", ["uci", "ugi", "uai", "ucci"])
def test_after_a_position_that_does_not_exist_there_is_no_move(dialect: str) -> None:
    told = served("tictactoe", dialect)
    none = "nobestmove" if dialect == "ucci" else "bestmove (none)"
    for line in (
        "position startpos moves a1 a1",
        "position fen x",
        "position",
        "position moves",
        "position startpos x",
    ):
        told("position startpos moves a1 b1")
        assert told(line)[0].startswith("info string error: ")
        for go in ("go nodes 5", "go infinite", "go ponder nodes 5"):
            [error, answer] = told(go, "ponderhit", "stop")
            assert error.startswith("info string error: the position is unknown, as the last one was refused: ")
            assert answer == none
        for asked in ("query p1turn", "d"):
            [error] = told(asked)
            assert error.startswith("info string error: the position is unknown")
        assert len(bestmoves_after(told, "position startpos moves a1 b1", "go nodes 5")) == 1
        told(line, f"{dialect}newgame")
        assert len(bestmoves_after(told, "go nodes 5")) == 1


@pytest.mark.parametrize(
    ("go", "limit"),
    [
        ("movetime abc", None), ("movetime", None), ("nodes 1.5", None), ("movetime x nodes 7", Budget(evaluations=7)),
        ("wtime 3000 winc x btime 1", Clock(3)), ("wtime 3000 btime 1 movestogo", Clock(3)),
    ],
)  # fmt: skip
def test_a_bad_number_counts_as_left_out(go: str, limit: Any) -> None:
    told = served("tictactoe")
    assert told.server._limit(told.server._asked(go.split())) == limit
    [error] = [line for line in told(f"go {go}") if "error" in line]
    assert "must be a whole number, not " in error
    assert len(bestmoves(told)) == 1


def test_a_word_in_the_place_of_a_number_is_obeyed() -> None:
    told = served("connect_four:5x5", player=unlimited)
    told.server.handle("go movetime infinite")
    told.server.handle("isready")
    assert told.lines[-1] == "readyok"
    assert bestmoves(told) == []
    told.server.handle("stop")
    assert len(bestmoves(told)) == 1


@pytest.mark.parametrize(("first", "move"), [(0, "h2e2"), (1, "h3e3")])
def test_ranks_of_xiangqi_are_those_that_the_program_has(first: int, move: str) -> None:
    told = served("xiangqi")
    variant = ["setoption name UCI_Variant value xiangqi"] * first
    assert told("uci", *variant, f"position startpos moves {move}")[-1] == "uciok"
    assert told.engine.game.moves(told.engine.session.actions) == "h2e2"
    fen = "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1"
    assert told(fen) == []
    assert told.engine.game.player(told.engine.session.state) == 1


def test_stop_is_obeyed_and_infinite_waits_for_it() -> None:
    told = served("connect_four:5x5", player=unlimited)
    told.server.handle("position startpos")
    for _ in range(3):
        told.server.handle("go infinite")
        told.server.handle("isready")
        told.server.handle("stop")
    assert told.lines.count("readyok") == len(bestmoves(told)) == 3
    solved = served("tictactoe", player=lambda game: SearchPlayer("proof", Search(game)))
    solved.server.handle("go infinite")
    solved.engine.wait()
    assert bestmoves(solved) == []  # it has ended with a proof, but must wait
    solved.server.handle("stop")
    solved.server.handle("stop")
    assert len(bestmoves(solved)) == 1
    assert any(" cp 0 " in line for line in solved.lines)


def milliseconds(lines: list[str]) -> list[int]:
    """The times at which a search has reported."""
    return [int(line.split()[2]) for line in lines if line.startswith("info time ")]


def test_pondering_becomes_thinking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("athenan.engines.uci.server.REPORT_SECONDS", 0.01)
    told = served("connect_four:5x5", player=unlimited)
    told.server.handle("go ponder movetime 50")
    told.until(lambda lines: max(milliseconds(lines), default=0) > 100)
    assert bestmoves(told) == []
    told.server.handle("ponderhit")
    told.engine.wait()
    assert len(bestmoves(told)) == 1
    told.server.handle("go ponder wtime 1000 btime 1000")
    told.server.handle("stop")
    assert len(bestmoves(told)) == 2


@pytest.mark.parametrize("other", ["stop", "position startpos moves 1", "ucinewgame"])
def test_a_ponderhit_after_the_answer_is_ignored(other: str) -> None:
    """A program may send it when it has not read the answer yet."""
    told = served("connect_four:5x5", player=unlimited)
    told.server.handle("go ponder movetime 50")
    told.server.handle(other)
    assert len(bestmoves(told)) == 1
    assert told("ponderhit") == []


@pytest.mark.parametrize(
    ("dialect", "go", "limit"),
    [
        ("uci", "wtime 3000 btime 9000 winc 100 binc 500", Clock(3, 0.1)), ("uci", "movetime 250", Budget(0.25)),
        ("uci", "wtime 3000 btime 1 movestogo 4", Budget(0.75)), ("uci", "wtime -20 btime 5", Clock(0)),
        ("uci", "nodes 7", Budget(evaluations=7)), ("uci", "depth 3 movetime 20", Budget(0.02)),
        ("ugi", "p1time 3000 p2time 1000 p1inc 10 p2inc 20", Clock(3, 0.01)),
        ("ucci", "time 60 increment 2 opptime 50", Clock(60, 2)), ("ucci", "time 60 movestogo 10", Budget(6)),
    ],
)  # fmt: skip
def test_limits(dialect: str, go: str, limit: Any) -> None:
    server = served("tictactoe", dialect).server
    assert server._limit(server._asked(go.split())) == limit


@pytest.mark.parametrize("go", ["movetime 50 nodes 1000000", "nodes 1000000 wtime 400 btime 400"])
def test_nodes_do_not_replace_a_time(go: str) -> None:
    told = served("hex:6", player=unlimited)
    told.engine.session.clock = Ticking(1)  # the time is over when the search first looks
    assert len(bestmoves_after(told, f"go {go}")) == 1
    assert told.engine.session.searcher.effort().evaluations < 1000


def test_a_time_does_not_replace_nodes_or_a_depth() -> None:
    told = served("hex:6", player=unlimited)
    told("go movetime 20000 nodes 50")
    assert told.engine.session.searcher.effort().evaluations < 1000
    told = served("tictactoe", player=lambda game: SearchPlayer("it", AlphaBetaSearch(game)))
    told("go depth 2 movetime 20000")
    assert told.engine.session.searcher.effort().iterations == 2


@pytest.mark.parametrize("dialect", ["uci", "ugi", "ucci"])
def test_depths_are_honoured_or_refused(dialect: str) -> None:
    told = served("tictactoe", dialect)
    for asked, reason in (("depth 3", "cannot search to a depth"), ("mate 2", "cannot search for mates")):
        error, answer = told("position startpos", f"go {asked}")
        assert error.startswith("info string error: ")
        assert reason in error
        assert answer == ("nobestmove" if dialect == "ucci" else "bestmove (none)")
    told = served("tictactoe", dialect, lambda game: SearchPlayer("it", AlphaBetaSearch(game)))
    assert told("go depth 3")[-1].startswith("bestmove ")
    assert "info string searchmoves is not supported: all moves are searched" in told("go depth 3 searchmoves b2 a1")
    assert told.engine.session.searcher.effort().iterations == 3


# The client.


def client(game: str, dialect: str, *script: Any) -> tuple[ProgramPlayer, Scripted]:
    transport = Scripted(*script)
    name = f"{dialect}:it"
    launch = partial(UciConversation, name, transport, 5, NAMED_DIALECTS[dialect])
    return ProgramPlayer(make(game), name, launch), transport


READY = ("isready", "readyok")


def test_a_program_is_told_the_match() -> None:
    player, transport = client(
        "breakthrough:5x5", "ugi", ("ugi", "id name it", "ugiok"), ("uginewgame",), READY, ("uginewgame",), READY,
        ("position startpos",), ("go p1time 3000 p1inc 500 p2time 3000 p2inc 500", "info x", "bestmove a2a3"),
        ("position startpos moves a2a3 b4a3",), ("go movetime 100", "bestmove b2a3 ponder a1a1"),
    )  # fmt: skip
    game = make("breakthrough:5x5")
    moves = match_with(player, game, (Clock(3, 0.5), "b4xa3", Budget(0.1)))
    assert not transport.script
    assert moves == game.moves(player._actions) == "a2-a3 b4xa3 b2xa3"


@pytest.mark.parametrize("answer", ["bestmove a1a9", "bestmove (none)", "bestmove"])
def test_an_illegal_answer_loses(answer: str) -> None:
    player, _ = client(
        "tictactoe", "uci", ("uci", "uciok"), ("ucinewgame",), READY, ("ucinewgame",), READY,
        ("position startpos",), ("go nodes 5", answer),
    )  # fmt: skip
    record = play_match(make("tictactoe"), (player, RandomPlayer()), limit=Budget(iterations=5))
    assert record.outcome == -1
    assert record.forfeit
    assert "which is not legal" in record.forfeit


def test_a_program_without_the_variant_is_refused() -> None:
    with pytest.raises(PlayerError, match="does not play xiangqi:120: its UCI_Variant has no xiangqi"):
        client("xiangqi", "uci", ("uci", "option name UCI_Variant type combo default chess var chess", "uciok"))


@needs_stockfish
@pytest.mark.parametrize(("protocol", "game"), [("uci", "breakthrough"), ("uci", "xiangqi"), ("ucci", "xiangqi")])
def test_fairy_stockfish_beats_random_play(protocol: str, game: str) -> None:
    made = make(game)
    player = make_player(f"{protocol}:{STOCKFISH}", made)
    try:
        for pair, outcome in (((player, RandomPlayer()), 1), ((RandomPlayer(), player), -1)):
            record = play_match(made, pair, seed=1, limit=Budget(seconds=0.02))
            assert (record.forfeit, record.outcome) == (None, outcome)
    finally:
        player.close()


@needs_stockfish
def test_fen_of_breakthrough_is_that_of_fairy_stockfish() -> None:
    game, moves = make("breakthrough"), "a2a3 b7b6 a3a4 b6b5 a4b5 c7c6"
    told = subprocess.run(
        [STOCKFISH or ""], text=True, capture_output=True, check=True, timeout=60,
        input=f"uci\nsetoption name UCI_Variant value breakthrough\nposition startpos moves {moves}\nd\nquit\n",
    ).stdout  # fmt: skip
    [fen] = [line.removeprefix("Fen: ") for line in told.splitlines() if line.startswith("Fen: ")]
    state = game.initial()
    for move in moves.split():
        state = game.play(state, DIALECTS["uci"].read(game, state, move))
    assert game.write_fen(state).split()[:4] == fen.split()[:4]
    assert np.array_equal(game.read_fen(fen)[4:], state[4:])
