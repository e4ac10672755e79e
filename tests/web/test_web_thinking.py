"""While the computer thinks, in Chromium: what a person can do, how long it may think, and how it is stopped."""

from functools import partial

import pytest
from browser_pages import browser, click, moves, opened, server, status

PATIENCE = 60_000
"""Milliseconds for each wait of an opened page."""
open_page = partial(opened, patience=PATIENCE)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_computer_thinks_in_the_page():
    with browser() as chromium, server() as address:
        context = chromium.new_context()
        the_person_resigns_while_the_computer_thinks(open_page(context, address, "game=tictactoe&second=mcts"))
        one_looks_elsewhere_while_the_computer_thinks(
            open_page(context, address, "game=tictactoe&second=mcts&moves=a1+b2+c3+a2")
        )
        two_programs_stop_and_go_on(open_page(context, address, "game=breakthrough:5x5&first=mcts&second=mcts"))
        odd_limits_do_not_stop_a_match(open_page(context, address, "game=tictactoe&second=random"))
        a_corrected_limit_counts_at_once(open_page(context, address, "game=tictactoe&second=mcts"))


def thinks_long_after(page, place):
    """Plays at a place; the computer then thinks for longer than any test."""
    page.select_option("#second-level", "strongest")
    page.fill("#second-seconds", "300")
    click(page, place)
    status(page, "Red is thinking")


def the_person_resigns_while_the_computer_thinks(page):
    thinks_long_after(page, "b2")
    page.click("#resign")
    status(page, "Blue resigns: Red wins.")
    click(page, "a1")
    assert page.inner_text("#status") == "Blue resigns: Red wins."
    assert page.errors == []


def one_looks_elsewhere_while_the_computer_thinks(page):
    """It thinks on, and its move does not change what is shown."""
    thinks_long_after(page, "c2")
    page.click("#begin")
    status(page, "Red is thinking")
    page.wait_for_function("() => location.hash.includes('ply=0')")
    assert page.input_value("#moves") == "" and len(moves(page)) == 5 and page.is_disabled("#hint")
    assert "paused=1" in page.url  # a reload stays here, too
    page.click("#end")
    page.wait_for_function("() => document.getElementById('moves').value == 'a1 b2 c3 a2 c2'")
    assert "ply=" not in page.url and "paused" not in page.url
    page.click("#back")
    page.wait_for_function("() => location.hash.includes('ply=4')")
    page.fill("#second-seconds", "0.1")
    page.press("#second-seconds", "Enter")  # now it moves
    page.wait_for_function("() => document.querySelectorAll('#tree button').length == 6")
    status(page, "Blue to move")
    assert page.input_value("#moves") == "a1 b2 c3 a2" and page.is_enabled("#hint")
    page.click("#end")
    page.wait_for_function("() => !location.hash.includes('ply=')")
    page.click("#undo")
    page.wait_for_function("() => document.getElementById('moves').value == 'a1 b2 c3 a2'")
    thinks_long_after(page, "b1")  # a variation
    page.click("#begin")
    page.wait_for_function("() => location.hash.includes('ply=0')")
    page.click("#resign")
    status(page, "Blue resigns: Red wins.")
    assert page.input_value("#moves") == "a1 b2 c3 a2 b1"
    page.click("#undo")  # the resignation
    status(page, "Red is thinking")
    page.click("#begin")
    page.wait_for_function("() => location.hash.includes('ply=0')")
    page.fill("#second-seconds", "0.1")
    click(page, "b3")  # another match from there
    page.wait_for_function("() => document.getElementById('moves').value.split(' ').length == 2")
    assert page.input_value("#moves").startswith("b3 ")
    assert page.errors == []


def two_programs_stop_and_go_on(page):
    page.click("#buttons button:text-is('Pause')")
    page.wait_for_selector("#buttons button:text-matches('^Let .* move$')")
    played = len(moves(page))
    page.wait_for_timeout(1500)  # longer than they think
    assert len(moves(page)) == played
    for side in ("first", "second"):
        page.fill(f"#{side}-evaluations", "20")
    page.click("#buttons button")
    page.wait_for_selector("#ending.told")
    assert len(moves(page)) > played and page.locator("#buttons button").count() == 0
    assert page.errors == []


def odd_limits_do_not_stop_a_match(page):
    for given, used in (("", "1"), ("0", "1"), ("-5", "1"), ("601", "600"), ("0.2", "0.2")):
        page.fill("#second-seconds", given)
        click(page, "b2")
        page.wait_for_function("() => document.querySelectorAll('#board .can').length == 7")
        assert page.input_value("#second-seconds") == used
        page.click("#undo")
        page.wait_for_function("() => document.querySelectorAll('#board .can').length == 9")
    page.fill("#second-evaluations", "-3")
    click(page, "b2")
    page.wait_for_function("() => document.querySelectorAll('#board .can').length == 7")
    assert page.input_value("#second-evaluations") == "0"
    assert page.errors == []


def a_corrected_limit_counts_at_once(page):
    thinks_long_after(page, "b2")
    page.fill("#second-seconds", "0.1")
    page.press("#second-seconds", "Enter")
    page.wait_for_function("() => document.querySelectorAll('#tree button').length == 2")
    assert page.errors == []
