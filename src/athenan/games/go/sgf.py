"""Go in SGF (red-bean.com/sgf/go.html)."""

import re
from collections.abc import Mapping
from functools import partial

from athenan.rules.sgf import Sgf, plain, point, points

_RULES = re.compile(
    "(japan(ese)?|chinese|korean?|agas?|bga|ffg|efg|egf|french|nz|newzealand|goe|ing|sst|trompt(aylor)?|tromp|"
    "taylor|territory|area|ancient|oldchinese|kgs|ogs|fox|cgos|stonescoring|jp|cn|kr|igs|pandanet)+([0-9]*)|"
    "(日本|中国|中國|韩国|韓国|한국|일본|중국)(規則|规则|ルール|룰|棋規|棋规)?"
)
_OTHER_GAMES = (
    "renju", "swap", "connect", "gomoku", "omok", "caro", "pente", "ninuki", "othello", "reversi", "hex", "capture",
    "atari",
)  # fmt: skip


def _read_rules(text: str) -> Mapping[str, object] | None:
    """All rules of Go are read as area scoring with simple ko."""
    return {} if _RULES.match(plain(text)) else None


def sgf_of(size: int, columns: str) -> Sgf:
    """Go on a board whose columns have these letters."""
    return Sgf(
        "go", 1, points(size, columns), komi="komi", usual={"size": 19, "komi": 0.0, "superko": "simple"},
        rules=_read_rules, foreign=_OTHER_GAMES, written_anywhere=True, confused=(4,),
        point=partial(point, size, letters=columns),
    )  # fmt: skip
