"""Numbers in messages, and a page that leaves: all are answered with a sentence, or end without a traceback."""

import asyncio
import json
import logging
import threading
from typing import Any

import pytest
from page_messages import LOCAL, SOCKET, answer, ask
from starlette.testclient import TestClient
from starlette.websockets import WebSocket

from athenan.arena.roster import PLAYERS
from athenan.play.player import RandomPlayer
from athenan.web import server, sockets
from athenan.web.choices import Choices
from athenan.web.messages import FIELDS, MessageError, read
from athenan.web.page_game import PageGame

SAMPLES: dict[str, dict[str, Any]] = {
    "open": {"game": "tictactoe", "moves": "", "fen": ""}, "position": {"moves": ""}, "play": {"action": 4},
    "look": {"moves": "a1"},
    "prepare": {"player": "mcts"}, "roll": {}, "think": {"player": "mcts", "seconds": 0.1, "evaluations": 0},
    "analyse": {"search": "proof", "on": True, "chances": True}, "review": {"search": "proof", "seconds": 0.1},
    "try": {"search": "proof", "seconds": 0.1, "action": 4},
    "choose": {"places": [4]}, "read": {"name": "x.sgf", "text": ""}, "stop": {},
    "write": {"format": ".sgf", "moves": "", "ended": "", "cube": ""},
    "cube": {
        "player": "mcts", "seconds": 0.1, "evaluations": 0, "value": 1, "owner": 2, "offered": False,
    },
}  # fmt: skip
HUGE = ["1" + 400 * "0", "-1" + 400 * "0", "1" + 5000 * "0", "1e999", "-1e999", "1e308", "-1", str(2**53 + 1)]
NUMBERS = [
    (kind, name)
    for kind, sample in SAMPLES.items()
    for name, value in {"request": 1, **sample}.items()
    if type(value) in (int, float) or name == "places"
]


def test_there_is_a_sample_of_each_message():
    assert {kind: set(fields) for kind, fields in FIELDS.items()} == {kind: set(of) for kind, of in SAMPLES.items()}
    for kind, sample in SAMPLES.items():
        assert read(json.dumps({"type": kind, "request": 1, **sample}))["type"] == kind


@pytest.mark.parametrize(("kind", "name"), NUMBERS)
@pytest.mark.parametrize("number", HUGE)
def test_every_number_is_bounded(kind, name, number):
    """The sentence names the field and what it may be."""
    text = json.dumps({"type": kind, "request": 1, **SAMPLES[kind], name: ["HERE"] if name == "places" else "HERE"})
    with pytest.raises(MessageError, match=rf"the field {name} of a message '{kind}' must be .* from \S+ to \S+"):
        read(text.replace('"HERE"', number))


def test_what_is_no_number_is_refused():
    with pytest.raises(MessageError, match="a message is a JSON object: NaN is not a JSON number"):
        read('{"type": "stop", "request": NaN}')


def test_a_huge_number_is_answered_and_the_page_goes_on():
    with TestClient(application(), **LOCAL) as made, made.websocket_connect(SOCKET) as socket:
        think = {"type": "think", "request": 1, "player": "mcts", "seconds": 0, "evaluations": 10**400}
        socket.send_text(json.dumps(think))
        found = socket.receive_json()
        assert found["request"] == 1  # the page knows what is refused and waits no longer
        assert "evaluations of a message 'think' must be a whole number from 0 to 1,000,000,000" in found["text"]
        ask(socket, "open", game="tictactoe", moves="b2", fen="")
        assert len(answer(socket, "position")["moves"]) == 1


def test_a_fault_of_a_player_is_answered(monkeypatch, caplog):
    """The page would wait for ever; the server's log has the traceback."""

    class Faulty(RandomPlayer):
        def select(self, state, limit):
            raise OverflowError("int too large to convert to float")

    monkeypatch.setitem(PLAYERS, "faulty", lambda game: Faulty())
    with TestClient(application(), **LOCAL) as made, made.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="tictactoe", moves="", fen="")
        answer(socket, "position")
        ask(socket, "think", 2, player="faulty", seconds=1, evaluations=0)
        assert error(socket) == "the server could not do this: int too large to convert to float"
        ask(socket, "position", 3, moves="a1")
        assert len(answer(socket, "position")["moves"]) == 1
    assert "OverflowError" in caplog.text


def application():
    return server.application(Choices("tictactoe"))


def error(socket):
    """The text of the next answer, which must be an error."""
    found = socket.receive_json()
    assert found["type"] == "error", found
    return found["text"]


async def serve(messages, fails_after):
    """Serves a page that sends messages and leaves: what is sent to it fails after so many answers."""
    incoming = [{"type": "websocket.connect"}]
    incoming += [{"type": "websocket.receive", "text": json.dumps(one)} for one in messages]
    sent = list[dict[str, Any]]()

    async def receive():
        await asyncio.sleep(0)
        return incoming.pop(0) if incoming else {"type": "websocket.disconnect", "code": 1001}

    async def send(message):
        if len(sent) > fails_after:
            raise OSError("the other side has closed the connection")  # as uvicorn does
        sent.append(message)

    headers = [(b"host", b"localhost")]
    scope = {
        "type": "websocket", "path": "/socket", "raw_path": b"/socket", "query_string": b"", "headers": headers,
        "root_path": "", "scheme": "ws", "subprotocols": [], "extensions": {},
    }  # fmt: skip
    await application()(scope, receive, send)
    return sent


@pytest.mark.parametrize("fails_after", [-1, 0, 1, 2])
@pytest.mark.parametrize(
    "last", [{"type": "roll", "request": 2}, {"type": "analyse", "request": 2, **SAMPLES["analyse"]}]
)
def test_a_page_that_leaves_is_no_error(fails_after, last, caplog):
    """Whenever it does: at the first word, at an answer, while a search reports."""
    messages = [{"type": "open", "request": 1, **SAMPLES["open"]}, last, *[{"type": "stop", "request": 3}] * 3]
    with caplog.at_level(logging.WARNING):
        asyncio.run(serve(messages, fails_after))
    assert caplog.text == ""


def test_a_page_that_has_left_is_told_nothing(monkeypatch):
    """Even if closing is cancelled, as by Starlette's test client, and the work in the thread ends later.

    To send would be an error, which asyncio reports when its task is collected: in any test after this one.
    """
    begun, gone = threading.Event(), threading.Event()

    class Late(RandomPlayer):
        def select(self, state, limit):
            begun.set()
            gone.wait()
            raise ValueError("too late")

    async def leave():
        sent = []

        async def send(message):
            assert not gone.is_set()
            sent.append(message["type"])

        page = PageGame(Choices("tictactoe"), send)
        await page.handle({"type": "open", "request": 1, **SAMPLES["open"]})
        await page.handle({"type": "think", "request": 2, **SAMPLES["think"], "player": "late"})
        await asyncio.to_thread(begun.wait)
        closing = asyncio.create_task(page.close())
        await asyncio.sleep(0)
        closing.cancel()
        gone.set()
        thinking = asyncio.all_tasks() - {asyncio.current_task(), closing}
        await asyncio.gather(*thinking)
        assert len(thinking) == 1 and "position" in sent

    monkeypatch.setitem(PLAYERS, "late", lambda game: Late())
    asyncio.run(leave())


def test_too_many_messages_of_a_page_that_has_left_are_no_error(monkeypatch):
    monkeypatch.setattr(sockets, "_MOST_MESSAGES", 2)
    asyncio.run(serve([{}] * 5, 2))


def test_what_starlette_raises_of_a_page_that_has_left_is_known():
    """If this fails, look at `sockets.CLOSED`."""

    async def closed():
        raise OSError

    async def receive():
        return {"type": "websocket.connect"}

    async def use():
        web = WebSocket({"type": "websocket"}, receive, lambda message: closed() if "text" in message else receive())
        await web.accept()
        with pytest.raises(sockets.CLOSED):
            await web.send_text("{}")
        with pytest.raises(sockets.CLOSED):
            await web.receive_text()

    asyncio.run(use())
