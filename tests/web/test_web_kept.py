"""The browser keeps the last match of each game and offers to go on with it, in Chromium."""

import json
from functools import partial

import pytest
from browser_pages import browser, click, opened, server, status

open_page = partial(opened, patience=60_000)
MATCH = "game=tictactoe&moves=a1+b2&first=human&second=human"
CARD = ".card:has([data-game='{}']) .kept"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_matches_are_kept():
    with browser() as chromium, server() as address:
        a_match_is_gone_on_with(chromium.new_context(), address)
        an_ended_match_is_kept_but_not_offered(chromium.new_context(), address)
        only_matches_of_a_person_are_kept(chromium.new_context(), address)
        odd_contents_offer_nothing(chromium.new_context(), address)
        what_cannot_be_opened_is_forgotten(chromium.new_context(), address)


def kept(page):
    return json.loads(page.evaluate("localStorage.getItem('athenan-matches')") or "[]")


def a_match_is_gone_on_with(context, address):
    page = open_page(context, address, "game=tictactoe&second=human&minutes=5")
    for name in ("a1", "b2"):
        click(page, name)
        status(page, name)
    page.click("header nav a:text-is('Board')")  # stays
    page.click("#back")
    status(page, "a1")
    page.goto(address)
    link = page.locator(CARD.format("tictactoe"))
    assert link.inner_text() == "Go on at move 3" and page.locator(".kept").count() == 1
    page.click("header nav a:text-is('Board')")
    status(page, "b2")
    assert page.input_value("#moves") == "a1 b2" and page.input_value("#second") == "human"
    page.wait_for_function("() => /^4:5\\d$/.test(document.getElementById('first-clock').textContent)")
    page.goto(address)
    page.click(".card > a:has-text('Tic-tac-toe')")  # a new match
    status(page, "Blue to move")
    assert page.input_value("#moves") == "" and page.is_visible("#former")
    page.click("#former a")
    status(page, "b2")
    assert page.input_value("#moves") == "a1 b2" and page.is_hidden("#former")
    page.goto(f"{address}play#game=tictactoe&second=human")
    page.wait_for_selector("#former a")
    click(page, "c3")
    status(page, "c3")
    assert page.is_hidden("#former") and [one["moves"] for one in kept(page)] == [1]
    assert page.errors == []


def an_ended_match_is_kept_but_not_offered(context, address):
    page = open_page(context, address, MATCH)
    page.click("#resign")
    status(page, "Blue resigns")
    page.goto(address)
    page.wait_for_selector(".card")
    assert page.locator(".kept").count() == 0
    page.goto(f"{address}trainings")
    status(page, "The folder has no runs yet")
    assert page.is_hidden("main")  # its parts would be empty
    page.click("header nav a:text-is('Board')")
    status(page, "Blue resigns")
    assert page.errors == []


def only_matches_of_a_person_are_kept(context, address):
    """Not the computer's first move, nor a match from a file."""
    page = open_page(context, address, "game=tictactoe&first=random&second=human")
    page.wait_for_function("() => document.querySelectorAll('#tree button').length == 1")
    status(page, "Red to move")
    assert kept(page) == []
    match = b'{"game": "tictactoe", "moves": "a1 b2"}'
    page.set_input_files("#file", {"name": "match.json", "mimeType": "application/json", "buffer": match})
    status(page, "b2")
    assert kept(page) == [] and page.errors == []


def odd_contents_offer_nothing(context, address):
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    odd = {"game": "tictactoe", "held": MATCH, "moves": "2", "over": False}
    for text in (
        "",
        "{",
        "null",
        "7",
        "{}",
        '[null, 1, "x", []]',
        json.dumps([odd, {**odd, "moves": 2, "held": None}]),
    ):
        page.evaluate("text => localStorage.setItem('athenan-matches', text)", text)
        page.reload()
        page.wait_for_selector(".card")
        assert page.locator(".kept").count() == 0
    markup = {"game": "tictactoe:<b>", "held": '"><img src=x onerror=alert(1)>', "moves": 2, "over": False}
    page.evaluate("text => localStorage.setItem('athenan-matches', text)", json.dumps([markup]))
    page.reload()
    page.wait_for_selector(".kept")
    assert page.locator(".kept img, .kept b").count() == 0
    assert page.locator(".kept").evaluate("link => link.origin + link.pathname") == f"{address}play"
    assert errors == []


def what_cannot_be_opened_is_forgotten(context, address):
    page = context.new_page()
    page.goto(address)
    bad = {"game": "tictactoe", "held": MATCH.replace("b2", "a1"), "moves": 2, "over": False}
    page.evaluate("text => localStorage.setItem('athenan-matches', text)", json.dumps([bad]))
    page.reload()
    page.click(".kept")
    page.wait_for_selector("#status.error")
    assert "move 2" in page.inner_text("#status") and kept(page) == []
