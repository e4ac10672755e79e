"""While a game is compiled for one page: the page is told, and other pages are answered."""

import os
import threading
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from browser_pages import browser, leads, opened, server, shows, status
from numba.core.compiler_lock import global_compiler_lock
from numba.core.event import trigger_event
from page_messages import LOCAL, SOCKET, answer, ask
from starlette.testclient import TestClient

from athenan.play.search_player import SearchPlayer
from athenan.rules.perft import perft
from athenan.search.budget import Budget
from athenan.web import files
from athenan.web.choices import Choices
from athenan.web.position import Position
from athenan.web.server import application

PATIENCE = 60
"""Seconds after which a gate opens by itself, so that a server that waits fails the test and does not hang it."""


class Gate:
    """A function that compiles until the test lets it go on; while `alone` nothing else can be compiled."""

    def __init__(self, function, slow, alone):
        self.function, self.slow = function, slow  # slow(*arguments): whether this call waits
        self.lock = global_compiler_lock if alone else nullcontext()
        self.began, self.opened, self.waited_too_long = threading.Event(), threading.Event(), False

    def __call__(self, *arguments):
        if self.slow(*arguments):
            with self.lock, trigger_event("numba:compile", data={"dispatcher": SimpleNamespace(py_func=perft)}):
                self.began.set()
                self.waited_too_long |= not self.opened.wait(PATIENCE)
        return self.function(*arguments)


def gated(monkeypatch, of, name, slow, alone=False):
    """Lets the calls of a method wait for which `slow` is true."""
    gate = Gate(getattr(of, name), slow, alone)

    def waiting(*arguments):  # a function, so that it becomes a method
        return gate(*arguments)

    monkeypatch.setattr(of, name, waiting)
    return gate


def compiled(*messages):
    """Has a page asked for all that a test will need, (kind, content, answer): only what waits is compiled then."""
    with TestClient(application(Choices("tictactoe")), **LOCAL) as client, client.websocket_connect(SOCKET) as page:
        for kind, content, done in messages:
            ask(page, kind, **content)
            answer(page, done)


HEX = "hex:3,swap=false"
FILE = {"name": "x.sgf", "text": "(;GM[11]SZ[3];B[b2])"}
OPEN = {"game": HEX, "moves": "", "fen": ""}
TICTACTOE = {"game": "tictactoe", "moves": "b2", "fen": ""}
PIG = {"game": "pig:10,length=20", "moves": "roll", "fen": ""}
THINK = {"player": "random", "seconds": 1, "evaluations": 0}
SLOW: dict[str, tuple[Any, str, Callable[..., bool], str, dict[str, Any]]] = {
    "make_game": (Choices, "make_game", lambda choices, name: name == HEX, "open", OPEN),
    "start": (Position, "__init__", lambda position, game, fen="": game.name == HEX, "open", OPEN),
    "play": (Position, "play", lambda position, action: True, "play", {"action": 0}),
    "roll": (Position, "play", lambda position, action: True, "roll", {}),
    "think": (Position, "play", lambda position, action: True, "think", THINK),
    "read": (files, "format_of", lambda name, content: True, "read", FILE),
}
"""What may have to compile: the function, and the message that calls it."""


@pytest.mark.parametrize("case", SLOW)
def test_others_are_answered_while_a_game_is_compiled(case, monkeypatch):
    """The waiting page is told what is compiled; the other one learns nothing of it."""
    of, name, slow, kind, content = SLOW[case]
    first = PIG if kind == "roll" else TICTACTOE | {"moves": ""}
    done = {"open": "game", "read": "read", "think": "moved"}.get(kind, "position")
    compiled(("open", TICTACTOE, "position"), ("open", first, "position"), (kind, content, done))
    gate = gated(monkeypatch, of, name, slow)
    with (
        TestClient(application(Choices("tictactoe")), **LOCAL) as client,
        client.websocket_connect(SOCKET) as waiting,
        client.websocket_connect(SOCKET) as other,
    ):
        ask(waiting, "open", **first)
        answer(waiting, "position")
        ask(waiting, kind, 7, **content)
        assert gate.began.wait(PATIENCE)
        found = waiting.receive_json()
        assert (found["type"], found["request"], found["number"]) == ("compiling", 7, 1)
        assert found["name"] == "perft.perft" and found["of"] == (10 if case == "start" else None)
        ask(other, "open", 3, **TICTACTOE)
        assert [other.receive_json()["type"] for _ in range(2)] == ["game", "position"]
        assert not gate.opened.is_set() and not gate.waited_too_long
        gate.opened.set()
        assert waiting.receive_json() == {"type": "compiling", "request": 7, "name": None}
        answer(waiting, done)


def needs_the_compiler(monkeypatch, of, name):
    """Lets the calls of a method need a function that has not been compiled."""
    function = getattr(of, name)

    def compiled_first(*arguments):
        with global_compiler_lock:
            pass
        return function(*arguments)

    monkeypatch.setattr(of, name, compiled_first)


@pytest.mark.parametrize(("kind", "content", "done"), [
    ("think", THINK, "moved"),
    ("analyse", {"search": "proof", "on": True, "chances": True}, "analysis"),
    ("review", {"search": "proof", "seconds": 0.1}, "reviewed"),
])  # fmt: skip
def test_who_waits_for_the_compiler_is_told_why(kind, content, done, monkeypatch):
    """Every search is told what is compiled for another page."""
    compiled(("open", TICTACTOE, "position"), (kind, content, done))
    gate = gated(monkeypatch, Choices, "make_game", lambda choices, name: name == HEX, alone=True)
    with (
        TestClient(application(Choices("tictactoe")), **LOCAL) as client,
        client.websocket_connect(SOCKET) as compiling,
        client.websocket_connect(SOCKET) as waiting,
    ):
        ask(waiting, "open", **TICTACTOE)
        answer(waiting, "position")
        for maker in ("make_player", "make_session"):
            needs_the_compiler(monkeypatch, Choices, maker)
        ask(compiling, "open", **OPEN)
        assert gate.began.wait(PATIENCE)
        ask(waiting, kind, 7, **content)
        found = waiting.receive_json()
        assert (found["type"], found["request"], found["name"]) == ("compiling", 7, "perft.perft")
        assert found["elsewhere"] and found["number"] == 0
        gate.opened.set()
        while (found := waiting.receive_json())["name"]:
            assert found["elsewhere"]  # the other page may compile more
        assert found == {"type": "compiling", "request": 7, "name": None}
        answer(waiting, done)
        answer(compiling, "position")
    assert not gate.waited_too_long


def test_an_opponent_is_prepared_while_a_person_thinks(monkeypatch):
    """The person's action and a search are not kept waiting by it."""
    opponent = {"player": "mcts,level=casual"}
    compiled(("open", TICTACTOE, "position"), ("prepare", opponent, "prepared"), ("think", THINK, "moved"))
    gate = gated(monkeypatch, SearchPlayer, "select", lambda player, state, limit: limit == Budget(evaluations=1))
    with (
        TestClient(application(Choices("tictactoe")), **LOCAL) as client,
        client.websocket_connect(SOCKET) as socket,
    ):
        ask(socket, "open", game="tictactoe", moves="", fen="")
        answer(socket, "position")
        ask(socket, "prepare", 0, **opponent)
        assert gate.began.wait(PATIENCE)
        found = socket.receive_json()
        assert (found["type"], found["request"], found["name"]) == ("compiling", 0, "perft.perft")
        ask(socket, "play", 2, action=4)
        assert answer(socket, "position")["request"] == 2
        ask(socket, "think", 3, **THINK)
        assert answer(socket, "position")["request"] == 3
        assert not gate.opened.is_set()
        gate.opened.set()
        assert socket.receive_json() == {"type": "compiling", "request": 0, "name": None}
        assert answer(socket, "prepared")["request"] == 0  # after a second search
        ask(socket, "prepare", 0, player="nobody")
        assert [socket.receive_json()["type"] for _ in range(2)] == ["prepared", "error"]
    assert not gate.waited_too_long


def test_pages_that_prepare_opponents_do_not_wait_for_each_other(monkeypatch):
    """Each is told what it waits for, and is answered meanwhile."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)  # asyncio has four more threads for all pages
    gate = gated(monkeypatch, SearchPlayer, "select", lambda player, state, limit: limit == Budget(evaluations=1))
    with TestClient(application(Choices("tictactoe")), **LOCAL) as client, ExitStack() as pages:
        for _ in range(6):
            socket = pages.enter_context(client.websocket_connect(SOCKET))
            ask(socket, "open", game="tictactoe", moves="", fen="")
            answer(socket, "position")
            ask(socket, "prepare", 0, player="mcts,level=casual")
            assert socket.receive_json()["type"] == "compiling"
            ask(socket, "look", moves="b2")
            answer(socket, "seen")
        assert not gate.waited_too_long
        gate.opened.set()


def test_what_is_compiled_when_the_server_has_ended_is_told_to_nobody(monkeypatch, recwarn):
    gate = gated(monkeypatch, SearchPlayer, "select", lambda player, state, limit: limit == Budget(evaluations=1))
    with TestClient(application(Choices("tictactoe")), **LOCAL) as client, client.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="tictactoe", moves="", fen="")
        answer(socket, "position")
        ask(socket, "prepare", 0, player="mcts,level=casual")
        assert gate.began.wait(PATIENCE)
    gate.opened.set()
    for thread in threading.enumerate():
        if thread.name.startswith("beside"):
            thread.join()
    assert not gate.waited_too_long and [str(one.message) for one in recwarn if "awaited" in str(one.message)] == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_page_says_that_it_compiles(monkeypatch):
    """At once; it does not show the old board as the new one, and keeps it if there is no new one."""
    gate = gated(monkeypatch, Choices, "make_game", lambda choices, name: name == "hex:3")
    with browser() as chromium, server() as address:
        page = opened(chromium.new_context(), address, "game=tictactoe&second=human&moves=b2")
        page.focus("#new")
        leads(page, "game=hex:3&second=human")
        status(page, "Opening the game…")
        assert gate.began.wait(PATIENCE)
        page.wait_for_function("() => document.getElementById('compiling').textContent.includes('Preparing the game')")
        status(page, "Preparing the game, once")
        assert "perft" not in page.inner_text("#compiling")
        assert page.get_attribute("#board", "aria-busy") == "true" and not page.is_visible("#board svg")
        for key in ("ArrowLeft", "Home"):
            page.keyboard.press(key)
        assert page.evaluate("['steps', 'typing', 'side', 'buttons'].every((id) => document.getElementById(id).inert)")
        gate.opened.set()
        shows(page, "Hex 3")
        assert page.is_visible("#board svg") and page.locator("#board [data-place]").count() == 9
        assert page.is_hidden("#compiling") and page.input_value("#moves") == ""
        assert page.evaluate("document.activeElement.id") == "new"
        status(page, "Red to move")
        leads(page, "game=nonsense")
        status(page, "there is no game")
        assert page.is_visible("#board svg") and page.get_attribute("#board", "aria-busy") == "false"
        assert not gate.waited_too_long and page.inner_text("#title") == "Hex 3"
        assert page.errors == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_page_says_why_a_search_waits(monkeypatch):
    """In every language, until it has what it waited for."""
    gate = gated(monkeypatch, Choices, "make_game", lambda choices, name: name == HEX, alone=True)
    with browser() as chromium, server() as address:
        page = opened(chromium.new_context(), address, "game=tictactoe&second=human&search=proof")
        german = opened(chromium.new_context(locale="de-DE"), address, "game=tictactoe&second=human", beside=True)
        for maker in ("make_player", "make_session"):
            needs_the_compiler(monkeypatch, Choices, maker)
        other = opened(chromium.new_context(), address, "game=tictactoe&second=human", beside=True)
        leads(other, f"game={HEX}&second=human")
        assert gate.began.wait(PATIENCE)
        page.check("#analyse")
        page.wait_for_selector("#compiled:has-text('Waiting: what was asked for before is being prepared')")
        assert page.inner_text("#effort") == "Searching…" and page.is_visible("#progress")
        german.select_option("#first", "random")
        german.wait_for_selector("#compiled:has-text('Warte: was vorher verlangt wurde, wird noch vorbereitet')")
        assert "denkt" in german.inner_text("#status")
        gate.opened.set()
        page.wait_for_selector("#verdict.proven")
        german.wait_for_selector("#tree button")
        for one in (page, german):
            assert one.is_hidden("#compiling") and one.errors == []
        assert not gate.waited_too_long


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_status_of_a_compilation_goes_although_the_opponent_is_prepared_meanwhile(monkeypatch):
    opponent = gated(monkeypatch, SearchPlayer, "select", lambda player, state, limit: limit == Budget(evaluations=1))
    session = gated(monkeypatch, Choices, "make_session", lambda choices, name, game: True)
    with browser() as chromium, server() as address:
        page = opened(chromium.new_context(), address, "game=tictactoe&second=mcts&search=proof", 20_000)
        assert opponent.began.wait(PATIENCE)
        page.check("#analyse")
        assert session.began.wait(PATIENCE)
        assert "Preparing the " in page.inner_text("#compiled") and "perft" not in page.inner_text("#compiling")
        status(page, "Preparing the analysis")
        opponent.opened.set()
        page.wait_for_timeout(300)  # for the answer that it is prepared
        assert page.is_visible("#compiling")
        session.opened.set()
        page.wait_for_selector("#verdict.proven")
        status(page, "Blue to move")
        assert page.is_hidden("#compiling") and page.errors == []
    assert not opponent.waited_too_long and not session.waited_too_long
