"""What a person takes back, mistypes or has not chosen to replace in the page, in Chromium."""

import json
from functools import partial

import pytest
from browser_pages import browser, click, moves, opened, server, status

open_page = partial(opened, patience=60_000)
KEPT = "localStorage.getItem('athenan-matches')"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_is_taken_back_or_refused():
    with browser() as chromium, server() as address:
        context = chromium.new_context()
        moves_taken_back_become_the_variation(open_page(context, address, "game=tictactoe&first=human&second=human"))
        taken_back = "game=tictactoe&second=mcts&moves=a1+b2"
        the_same_move_again_begins_the_match_anew(open_page(context, address, taken_back))
        a_match_ends_where_it_was_resigned(open_page(context, address, taken_back))
        only_the_resignation_is_taken_back(open_page(context, address, "game=tictactoe&second=mcts&moves=a1+b2"))
        a_resignation_before_the_first_move_is_taken_back(open_page(context, address, "game=tictactoe&second=mcts"))
        refused_moves_do_not_stop_the_computer(open_page(context, address, "game=tictactoe&second=mcts"))
        clock = "game=tictactoe&first=human&second=human&minutes=5&left=100.0-200.0&moves=a1"
        a_refused_file_leaves_the_match(open_page(context, address, clock))
        the_keyboard_stays_at_the_board(open_page(context, address, "game=go:5&first=human&second=human"))
        escape_leaves_a_choice(open_page(context, address, "game=arimaa&first=human&second=human"))
        limits_outlast_a_reload(open_page(context, address, "game=tictactoe&second=mcts"))
        a_link_does_not_replace_the_own_match(chromium.new_context(), address)
        an_address_that_cannot_be_opened_leads_to_the_games(context, address)


def moves_taken_back_become_the_variation(page):
    for name in ("a1", "b2", "c3"):
        click(page, name)
        status(page, name)
    page.click("#undo")
    status(page, "Red: b2")
    click(page, "a3")
    status(page, "a3")
    assert page.inner_text("#tree").split("(")[1].split(")")[0].strip() == "3. c3"
    page.click("#begin")
    page.wait_for_function("() => location.hash.includes('ply=0')")
    assert "moves=a1+b2+a3&" in page.url
    page.click("#end")
    status(page, "a3")
    page.click("#undo")
    status(page, "Red: b2")
    page.reload()
    status(page, "Red: b2")
    click(page, "c1")
    status(page, "c1")
    assert moves(page) == ["1. a1", "2. b2", "3. c1", "3. a3"]
    assert page.errors == []


def the_same_move_again_begins_the_match_anew(page):
    """The answers that were taken back with it are a variation."""
    page.click("#undo")
    status(page, "Blue to move")
    page.select_option("#second", "human")
    for name in ("a1", "b1"):
        click(page, name)
        status(page, name)
    assert moves(page) == ["1. a1", "2. b1", "2. b2"] and "moves=a1+b1&" in page.url
    assert page.errors == []


def a_match_ends_where_it_was_resigned(page):
    """Moves that were taken back before do not follow."""
    page.click("#undo")
    status(page, "Blue to move")
    page.click("#resign")
    status(page, "Blue resigns")
    page.reload()
    status(page, "Blue resigns")
    assert "moves=&" in page.url and page.errors == []


def only_the_resignation_is_taken_back(page):
    page.click("#resign")
    status(page, "Blue resigns")
    page.click("#undo")
    status(page, "Blue to move")
    assert page.input_value("#moves") == "a1 b2" and "ended" not in page.url
    assert page.errors == []


def a_resignation_before_the_first_move_is_taken_back(page):
    page.click("#resign")
    status(page, "Blue resigns")
    page.click("#undo")
    status(page, "Blue to move")
    assert page.is_hidden("#again") and page.errors == []


def refused_moves_do_not_stop_the_computer(page):
    page.select_option("#second-level", "strongest")
    page.fill("#second-seconds", "2")
    click(page, "b2")
    status(page, "thinking")
    page.fill("#moves", "b2 zz")
    page.click("#goto")
    status(page, "not a legal action")
    page.wait_for_function("() => document.querySelectorAll('#tree button').length == 2")
    assert page.errors == []


def a_refused_file_leaves_the_match(page):
    bad = json.dumps({"game": "tictactoe", "moves": "a1 a1"}).encode()
    page.set_input_files("#file", {"name": "m.json", "mimeType": "application/json", "buffer": bad})
    status(page, "not a legal action")
    page.wait_for_function("() => /^3:1\\d$/.test(document.getElementById('second-clock').textContent)")
    assert page.inner_text("#first-clock") == "1:40" and "paused" not in page.url
    assert page.errors == []


def the_keyboard_stays_at_the_board(page):
    page.focus("#buttons button")
    page.keyboard.press("Enter")
    status(page, "pass")
    assert page.evaluate("document.activeElement.id") == "board"
    assert page.errors == []


def escape_leaves_a_choice(page):
    page.click('#board [aria-label^="a1:"]', force=True)
    page.wait_for_selector("#choice button")
    page.keyboard.press("Escape")
    page.wait_for_selector("#choice button", state="detached")
    assert page.evaluate("document.activeElement.id") == "board"
    assert page.errors == []


def limits_outlast_a_reload(page):
    page.select_option("#second-level", "strongest")
    page.fill("#second-seconds", "7")
    page.press("#second-seconds", "Enter")
    page.wait_for_function("() => location.hash.includes('second-seconds=7')")
    page.reload()
    page.wait_for_selector("#board svg")
    assert page.input_value("#second-seconds") == "7" and page.errors == []


def a_link_does_not_replace_the_own_match(context, address):
    page = open_page(context, address, "game=tictactoe&first=human&second=human")
    click(page, "b2")
    status(page, "b2")
    other = open_page(context, address, "game=tictactoe&first=human&second=human&moves=a1+c3", beside=True)
    status(other, "c3")
    assert "moves=b2&" in page.evaluate(KEPT)
    click(other, "a3")
    status(other, "a3")
    page.wait_for_function(f"() => {KEPT}.includes('moves=a1+c3+a3&')")  # what the other page kept, a moment later
    page.select_option("#units", "values")  # writes the first page's address again, and nothing else
    page.wait_for_function("() => location.hash.includes('units=values')")
    assert "moves=a1+c3+a3&" in page.evaluate(KEPT)
    assert page.errors == other.errors == []


def an_address_that_cannot_be_opened_leads_to_the_games(context, address):
    page = context.new_page()
    page.goto(f"{address}play#game=tictactoe&moves=zz")
    status(page, "not a legal action")
    page.click("#new")
    page.wait_for_selector(".gallery")
    assert moves(page) == []
