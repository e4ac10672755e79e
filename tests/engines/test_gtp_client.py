"""Programs that speak GTP as players."""

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from gtp_programs import GNUGO, Framed, needs_gnugo
from scripted_programs import Scripted, match_with

from athenan import Budget, make
from athenan.arena.roster import make_player
from athenan.engines.gtp.client import GtpConversation
from athenan.engines.program import ProgramPlayer
from athenan.engines.transport import PipeTransport, answer
from athenan.play.match import play_match
from athenan.play.player import Forfeit, PlayerError, RandomPlayer
from athenan.play.records import MatchRecord


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
    moves = match_with(player, game, ("b2", Budget(0.1), "a1", Budget(0.1)))
    assert not transport.script
    assert moves == game.moves(player._actions) == "b2 swap a1 c1"


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
        (["= " + 200_000 * "a", ""], "gtp:it sends an answer without an end"),
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


def test_a_program_that_resigns_loses() -> None:
    player, _ = client("tictactoe", BEGIN[1], BEGIN[1], ("genmove black", "= resign", ""))
    record = play_match(make("tictactoe"), (player, RandomPlayer()), limit=Budget(iterations=1))
    assert (record.outcome, record.resigned, record.forfeit) == (-1, True, None)


def test_a_program_that_does_not_play_the_game_is_refused() -> None:
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
def test_programs_that_cannot_play_are_refused(text: str, message: str) -> None:
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


def test_what_a_late_program_did_is_told(tmp_path: Path) -> None:
    """With the whole time that it had, not with what was left of it after its last other line."""
    for line, told in (("", ""), ("echo thinking; sleep 0.3; ", ", but sent other lines")):
        program = tmp_path / "late.sh"
        program.write_text(f"{line}read line")
        transport = PipeTransport("it", ["sh", str(program)])
        with pytest.raises(Forfeit) as late:
            answer(transport, 0.6, lambda line: line == "readyok")
        assert str(late.value) == f"it did not answer within 0.6 s{told}"
        transport.close()


HANGING = """
import signal, sys
for line in sys.stdin:
    if line.startswith("genmove"):
        signal.pause()
    print("=\\n", flush=True)
"""


def test_a_program_that_hangs_is_ended(tmp_path: Path) -> None:
    program = tmp_path / "hanging.py"
    program.write_text(HANGING)
    player = make_player(f"gtp:{shlex.join([sys.executable, str(program)])},timeout=0.5", make("tictactoe"))
    record = play_match(make("tictactoe"), (player, RandomPlayer()), limit=Budget(seconds=0.1))
    assert record.forfeit
    assert "did not answer within 0.6 s" in record.forfeit
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
    served = Framed("go:5,superko=simple")
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
