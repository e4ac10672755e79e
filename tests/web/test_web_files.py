"""Files of matches in the page: read, written, and opened in Chromium."""

from base64 import b64encode
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path

import pytest
from browser_pages import browser, leads, opened, server, shows, status
from starlette.testclient import TestClient
from test_web import LOCAL, SOCKET, answer, ask

from athenan.files.formats import FORMATS
from athenan.games.catalogue import make
from athenan.web.choices import Choices
from athenan.web.files import formats_of, read_file, write_file
from athenan.web.refusals import Refusal
from athenan.web.server import application

open_page = partial(opened, patience=60_000)


@contextmanager
def socket_of_page():
    with (
        TestClient(application(Choices("tictactoe")), **LOCAL) as client,
        client.websocket_connect(SOCKET) as socket,
    ):
        yield socket


def test_files_of_matches():
    with socket_of_page() as socket:
        ask(socket, "read", 1, name="from/another/place.SGF", text="(;GM[11]SZ[5];B[c3];W[d4])")
        assert answer(socket, "read") == {
            "type": "read", "request": 1, "game": "hex:5", "moves": "c3 d4", "ended": "", "notices": "", "fen": "",
            "cube": "",
        }  # fmt: skip
        ask(socket, "read", 2, name="moves.txt", text="a1 b2")  # of the game of the page
        assert answer(socket, "read")["game"] == "tictactoe"
        ask(socket, "open", 3, game="hex:5", moves="c3 d4", fen="")
        answer(socket, "position")
        ask(socket, "position", 4, moves="c3")
        answer(socket, "position")
        ask(socket, "write", 4, format=".sgf", moves="c3 d4", ended="", cube="")  # more than is shown
        written = answer(socket, "written")
        assert "SZ[5]" in written["text"] and "B[c3]" in written["text"]
        ask(socket, "read", 5, name="again.sgf", text=written["text"])
        assert answer(socket, "read")["moves"] == "c3 d4"
        for kind, content in (
            ("read", {"name": "x.sgf", "text": "(;GM[11]SZ[5];B[z9])"}), ("read", {"name": "x.pdn", "text": "no"}),
            ("read", {"name": "x.jsonl", "text": "{}"}),
            ("write", {"format": ".pdn", "moves": "", "ended": "", "cube": ""}),
            ("write", {"format": "/etc", "moves": "", "ended": "", "cube": ""}),
            ("write", {"format": ".sgf", "moves": "z9", "ended": "", "cube": ""}),
            ("write", {"format": ".sgf", "moves": "c3", "ended": "resigns-2", "cube": ""}),
        ):  # fmt: skip
            ask(socket, kind, 6, **content)
            assert socket.receive_json()["type"] == "error"


@pytest.mark.parametrize(("name", "formats"), [
    ("hex:3", [".sgf", ".html", ".svg", ".jsonl", ".txt"]), ("tictactoe", [".html", ".svg", ".jsonl", ".txt"]),
    ("othello:6", [".sgf", ".ggf", ".html", ".svg", ".jsonl", ".txt"]),
    ("draughts:brazilian", [".pdn", ".html", ".svg", ".jsonl", ".txt"]),
    ("backgammon:hyper", [".html", ".svg", ".jsonl", ".txt"]),
])  # fmt: skip
def test_a_match_can_be_saved_in_exactly_the_formats_that_the_page_offers(name, formats):
    game = make(name)
    assert formats_of(game, "") == formats
    for suffix in FORMATS:
        with nullcontext() if suffix in formats else pytest.raises(Refusal):
            assert write_file(suffix, game, "", "")


@pytest.mark.parametrize(("name", "moves"), [("amazons:6", "e1-c3"), ("backgammon", "3-1"), ("backgammon", "3-1 8/5")])
def test_a_match_that_ends_within_a_turn_is_refused_with_the_way_out(name, moves):
    with pytest.raises(Refusal, match="finish the turn first, or save as JSON"):
        write_file(".sgf", make(name), "", moves)


MATCHES = {
    ".pdn": ("draughts:brazilian", "c3-b4"),
    ".ggf": ("othello:6", "c2 d2"),
    ".mat": ("backgammon:standard", "3-1 8/5 6/5"),
}
"""The game and the moves of a match in a format that does not hold all games."""


@pytest.mark.parametrize(("suffix", "ended"), [
    (".sgf", "resigns-0"), (".sgf", "resigns-1"), (".sgf", "time-0"), (".jsonl", "resigns-0"), (".pdn", "time-1"),
    (".ggf", "resigns-1"), (".html", "resigns-0"), (".mat", "resigns-0"),
])  # fmt: skip
def test_a_file_says_how_a_match_ended(suffix, ended):
    name, moves = MATCHES.get(suffix, ("hex:5", "c3 d4"))
    game = make(name)
    written = write_file(suffix, game, "", moves, ended)
    assert read_file(f"match{suffix}", written, game, make) == (game.name, moves, ended, "", "", "")


def test_the_page_reads_and_writes_matches_from_a_position():
    written = "(;GM[11]SZ[3]AB[a1][c3];W[b2])"
    found = read_file("a.sgf", written, make("tictactoe"), make)
    assert (found.game, found.moves, found.fen) == ("hex:3", "b2", "x2/3/2x o")
    again = write_file(".sgf", make("hex:3"), found.fen, found.moves)
    assert read_file("a.sgf", again, make("hex:3"), make) == found
    assert formats_of(make("hex:3"), found.fen) == [".sgf", ".html", ".svg", ".jsonl"]
    assert formats_of(make("draughts"), "W:WK6:B8,9") == [".pdn", ".html", ".svg", ".jsonl"]


def test_the_page_says_what_was_left_out_of_a_file_and_reads_its_bytes():
    game = make("hex:5")
    late = "(;GM[11]SZ[5];B[c3];W[d4];B[resign];W[a1])"
    notice = "1 move left out: the match is over after action 2"
    assert read_file("a.sgf", late, game, make) == ("hex:5", "c3 d4", "resigns-0", notice, "", "")
    both = read_file("a.sgf", f"(;GM[11]SZ[5];B[z9]){late}", game, make)
    assert both[:3] == ("hex:5", "c3 d4", "resigns-0")
    assert both.notices.startswith("match 2 is shown, because the first cannot be read: action 1: 'z9' is not")
    both = read_file("a.sgf", f"{late}{late}", game, make)
    assert both.notices.startswith("the file has 2 matches: number 1 is shown")
    data = b64encode("(;GM[11]SZ[5];B[c3]C[ソ];W[d4])".encode("cp932")).decode()
    read = read_file("a.sgf", f"data:application/x-go-sgf;base64,{data}", game, make)
    assert (read.moves, read.notices) == ("c3 d4", "its encoding is not stated: it was read as Shift_JIS")
    with pytest.raises(Refusal):
        read_file("a.sgf", "data:;base64,%%", game, make)


def test_the_page_is_told_in_which_formats_its_match_can_be_saved():
    """A match from a FEN in those that can begin with one."""
    game = make("breakthrough:5x5")
    with socket_of_page() as socket:
        for fen, formats in (
            ("", [".html", ".svg", ".jsonl", ".txt"]),
            (game.write_fen(game.initial()), [".html", ".svg", ".jsonl"]),
        ):
            ask(socket, "open", game=game.name, moves="", fen=fen)
            assert answer(socket, "game")["formats"] == formats


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_files_in_the_page():
    with browser() as chromium, server() as address:
        context = chromium.new_context()
        only_formats_of_the_game_are_offered(open_page(context, address, "game=tictactoe&second=human"))
        a_resignation_is_saved(open_page(context, address, "game=hex:3&second=human&moves=b2"))
        narrow = chromium.new_context(viewport={"width": 360, "height": 640})
        why_a_match_is_not_saved_can_be_seen(open_page(narrow, address, "game=amazons:6&second=human&moves=e1-c3"))
        players = "first=mcts&first-level=club&second=evaluation:material&search=rollouts"
        the_chosen_players_stay(open_page(context, address, f"game=breakthrough:5x5&paused=1&{players}"))


def only_formats_of_the_game_are_offered(page):
    """The chosen one stays chosen if the next game has it."""
    offered = page.locator("#format option")
    assert offered.all_inner_texts() == ["JSON", "page to share", "animated picture", "JSON lines", "moves"]
    page.select_option("#format", ".txt")
    leads(page, "game=hex:3&second=human")
    shows(page, "Hex 3")
    assert offered.all_inner_texts() == ["JSON", "SGF", "page to share", "animated picture", "JSON lines", "moves"]
    assert page.input_value("#format") == ".txt"
    page.select_option("#format", ".sgf")
    leads(page, "game=tictactoe&second=human&moves=b2")
    shows(page, "Tic-tac-toe")
    assert page.input_value("#format") == ".json" and page.errors == []


def a_resignation_is_saved(page):
    page.click("#resign")
    for kind in (".json", ".sgf", ".html", ".svg"):
        status(page, "Blue resigns: Red wins.")
        page.select_option("#format", kind)
        with page.expect_download() as waiting:
            page.click("#save")
        written = Path(waiting.value.path()).read_text()
        leads(page, "game=hex:3&second=human")
        status(page, "Red to move")
        opens(page, f"match{kind}", written)
    status(page, "Blue resigns: Red wins.")
    assert page.errors == []


def why_a_match_is_not_saved_can_be_seen(page):
    """Also on a phone, where the button is far below the message."""
    page.select_option("#format", ".sgf")
    page.click("#save")
    status(page, "finish the turn first")
    page.wait_for_function("() => document.getElementById('status').getBoundingClientRect().top >= 0")
    assert page.errors == []


def opens(page, name, text):
    page.set_input_files("#file", {"name": name, "mimeType": "text/plain", "buffer": text.encode()})


def chosen(page):
    return [page.input_value(f"#{one}") for one in ("first", "first-level", "second", "second-evaluations", "search")]


def the_chosen_players_stay(page):
    """Those that play the game of the file. The page says who takes the place of another one."""
    page.fill("#second-evaluations", "50")
    kept = ["mcts", "club", "evaluation:material", "50", "rollouts"]
    opens(page, "match.json", '{"game": "breakthrough:5x5", "moves": "a2-a3"}')
    status(page, "a2-a3")
    assert chosen(page) == kept and "does not play" not in page.inner_text("#status")
    opens(page, "moves.txt", "# breakthrough:4x5\na2-a3")
    shows(page, "Breakthrough 4x5")
    assert chosen(page) == kept and page.is_visible("#buttons button:text-is('Let Black move')")
    opens(page, "moves.txt", "# tictactoe\nb2")
    status(page, "“evaluation by material” does not play this game: Monte Carlo search plays Red. Blue: b2.")
    assert chosen(page) == ["mcts", "club", "mcts", "50", "rollouts"]
    page.click("#back")
    page.wait_for_function("() => location.hash.includes('ply=0')")
    assert "does not play" not in page.inner_text("#status") and page.errors == []
