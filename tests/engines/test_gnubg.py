"""GNU Backgammon as a player: with a mocked transport, with small programs that fail, and itself if it is installed."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gnubg_boards import read_external_board

from athenan import make
from athenan.arena.results import Duel
from athenan.arena.roster import make_player
from athenan.arena.series import play_series
from athenan.engines import gnubg
from athenan.engines.process import find_program
from athenan.engines.transport import SocketTransport, ask
from athenan.games.backgammon import positions
from athenan.play.match import play_match
from athenan.play.player import Forfeit, PlayerError, RandomPlayer

GAME = make("backgammon")


class Answering:
    """A transport that answers a random play of the board it is shown, written as a person may write it."""

    name = "gnubg"

    def __init__(self, *answers: str) -> None:
        self.answers, self.asked, self.closed = list(answers), 0, False
        self.random = np.random.default_rng(3)

    def send(self, line: str) -> None:
        self.asked += 1
        self.board = line

    def receive(self, seconds: float) -> str:
        return self.answers.pop(0) if self.answers else self.random_play(self.board)

    def random_play(self, board: str) -> str:
        position, dice = read_external_board(board)
        state = positions.roll(GAME, positions.before_roll(GAME, position), dice)
        plays = list(positions.plays(GAME, state).values())
        names = []
        for action in plays[self.random.integers(len(plays))]:
            names.append(GAME.action_name(state, action))
            state = GAME.play(state, action)
        return " ".join(names).replace("pass", "")

    def close(self) -> None:
        self.closed = True


def mocked(*answers: str) -> tuple[gnubg.GnubgPlayer, Answering]:
    transport = Answering(*answers)
    return gnubg.GnubgPlayer(GAME, "gnubg", lambda rules: transport), transport


def turns(match: Any, side: int) -> list[tuple[int, ...]]:
    """The actions of the turns of a side."""
    found: list[list[int]] = []
    state = GAME.initial()
    for ply in match.plies:
        if ply.side == 2 and int(GAME.play(state, ply.action)[1]) == side:
            found.append([])
        elif ply.side == side:
            found[-1].append(ply.action)
        state = GAME.play(state, ply.action)
    return [tuple(turn) for turn in found]


def test_it_is_asked_once_a_turn() -> None:
    player, transport = mocked()
    for side in range(2):
        transport.asked = 0
        match = play_match(GAME, (player, RandomPlayer())[:: 1 - 2 * side], seed=4)
        assert transport.asked == len(turns(match, side)) > 20
    player.close()
    assert transport.closed


def test_it_may_play_both_sides() -> None:
    player, transport = mocked()
    match = play_match(GAME, (player, player), seed=2)
    assert transport.asked == len(turns(match, 0)) + len(turns(match, 1))


def test_the_whole_roll_is_played_in_the_order_that_is_legal() -> None:
    opening = [int(GAME.parse_action(GAME.initial(), "3-1"))]
    player, _ = mocked("6/5 8/5")
    match = play_match(GAME, (player, RandomPlayer()), opening, seed=1)
    assert GAME.moves(match.actions).startswith("3-1 8/5 6/5 ")


@pytest.mark.parametrize("answer", ["8/5", "24/18", "Error (parse error)", "", "8/4 6/x"])
def test_what_is_no_legal_play_loses_the_match(answer: str) -> None:
    opening = [int(GAME.parse_action(GAME.initial(), "3-1"))]
    player, _ = mocked(answer)
    match = play_match(GAME, (player, RandomPlayer()), opening)
    assert match.forfeit == f"gnubg answered {answer!r}, which is not a legal play of 3-1"
    assert (match.outcome, match.score) == (-1, None)


def test_a_program_that_has_failed_is_started_again() -> None:
    launched = list[Answering]()

    class Mortal(Answering):
        def receive(self, seconds: float) -> str:
            if len(launched) == 1 and self.asked > 3:
                raise Forfeit("gnubg has ended")
            return super().receive(seconds)

    def launch(rules: Any) -> Answering:
        launched.append(Mortal())
        return launched[-1]

    player = gnubg.GnubgPlayer(GAME, "gnubg", launch)
    matches = [play_match(GAME, (player, RandomPlayer()), seed=seed) for seed in range(3)]
    assert [match.forfeit for match in matches] == ["gnubg has ended", None, None]
    assert [transport.closed for transport in launched] == [True, False]


def test_openings_must_not_end_in_the_middle_of_a_turn() -> None:
    state, opening = GAME.initial(), []
    for name in ("3-1", "8/5"):
        opening.append(int(GAME.parse_action(state, name)))
        state = GAME.play(state, opening[-1])
    with pytest.raises(PlayerError, match="--random-opening 1"):
        play_match(GAME, (mocked()[0], RandomPlayer()), opening)


@pytest.mark.parametrize("name", ["backgammon:hyper", "tictactoe"])
def test_it_plays_backgammon_only(name: str) -> None:
    with pytest.raises(PlayerError, match="gnubg plays backgammon only"):
        make_player("gnubg", make(name))


def test_a_missing_gnubg_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gnubg, "find_program", lambda name: None)
    with pytest.raises(PlayerError, match="gnubg is not installed: on Debian, apt-get install gnubg"):
        make_player("gnubg", GAME)


# The transport, to small programs.

PROGRAM = """
import signal, socket, sys
path = input()
listening = socket.socket(socket.AF_UNIX)
listening.bind(path)
listening.listen()
connection, _ = listening.accept()
for line in connection.makefile():
    if line.startswith("hang"):
        signal.pause()
    if line.startswith("end"):
        sys.exit(1)
    connection.sendall(line.encode())
"""


def started(program: str, timeout: float) -> SocketTransport:
    return SocketTransport("program", [sys.executable, "-c", program], lambda path: [path], timeout)


def test_lines_are_answered_until_the_program_is_ended() -> None:
    transport = started(PROGRAM, 20)
    process, folder = transport._process.popen, Path(transport._folder.name)
    assert [ask(transport, line, 20) for line in ("one", "two words")] == ["one", "two words"]
    assert process.poll() is None
    assert folder.exists()
    transport.close()
    assert process.poll() is not None
    assert not folder.exists()


def test_a_program_that_ends_is_an_error() -> None:
    transport = started(PROGRAM, 20)
    with pytest.raises(PlayerError, match="program has ended"):
        ask(transport, "end", 20)
    transport.close()


def test_a_program_that_hangs_is_an_error() -> None:
    transport = started(PROGRAM, 5)
    with pytest.raises(PlayerError, match=r"program did not answer within 0\.2 s"):
        ask(transport, "hang", 0.2)
    transport.close()


@pytest.mark.parametrize(
    ("program", "message"),
    [("exit(3)", "program ended at once, with status 3"), ("input(); input()", r"no|did not accept a connection")],
)
def test_a_program_that_does_not_listen_is_an_error(program: str, message: str) -> None:
    with pytest.raises(PlayerError, match=message):
        started(program, 20 if "exit" in program else 0.3)


def test_a_program_that_cannot_be_started_is_an_error() -> None:
    with pytest.raises(PlayerError, match="program cannot be started"):
        SocketTransport("program", ["/no/such/program"], lambda path: [path])


# The program itself.

needs_gnubg = pytest.mark.skipif(find_program("gnubg") is None, reason="gnubg is not installed")


@needs_gnubg
def test_gnubg_beats_random_play() -> None:
    players = [make_player("gnubg", GAME), RandomPlayer()]
    try:
        duel = play_series(GAME, players, games=4, seed=5)
        again = play_series(GAME, players, games=4, seed=5)
    finally:
        players[0].close()
    assert isinstance(duel, Duel)
    assert duel.counts() == (4, 0, 0)
    assert [match.actions for match in duel.matches] == [match.actions for match in again.matches]
    assert duel.points
    assert duel.points[0] >= 1


@needs_gnubg
@pytest.mark.parametrize(
    ("text", "name"),
    [("gnubg", "gnubg"), ("gnubg:plies=0", "gnubg"), ("gnubg:plies=2", "gnubg:2"),
     ("gnubg:1,timeout=5", "gnubg:1,timeout=5")],
)  # fmt: skip
def test_names_of_gnubg(text: str, name: str) -> None:
    player = make_player(text, GAME)
    player.close()
    assert player.name == name
