"""The page and the picture that play a match back: they need nothing but a browser, and can be read again."""

import re
from xml.etree import ElementTree

import pytest

from athenan.files.file_match import FileMatch
from athenan.files.formats import as_text, matches_in
from athenan.games.catalogue import make
from athenan.play.records import plies_of

HOSTILE = "</script><script>alert(1)</script>&amp;<b>$x"


def match(name, moves, **more):
    game = make(name)
    return FileMatch(game.name, ("Ann", HOSTILE), plies_of(game, game.parse_moves(moves)), **more)


@pytest.mark.parametrize(
    ("name", "moves", "more"),
    [("hex:3", "a1 swap b2 c1", {}), ("tictactoe", "a1 b1 a2 b2 a3", {"outcome": 1}),
     ("backgammon", "3-1 8/5 6/5", {}), ("othello", "f5 d6", {"outcome": -1, "ending": "resigned"})],
)  # fmt: skip
def test_a_page_comes_back_as_its_match(name, moves, more):
    written = match(name, moves, **more)
    text = as_text([written], ".html")
    (found,) = matches_in(text.encode(), ".html")
    assert (found.game, found.actions, found.outcome) == (written.game, written.actions, written.outcome)
    assert as_text([found], ".html") == as_text([found], ".html")


def test_a_page_loads_nothing_and_runs_nothing_of_its_match():
    text = as_text([match("tictactoe", "a1 b1")], ".html")
    assert text.count("<script") == text.count("</script>") == 3 and "alert(1)</script>" not in text
    assert not re.search(r"""(src|href)\s*=|url\((?!["']?#)|@import|https?://(?!www\.w3\.org)""", text)
    assert "default-src 'none'" in text


def test_what_is_no_such_page_is_refused():
    for text in ("", "<html>", '<script type="application/x-athenan-match">'):
        with pytest.raises(ValueError, match="this page has no match"):
            list(matches_in(text.encode(), ".html"))
    bad = '<script type="application/x-athenan-match">{"game": "./named_by_nobody.py", "moves": ""}</script>'
    with pytest.raises(ValueError, match="line 1"):
        list(matches_in(bad.encode(), ".html"))
    with pytest.raises(ValueError, match="a page holds one match, not 2"):
        as_text([match("tictactoe", "a1")] * 2, ".html")


def test_a_picture_shows_each_position_in_its_second():
    written = match("tictactoe", "a1 b1 a2 b2 a3", outcome=1)
    text = as_text([written], ".svg")
    [found] = matches_in(text.encode(), ".svg")
    assert (found.game, found.actions, found.outcome) == (written.game, written.actions, written.outcome)
    assert "<script" not in text and not re.search(
        r"""(src|href)\s*=|url\((?!["']?#)|https?://(?!www\.w3\.org)""", text
    )
    frames = ElementTree.fromstring(text).findall("{*}g")
    assert [len(frame.findall("{*}svg")) for frame in frames] == [1] * 6
    for second in range(8):
        visible = []
        for number, frame in enumerate(frames):
            [animate] = (one.attrib for one in frame.findall("{*}animate"))
            times = [float(time) * 8 for time in animate["keyTimes"].split(";")]
            value = [
                one for time, one in zip(times, animate["values"].split(";"), strict=True) if time <= second + 0.5
            ][-1]
            visible += [number] * (value == "visible")
        assert animate["dur"] == "8s" and visible == [min(second, 5)]


def test_what_is_no_such_picture_is_refused():
    with pytest.raises(ValueError, match="this picture has no match"):
        list(matches_in(b"<svg/>", ".svg"))
    with pytest.raises(ValueError, match="a picture shows one match, not 2"):
        as_text([match("tictactoe", "a1")] * 2, ".svg")
