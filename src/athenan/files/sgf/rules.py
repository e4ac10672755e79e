"""The rules that a file of SGF names in RU: those of its game, of another game on the same board, or unknown ones.

>>> read_rules("gomoku", "Connect6").game, read_rules("gomoku", "Standard").settings
('connect6', {'exact': True})
>>> read_rules("gomoku", "Renju")
Traceback (most recent call last):
athenan.files.sgf.tree.SgfError: its rules, RU[Renju], are not known here for Gomoku
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from athenan.files.sgf.tree import SgfError
from athenan.settings import split

_STONES = ("go", "gomoku", "connect6")
"""The games of stones on points, which programs confuse: Gomoku is often written as Go, Connect6 as Gomoku."""
_TITLES = {"lines_of_action": "Lines of Action"}


@dataclass(frozen=True)
class SgfRules:
    """The game of a file."""

    game: str
    """Its name without settings."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the rules state about it."""
    notice: str = ""
    """What has to be said: rules that were left out."""


_LINES = {
    "gomoku": SgfRules("gomoku"), "gobang": SgfRules("gomoku"), "fiveinarow": SgfRules("gomoku"),
    "wuziqi": SgfRules("gomoku"), "freestyle": SgfRules("gomoku", {"exact": False}),
    "free": SgfRules("gomoku", {"exact": False}), "freestylegomoku": SgfRules("gomoku", {"exact": False}),
    "gomokufreestyle": SgfRules("gomoku", {"exact": False}), "freegomoku": SgfRules("gomoku", {"exact": False}),
    "gomokufree": SgfRules("gomoku", {"exact": False}), "standard": SgfRules("gomoku", {"exact": True}),
    "standardgomoku": SgfRules("gomoku", {"exact": True}), "gomokustandard": SgfRules("gomoku", {"exact": True}),
    "exactfive": SgfRules("gomoku", {"exact": True}), "exactlyfive": SgfRules("gomoku", {"exact": True}),
    "outeropen": SgfRules("gomoku", {"opening": "outer"}),
    "outeropengomoku": SgfRules("gomoku", {"opening": "outer"}), "connect6": SgfRules("connect6"),
    "connectsix": SgfRules("connect6"),
}  # fmt: skip
"""The rules of lines of stones, in small letters and digits."""
_GO = re.compile(
    "(japan(ese)?|chinese|korean?|agas?|bga|ffg|efg|egf|french|nz|newzealand|goe|ing|sst|trompt(aylor)?|tromp|"
    "taylor|territory|area|ancient|oldchinese|kgs|ogs|fox|cgos|stonescoring|jp|cn|kr|igs|pandanet)+([0-9]*)|"
    "(日本|中国|中國|韩国|韓国|한국|일본|중국)(規則|规则|ルール|룰|棋規|棋规)?"
)
"""SgfRules of Go: here all are read as area scoring with simple ko."""
_USUAL = {
    "othello": ("othello", "reversi", "standard", "normal", "default", "wof", "wofrules"),
    "hex": ("hex", "standard", "swap", "swaprule", "swappieces", "swapsides", "pierule", "default"),
    "havannah": ("havannah", "standard", "swap", "default"),
    "amazons": ("amazons", "standard", "default"),
    "lines_of_action": ("loa", "linesofaction", "standard", "default"),
    "backgammon": ("", "backgammon", "standard", "cube", "nocube", "jacoby", "crawford", "crawfordgame", "none"),
}
"""Game -> other names of its rules."""

_OTHER_GAMES = (
    "renju", "swap", "connect", "gomoku", "omok", "caro", "pente", "ninuki", "othello", "reversi", "hex", "capture",
    "atari",
)  # fmt: skip


def is_own(text: str, kind: str) -> bool:
    """Whether RU has a game as this package writes it, such as `go:9,komi=7`, on the board of the game `kind`."""
    name, _ = split(text)
    return ":" in text and (name == kind or (name in _STONES and kind in _STONES))


def read_rules(kind: str, text: str) -> SgfRules:
    """The rules that RU names in a file whose GM is that of the game `kind`. Raises SgfError if they are not known."""
    plain = "".join(sign for sign in text.lower() if sign.isalnum())
    if plain in ("", "lg", kind.replace("_", "")):
        return SgfRules(kind)
    if kind in _STONES and plain in _LINES:
        return _LINES[plain]
    if kind == "backgammon":
        words = [re.sub("[^a-z]", "", word) for word in text.lower().split(":")]
        if set(words) <= set(_USUAL[kind]):
            return SgfRules(kind)
    elif plain in _USUAL.get(kind, ()):
        return SgfRules(kind)
    of_go = _GO.match(plain) is not None
    if kind == "go" and (of_go or not _names_another_game(plain)):
        return SgfRules(kind, notice="" if of_go else f"its rules, RU[{start(text)}], are not known: it was read as Go")
    title = _TITLES.get(kind, kind.capitalize())
    if of_go:
        return SgfRules(kind, notice=f"its rules, RU[{start(text)}], are rules of Go: they were left out")
    raise SgfError(f"its rules, RU[{start(text)}], are not known here for {title}")


def _names_another_game(plain: str) -> bool:
    """Whether rules in a file of Go are those of another game with stones or on its board."""
    return any(name in plain for name in _OTHER_GAMES)


def start(value: str) -> str:
    """The first signs of a value for a message, without those that could control a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in value[:20])
