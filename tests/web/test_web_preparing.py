"""While another process compiles what a network needs: a smaller opponent replies, and an analysis waits."""

import sys
import time
from contextlib import contextmanager
from typing import ClassVar

import pytest
from page_messages import LOCAL, SOCKET, answer, ask
from starlette.testclient import TestClient

from athenan.play.search_player import SearchPlayer
from athenan.rules.compiler import _ONLY_COMPILED, NotCompiledError
from athenan.web import preparing
from athenan.web.choices import Choices
from athenan.web.server import application

OPEN = {"game": "connect_four", "moves": "", "fen": ""}
THINK = {"player": "athenan,level=casual", "seconds": 0.05, "evaluations": 0}


class Process:
    """A process that compiles three functions, and ends when the test says so."""

    begun: ClassVar[list["Process"]] = []

    def __init__(self, command):
        self.command, self.of, self.number, self.runs, self.group = command, command[4], 3, True, self
        self.begun.append(self)

    def end(self):
        self.runs = False


@pytest.fixture
def unprepared(monkeypatch):
    """Networks whose code is compiled when their process has ended, and processes that the test ends."""
    monkeypatch.setattr(preparing, "_Process", Process)
    monkeypatch.setattr(Process, "begun", [])
    for maker in ("make_player", "make_session"):

        def made(choices, name, game, make=getattr(Choices, maker)):
            if _ONLY_COMPILED.get() and name.startswith("athenan") and name not in [one.of for one in Process.begun]:
                raise NotCompiledError(name)
            return make(choices, name, game)

        monkeypatch.setattr(Choices, maker, made)
    return Process.begun


@pytest.fixture
def players(monkeypatch):
    """The names of the players that choose an action, in order."""
    found = []

    def noted(player, state, limit, select=SearchPlayer.select):
        found.append(player.name)
        return select(player, state, limit)

    monkeypatch.setattr(SearchPlayer, "select", noted)
    return found


@contextmanager
def opened(**fields):
    with TestClient(application(Choices("connect_four")), **LOCAL) as client, client.websocket_connect(SOCKET) as page:
        ask(page, "open", **OPEN | fields)
        answer(page, "position")
        yield page


def test_a_smaller_opponent_of_the_same_level_replies_until_the_network_is_ready(unprepared, players):
    with opened() as page:
        ask(page, "think", 2, **THINK)
        answer(page, "moved")
        assert players == ["mcts,level=casual"] and len(unprepared) == 1
        assert unprepared[0].command[3:6] == ["opponent", "athenan,level=casual", "connect_four:7x6"]
        told = answer(page, "compiling")
        while not told["smaller"]:  # the smaller opponent may be compiled
            told = answer(page, "compiling")
        assert (told["request"], told["what"], told["number"]) == (0, "opponent", 3)
        ask(page, "think", 3, **THINK)
        answer(page, "moved")
        assert players == ["mcts,level=casual"] * 2
        unprepared[0].end()
        answer(page, "prepared")
        ask(page, "think", 4, **THINK)
        answer(page, "moved")
        assert players[2:] == ["athenan,level=casual"] and len(unprepared) == 1


def test_what_can_be_repeated_waits_for_the_network(unprepared, players):
    with opened() as page:
        ask(page, "think", 2, **THINK | {"seconds": 0, "evaluations": 5})
        assert not answer(page, "compiling")["smaller"] and players == []
        unprepared[0].end()
        answer(page, "moved")
        assert players == ["athenan,level=casual"]


def test_an_analysis_waits_and_can_be_left(unprepared):
    with opened() as page:
        analysis = {"search": "athenan", "chances": True}
        ask(page, "analyse", 2, on=True, **analysis)
        told = answer(page, "compiling")
        assert (told["request"], told["what"], told["number"], told["of"]) == (2, "analysis", 3, 18)
        ask(page, "play", 3, action=3)
        assert answer(page, "position")["request"] == 3
        assert unprepared[0].runs
        ask(page, "analyse", 4, on=True, **analysis)
        unprepared[0].end()
        assert answer(page, "analysis")["request"] == 4 and len(unprepared) == 1


def test_whoever_leaves_ends_the_processes(unprepared):
    with opened() as page:
        ask(page, "prepare", 0, player="athenan,level=club")
        answer(page, "compiling")
        ask(page, "open", 2, game="tictactoe", moves="", fen="")
        answer(page, "position")
        assert [one.runs for one in unprepared] == [False]
        ask(page, "open", 3, **OPEN)
        ask(page, "analyse", 4, search="athenan", on=True, chances=True)
        while not unprepared[1:]:
            answer(page, "compiling")
    assert [one.runs for one in unprepared] == [False, False]


def test_another_process_compiles_what_the_page_asks_for():
    """It counts what it compiles, which is nothing here, and ends."""
    choices = Choices("connect_four")
    asked: list[tuple[preparing.Purpose, str]] = [("opponent", "athenan,level=club"), ("analysis", "proof")]
    for what, name in asked:
        process = preparing.Preparations(choices)._elsewhere(what, name, choices.make_game(choices.game))
        assert process.group.popen.wait() == 0 and process.number >= 0


def test_what_else_a_process_prints_is_no_number():
    process = preparing._Process([sys.executable, "-c", "print('a library greets'); print(3, flush=True); input()"])
    assert process.group.popen.wait() != 0  # its input is empty, so it has printed
    for _ in range(1000):
        if process.number:
            break
        time.sleep(0.01)
    assert process.number == 3


def test_preparations_that_are_closed_begin_nothing():
    choices = Choices("connect_four")
    preparations = preparing.Preparations(choices)
    preparations.close()
    preparations._begin("analysis", "proof", choices.make_game(choices.game))
    assert not preparations._begun
