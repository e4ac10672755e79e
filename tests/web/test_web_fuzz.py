"""Whatever a page sends is answered: messages with faults, in any order, at the server's own loop."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from fuzzing import faulty
from starlette.websockets import WebSocket, WebSocketDisconnect

from athenan.web import sockets
from athenan.web.choices import Choices
from athenan.web.messages import FIELDS

VALUES: dict[str, list[Any]] = {
    "game": ["tictactoe", "hex:3", "hex:99", "pig:10,length=20", "draughts", "../../etc/passwd", "own.py", ""],
    "moves": ["", "a1", "a1 b2 c3", "a1 a1", "b2 " * 200, "\0"],
    "fen": ["", "B:W31,32,33:B18,19,K1", "W:W", "x"],
    "action": [0, 3, 8, -1, 10**30],
    "player": ["mcts", "random", "rave", "human", "uci:sh", "run:x", ""],
    "seconds": [0, 0.001, -1, 1e308, float("nan")],
    "evaluations": [0, 1, 20, -5, 10**9, 10**30],
    "search": ["proof", "rollouts", "network", "run:../x", ""],
    "on": [True, False], "chances": [True, False],
    "places": [[], [0], [4, 5], [-1], [10**30], ["a"], [0] * 100, [[]]],
    "name": ["x.sgf", "x.pdn", "x.jsonl", "moves", "/etc/passwd", ""],
    "text": ["(;GM[11]SZ[5];B[c3])", "(;", "[Event \"?\"]\n1. 32-28", "{}", "a1 b2", "", "# hex:3\na1"],
    "format": [".sgf", ".pdn", ".jsonl", ".txt", "", "/etc"],
    "cube": ["", "on", "on.6-0-1", "on.6-0-0.9-1-1", "off", "on.1"], "value": [1, 2, 64, 3, 0, 65, -1],
    "owner": [0, 1, 2, 3], "offered": [True, False],
    "ended": ["", "resigns-0", "time-1", "resigns-2", "-"],
}  # fmt: skip
OTHERS: list[Any] = [None, "", "text", -1, 2**70, 0.5, True, [], [[]], {}, {"a": 1}]


def messages(count: int, seed: int) -> Iterator[str]:
    """So many messages: most with the fields of their type, some without, and some that are none."""
    random = np.random.default_rng(seed)

    def one_of(values):
        return values[random.integers(len(values))]

    for number in range(count):
        kind = one_of(list(FIELDS))
        message = {"type": kind, "request": number, **{name: one_of(VALUES[name]) for name in FIELDS[kind]}}
        if random.random() < 0.1:
            message[one_of(list(message))] = one_of(OTHERS)
        if random.random() < 0.05:
            del message[one_of(list(message))]
        text = json.dumps(message)
        if random.random() < 0.1:
            text = faulty(text, random)
        yield text


class Socket:
    """Sends the server messages, and keeps the last answer."""

    def __init__(self, sent: Iterator[str]) -> None:
        self.sent = sent
        self.answers = 0
        self.last = dict[str, Any]()

    async def receive_text(self) -> str:
        await asyncio.sleep(0)
        for text in self.sent:
            return text
        raise WebSocketDisconnect

    async def send_text(self, text: str) -> None:
        self.answers += 1
        self.last = json.loads(text)


def served(sent: Iterator[str]) -> Socket:
    """The socket of a page that has sent these messages and left."""
    socket = Socket(sent)
    asyncio.run(sockets.serve(cast(WebSocket, socket), Choices("tictactoe")))
    return socket


def fuzz(monkeypatch: pytest.MonkeyPatch, count: int, seed: int) -> None:
    monkeypatch.setattr(sockets, "_MOST_MESSAGES", 10**6)  # else it ends after the first seconds
    end = {"type": "open", "request": 7, "game": "tictactoe", "moves": "b2", "fen": ""}
    socket = served(iter([*messages(count, seed), json.dumps(end)]))
    assert socket.last["type"] == "position" and socket.last["request"] == 7
    assert [move["name"] for move in socket.last["moves"]] == ["b2"]
    assert socket.answers > count / 2


def test_messages_with_faults_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    fuzz(monkeypatch, 1_500, 1)


@pytest.mark.slow
def test_100_000_messages_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    fuzz(monkeypatch, 100_000, 2)


def test_no_message_runs_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pwn.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    usual = {name: values[0] for name, values in VALUES.items()}
    sent = [
        json.dumps({"type": kind, "request": 1, **{name: usual[name] for name in fields}, field: code})
        for kind, fields in FIELDS.items()
        for field in fields
        for code in ("./pwn.py", "gtp:./pwn.py", "evaluation:x,search=./pwn.py", '{"game": "./pwn.py", "moves": ""}')
        if isinstance(usual[field], str)
    ]
    monkeypatch.setattr(sockets, "_MOST_MESSAGES", 10**6)
    socket = served(iter(sent))
    assert socket.answers > len(sent) / 2
    assert not Path("ran").exists()
