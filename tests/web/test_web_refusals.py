"""What the page says when the server refuses something, in the language of the page."""

import json
import os
import re
from pathlib import Path

import pytest
from browser_pages import browser, server, status
from page_messages import LOCAL, SOCKET
from small_trainings import quiet, small
from starlette.testclient import TestClient

from athenan import web
from athenan.learning.training import train
from athenan.web import texts
from athenan.web.choices import Choices
from athenan.web.server import application
from athenan.web.sockets import MOST_PAGES

OPENED = {"type": "open", "game": "tictactoe", "moves": "a1 a2 b1", "fen": ""}
REFUSED = [
    (
        {"type": "position", "moves": "a1 a2 b1 b1"},
        "move 4: 'b1' is not a legal action of Tic-tac-toe here; legal are c1, b2, c2, a3, ...",
        "Zug 4: 'b1' ist hier in Tic-tac-toe nicht erlaubt; erlaubt sind c1, b2, c2, a3, ...",
    ),
    (
        {"type": "look", "moves": "a1 a2 b1 b2 c1 c3"},
        "move 6: 'c3' cannot be played: the match is over",
        "Zug 6: 'c3' ist nicht mehr möglich: Die Partie ist zu Ende.",
    ),
    ({"type": "position", "moves": "a1 " * 10_001}, "there are at most 10000 moves, not 10001", "höchstens 10000 Züge"),
    ({**OPENED, "game": "chess"}, "there is no game 'chess' here", "Dieses Spiel gibt es hier so nicht: there is no"),
    (
        {**OPENED, "game": "hex:99"},
        "size must be from 2 to 19",
        "Dieses Spiel gibt es hier so nicht: hex: size must",
    ),
    ({**OPENED, "fen": "x"}, "tictactoe has no FEN", "Diese Stellung lässt sich nicht lesen: tictactoe has no FEN"),
    ({"type": "read", "name": "a.sgf", "text": "(;"}, "it is not a whole SGF", "Die Datei lässt sich nicht lesen: it"),
    ({"type": "read", "name": "a.jsonl", "text": ""}, "the file has no match", "In der Datei ist keine Partie."),
    (
        {"type": "write", "format": ".sgf", "moves": "", "ended": "", "cube": ""},
        "SGF does not know tictactoe",
        "In dieser Form lässt sich die",
    ),
    ({"type": "roll"}, "chance is not to move here", "Das geht nicht: chance is not to move here"),
]


def test_runs_have_names_whatever_their_folders_are_called(tmp_path):
    train(small("tictactoe", matches=1), tmp_path / os.fsdecode(b"r\xe4ns"), quiet())
    with TestClient(application(Choices("tictactoe", folder=tmp_path)), **LOCAL) as made:
        assert [one["name"] for one in made.get("/runs").json()["runs"]] == ["r\\udce4ns"]
        assert made.get("/runs/r\\udce4ns").json()["curves"]
        with made.websocket_connect(SOCKET) as socket:
            socket.send_text(json.dumps({**OPENED, "request": 1}))
            while (found := socket.receive_json())["type"] not in ("error", "position"):
                pass
    assert found["type"] == "position", found


@pytest.mark.parametrize(("message", "english", "german"), REFUSED)
def test_a_refusal_has_a_text_in_every_language(message, english, german):
    with TestClient(application(Choices("tictactoe")), **LOCAL) as made, made.websocket_connect(SOCKET) as socket:
        for one in (OPENED, message):
            socket.send_text(json.dumps({**one, "request": 1}))
        while (found := socket.receive_json())["type"] != "error":
            pass
    assert english in found["text"]
    assert texts.said(found["key"], "en", found["values"]) == found["text"]
    assert german in texts.said(found["key"], "de", found["values"])


def test_options_are_refused_in_the_language_of_the_page():
    with TestClient(application(Choices("tictactoe")), **LOCAL) as client:
        assert client.get("/about?game=hex:99").text.startswith("hex: size must be from 2 to 19")
        assert client.get("/about?game=hex:99&lang=de").text.startswith("Dieses Spiel gibt es hier so nicht: hex: size")


def test_addresses_are_refused_in_the_language_of_the_reader():
    german = {"accept-language": "de-DE,de;q=0.9"}
    with TestClient(application(Choices("tictactoe"), token="secret"), **LOCAL) as client:
        assert client.get("/").text == "This address needs the token that the command printed."
        assert client.get("/", headers=german).text == "Diese Adresse braucht das Token, das der Befehl ausgegeben hat."
        missing = client.get("/runs/none?token=secret", headers=german)
        assert (missing.status_code, missing.text) == (404, "Diesen Lauf gibt es nicht.")


def test_the_server_names_only_texts_that_there_are():
    sources = [file.read_text() for file in Path(web.__file__).parent.glob("*.py")]
    named = {key for source in sources for key in re.findall(r"(?:Refusal|said)\(\"([^\"]+)\"", source)}
    assert len(named) > 8 and named <= set(texts.table("en"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_german_page_refuses_in_german():
    with browser() as chromium, server() as address:
        context = chromium.new_context(locale="de-DE")
        page = context.new_page()
        page.goto(f"{address}play#game=tictactoe&second=human&moves=a1")
        status(page, "Blau: a1")
        page.fill("#moves", "1. b2 a1 2. b2 c3")
        page.click("#goto")
        status(page, "Zug 3: 'b2' ist hier in Tic-tac-toe nicht erlaubt; erlaubt sind b1, c1, a2")
        pages = [context.new_page() for _ in range(MOST_PAGES)]
        for one in pages:
            one.goto(f"{address}play#game=tictactoe&second=human")
        status(pages[-1], "Zu viele Seiten sind offen")
