"""SGF's information about a match besides its moves: the result and facts."""

import re
from collections.abc import Mapping

from athenan.files.file_match import Ending
from athenan.files.notes import line_of

FACTS = {"event": "EV", "place": "PC", "date": "DT", "round": "RO"}
_ENDINGS: Mapping[str, Ending] = {"r": "resigned", "t": "time", "f": "forfeit"}


_WIN = re.compile(r"(b|w|black|white)(?:\s*\+\s*(.*)|\s+(?:wins?|won)(?:\s+by)?\b(.*))?$")
_BLACK = "黒黑흑"
_EASTERN_WIN = re.compile(f"([{_BLACK}白백])[^{_BLACK}白백]*[勝胜승]")
_EASTERN_RESIGNED = re.compile("中押|中盘|中盤|불계|不計|认输|投了|投子")
_DRAW = re.compile("持碁|和棋|ジゴ|無勝負|무승부")


def write_result(outcome: int | None, ending: Ending, score: float | None) -> str:
    """The value of RE: `B+3.5`, `W+R`, `0` for a draw, `?` if unknown. The first player is black."""
    if outcome is None:
        return "?"
    if not outcome:
        return "0"
    how = {"resigned": "R", "time": "T", "forfeit": "F"}.get(ending, "" if score is None else f"{abs(score):g}")
    return f"{'BW'[outcome < 0]}+{how}"


def read_result(text: str, first: str = "B") -> tuple[int | None, Ending]:
    """The gain of the first player, whose colour is `first` (None if not given), and how the match ended.

    >>> read_result("W+Resign"), read_result("257手完、黒中押し勝ち"), read_result("White wins by time", first="W")
    ((-1, 'resigned'), (1, 'resigned'), (1, 'time'))
    """
    text = line_of(text).lower()
    if text in ("0", "draw", "jigo") or _DRAW.search(text):
        return 0, ""
    colour, how = "", ""
    if found := _WIN.match(text):
        colour, how = found[1][0], (found[2] or found[3] or "").strip()
    elif found := _EASTERN_WIN.search(text):
        colour, how = "b" if found[1] in _BLACK else "w", "r" if _EASTERN_RESIGNED.search(text) else ""
    if not colour:
        return None, ""
    ending = "resigned" if how.endswith("resign") else _ENDINGS.get(how[:1], "")
    return (1 if colour == first.lower() else -1), ending


def is_stated(text: str) -> bool:
    """Whether RE says something: not nothing, not that the result is unknown or void."""
    return line_of(text).lower() not in ("", "?", "void", "unknown", "unfinished", "none", "*", "-", "??")


def points_of(text: str) -> float | None:
    """The points by which a result says that its winner has won; None if it does not say so."""
    found = re.search(r"\+\s*(\d+(?:[.,]\d+)?)\s*$", line_of(text))
    return float(found[1].replace(",", ".")) if found else None
