"""A match as an animated picture, an SVG file that shows one position after the other, without end.

Browsers play it wherever they show a picture, also in a page of another site; no script runs in it. It holds the match
as a line of JSON (`files.json_lines`), by which the file is read again.
"""

import re
from collections.abc import Sequence
from html import escape

from athenan.files import json_lines
from athenan.files.file_match import FileMatch
from athenan.files.playback import MOST_CHARACTERS, SHARED, pictures, title_of
from athenan.rules.game import Game

_MATCH = re.compile(r'<metadata class="athenan-match">([^<]*)</metadata>')
_SIZE = re.compile(r' width="(\d+)" height="(\d+)"')
_SECONDS, _LAST = 1, 3
"""Seconds for which a position is shown, and the last one."""


def split(text: str) -> list[tuple[int, str]]:
    """The line of the match in a picture. Raises ValueError if the picture has none."""
    absent = "this picture has no match: only animated pictures that athenan has written can be read"
    return json_lines.split_within(text, _MATCH, absent)


def write(matches: Sequence[tuple[FileMatch, Game]]) -> str:
    """The picture of one match. Raises ValueError for several, and if the picture would be too large."""
    if len(matches) != 1:
        raise ValueError(f"a picture shows one match, not {len(matches)}: choose one with --number")
    [(match, game)] = matches
    drawn = pictures(match, game)
    if sum(map(len, drawn)) > MOST_CHARACTERS:
        raise ValueError("the match is too long for a picture: save it as .jsonl")
    sizes = [tuple(map(int, found.groups())) for svg in drawn if (found := _SIZE.search(svg))]
    width, height = map(max, zip(*sizes, strict=True))
    whole = _SECONDS * (len(drawn) - 1) + _LAST
    fitting = [_SIZE.sub(' width="100%" height="100%"', svg, count=1) for svg in drawn]
    frames = [f"<g>{_shown(at, len(drawn), whole)}{svg}</g>" for at, svg in enumerate(fitting)]
    line = escape(json_lines.write(matches), quote=False)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="athenan" role="img" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}"><title>{escape(title_of(match, game))}</title>'
        f'<metadata class="athenan-match">{line}</metadata>{SHARED}{"".join(frames)}</svg>\n'
    )


def _shown(number: int, count: int, whole: int) -> str:
    """Makes a position visible in its time; without animation the last one is seen, which lies above the others."""
    begin, end = _SECONDS * number / whole, _SECONDS * (number + 1) / whole
    values, times = (
        ("hidden;visible;hidden", f"0;{begin:.6f};{end:.6f}") if number else ("visible;hidden", f"0;{end:.6f}")
    )
    if number == count - 1:
        values, times = ("hidden;visible", f"0;{begin:.6f}") if number else ("visible", "0")
    return (
        f'<animate attributeName="visibility" calcMode="discrete" values="{values}" keyTimes="{times}" '
        f'dur="{whole}s" repeatCount="indefinite"/>'
    )
