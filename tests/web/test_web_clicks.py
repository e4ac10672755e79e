"""What a person may do in the page at any time, in Chromium: while a program thinks, with clocks, with another game."""

from functools import partial

import pytest
from browser_pages import browser, click, leads, opened, server, shows, status

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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_page_takes_any_click_at_any_time():
    with browser() as chromium, server() as address:
        context = chromium.new_context()
        a_program_goes_on_beside_hints_and_files(open_page(context, address, "game=tictactoe&second=mcts"))
        a_hint_is_for_its_position_only(
            open_page(context, address, "game=hex:5&second=human&search=rollouts&analyse=1")
        )
        a_clock_goes_on_while_a_person_looks_at_the_match(open_page(context, address, "game=tictactoe&second=human"))
        a_reload_keeps_the_time_left(open_page(context, address, "game=tictactoe&second=human&minutes=5"))
        time_runs_out_at_an_earlier_position(
            open_page(context, address, "game=tictactoe&second=human&moves=a1+b1&minutes=5&left=60-90.5&ply=1&paused=1")
        )
        odd_times_are_full_clocks(context, address)
        negative_times_are_no_clock(context, address)
        a_program_moves_in_time_on_a_long_clock(open_page(context, address, "game=tictactoe&second=random"))
        the_keyboard_finds_a_smaller_board(open_page(context, address, "game=hex:11&second=human"))


def shown(page, count):
    """Waits until the match has so many moves."""
    page.wait_for_function("count => document.querySelectorAll('#tree button').length == count", arg=count)


def a_program_goes_on_beside_hints_and_files(page):
    """While it thinks, hints and reviews wait, and a bad file changes nothing."""
    page.fill("#second-seconds", "4")
    click(page, "b2")
    status(page, "thinking")
    assert page.is_disabled("#hint") and page.is_disabled("#review")
    page.set_input_files("#file", {"name": "no.sgf", "mimeType": "text/plain", "buffer": b"(;"})
    page.wait_for_selector("#status.error")
    assert page.is_disabled("#hint")
    shown(page, 2)
    assert page.is_enabled("#hint") and page.is_enabled("#review")
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


def a_clock_goes_on_while_a_person_looks_at_the_match(page):
    page.evaluate(SHIFT)
    page.fill("#minutes", "5")  # of a match that has begun; it counts while the field is still in use
    for number, name in enumerate(("a1", "b1"), 1):
        click(page, name)
        shown(page, number)
    page.click("#back")
    status(page, "Red to move")
    page.evaluate("ahead = 100")
    page.wait_for_function(f"() => ({SECONDS})('first-clock') <= 200")
    page.click("#begin")
    page.wait_for_function("() => document.getElementById('moves').value == ''")
    page.evaluate("ahead = 140")
    page.click("#end")
    page.wait_for_function("() => document.getElementById('moves').value == 'a1 b1'")
    page.wait_for_function(f"() => ({SECONDS})('first-clock') <= 160")
    assert page.evaluate(SECONDS, "second-clock") > 240
    click(page, "c1")
    shown(page, 3)
    page.evaluate("ahead += 60")
    click(page, "c2")
    shown(page, 4)
    page.wait_for_function(f"name => ({SECONDS})(name) <= 240", arg="second-clock")
    assert page.evaluate(SECONDS, "second-clock") > 120
    had = page.evaluate(SECONDS, "first-clock")
    page.fill("#increment", "120")
    click(page, "a3")
    shown(page, 5)
    page.wait_for_function(f"least => ({SECONDS})('first-clock') >= least", arg=had + 60)
    assert page.evaluate(SECONDS, "first-clock") <= had + 120 and page.evaluate(SECONDS, "second-clock") <= 240
    assert page.errors == []


def a_reload_keeps_the_time_left(page):
    page.evaluate(SHIFT)
    click(page, "a1")
    shown(page, 1)
    page.evaluate("ahead = 200")
    page.wait_for_function("() => /left=[\\d.]+-\\d\\d[.]/.test(location.hash)")  # less than 100
    page.reload()
    status(page, "Red to move")
    page.wait_for_function(f"() => ({SECONDS})('second-clock') <= 100")
    assert page.evaluate(SECONDS, "second-clock") > 0 and page.evaluate(SECONDS, "first-clock") > 240
    had = page.evaluate(SECONDS, "second-clock")
    page.wait_for_function(f"had => ({SECONDS})('second-clock') < had", arg=had)  # it runs
    assert page.errors == []


def time_runs_out_at_an_earlier_position(page):
    status(page, "Red to move")
    page.evaluate(SHIFT)
    page.wait_for_function("() => document.getElementById('second-clock').textContent == '1:30'")
    page.evaluate("ahead = 100")
    status(page, "Blue has no time left: Red wins.")
    page.wait_for_function("() => document.getElementById('moves').value == 'a1 b1'")
    assert page.inner_text("#second-clock") == "1:30"
    page.reload()
    status(page, "Blue has no time left: Red wins.")
    assert page.errors == []


def negative_times_are_no_clock(context, address):
    page = open_page(context, address, "game=tictactoe&second=human&minutes=-5")
    status(page, "Blue to move")
    for field in ("minutes", "increment"):
        page.fill(f"#{field}", "-5")
        page.press(f"#{field}", "Tab")
        assert page.input_value(f"#{field}") == "0"
    click(page, "b2")
    shown(page, 1)
    page.wait_for_timeout(500)  # the clocks are looked at five times a second
    assert "Red to move" in page.inner_text("#status") and page.inner_text("#first-clock") == ""
    assert "minutes=" not in page.url and "increment=" not in page.url
    assert page.errors == []
    page.close()


def odd_times_are_full_clocks(context, address):
    for left in ("-5-3", "x", "1e5-3", "60", "", "999999-3", "3--3"):
        page = open_page(context, address, f"game=tictactoe&second=human&minutes=5&left={left}")
        status(page, "Blue to move")
        page.wait_for_function("() => document.getElementById('second-clock').textContent == '5:00'")
        assert page.errors == []
        page.close()


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
    leads(page, "game=tictactoe&second=human")
    page.wait_for_function("() => document.querySelectorAll('#board [data-place]').length == 9")
    page.focus("#board")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    status(page, "a1")
    assert page.errors == []
