"""Other programs that send a server anything, in any order: it takes every line and goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from arimaa_setups import GOLD, SILVER
from fuzzing import lines_like, require_taken
from hub_positions import START
from protocol_servers import Told

from athenan import make
from athenan.engines.names import ProtocolName
from athenan.engines.protocols import SERVERS
from athenan.engines.uci.dialect import DIALECTS
from athenan.rules.game import Game

NO_WORDS = ["é", "\x00", "-1", "99999999999999999999"]
WORDS = {
    "gtp": [
        "b", "w", "black", "chance", "green", "pass", "resign", "swap-pieces", "2", "3", "4", "1e999", "nan", "0.5",
        "interval", "maxmoves", "#", "athenan-analysis",
    ],
    "uci": [
        "isready", "stop", "ponderhit", "setoption", "position", "go", "query", "d",
        "startpos", "moves", "fen", "name", "value", "Move Overhead", "UCI_Variant", "usemillisec", "wtime", "btime",
        "p1time", "winc", "time", "movetime", "nodes", "movestogo", "infinite", "ponder", "depth", "result",
        "1", "0", "-5", "x", "p1turn",
    ],
    "aei": [
        "aei", "isready", "newgame", "makemove", "go", "stop", "setoption", "setposition", "name", "value", "tcmove",
        "g", "ponder", "greserve", "tcturntime", "level", *GOLD.split()[:3], GOLD, SILVER, "Ra2n", "ra7s", "Ra3x", "10",
    ],
    "gomocup": [
        "START", "RESTART", "BEGIN", "TURN", "BOARD", "DONE", "INFO", "TAKEBACK", "ABOUT", "timeout_turn", "time_left",
        "timeout_match", "rule", "athenan-level", "0", "1", "5", "6", "0,0", "1,1,1", "2,3,2", "4,4", "5,5", "x", ",",
    ],
    "hub": [
        "hub", "init", "ping", "pos", "level", "go", "stop", "ponder-hit", "new-game", "set-param", "think", "analyze",
        "name=level", "ponder", f"pos={START}", "pos=", 'moves="32-28 19-23 28x19x23"', 'moves="1-2"', "time=1",
        "move-time=0.001", "inc=x", "infinite", "depth=3", '"', "=",
    ],
}  # fmt: skip
STILL_THERE = {
    "gtp": (["1 name"], "=1 athenan"), "uci": (["isready"], "readyok"), "aei": (["isready"], "readyok"),
    "gomocup": (["DONE", "ABOUT"], 'name="athenan"'), "hub": (["ping"], "pong"),
}  # fmt: skip
"""A question that is always answered, and how its answer begins."""
ANSWERS = {
    "gtp": (("=", "?"), 1 / 2), "uci": (("bestmove", "nobestmove"), 1 / 100), "aei": (("bestmove",), 1 / 300),
    "gomocup": (("ERROR", "UNKNOWN"), 1 / 30), "hub": (("done",), 1 / 300),
}  # fmt: skip
"""How answers begin, and the least share of lines that have one."""


def words_of(protocol: ProtocolName, game: Game) -> list[str]:
    if protocol == "gtp":
        told = Told(SERVERS["gtp"], game.name)
        known = [word for asked in ("list_commands", "all_legal") for word in " ".join(told(asked)).split()[1:]]
        return [*(word for word in known if word != "quit"), *WORDS["gtp"]]
    if (dialect := DIALECTS.get(protocol)) is None:
        return WORDS[protocol]
    names = [dialect.written(game, name) for name in ("a1", "b2", "a2-a3", "swap")]
    return [protocol, f"{protocol}newgame", *WORDS["uci"], *names]


def fuzz(protocol: ProtocolName, game: str, count: int, seed: int) -> None:
    family = "uci" if protocol in DIALECTS else protocol
    told = Told(SERVERS[protocol], game, "mcts:2" if protocol == "aei" else "mcts:20")

    def lines() -> Iterator[str]:
        for line in lines_like([*words_of(protocol, make(game)), *NO_WORDS], count, seed):
            yield "go nodes 1" if family == "uci" and line.startswith("go") and "nodes" in line else line

    require_taken(told.server, lines())
    begins, share = ANSWERS[family]
    assert sum(line.startswith(begins) for line in told.lines) > share * count
    if protocol == "gtp":
        assert all(answer[0] in "=?" for answer in told.text.removesuffix("\n\n").split("\n\n"))
    asked, answer = STILL_THERE[family]
    assert [line for line in told(*asked) if line][-1].startswith(answer)


@pytest.mark.parametrize(
    ("protocol", "game", "count"),
    [
        ("gtp", "hex:3", 400), ("gtp", "go:3", 400), ("uci", "hex:3", 400), ("ugi", "breakthrough:5x5", 400),
        ("aei", "arimaa:200", 150), ("gomocup", "gomoku:5", 500), ("hub", "draughts", 300),
    ],
)  # fmt: skip
def test_every_line_is_taken(protocol: ProtocolName, game: str, count: int) -> None:
    fuzz(protocol, game, count, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "game", "count"),
    [
        *(("gtp", game, 17_000) for game in ("hex:3", "go:3", "tictactoe", "amazons:6", "connect_four:4x4")),
        ("gtp", "pig:10,length=20", 17_000), ("uci", "hex:3", 20_000), ("ugi", "breakthrough:5x5", 20_000),
        ("ugi", "pig:10,length=20", 20_000), ("ucci", "xiangqi", 20_000), ("uai", "ataxx:4", 20_000),
        ("aei", "arimaa:200", 100_000), ("gomocup", "gomoku:5", 100_000), ("hub", "draughts", 100_000),
    ],
)  # fmt: skip
def test_100_000_lines_are_taken(protocol: ProtocolName, game: str, count: int) -> None:
    fuzz(protocol, game, count, 2)


@pytest.mark.parametrize(
    ("protocol", "game"),
    [("gtp", "hex:3"), ("uci", "hex:3"), ("aei", "arimaa:200"), ("gomocup", "gomoku:5"), ("hub", "draughts")],
)
def test_no_line_runs_a_file(
    protocol: ProtocolName, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pwn.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    told = Told(SERVERS[protocol], game, "mcts:2")
    words = [word for word in words_of(protocol, make(game)) if word not in ("go", "genmove", "BEGIN")]
    ends = ("./pwn.py", "name UCI_Variant value ./pwn.py", "file=./pwn.py", "search=./pwn.py")
    require_taken(told.server, (f"{word} {end}" for word in words for end in ends))
    assert not Path("ran").exists()
