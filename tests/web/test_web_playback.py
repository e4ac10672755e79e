"""The page of a match in Chromium, opened as a file."""

import json
import re

import pytest
from browser_pages import browser

from athenan.drawing.svg import draw
from athenan.files.file_match import FileMatch
from athenan.files.formats import write_matches
from athenan.games.catalogue import make
from athenan.play.records import plies_of

HOSTILE = "</script><script>alert(1)</script>&amp;<b>$x"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_page_plays_its_match_back_from_a_file(tmp_path):
    """Opened as a file, without a server; every position is the picture of the board there."""
    game, file = make("tictactoe"), tmp_path / "match.html"
    plies = plies_of(game, game.parse_moves("a1 b1 a2 b2 a3"))
    write_matches(file, [FileMatch(game.name, ("Ann", HOSTILE), plies)])
    with browser() as chromium:
        context = chromium.new_context(offline=True)
        page, errors = context.new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text))
        page.goto(file.as_uri())
        assert page.inner_text("h1") == f"Ann – {HOSTILE}"
        assert "Tic-tac-toe. Blue wins." in page.inner_text("header")
        pieces = page.locator("#board .pieces > *, #board circle[fill^='url']")
        assert pieces.count() == 0
        page.keyboard.press("End")
        assert pieces.count() == 5 and page.locator("#board .decided:not(.contour)").count() == 3
        page.click("#back")
        assert pieces.count() == 4 and page.inner_text("#said") == "4. Red: b2"
        page.click("#moves button:has-text('1. a1')")
        assert pieces.count() == 1 and page.get_attribute("#moves [aria-current]", "aria-current") == "step"
        colours = page.evaluate("getComputedStyle(document.querySelector('#board .area')).fill")
        assert colours != "rgb(0, 0, 0)"  # the style that all pictures share
        assert errors == []
    [text] = re.findall(r'id="positions">([^<]*)</script>', file.read_text())
    positions = json.loads(text)
    assert len(positions["pictures"]) == 6
    whole = draw(game, "a1").svg
    assert positions["pictures"][1][:60] == whole[:60] and len(positions["pictures"][1]) < len(whole)
