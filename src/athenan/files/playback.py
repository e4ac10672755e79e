"""A match as a page of its own that plays it back in any browser, without a server and without a network.

The page holds the pictures of all positions, and the match as a line of JSON (`files.json_lines`), by which the file
is read again. Nothing in it is loaded from elsewhere, which its content security policy forbids.
"""

import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from string import Template

from athenan.drawing.style import GRADIENTS, HEAD, STYLE
from athenan.drawing.svg import draw
from athenan.files import json_lines
from athenan.files.file_match import FileMatch
from athenan.games.about import titled
from athenan.play import words
from athenan.rules.game import Game

_MATCH = re.compile(r'<script type="application/x-athenan-match">([^<]*)</script>')
MOST_CHARACTERS = 64 << 20
SHARED = f"<style>{STYLE}</style><defs>{GRADIENTS}{HEAD}</defs>"
"""What all pictures have in common, which the page has once."""


def split(text: str) -> list[tuple[int, str]]:
    """The line of the match in a page. Raises ValueError if the page has none."""
    absent = "this page has no match: only pages that athenan has written can be read"
    return json_lines.split_within(text, _MATCH, absent)


def write(matches: Sequence[tuple[FileMatch, Game]]) -> str:
    """The page of one match. Raises ValueError for several, and if the page would be too large."""
    if len(matches) != 1:
        raise ValueError(f"a page holds one match, not {len(matches)}: choose one with --number")
    [(match, game)] = matches
    title = title_of(match, game)
    positions = json.dumps({"pictures": pictures(match, game), "moves": _moves(match, game)}).replace("<", "\\u003c")
    line = json_lines.write(matches)
    if len(positions) > MOST_CHARACTERS:
        raise ValueError("the match is too long for a page: save it as .jsonl")
    page = Template(files("athenan.files").joinpath("playback.html").read_text(encoding="utf-8"))
    return page.substitute(
        title=escape(title), game=escape(titled(game)), result=escape(_result(match, game)), shared=SHARED,
        positions=positions, match=escape(line, quote=False),
    )  # fmt: skip


def title_of(match: FileMatch, game: Game) -> str:
    """The players or, without names, the game."""
    return " – ".join(filter(None, match.players)) or titled(game)


def pictures(match: FileMatch, game: Game) -> list[str]:
    """The pictures of all positions, without what they share."""
    state = game.position(match.start(game))
    drawn = [draw(game, state).svg]
    for action in match.actions:
        following = game.play(state, action)
        drawn.append(draw(game, following, before=state, last=action).svg)
        state = following
    return [svg.replace(SHARED, "", 1) for svg in drawn]


def _moves(match: FileMatch, game: Game) -> list[dict[str, str]]:
    """The moves in words, with their comments."""
    state, told = game.position(match.start(game)), list[dict[str, str]]()
    for ply in match.plies:
        name = game.action_name(state, ply.action)
        told.append({"name": name, "side": (*game.sides, "Chance")[game.player(state)], "comment": ply.comment})
        state = game.play(state, ply.action)
    return told


def _result(match: FileMatch, game: Game) -> str:
    """How the match ended, as far as that is known."""
    outcome = match.outcome
    if outcome is None:
        outcome = game.outcome(game.replay(match.actions, match.start(game)))
    if outcome is None or game.players == 1:
        return ""
    result = words.result(outcome, game.sides)
    how = {"resigned": ", by resignation", "time": ", on time"}.get(match.ending, "")
    return f"{result[0].upper()}{result[1:]}{how}."
