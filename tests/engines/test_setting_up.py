"""What programs are told before a match, what they refuse, and how long they take."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from clocks import Ticking
from scripted_programs import Scripted

from athenan import Budget, make
from athenan.arena.roster import make_player
from athenan.cli import main
from athenan.engines import program
from athenan.engines.gtp.client import GtpConversation
from athenan.engines.process import find_program
from athenan.engines.program import ProgramPlayer
from athenan.engines.protocols import CONVERSATIONS
from athenan.engines.starting import listed
from athenan.engines.uci.options import ProgramOption
from athenan.play import match
from athenan.play.match import play_match
from athenan.play.player import PlayerError, RandomPlayer
from athenan.play.records import MatchRecord

ECHO = """
import sys
told = open(sys.argv[1], "a")
for line in sys.stdin:
    print(line.strip(), file=told, flush=True)
    print("uciok" if line == "uci\\n" else "readyok" if line == "isready\\n" else "=\\n", flush=True)
"""


@pytest.fixture
def echo(tmp_path: Path) -> tuple[str, Path]:
    """The command of a program that agrees to all, with commas in its arguments, and the file of what it was told."""
    (tmp_path / "echo.py").write_text(ECHO)
    arguments = [sys.executable, str(tmp_path / "echo.py"), str(tmp_path / "told"), "a=1,b,setup"]
    return shlex.join(arguments), tmp_path / "told"


@pytest.mark.parametrize(
    ("settings", "name", "told"),
    [
        (",setup=param_x max_time 1", ",setup=(param_x max_time 1)", ["param_x max_time 1"]),
        (',setup="set a,b=c; two ;",timeout=7', ",setup=(set a,b=c; two),timeout=7", ["set a,b=c", "two"]),
        (",timeout=7,setup=(f(x, 1); timeout=3)", ",setup=(f(x, 1); timeout=3),timeout=7", ["f(x, 1)", "timeout=3"]),
        (',setup="a,timeout=3"', ",setup=(a,timeout=3)", ["a,timeout=3"]),
        (",passes=false", ",passes=false", []),
        (",setup=()", "", []),
    ],
)
def test_a_program_is_set_up_once(echo: tuple[str, Path], settings: str, name: str, told: list[str]) -> None:
    """Before the first match only, and the name of the player makes the same player."""
    command, file = echo
    game = make("hex:3")
    for text in (f"gtp:{command}{settings}", f"gtp:{command}{name}"):
        player = make_player(text, game)
        assert isinstance(player, ProgramPlayer)
        player.new_match(game, 1)
        player.close()
        assert player.name == f"gtp:{command}{name}"
        assert file.read_text().splitlines() == [*told, *2 * ["boardsize 3", "clear_board"]]
        file.unlink()


def test_a_setup_that_is_refused_is_an_error() -> None:
    transport = Scripted(("param_x 1", "=", ""), ("param_y 2", "? unknown command", ""))
    with pytest.raises(PlayerError, match="it: to 'param_y 2' of its setup it answers 'unknown command'"):
        ProgramPlayer(
            make("hex:3"), "it", lambda: GtpConversation("it", transport, 5, setup=["param_x 1", "param_y 2"])
        )


@pytest.mark.parametrize(
    ("protocol", "game", "script"),
    [
        ("aei", "arimaa", [("aei", "aeiok"), ("x 1",), ("isready", "readyok"), ("newgame",)]),
        ("hub", "draughts", [("hub", "wait"), ("x 1",), ("init", "ready"), ("new-game",)]),
        ("gomocup", "gomoku:15,opening=free", [("START 15", "OK"), ("x 1",), ("INFO rule 0",)]),
    ],
)
def test_lines_of_a_setup_in_other_protocols(protocol: Any, game: str, script: list[Any]) -> None:
    transport = Scripted(*script)
    ProgramPlayer(make(game), "it", lambda: CONVERSATIONS[protocol]("it", transport, 5, setup=["x 1"]))
    assert not transport.script


def test_two_lines_are_refused() -> None:
    with pytest.raises(PlayerError, match="must be one line, with semicolons between its parts"):
        listed("(a\nquit)")


# Options.

OPTIONS = (
    "uci", "id name x", "option name Threads type spin default 1 min 1 max 512", "option name Clear Hash type button",
    "option name Skill Level type spin default 20 min -20 max 20", "option name Ponder type check default false",
    "option name Style type combo default Solid var Solid var Very Risky", "option name Path type string default",
    "uciok",
)  # fmt: skip


def uci(*wanted: str, more: tuple[Any, ...] = ()) -> Scripted:
    transport = Scripted(OPTIONS, *more)
    ProgramPlayer(make("hex:3"), "it", lambda: CONVERSATIONS["uci"]("it", transport, 5, options=wanted))
    return transport


def test_options_are_set_after_the_introduction() -> None:
    lines = ("name Skill Level value 3", "name Clear Hash", "name Style value very risky", "name Path value a=b c")
    script = *((f"setoption {line}",) for line in lines), ("ucinewgame",), ("isready", "readyok")
    assert not uci("skill level=3", "Clear Hash", "Style = very risky", "Path=a=b c", more=script).script


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("Hash=64", "there is no option 'Hash'; its options are Threads, Clear Hash, Skill Level, Ponder, Style, Path"),
        ("Threads=0", "Threads must be from 1 to 512, not '0'"), ("Threads", "Threads must be from 1 to 512, not ''"),
        ("Ponder=1", "Ponder must be true or false, not '1'"),
        ("Style=mad", "Style must be Solid or Very Risky, not 'mad'"), ("Clear Hash=1", "Clear Hash is a button"),
    ],
)  # fmt: skip
def test_options_that_a_program_has_not_are_errors(option: str, message: str) -> None:
    with pytest.raises(PlayerError, match=message):
        uci(option)


def test_options_of_ucci_have_no_words_between() -> None:
    option = ProgramOption.of("option batch type check default false")
    assert option
    assert option.told("true", named=False) == "setoption batch true"


def test_options_reach_a_program(echo: tuple[str, Path]) -> None:
    with pytest.raises(PlayerError, match="there is no option 'Threads'; it has no options"):
        make_player(f"uci:{echo[0]},options=(Threads=1; Hash=64)", make("hex:3"))


# Forced passes.


class WithoutPasses:
    """A transport to a program of Othello for which a pass is a syntax error; it passes by itself where it must."""

    name = "it"

    def __init__(self) -> None:
        self.game = make("othello:4")
        self.state, self.answer = self.game.initial(), ""

    def send(self, line: str) -> None:
        command, *arguments = line.split()
        self.answer = "="
        if command == "clear_board":
            self.state = self.game.initial()
        elif command == "play" and arguments[1] == "pass":
            self.answer = "? syntax error"
        elif command in ("play", "genmove"):
            while (names := self.names()) == ["pass"]:
                self.state = self.game.play(self.state, self.game.parse_action(self.state, "pass"))
            assert arguments[0] == ("black", "white")[self.game.player(self.state)]
            move = arguments[1] if command == "play" else names[0]
            self.state = self.game.play(self.state, self.game.parse_action(self.state, move))
            self.answer = f"= {move}" if command == "genmove" else "="

    def names(self) -> list[str]:
        return [self.game.action_name(self.state, int(action)) for action in self.game.actions(self.state)]

    def receive(self, seconds: float) -> str:
        line, self.answer = self.answer, ""
        return line

    def close(self) -> None:
        pass


def matches(passes: bool) -> list[MatchRecord]:
    game = make("othello:4")
    player = ProgramPlayer(game, "it", lambda: GtpConversation("it", WithoutPasses(), 5, passes=passes))
    return [play_match(game, (player, RandomPlayer()), seed=seed, limit=Budget(iterations=1)) for seed in range(30)]


def passing(record: MatchRecord) -> set[int]:
    """The sides that have passed."""
    game = make(record.game)
    state, sides = game.initial(), set[int]()
    for ply in record.plies:
        if game.action_name(state, ply.action) == "pass":
            sides.add(ply.side)
        state = game.play(state, ply.action)
    return sides


def test_forced_passes_are_neither_told_nor_asked_for() -> None:
    records = matches(passes=False)
    assert [record.forfeit for record in records] == 30 * [None]
    assert set().union(*map(passing, records)) == {0, 1}
    assert any("refuses the legal 'play white pass'" in (record.forfeit or "") for record in matches(passes=True))


@pytest.mark.skipif(find_program("gtp-rhino") is None, reason="GRhino is not installed")
def test_grhino_plays_othello_without_passes() -> None:
    game = make("othello:8")
    player = make_player("gtp:gtp-rhino -l 1,passes=false", game)
    try:
        records = [play_match(game, (player, RandomPlayer()), seed=seed) for seed in range(4)]
    finally:
        player.close()
    assert [record.forfeit for record in records] == 4 * [None]
    assert any(map(passing, records))


# What is refused, and how long it takes.

UNTIMED = """
import sys
taken = False
for line in sys.stdin:
    word = line.split()[0]
    taken = taken and word != "clear_board" or line.endswith(" a1\\n")
    if word == "genmove":
        print("= a1\\n" if not taken else "= resign\\n", flush=True)
        taken = True
    elif word.startswith("time"):
        print("? unknown command\\n", flush=True)
    else:
        print("=\\n", flush=True)
"""


def test_what_a_program_refuses_is_remarked_on_once_and_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the clock, the program takes 3.5 seconds for an action of 0.1, in both matches of the pair."""
    for module in (match, program):
        monkeypatch.setattr(module, "perf_counter", Ticking(3.5))
    (tmp_path / "untimed.py").write_text(UNTIMED)
    name = f"gtp:{shlex.join([sys.executable, str(tmp_path / 'untimed.py')])}"
    line = ["match", "tictactoe", name, "random", "--games", "2", "--seconds", "0.1", "--random-opening", "0"]
    records = tmp_path / "records"
    assert main([*line, "--records", str(records)]) == 0
    told = capsys.readouterr().out
    refusal = f"{name} is not told its time: to 'time_settings 0 1 1' it answers 'unknown command'"
    slow = f"{name} takes much longer for an action than its limit of 0.1 s"
    assert [told.count(text) for text in (refusal, slow)] == [1, 1]
    assert ", with a limit of 0.1 s" in told
    written = [json.loads(one) for one in records.read_text().splitlines()]
    assert [one["remarks"] for one in written] == 2 * [[refusal, slow]]
    assert main([*line, "--records", str(records), "--json"]) == 0  # read from the records
    report = json.loads(capsys.readouterr().out)
    assert report["remarks"] == [refusal, slow]
    assert report["limit"]["seconds"] == 0.1
    assert report["seconds_per_move"]["player"] > 3


def test_a_program_that_keeps_to_its_time_is_not_remarked_on() -> None:
    """GTP tells whole seconds: a program may take one where 0.1 are given."""
    transport = Scripted(
        ("clear_board", "=", ""), ("clear_board", "=", ""), ("time_settings 0 1 1", "=", ""),
        ("time_left black 1 1", "=", ""), ("genmove black", "= resign", ""),
    )  # fmt: skip
    player = ProgramPlayer(make("tictactoe"), "it", lambda: GtpConversation("it", transport, 5))
    record = play_match(make("tictactoe"), (player, RandomPlayer()), limit=Budget(seconds=0.1))
    assert record.remarks == ()
    assert "remarks" not in record.as_json()
