"""The doubling cube of the page: what players answer about it, the text that holds it, and a match in Chromium."""

import json
from functools import partial
from pathlib import Path

import pytest
from browser_pages import browser, opened, server, status
from page_messages import ask
from page_sockets import socket_of_page

from athenan.games.catalogue import make
from athenan.play.cube import Cube, CubeRecord, Offer
from athenan.play.player import RandomPlayer
from athenan.search.budget import Budget
from athenan.web.cube import answered, held_cube, may_turn, read_cube
from athenan.web.files import read_file, write_file
from athenan.web.messages import MessageError
from athenan.web.position import Position
from athenan.web.refusals import Refusal

open_page = partial(opened, patience=60_000)
MOVES = "3-1 8/5 6/5 5-2 24/22 13/8"
DROPPED = CubeRecord(offers=(Offer(6, 0, taken=False),))


def position_after(moves):
    position = Position(make("backgammon"))
    position.go(moves)
    return position


def test_the_text_of_a_cube_comes_back():
    for cube in (None, CubeRecord(), DROPPED, CubeRecord(offers=(Offer(6, 0, True), Offer(9, 1, False)))):
        assert read_cube(held_cube(cube)) == cube
    assert held_cube(DROPPED) == "on.6-0-0"
    for text in ("off", "on.", "on.1", "on.1-2-1", "on.1-1-1-1"):
        with pytest.raises(MessageError):
            read_cube(text)


def test_who_is_about_to_roll_may_double_but_not_at_the_first_roll():
    assert [may_turn(position_after(moves)) for moves in ("", "3-1", "3-1 8/5 6/5", MOVES)] == [None, None, 1, 0]


class Asked(RandomPlayer):
    """Notes what it is asked about the cube."""

    asked: tuple[Cube, ...] = ()

    def use_cube(self, rules):
        pass

    def see_cube(self, cube):
        self.asked = (*self.asked, cube)

    def doubles(self, state, cube, limit):
        return True

    def takes(self, state, cube, limit):
        return False


def test_players_decide_about_the_cube():
    position, player = position_after(MOVES), Asked()
    about = {"value": 2, "owner": 0, "offered": False}
    assert answered(player, position, about, Budget(iterations=1))
    assert not answered(player, position, {**about, "offered": True}, Budget(iterations=1))
    assert [(cube.value, cube.owner) for cube in player.asked] == [(2, 0), (2, 0)]
    assert not answered(RandomPlayer(), position, about, Budget(iterations=1))
    for bad in ({**about, "owner": 1}, {**about, "value": 64}):
        with pytest.raises(MessageError, match="nobody may double here"):
            answered(player, position, bad, Budget(iterations=1))


def test_a_page_asks_a_player_about_the_cube():
    with socket_of_page() as socket:
        ask(socket, "open", game="backgammon", moves=MOVES, fen="")
        while (message := socket.receive_json())["type"] != "position":
            pass
        assert (message["cube"], message["roller"]) == (True, 0)
        about = {"player": "random", "seconds": 0.1, "evaluations": 0, "value": 1, "owner": 2, "offered": True}
        ask(socket, "cube", 2, **about)
        while (message := socket.receive_json())["type"] == "compiling":
            pass
        assert (message["type"], message["request"], message["yes"]) == ("cube", 2, True)
        ask(socket, "cube", 3, **{**about, "owner": 1})
        assert socket.receive_json()["type"] == "error"


@pytest.mark.parametrize("suffix", [".mat", ".sgf", ".jsonl"])
def test_files_of_the_page_hold_the_cube(suffix):
    game = make("backgammon")
    for cube, ended in ((held_cube(DROPPED), "drops-1"), ("on.6-0-1", "resigns-0"), ("", "")):
        found = read_file(f"a{suffix}", write_file(suffix, game, "", MOVES, ended, cube), game, make)
        if suffix != ".jsonl" or cube == held_cube(DROPPED):  # a line of a match that has not ended has moves only
            assert (found.moves, found.ended, found.cube) == (MOVES, ended, cube)
    with pytest.raises(Refusal, match="double 1 is not possible after 0 plies"):
        write_file(suffix, game, "", MOVES, "", "on.0-0-1")
    with pytest.raises(Refusal, match="is played without a doubling cube"):
        write_file(".sgf", make("hex:3"), "", "", "", "on")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_two_people_use_the_cube():
    """One doubles and the other takes, a reload keeps it, and the next double is dropped."""
    with browser() as chromium, server() as address:
        context = chromium.new_context()
        fragment = f"game=backgammon&second=human&cube=on&moves={MOVES.replace(' ', '+')}"
        page = open_page(context, address, fragment)
        status(page, "White: roll, or double to 2?")
        page.click("#buttons button:text-is('Double to 2')")
        status(page, "White doubles to 2: does Black take, or drop?")
        page.click("#buttons button:text-is('Take')")
        status(page, "Black takes: the cube shows 2.")
        assert page.inner_text("#second-side .cube") == "2" and "cube=on.6-0-1" in page.url
        page.reload()
        page.wait_for_selector("#second-side .cube:text-is('2')")
        dropped = open_page(context, address, fragment)
        status(dropped, "White: roll, or double to 2?")
        dropped.click("#buttons button:text-is('Double to 2')")
        dropped.click("#buttons button:text-is('Drop')")
        status(dropped, "Black drops the double: White wins 1 point.")
        with dropped.expect_download() as waiting:
            dropped.click("#save")
        written = json.loads(Path(waiting.value.path()).read_text())
        assert (written["cube"], written["ended"]) == ("on.6-0-0", "drops-1")
        dropped.click("#undo")
        status(dropped, "White: roll, or double to 2?")
        assert page.errors == [] and dropped.errors == []
