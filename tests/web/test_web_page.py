"""The page itself in Chromium, by clicks and keys."""

import os
import re
import shutil

import pytest
from browser_pages import PATIENCE, browser, click, moves, opened, server, status
from page_messages import LOCAL
from small_trainings import quiet, small
from starlette.testclient import TestClient

from athenan.games.catalogue import make
from athenan.learning.training import train
from athenan.play.latest import LATEST
from athenan.runs.checkpoint import CHECKPOINT
from athenan.web.choices import Choices
from athenan.web.server import application
from athenan.web.trainings import overview


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_whole_page():
    with browser() as chromium, server() as address:
        context = chromium.new_context()
        play_to_the_end(opened(context, address, "game=tictactoe&second=human"))
        reload_in_the_middle(opened(context, address, "game=connect_four:4x4&second=human"))
        play_a_program(opened(context, address, "game=tictactoe&second=random"))
        analyse(opened(context, address, "game=hex:3,swap=false&second=human&search=proof&analyse=1"))
        review(opened(context, address, "game=tictactoe&moves=a1+b1+a2&second=human&search=proof"))
        two_pages(context, address)
        by_keyboard(opened(context, address, "game=tictactoe&second=human"))
        moves_as_people_write_them(opened(context, address, "game=tictactoe&second=human"))
        on_a_phone(chromium, address)


def play_to_the_end(page):
    for name in ("b2", "a1", "b1", "c1"):
        click(page, name)
        status(page, name)
    page.click("#undo")
    status(page, "Red to move")
    click(page, "c3")
    status(page, "c3")
    assert page.locator("#tree .variation").count() == 1  # c1 is kept as a variation
    click(page, "b3")
    status(page, "Blue wins")
    assert page.locator("#board .can").count() == 0
    assert page.errors == []


def reload_in_the_middle(page):
    click(page, "b4")  # anywhere in the column
    status(page, "2")
    assert page.locator('#board [aria-label^="b1: Red"]').count() == 1
    page.reload()
    page.wait_for_selector('#board [aria-label^="b1: Red"]')
    click(page, "b1")
    page.wait_for_selector('#board [aria-label^="b2: Yellow"]')
    assert "moves=2+2" in page.url
    assert page.errors == []


def play_a_program(page):
    click(page, "b2")
    status(page, "Blue to move")
    page.wait_for_function("() => document.querySelectorAll('#tree button').length == 2")
    page.click("#undo")
    page.wait_for_function("() => document.querySelectorAll('#tree .here').length == 0")
    page.click("#resign")
    status(page, "Blue resigns: Red wins.")
    page.click("#again button:text-is('Review')")
    status(page, "There is nothing to review: no move has been played.")
    assert page.is_hidden("#findings")
    assert page.errors == []


def analyse(page):
    page.wait_for_selector("#verdict.proven")
    assert "proven win for Red" in page.inner_text("#verdict")
    assert page.locator("#board .value.proven").count() >= 1
    assert re.search(r"\d evaluations", page.inner_text("#effort"))
    first = page.locator("#line button").first
    name = first.inner_text()
    first.click()
    status(page, name)
    page.wait_for_selector("#verdict.proven")
    page.uncheck("#analyse")
    page.click("#review")
    status(page, "reviewed")
    assert page.locator("#graph circle").count() >= 2
    assert page.errors == []


def review(page):
    """b1 loses against the corner; b2 is the only answer."""
    page.check("#analyse")
    page.wait_for_selector("#verdict.proven")
    page.click("#review")
    assert page.inner_text("#effort") == "" and page.locator("#values table").count() == 0  # the analysis has ended
    status(page, "reviewed")
    assert "Red: accuracy" in page.inner_text("#accuracy") and "1 blunder." in page.inner_text("#accuracy")
    assert page.locator("#tree [data-sign]").all_inner_texts() == ["2. b1"]
    page.click("#next-mistake")
    page.wait_for_selector("#mistake button")
    assert "Red: b1 is a blunder: 50% of the win chance lost. Find a better move" in page.inner_text("#mistake")
    assert page.locator("#board .aim, #board .step").count() == 0  # the answer is not shown yet
    assert page.inner_text("#chances").split("\n") == ["Blue 50%", "Red 50%"]  # a proven draw
    click(page, "c3")
    status(page, "c3 loses 50% of the win chance")
    assert "Find a better move" in page.inner_text("#mistake") and moves(page) == ["1. a1", "2. b1", "3. a2"]
    click(page, "b2")
    status(page, "b2 is right")
    assert "Better:" in page.inner_text("#mistake") and "Why b1 is wrong:" in page.inner_text("#mistake")
    assert page.inner_text("#mistake button >> nth=0") == "2. b2"
    assert page.get_attribute("#mistake button:has-text('2. b2') .dot", "class") == "dot red"
    assert page.locator("#board .aim").count() >= 1
    assert moves(page) == ["1. a1", "2. b1", "3. a2"]
    page.click("#end")
    page.wait_for_function("() => document.querySelector('#tree .here').textContent == '3. a2'")
    assert page.is_hidden("#mistake")
    page.click("#next-mistake")
    page.wait_for_selector("#mistake button:has-text('2. b2')")  # what was found stays found
    page.click("#mistake button")  # plays the better move as a variation
    page.wait_for_selector("#tree .variation .here")
    assert page.is_hidden("#mistake")
    click(page, "c1")
    status(page, "c1")
    assert page.errors == []


def two_pages(context, address):
    one, other = (
        opened(context, address, f"game=tictactoe&second=human&moves={move}", beside=beside)
        for move, beside in (("a1", False), ("c3", True))
    )
    click(one, "b2")
    click(other, "a2")
    status(one, "b2")
    status(other, "a2")
    assert "c3" not in one.input_value("#moves") and other.input_value("#moves") == "c3 a2"


def by_keyboard(page):
    page.focus("#board")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    status(page, "b1")
    page.fill("#move", "c3")
    page.press("#move", "Enter")
    status(page, "c3")
    page.fill("#move", "c3")
    page.press("#move", "Enter")
    status(page, "move 3: 'c3' is not a legal action")
    page.fill("#move", "1. A1, a3")
    page.press("#move", "Enter")
    page.wait_for_function("() => document.getElementById('moves').value == 'b1 c3 a1 a3'")
    assert page.input_value("#move") == ""


def moves_as_people_write_them(page):
    """Also pasted with numbers; a text that cannot be read stays for its correction."""
    for text, played in {"1. b2 A1 2. c3?! {quiet}": "b2 a1 c3", "b2a1c3a3": "b2 a1 c3 a3", "": ""}.items():
        page.fill("#moves", text)
        page.click("#goto")
        page.wait_for_function("moves => document.getElementById('moves').value == moves", arg=played)
        # the field may hold the text before the server has answered, whose answer then replaces what is typed next
        page.wait_for_function(
            "count => document.querySelectorAll('#tree .here').length == count", arg=int(played != "")
        )
    page.fill("#moves", "1. b2 a1 2. b2 c3")
    page.click("#goto")
    status(page, "move 3: 'b2' is not a legal action of Tic-tac-toe here; legal are b1, c1, a2")
    assert page.input_value("#moves") == "1. b2 a1 2. b2 c3"
    assert page.errors == []


def on_a_phone(chromium, address):
    page = opened(chromium.new_context(viewport={"width": 360, "height": 700}), address, "game=hex:5")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    cut = "[...document.querySelectorAll('.side > *')].filter((one) => one.scrollWidth > one.clientWidth)"
    assert page.inner_text("#second-side .who").endswith(", casual") and page.evaluate(cut) == []


NOTE_MOVES = """() => {
  window.seen = new Set();
  setInterval(() => seen.add(document.getElementById("moves").value), 10);
}"""


def test_values_beside_a_curve_are_told_apart(tmp_path):
    train(small("tictactoe", matches=3, seed=1), tmp_path / "one", display=quiet())
    curves = {"learning/loss": [[1, 0.0525], [2, 0.0515]], "match/length": [[1, 32.48], [2, 32.52]]}

    def answer(route):
        told = route.fetch()
        route.fulfill(response=told, json={**told.json(), "curves": curves})

    with browser() as chromium, server(Choices("tictactoe", folder=tmp_path)) as address:
        page = chromium.new_page(locale="en-US")
        page.set_default_timeout(PATIENCE)
        page.route("**/runs/one*", answer)
        page.goto(f"{address}trainings")
        page.wait_for_selector("#plots figure:nth-child(2) polyline")
        shown = [figure.locator(".tick").all_text_contents() for figure in page.locator("#plots figure").all()]
    assert shown == [["0.0515", "0.052", "0.0525", "2 matches"], ["32.48", "32.5", "32.52", "2 matches"]]


def test_trainings_are_watched(tmp_path):
    """Two runs on one plot, the settings in which they differ, a run that begins later, and a match."""
    train(small("tictactoe", matches=3, seed=1), tmp_path / "one", display=quiet())
    choices = Choices("tictactoe", folder=tmp_path)
    named = Choices("tictactoe", {"one": tmp_path / "one"})
    assert named.opponent_of(named.networks_of(make("tictactoe"))) == "run:one"
    assert named.opponent_of(named.networks_of(make("hex:3"))) == "mcts"
    assert choices.opponent_of(choices.networks_of(make("tictactoe"))) == "mcts"
    with browser() as chromium, server(choices) as address:
        page = chromium.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{address}trainings")
        page.wait_for_selector('#plots figure:has-text("match/length") polyline')
        two = train(small("tictactoe", matches=2, seed=2), tmp_path / "deeper" / "two", display=quiet())
        (two / "networks").mkdir()
        shutil.copy(two / CHECKPOINT, two / "networks" / "0.5.safetensors")  # as if it had been kept
        page.check("#runs tr:has-text('two') input")
        noted = (two / LATEST).read_bytes()
        (two / LATEST).write_bytes(b"damaged")
        page.reload()  # with both: the one that can be read is drawn, and the other is named
        page.wait_for_selector("#status:has-text('deeper/two: ')")
        page.wait_for_selector('#plots figure:has-text("match/length") polyline')
        assert page.locator("#runs tr").count() == 2
        (two / LATEST).write_bytes(noted)
        loss = page.locator('#plots figure:has-text("match/length")')
        page.wait_for_function("() => document.querySelectorAll('#plots figure:first-child .run').length == 2")
        assert loss.locator(".run").count() == 2
        assert re.search(r"run.seed\s+2\s+1", page.inner_text("#settings"))
        page.click("#latest tr:has-text('two') a")  # a match of self-play, with its values
        page.wait_for_selector("#graph .curve")
        assert "the training deeper/two" in page.inner_text("#source")
        moves = page.input_value("#moves").split()
        page.evaluate(NOTE_MOVES)
        page.click("#replay")
        page.wait_for_function("first => seen.has('') && seen.has(first)", arg=moves[0])
        page.goto(f"{address}trainings")
        page.check("#runs tr:has-text('two') input")
        page.click("#runs tr:has-text('two') a:has-text('play it')")
        page.wait_for_selector("#board svg")
        assert page.input_value("#second") == "run:deeper/two"
        kept = page.locator("#second option", has_text="deeper/two after").first.get_attribute("value")
        assert kept == "run:deeper/two@0.5"
        page.select_option("#second", kept)
        click(page, "b2")
        page.wait_for_function("() => document.querySelectorAll('#tree button').length == 2")
        with TestClient(application(choices), **LOCAL) as client:
            told = client.get("/runs/one").json()
            assert set(told["curves"]) >= {"learning/loss", "match/length", "time/seconds"}
            assert told["latest"][0]["number"] == 1
            for name in ("three", "..%2Fone", "one%2F..%2Fone", "deeper%2F..%2Fone", "two"):
                assert client.get(f"/runs/{name}").status_code == 404


def test_a_replaced_checkpoint_is_read_again(tmp_path):
    """Also if the file system gives it the number of the former file."""
    directory = train(small("tictactoe", matches=1, seed=1), tmp_path / "one", display=quiet())
    runs = {"one": directory}
    assert overview(runs)[0]["age"] < 3000
    saved = (directory / CHECKPOINT).stat()
    os.utime(directory / CHECKPOINT, (saved.st_atime, saved.st_mtime - 3600))
    assert overview(runs)[0]["age"] >= 3600
