"""GTP: the server by its lines, the client with a scripted program, both with GNU Go and with each other."""

import os
import subprocess
import sys
from threading import Event

import numpy as np
import pytest
from clocks import Ticking
from evaluators import hash_values, of_values
from gtp_programs import Framed, searching
from protocol_servers import PATIENCE, Told

from athenan import Budget, Clock, make
from athenan.engines.engine import Engine, ThinkingOptions
from athenan.engines.gtp import server as gtp_server
from athenan.engines.gtp.clock import GtpClock
from athenan.engines.gtp.server import GtpServer
from athenan.engines.serving import serve
from athenan.evaluation.chances import Chances
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game
from athenan.rules.leaves import Leaves
from athenan.search.clock import CLOCKS
from athenan.search.walking.walk_search import Search


def test_answers_are_framed() -> None:
    told = Framed("hex:3")
    assert told("17 protocol_version") == "=17 2"
    assert told("name") == "= athenan"
    assert told("") == told("# nothing") == told("\x07 \t") == ""
    assert told("3 nonsense # 5") == "?3 unknown command"
    assert told("4 Protocol_Version\r") == "=4 2" and told("known_command GENMOVE") == "= true"
    assert told("known_command genmove") == "= true"
    assert told("known_command") == told("known_command nonsense") == "= false"
    assert told(" 5\tplay\tb  B2\r") == "=5"
    assert told("showboard").splitlines()[3] == " 2  .  x  ."
    assert all("\n\n" not in told(line) for line in ("list_commands", "showboard", "gogui-analyze_commands"))


@pytest.mark.parametrize("name", ["tictactoe", "hex:3", "connect_four:4x4"])
def test_any_game_is_played_to_its_end(name: str) -> None:
    told, game = Framed(name), make(name)
    state, colours = game.initial(), ("black", "white")
    while game.outcome(state) is None:
        legal = told("all_legal").removeprefix("= ").split()
        move = told(f"genmove {colours[game.player(state)]}").removeprefix("= ")
        assert move in legal
        state = game.play(state, game.parse_action(state, move.replace("swap-pieces", "swap")))
    assert told("final_score") in {1: ["= B+"], -1: ["= W+"], 0: ["= 0"]}[game.outcome(state) or 0]
    assert told("genmove b") == told("genmove w") == "? the match is over"
    assert told("undo") == "="
    assert told("final_score") == "? cannot score: the match is not over"


def test_the_swap_of_hex_is_written_as_its_programs_do() -> None:
    told = Framed("hex:3")
    assert told("play b b2") == "="
    assert "swap-pieces" in told("all_legal").split()
    assert told("play w swap-pieces") == "="
    assert "o" in told("showboard")


def test_whose_turn_it_is_is_checked_but_in_go_either_may_play() -> None:
    told = Framed("hex:3")
    assert told("play w a1") == "? illegal move: black is to move: only in Go may a side play out of turn"
    assert told("genmove w") == "? black is to move: only in Go may a side play out of turn"
    assert told("play green a1") == "? invalid color 'green': expected black or white"
    go = Framed("go:5")
    assert [go(f"play b {place}") for place in ("A1", "B1", "E5")] == ["="] * 3
    assert [go("undo") for _ in range(4)] == ["=", "=", "=", "? cannot undo"]
    assert go("play w C3") == "="
    assert go("all_legal").split()[1:3] == ["A1", "B1"]
    assert go("play b A9").startswith("? illegal move: 'A9' is not a legal action")


def test_a_komi_keeps_the_moves_and_a_size_does_not() -> None:
    told = Framed("go:5,superko=simple")
    told("play b c3")
    assert told("komi 2.5") == "="
    assert told.server.engine.game.name == "go:5,komi=2.5,superko=simple"
    assert [told("play w pass"), told("play b pass"), told("final_score")] == ["=", "=", "= B+22.5"]
    assert told("boardsize 4") == "="
    assert told.server.engine.game.name == "go:4,komi=2.5,superko=simple"
    assert told("komi 0.3").startswith("? go: komi must be a multiple of a half")
    for size in ("1", "99", "4 5", "x", "", "nan", "4.5"):
        assert told(f"boardsize {size}").startswith("?")
    assert told("boardsize 99") == "? unacceptable size: go: size must be from 2 to 19, not 99"
    assert Framed("breakthrough:5x5")("boardsize 99").endswith("breakthrough: size must be from 2 to 16, not 99x99")
    assert told.server.engine.game.name == "go:4,komi=2.5,superko=simple"
    assert Framed("hex:3")("komi 6.5") == "="
    assert Framed("tictactoe")("boardsize 3") == "? unacceptable size: tictactoe has only one board"
    assert Framed("connect_four:4x4")("boardsize 5") == "="


def test_an_analysis_lasts_until_the_next_line() -> None:
    told = Told(GtpServer, "hex:3", searching)
    told.server.handle("7 lz-analyze b interval 1 maxmoves 2")
    told.until(lambda lines: len(lines) >= 3)
    told.server.handle("8 name")
    head, *lines = told.text.split("\n\n")[0].splitlines()
    assert head == "=7"
    assert all(line.count("info move") == 2 for line in lines)
    assert told.text.endswith("\n\n=8 athenan\n\n")


@pytest.mark.parametrize("most", ["0", "-1"])
def test_no_report_of_an_analysis_is_empty(most: str) -> None:
    """An empty line would end the answer."""
    told = Told(GtpServer, "hex:3", searching)
    told.server.handle(f"kata-analyze interval 1 maxmoves {most}")
    told.until(lambda lines: len(lines) >= 3)
    told.server.handle("name")
    head, *reports, end, answer, _, _ = told.text.split("\n")
    assert (head, end, answer) == ("=", "", "= athenan")
    assert all(line.count("info move") == 1 for line in reports)


def test_an_analysis_is_for_the_side_that_is_named() -> None:
    told = Framed("go:4")
    told("play b b2")
    session = told.server.engine.session
    for colour in ("black", "white"):  # out of turn, or in turn
        told.server.handle(f"kata-analyze {colour} interval 1")
        assert session.game.player(session.state) == ("black", "white").index(colour)
        told("name")
        assert session.actions == (5,)
    assert "black is to move" in Framed("hex:3")("lz-analyze w 50")


def test_an_analysis_names_the_best_first() -> None:
    text = ""

    def write(more: str) -> None:
        nonlocal text
        text += more

    server = GtpServer(Engine(make("tictactoe"), lambda game: searching(game, "mcts:0.2s")), write)
    for line in ("play b a1", "play w b1", "play b a2", "play w b2", "kata-genmove_analyze b 5"):
        server.handle(line)
    lines = text.split("\n\n")[-2].splitlines()
    assert lines[0] == "="
    assert lines[-1] == "play a3"
    last = lines[-2].split()
    assert last[:3] == ["info", "move", "a3"]
    assert float(last[last.index("winrate") + 1]) > 0.9


def test_win_rates_are_win_chances_of_the_side_to_move() -> None:
    chances = Chances((-1.0, 0.0, 1.0), (0.3, 0.4, 0.9), 100)
    for moves, rate in (("play b b2", 0.6), ("", 0.4)):

        def player(game: Game) -> SearchPlayer:
            return SearchPlayer("proofs", Search(game), Budget(iterations=1), chances)

        told = Told(GtpServer, "connect_four:4x4", player)
        if moves:
            told.server.handle("play b 1")
        for command, scale in (("kata", 1), ("lz", 10_000)):
            told.text = ""
            told.server.handle(f"{command}-analyze interval 1")
            told.until(lambda lines: len(lines) >= 2)
            told.server.handle("name")
            last = next(line for line in told.lines if line.startswith("info")).split()
            assert float(last[last.index("winrate") + 1]) == pytest.approx(rate * scale)
            assert "utility" not in last or float(last[last.index("utility") + 1]) == 0


def test_clocks() -> None:
    clock = GtpClock.of(60, 10, 5)
    assert clock
    assert clock.limit() == Clock(60, overtime=2)
    period = clock.after(62)  # the action is the first one of its period
    assert period.limit() == Budget(seconds=2)
    assert period.after(5).limit() == Budget(seconds=1)
    ends = period
    for _ in range(4):
        ends = ends.after(1)
    assert ends == clock.set(10, 5)
    assert GtpClock.of(60, 0, 0) == GtpClock(60, left=60)
    assert GtpClock.of(0, 10, 0) is None
    assert clock.set(-3, 0).limit() == Clock(0, overtime=2)


def test_the_clock_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Ticking(0.004)
    monkeypatch.setattr(gtp_server, "perf_counter", clock)
    monkeypatch.setitem(CLOCKS, "wall", clock)
    options = ThinkingOptions(margin=0)
    engine = Engine(make("hex:3"), lambda game: SearchPlayer("uct", searching(game).searcher), options)
    server = GtpServer(engine, lambda text: None)
    taken = list[float]()
    for line in ("time_settings 0 1 10", "genmove b", "genmove w", "time_left b 0 1", "genmove b"):
        began = clock.now
        server.handle(line)
        taken.append(clock.now - began)
    assert engine.session.game.length(engine.session.state) == 3
    assert taken == pytest.approx([0, 0.1, 0.1, 0, 0], abs=0.06)  # the clock is read outside searches, too


def test_it_thinks_on_the_time_of_the_opponent() -> None:
    beyond_its_limit = Event()

    def evaluate(planes: np.ndarray) -> Leaves:
        if engine.session.searcher.effort().iterations > 20:  # its own limit was for its own action
            beyond_its_limit.set()
        return of_values(hash_values)(planes)

    def player(game: Game) -> SearchPlayer:
        return SearchPlayer("search", Search(game, evaluate), Budget(iterations=20))

    engine = Engine(make("connect_four:5x5"), player, ThinkingOptions(ponder=True))
    server = GtpServer(engine, lambda text: None)
    server.handle("genmove black")
    assert beyond_its_limit.wait(PATIENCE)
    state = engine.session.state
    server.handle("genmove white")
    server.close()
    assert engine.session.game.length(engine.session.state) == engine.session.game.length(state) + 1


def test_the_end_of_the_input_ends_the_server() -> None:
    told = Told(GtpServer, "hex:3", searching)
    serve(told.server, iter(["lz-analyze 10\n"]))
    assert told.text.endswith("\n\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-m", "athenan", "engine", "tictactoe", "--seconds", "0.01"],
        input=b"\xff\xfe name\n1 genmove b\n", capture_output=True, check=False, env=environment,
    )  # fmt: skip
    assert ended.returncode == 0
    assert ended.stdout.startswith(b"? unknown command\n\n=1 ")
