"""What a person may do in the page at any time, in Chromium: while a program thinks, with clocks, with another game."""

from functools import partial

import pytest
from pages import browser, click, opened, server, shows, status

PATIENCE = 60_000
"""Milliseconds for each wait of an opened page: what cannot come true fails soon."""
open_page = partial(opened, patience=PATIENCE)
SECONDS = """name => {
  const [minutes, seconds] = document.getElementById(name).textContent.split(":").map(Number);
  return 60 * minutes + seconds;
}"""
SHIFT = """() => {
  const real = performance.now.bind(performance);
  window.ahead = 0;
  performance.now = () => real() + 1000 * window.ahead;
}"""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_page_takes_any_click_at_any_time():
    """One browser for all, as its start takes most of the time."""
    with browser() as chromium, server() as address:
        context = chromium.new_context()
        a_program_goes_on_beside_hints_and_files(open_page(context, address, "game=tictactoe&second=mcts"))
        a_hint_is_for_its_position_only(
            open_page(context, address, "game=hex:5&second=human&search=rollouts&analyse=1")
        )
        clocks_stand_while_a_person_looks_at_the_match(open_page(context, address, "game=tictactoe&second=human"))
        a_program_moves_in_time_on_a_long_clock(open_page(context, address, "game=tictactoe&second=random"))
        the_keyboard_finds_a_smaller_board(open_page(context, address, "game=hex:11&second=human"))


def shown(page, count):
    """Waits until the match has so many moves."""
    page.wait_for_function("count => document.querySelectorAll('#tree button').length == count", arg=count)


def a_program_goes_on_beside_hints_and_files(page):
    """While it thinks, hints and annotations wait, and a bad file changes nothing."""
    page.fill("#second-seconds", "4")
    click(page, "b2")
    status(page, "thinking")
    assert page.is_disabled("#hint") and page.is_disabled("#annotate")
    page.set_input_files("#file", {"name": "no.sgf", "mimeType": "text/plain", "buffer": b"(;"})
    page.wait_for_selector("#status.error")
    assert page.is_disabled("#hint")
    shown(page, 2)
    assert page.is_enabled("#hint") and page.is_enabled("#annotate")
    page.set_input_files("#file", {"name": "long.sgf", "mimeType": "text/plain", "buffer": b" " * 70_000})
    status(page, "too long")
    match = b'{"game": "tictactoe", "moves": "%s"}' % (b" " * 200_000)
    page.set_input_files("#file", {"name": "long.json", "mimeType": "application/json", "buffer": match})
    status(page, "too long")
    assert not page.evaluate("document.getElementById('side').inert") and page.is_enabled("#hint")
    page.set_input_files("#file", {"name": "moves.txt", "mimeType": "text/plain", "buffer": b"# hex:3\na1 b2"})
    shows(page, "Hex 3")
    assert page.errors == []


def a_hint_is_for_its_position_only(page):
    page.click("#hint")
    click(page, "c3")
    status(page, "Blue to move")
    page.wait_for_selector("#values table")
    assert "Hint" not in page.inner_text("#status")
    assert page.errors == []


def clocks_stand_while_a_person_looks_at_the_match(page):
    page.evaluate(SHIFT)
    page.fill("#minutes", "5")  # of a match that has begun; it counts while the field is still in use
    for number, name in enumerate(("a1", "b1"), 1):
        click(page, name)
        shown(page, number)
    page.click("#back")
    status(page, "Red to move")
    page.evaluate("ahead = 240")
    page.click("#forward")
    status(page, "Blue to move")
    click(page, "c1")
    shown(page, 3)
    page.evaluate("ahead += 60")
    click(page, "c2")
    shown(page, 4)
    page.wait_for_function(f"name => ({SECONDS})(name) <= 240", arg="second-clock")
    assert page.evaluate(SECONDS, "second-clock") > 120 and page.evaluate(SECONDS, "first-clock") > 120
    had = page.evaluate(SECONDS, "first-clock")
    page.fill("#increment", "120")
    click(page, "a3")
    shown(page, 5)
    page.wait_for_function(f"least => ({SECONDS})('first-clock') >= least", arg=had + 60)
    assert page.evaluate(SECONDS, "first-clock") <= had + 120 and page.evaluate(SECONDS, "second-clock") <= 240
    assert page.errors == []


def a_program_moves_in_time_on_a_long_clock(page):
    page.fill("#minutes", "600")
    click(page, "b2")
    shown(page, 2)
    assert page.errors == []


def the_keyboard_finds_a_smaller_board(page):
    page.focus("#board")
    for _ in range(11):
        page.keyboard.press("ArrowRight")
    assert page.get_attribute("#board", "aria-label").startswith("k1")
    page.evaluate("location.hash = 'game=tictactoe&second=human'")
    page.wait_for_function("() => document.querySelectorAll('#board [data-place]').length == 9")
    page.focus("#board")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    status(page, "a1")
    assert page.errors == []
