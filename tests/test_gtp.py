"""GTP: the server by its lines, the client with a scripted program, both with GNU Go and with each other."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from fuzzing import lines_like
from scripted import Scripted

from athenan import Budget, Clock, make
from athenan.play.engines.engine import Engine, Options
from athenan.play.engines.gtp.client import GtpConversation
from athenan.play.engines.gtp.clock import GtpClock
from athenan.play.engines.gtp.server import GtpServer
from athenan.play.engines.program import ProgramPlayer
from athenan.play.engines.serving import serve
from athenan.play.match import play_match
from athenan.play.player import PlayerError, RandomPlayer
from athenan.play.records import MatchRecord
from athenan.play.roster import make_player
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game
from athenan.search.search import Search

GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
needs_gnugo = pytest.mark.skipif(GNUGO is None, reason="gnugo is not installed")


def searching(game: Game, name: str = "mcts:30") -> SearchPlayer:
    player = make_player(name, game)
    assert isinstance(player, SearchPlayer)
    return player


class Told:
    """A server with what it has written."""

    def __init__(self, game: str, options: Options = Options()) -> None:
        self.text = ""
        self.server = GtpServer(Engine(make(game), searching, options), self._write)

    def _write(self, text: str) -> None:
        self.text += text

    def __call__(self, line: str) -> str:
        """The answer to a line, without its last blank line."""
        self.text = ""
        self.server.handle(line)
        assert self.text.endswith("\n\n") or not self.text
        return self.text.removesuffix("\n\n")


def test_answers_are_framed() -> None:
    told = Told("hex:3")
    assert told("17 protocol_version") == "=17 2"
    assert told("name") == "= athenan"
    assert told("") == told("# nothing") == told("\x07 \t") == ""
    assert told("3 nonsense # 5") == "?3 unknown command"
    assert told("known_command genmove") == "= true"
    assert told("known_command") == told("known_command nonsense") == "= false"
    assert told(" 5\tplay\tb  B2\r") == "=5"
    assert told("showboard").splitlines()[3] == " 2  .  x  ."
    assert all("\n\n" not in told(line) for line in ("list_commands", "showboard", "gogui-analyze_commands"))


@pytest.mark.parametrize("name", ["tictactoe", "hex:3", "connect_four:4x4"])
def test_any_game_is_played_to_its_end(name: str) -> None:
    told, game = Told(name), make(name)
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
    told = Told("hex:3")
    assert told("play b b2") == "="
    assert "swap-pieces" in told("all_legal").split()
    assert told("play w swap-pieces") == "="
    assert "o" in told("showboard")


def test_whose_turn_it_is_is_checked_but_in_go_one_may_pass() -> None:
    told = Told("hex:3")
    assert told("play w a1") == "? illegal move: black is to move"
    assert told("genmove w") == "? black is to move"
    assert told("play green a1") == "? invalid color 'green': it is black or white"
    go = Told("go:5")
    assert [go(f"play b {place}") for place in ("A1", "B1", "E5")] == ["="] * 3
    assert [go("undo") for _ in range(4)] == ["=", "=", "=", "? cannot undo"]
    assert go("play w C3") == "="
    assert go("all_legal").split()[1:3] == ["A1", "B1"]
    assert go("play b A9").startswith("? illegal move: 'A9' is not a legal action")


def test_a_komi_keeps_the_moves_and_a_size_does_not() -> None:
    told = Told("go:5,superko=simple")
    told("play b c3")
    assert told("komi 2.5") == "="
    assert told.server.engine.game.name == "go:5,komi=2.5,superko=simple"
    assert [told("play w pass"), told("play b pass"), told("final_score")] == ["=", "=", "= B+22.5"]
    assert told("boardsize 4") == "="
    assert told.server.engine.game.name == "go:4,komi=2.5,superko=simple"
    assert told("komi 0.3").startswith("? go: komi must be a whole number or a half more")
    for size in ("1", "99", "4 5", "x", "", "nan", "4.5"):
        assert told(f"boardsize {size}").startswith("?")
    assert told.server.engine.game.name == "go:4,komi=2.5,superko=simple"
    assert Told("hex:3")("komi 6.5") == "="
    assert Told("tictactoe")("boardsize 3") == "? unacceptable size: tictactoe has one board"
    assert Told("connect_four:4x4")("boardsize 5") == "="


def test_an_analysis_lasts_until_the_next_line() -> None:
    told = Told("hex:3")
    told.server.handle("7 lz-analyze b interval 1 maxmoves 2")
    while told.text.count("\n") < 3:
        sleep(0.01)
    told.server.handle("8 name")
    head, *lines = told.text.split("\n\n")[0].splitlines()
    assert head == "=7"
    assert all(line.count("info move") == 2 for line in lines)
    assert told.text.endswith("\n\n=8 athenan\n\n")


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


def test_clocks() -> None:
    clock = GtpClock.of(60, 10, 5)
    assert clock
    assert clock.limit() == Clock(60, 2)
    period = clock.after(61)
    assert period.limit() == Budget(seconds=2)
    assert period.after(4).limit() == Budget(seconds=1.5)
    ends = period
    for _ in range(5):
        ends = ends.after(1)
    assert ends == period
    assert GtpClock.of(60, 0, 0) == GtpClock(60, left=60)
    assert GtpClock.of(0, 10, 0) is None
    assert clock.set(-3, 0).limit() == Clock(0, 2)


def test_the_clock_is_kept() -> None:
    engine = Engine(make("hex:3"), lambda game: SearchPlayer("uct", searching(game).searcher), Options(margin=0))
    server = GtpServer(engine, lambda text: None)
    began = monotonic()
    for line in ("time_settings 0 1 10", "genmove b", "genmove w", "time_left b 0 0", "genmove b"):
        server.handle(line)
    assert engine.session.game.length(engine.session.state) == 3
    assert 0.2 <= monotonic() - began < 3


def test_it_thinks_on_the_time_of_the_opponent() -> None:
    def player(game: Game) -> SearchPlayer:
        return SearchPlayer("search", Search(game), Budget(iterations=20))

    engine = Engine(make("connect_four:5x5"), player, Options(ponder=True))
    server = GtpServer(engine, lambda text: None)
    server.handle("genmove black")
    while engine.session.searcher.effort().iterations <= 20:  # its own limit was for its own action
        sleep(0.01)
    state = engine.session.state
    server.handle("genmove white")
    server.close()
    assert engine.session.game.length(engine.session.state) == engine.session.game.length(state) + 1


def fuzz(game: str, count: int, seed: int) -> None:
    told = Told(game)
    words = [
        *told("list_commands").removeprefix("= ").split(), "b", "w", "black", "chance", "green", "pass", "resign",
        *told("all_legal").removeprefix("= ").split(), "swap-pieces", "2", "3", "4", "1e999", "nan", "-1", "0.5",
        "99999999999999999999", "interval", "maxmoves", "#", "é", "\x00", "athenan-analysis",
    ]  # fmt: skip
    told.text = ""
    for line in lines_like([word for word in words if word != "quit"], count, seed):
        told.server.handle(line)
    told.server.close()
    answers = told.text.removesuffix("\n\n").split("\n\n")
    assert len(answers) > count / 2
    assert all(answer[0] in "=?" for answer in answers)
    assert told("1 name") == "=1 athenan"


@pytest.mark.parametrize("game", ["hex:3", "go:3"])
def test_whatever_comes_is_answered(game: str) -> None:
    fuzz(game, 400, 1)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["hex:3", "go:3", "tictactoe", "pig:10,length=20", "amazons:6", "connect_four:4x4"])
def test_100_000_lines_are_answered(game: str) -> None:
    fuzz(game, 17_000, 2)


# The client.


def client(game: str, *script: Any) -> tuple[ProgramPlayer, Scripted]:
    transport = Scripted(*script)
    return ProgramPlayer(make(game), "gtp:it", lambda: GtpConversation("gtp:it", transport, 5)), transport


BEGIN = (("boardsize 3", "=", ""), ("clear_board", "=", ""))


def test_a_program_is_told_the_match() -> None:
    player, transport = client(
        "hex:3", *BEGIN, *BEGIN, ("play black b2", "=", ""), ("time_settings 0 1 1", "? what", ""),
        ("time_left white 1 1", "? what", ""), ("genmove white", "noise", "= Swap-Pieces", ""),
        ("play black a1", "=", ""), ("genmove white", "= c1", ""),
    )  # fmt: skip
    game = make("hex:3")
    player.new_match(game, 1)
    state = game.initial()
    for text in ("b2", None, "a1", None):
        action = game.parse_action(state, text) if text else player.select(state, Budget(seconds=0.1)).action
        state = game.play(state, action)
        player.observe(action, state)
    assert not transport.script
    assert game.text(state) == game.text(game.after("b2 swap a1 c1"))


def test_an_answer_that_was_not_played_is_taken_back() -> None:
    player, transport = client(
        "tictactoe", ("clear_board", "=", ""), ("clear_board", "=", ""), ("genmove black", "= a1", ""),
        ("clear_board", "=", ""), ("play black b1", "=", ""), ("play white b2", "=", ""), ("genmove black", "= c1", ""),
    )  # fmt: skip
    game, none = make("tictactoe"), Budget(iterations=1)
    player.new_match(game, 1)
    state = game.initial()
    assert player.select(state, none).action == 0
    for text in ("b1", "b2"):
        action = game.parse_action(state, text)
        state = game.play(state, action)
        player.observe(action, state)
    assert game.action_name(state, player.select(state, none).action) == "c1"
    assert not transport.script


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        (["= z9", ""], "gtp:it answered 'z9', which is not legal"),
        (["? cannot think", ""], "gtp:it does not move: 'cannot think'"),
        (["= a1", None], "it has ended"),
        ([], "it did not answer within"),
    ],
)
def test_a_program_that_fails_loses_and_is_started_again(answers: list[str | None], why: str) -> None:
    transports = list[Scripted]()

    def start() -> GtpConversation:
        begins = BEGIN[1:] * (1 if transports else 2)  # at first it is also tried out
        transports.append(Scripted(*begins, ("genmove black", *answers)))
        return GtpConversation("gtp:it", transports[-1], 5)

    game = make("tictactoe")
    player = ProgramPlayer(game, "gtp:it", start)
    for count in (1, 2):
        record = play_match(game, (player, RandomPlayer()), limit=Budget(iterations=1))
        assert record.outcome == -1
        assert record.forfeit
        assert record.forfeit.startswith(why)
        assert MatchRecord.from_json(record.as_json(), game) == record
        assert len(transports) == count
        assert transports[-1].closed


def test_a_program_that_resigns() -> None:
    player, _ = client("tictactoe", BEGIN[1], BEGIN[1], ("genmove black", "= resign", ""))
    record = play_match(make("tictactoe"), (player, RandomPlayer()), limit=Budget(iterations=1))
    assert (record.outcome, record.resigned, record.forfeit) == (-1, True, None)


def test_a_program_that_does_not_play_the_game() -> None:
    with pytest.raises(PlayerError, match="does not play hex:3: to 'boardsize 3' it answers 'unacceptable size'"):
        client("hex:3", ("boardsize 3", "? unacceptable size", ""))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gtp:", "a command is missing"), ("gtp:'", "cannot be read"), ("gtp:/no/such/program", "cannot be started"),
        ("gtp:sh -c 'echo broken >&2; exit 3'", "has ended, with status 3: broken"),
        ("gtp:./engine,timeout=-1", "timeout must be"),
    ],
)  # fmt: skip
def test_programs_that_cannot_play(text: str, message: str) -> None:
    with pytest.raises(PlayerError, match=message):
        make_player(text, make("hex:3"))


def test_a_command_may_have_commas_and_equals_signs(tmp_path: Path) -> None:
    program = tmp_path / "engine"
    program.write_text(f"#!{sys.executable}\nwhile True:\n    input()\n    print('= \\n', flush=True)\n")
    program.chmod(0o755)
    text = f"gtp:{shlex.quote(str(program))} --a=1,b=2,c,timeout=7"
    player = make_player(text, make("hex:3"))
    assert player.name == text
    player.close()


HANGING = """
import sys, time
for line in sys.stdin:
    if line.startswith("genmove"):
        time.sleep(60)
    print("=\\n", flush=True)
"""


def test_a_program_that_hangs_is_ended(tmp_path: Path) -> None:
    program = tmp_path / "hanging.py"
    program.write_text(HANGING)
    player = make_player(f"gtp:{shlex.join([sys.executable, str(program)])},timeout=0.5", make("tictactoe"))
    began = monotonic()
    record = play_match(make("tictactoe"), (player, RandomPlayer()), limit=Budget(seconds=0.1))
    assert record.forfeit
    assert "did not answer within 0.6 s" in record.forfeit
    assert monotonic() - began < 20
    player.close()


@needs_gnugo
def test_gnugo_plays_go_by_our_rules() -> None:
    game = make("go:5,komi=5.5,superko=simple")
    player = make_player(f"gtp:{GNUGO} --mode gtp --level 1 --chinese-rules --capture-all-dead", game)
    try:
        records = [play_match(game, pair, seed=4) for pair in ((player, RandomPlayer()), (RandomPlayer(), player))]
    finally:
        player.close()
    assert [record.forfeit for record in records] == [None, None]
    assert [record.outcome for record in records] == [1, -1]


@needs_gnugo
def test_gnugo_has_the_same_board(tmp_path: Path) -> None:
    """GNU Go accepts each move of our server, and then has the same board."""
    served = Told("go:5,superko=simple")
    commands = ["boardsize 5", "komi 3.5", "clear_board"]
    for line in commands:
        served(line)
    for number in range(80):
        colour = ("black", "white")[number % 2]
        move = served(f"genmove {colour}").removeprefix("= ")
        commands.append(f"play {colour} {move}")
        if served.server.engine.session.over:
            break
    assert GNUGO
    asked = subprocess.run(
        [GNUGO, "--mode", "gtp", "--chinese-rules"], input="\n".join([*commands, "showboard", "quit\n"]),
        capture_output=True, text=True, check=True, cwd=tmp_path,
    ).stdout  # fmt: skip
    answers = asked.split("\n\n")
    assert not [answer for answer in answers if answer.startswith("?")]
    ours = [line.split()[1:6] for line in served("showboard").splitlines() if line[:1].isdigit()]
    theirs = [line.split()[1:6] for line in answers[-3].splitlines() if line[:3].strip().isdigit()]
    assert [["XO."["xo.".index(cell)] for cell in row] for row in ours] == [
        ["." if cell == "+" else cell for cell in row] for row in theirs
    ]


def test_both_ends_meet() -> None:
    """A match through our own server in another process."""
    command = shlex.join([sys.executable, "-m", "athenan", "engine", "tictactoe", "--player", "mcts:300"])
    player = make_player(f"gtp:{command},timeout=60", make("tictactoe"))
    try:
        record = play_match(make("tictactoe"), (player, RandomPlayer()), seed=3)
    finally:
        player.close()
    assert record.forfeit is None
    assert record.outcome == 1


def test_the_end_of_the_input_ends_the_server() -> None:
    told = Told("hex:3")
    serve(told.server, iter(["lz-analyze 10\n"]))
    assert told.text.endswith("\n\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-m", "athenan", "engine", "tictactoe", "--seconds", "0.01"],
        input=b"\xff\xfe name\n1 genmove b\n", capture_output=True, check=False, env=environment,
    )  # fmt: skip
    assert ended.returncode == 0
    assert ended.stdout.startswith(b"? unknown command\n\n=1 ")
