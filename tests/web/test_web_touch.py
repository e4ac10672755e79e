"""Fingers on a phone: pieces are tapped and dragged, and the page can still be scrolled."""

from contextlib import contextmanager

import pytest
from browser_pages import browser, opened, server, status

PHONE = {"width": 390, "height": 640}


@contextmanager
def breakthrough():
    """A page with a small board on a phone."""
    with browser() as chromium, server() as address:
        context = chromium.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
        page = opened(context, address, "game=breakthrough:5x5&second=human")
        page.set_default_timeout(60_000)
        yield page


def middle(page, name):
    box = page.locator(f'#board [aria-label^="{name}:"]').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def dragged(page, start, end, last="touchEnd"):
    """A finger that goes from a point to another; a touch that is cancelled ends with `touchCancel`."""
    finger = page.context.new_cdp_session(page)
    steps = [[a + (b - a) * part / 8 for a, b in zip(start, end, strict=True)] for part in range(9)]
    for number, (x, y) in enumerate(steps):
        kind = "touchMove" if number else "touchStart"
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        page.wait_for_timeout(20)
    held = page.locator("#board .held").count()
    finger.send("Input.dispatchTouchEvent", {"type": last, "touchPoints": []})
    return held


def at_rest(page):
    """Whether no piece is held or away from its place."""
    return page.locator("#board .held, #board .piece[transform]").count() == 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_fingers_tap_drag_and_scroll():
    with breakthrough() as page:
        for name in ("b2", "b3"):
            page.touchscreen.tap(*middle(page, name))
        status(page, "White: b2-b3. Black to move")

        assert dragged(page, middle(page, "d4"), middle(page, "c3")) == 1
        status(page, "Black: d4-c3. White to move")
        assert page.evaluate("scrollY") == 0  # the finger moved the piece, not the page

        assert dragged(page, middle(page, "a2"), (200, 30)) == 1  # off the board
        assert at_rest(page)
        page.touchscreen.tap(*middle(page, "a2"))  # no longer chosen
        assert dragged(page, middle(page, "a2"), middle(page, "a3"), "touchCancel") == 1
        assert at_rest(page) and page.locator("#board .chosen").count() == 1
        page.touchscreen.tap(*middle(page, "a3"))
        status(page, "White: a2-a3. Black to move")

        assert dragged(page, middle(page, "e3"), middle(page, "d3")) == 0  # from an empty cell
        x, y = middle(page, "c1")  # not to move: the page is scrolled
        dragged(page, (x, y), (x, y - 200))
        page.wait_for_function("() => scrollY > 100")
        assert page.locator("#tree button").count() == 3 and page.errors == []


def test_the_bar_that_tells_what_is_prepared_does_not_move_the_board() -> None:
    with breakthrough() as page:
        places = []
        for hidden in (True, False):
            page.evaluate("hidden => { document.getElementById('compiling').hidden = hidden; }", hidden)
            assert page.locator("#compiling").is_visible() != hidden
            places.append([page.locator(part).bounding_box() for part in ("#board", "#steps")])
        assert places[0] == places[1]
