"""Programs that answer anything, at any time, or never: they lose their match, with a reason."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import numpy as np
import pytest
from arimaa_setups import GOLD
from fuzzing import lines_like, require_sentence

from athenan import Budget, make
from athenan.arena.roster import make_player
from athenan.engines.names import PROTOCOLS, ProtocolName
from athenan.engines.program import ProgramPlayer, TurnRequest
from athenan.engines.protocols import CONVERSATIONS
from athenan.play.match import play_match
from athenan.play.player import Forfeit, PlayerError, RandomPlayer
from athenan.play.records import MatchRecord
from athenan.rules.game import Game

GAMES = {"aei": "arimaa:200", "gomocup": "gomoku:5,opening=free", "hub": "draughts"}
WORDS = {
    "gtp": ["=", "=", "?", "", "= a1", "= b2", "= resign", "= pass", "=1 c3", "? unknown command", "= A1 B2", "info"],
    "uci": ["bestmove a1", "bestmove b2", "uciok", "readyok", "bestmove", "option name UCI_Variant type combo var x",
            "bestmove (none)", "info score cp 1", "bestmove 0000", "id name", "bestmove c3 ponder a1"],
    "ugi": ["bestmove a1", "bestmove b2", "ugiok", "readyok", "bestmove c3", "response", "info", "bestmove"],
    "uai": ["bestmove a1", "bestmove 0000", "uaiok", "readyok", "bestmove b2", "option", "bestmove"],
    "ucci": ["bestmove a1", "nobestmove", "ucciok", "readyok", "bestmove b2", "option", "bye", "bestmove"],
    "aei": ["aeiok", "readyok", f"bestmove {GOLD}", "bestmove Ra2n", "bestmove", "log x", "info time 1",
            "bestmove resign", "protocol-version 1", "Ra2", "x", "bestmove rc2x"],
    "gomocup": ["OK", "0,0", "1,1", "2,2", "DEBUG x", "ERROR no", "MESSAGE hi",
                "UNKNOWN", "3,1", "4,4", "-1,0", "99,1", "OK 1"],
    "hub": ["wait", "ready", "done move=32-28", "done move=31-27", "done", "info", 'id name="x', "done move=x", "error",
            "done move=32x28x19", "done move=20-24 ponder=1-2", "done move=19-23"],
}  # fmt: skip
STRANGE = ["é", "\x00", "\x1b[2J", "a" * 5000, " ", '"', "=", "-", "99999999999999999999"]


class Babbling:
    """A transport to a program that sends lines of its protocol in any order, and ends at times."""

    def __init__(self, lines: Iterator[str], random: np.random.Generator) -> None:
        self.name, self._lines, self._random, self.received = "it", lines, random, 0

    def send(self, line: str) -> None:
        assert "\n" not in line

    def receive(self, seconds: float) -> str:
        assert seconds >= 0
        if self._random.random() < 0.01:
            raise Forfeit("it has ended")
        self.received += 1
        line = next(self._lines, None)
        if line is None:
            raise Forfeit("it did not answer")
        return line.strip()

    def close(self) -> None:
        pass


def fuzz(protocol: ProtocolName, count: int, seed: int) -> None:
    game, random = make(GAMES.get(protocol, "tictactoe")), np.random.default_rng(seed)
    transport = Babbling(lines_like([*WORDS[protocol], *STRANGE], count, seed), random)
    records, refused = list[MatchRecord](), 0
    while transport.received < count:
        try:
            player = ProgramPlayer(game, "it", lambda: CONVERSATIONS[protocol]("it", transport, 5.0))
            record = play_match(game, (player, RandomPlayer()), seed=len(records), limit=Budget(seconds=0.01))
        except PlayerError as error:  # it cannot begin, which ends a series
            require_sentence(str(error))
            refused += 1
            continue
        records.append(record)
        ended = game.outcome(game.replay(record.actions)) is not None
        assert record.forfeit is not None or record.resigned or ended
        if record.forfeit is not None:
            require_sentence(record.forfeit)
            assert record.outcome == -1
        assert MatchRecord.from_json(record.as_json(), game) == record
    assert records
    assert refused + len(records) > 2


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_whatever_a_program_answers_is_played_or_refused(protocol: ProtocolName) -> None:
    fuzz(protocol, 400, 1)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_100_000_answers_are_played_or_refused(protocol: ProtocolName) -> None:
    fuzz(protocol, 100_000, 2)


def program(code: str) -> str:
    return f"gtp:{shlex.join([sys.executable, '-c', code])},timeout=0.5"


@pytest.mark.parametrize(
    "code",
    [
        "while True: print('info nothing')",
        "print('= x' * 1000000, end='', flush=True); import time; time.sleep(600)",
        "import sys; sys.stdout.write('= ' + '\\n= x' * 10**6)",
        "import time; time.sleep(600)",
        "import sys; sys.stderr.write('\\x1b[2Jbroken\\n'); sys.exit(3)",
    ],
)
def test_programs_that_flood_or_hang_fail_in_time(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("athenan.engines.gtp.client.STARTING", 0.5)
    reason = "did not answer within|sends a line without an end|sends an answer without an end|has ended"
    with pytest.raises(PlayerError, match=reason) as error:
        make_player(program(code), make("tictactoe"))
    require_sentence(str(error.value))


class Silent:
    """A conversation in which nothing is said."""

    starts_anywhere, least_seconds = False, 0.0

    def begin(self, game: Game) -> None:
        pass

    def choose(self, turn: TurnRequest) -> list[str]:
        return []

    def close(self) -> None:
        pass


def test_a_user_is_told_about_a_program_that_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After a while, and only where a match begins: at its turns a program may well think for long."""
    monkeypatch.setattr("athenan.engines.program._SOON", 0.01)
    game, told = make("tictactoe"), list[str]()

    class Slow(Silent):
        def begin(self, game: Game) -> None:
            for _ in range(1000):
                if told:
                    return
                sleep(0.01)
                told.extend(capsys.readouterr().err.splitlines())

    ProgramPlayer(game, "gtp:cat", Slow)
    assert told == ["athenan: waiting for gtp:cat, at most 60 s for an answer"]


def test_an_interruption_ends_a_program_that_is_starting() -> None:
    """Ctrl-C in the terminal does not reach the program, which may not notice that its input has ended."""
    ended = list[bool]()

    class Starting(Silent):
        def begin(self, game: Game) -> None:
            raise KeyboardInterrupt

        def close(self) -> None:
            ended.append(True)

    with pytest.raises(KeyboardInterrupt):
        ProgramPlayer(make("tictactoe"), "gtp:sleep 1000", Starting)
    assert ended == [True]


def test_a_program_that_floods_within_a_match_loses_it(tmp_path: Path) -> None:
    file = tmp_path / "engine.py"
    file.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    while line.startswith('genmove'): print('info')\n"
        "    print('=\\n', flush=True)\n"
    )
    player = make_player(f"gtp:{shlex.join([sys.executable, str(file)])},timeout=0.5", make("tictactoe"))
    try:
        record = play_match(make("tictactoe"), (player, RandomPlayer()), limit=Budget(seconds=0.1))
    finally:
        player.close()
    assert record.outcome == -1
    assert record.forfeit
    assert "did not answer within" in record.forfeit
    require_sentence(record.forfeit)
