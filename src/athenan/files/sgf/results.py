"""SGF's information about a match besides its moves: the result and facts."""

import re
from collections.abc import Mapping

from athenan.files.file_match import Ending
from athenan.files.notes import line_of

FACTS = {"event": "EV", "place": "PC", "date": "DT", "round": "RO"}
_ENDINGS: Mapping[str, Ending] = {"r": "resigned", "t": "time", "f": "forfeit"}


def write_result(outcome: int | None, ending: Ending, score: float | None) -> str:
    """The value of RE: `B+3.5`, `W+R`, `0` for a draw, `?` if unknown. The first player is black."""
    if outcome is None:
        return "?"
    if not outcome:
        return "0"
    how = {"resigned": "R", "time": "T", "forfeit": "F"}.get(ending, "" if score is None else f"{abs(score):g}")
    return f"{'BW'[outcome < 0]}+{how}"


def read_result(text: str, first: str = "B") -> tuple[int | None, Ending]:
    """The gain of the first player, whose colour is `first` (None if not given), and how the match ended."""
    text = line_of(text).lower()
    if text in ("0", "draw", "jigo"):
        return 0, ""
    if not (found := re.match(r"([bw])(?:lack|hite)?(?:\+(.*))?$", text)):
        return None, ""
    how = found[2] or ""
    ending = "resigned" if how.endswith("resign") else _ENDINGS.get(how[:1], "")
    return (1 if found[1] == first.lower() else -1), ending
