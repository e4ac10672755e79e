"""The conditions under which pairs were played, in words.

>>> from athenan.arena.pairs import Conditions
>>> in_words(Conditions(seed=7).text)
'limit 1 second for each action; openings random, of 1 action; seed 7'
"""

from typing import Any

from athenan.reading import WRONG_SHAPE, parsed
from athenan.search.budget import Budget
from athenan.settings import counted, shown


def facts(text: str, file: str = "") -> dict[str, str]:
    """Conditions in words, by their names; `file` is the name of the file with the openings, if it is known.

    Raises one of `reading.WRONG_SHAPE` if the text is not the one of `Conditions`.
    """
    data = parsed(text)
    openings, early, cube = data["openings"], data["adjudication"], data.get("cube")
    ends = [
        *(["end a match by a proof"] if early["proofs"] else []),
        *([f"resign below {-early['resign']:g}"] if early["resign"] is not None else []),
    ]
    return {
        "limit": _limit(data["limit"]),
        **({"time": f"of the {data['clock']}"} if "clock" in data else {}),
        "openings": _openings(openings, file),
        "seed": str(data["seed"]),
        **({"doubling cube": f"in play{', with the Jacoby rule' * cube['jacoby']}"} if cube else {}),
        **({"players": ", ".join(ends)} if ends else {}),
    }


def in_words(text: str) -> str:
    """Conditions as part of a sentence; of a store that others have filled, the text itself, shortened."""
    try:
        return "; ".join(f"{name} {value}" for name, value in facts(text).items())
    except WRONG_SHAPE:
        return shown(text)


def _limit(limit: dict[str, Any]) -> str:
    if "left" in limit:
        return f"a clock of {limit['left']:g}+{limit['increment']:g} s for each match"
    return f"{Budget(**limit).in_words} for each action"


def _openings(openings: dict[str, int | str], file: str) -> str:
    match openings["kind"]:
        case "random":
            return f"random, of {counted(int(openings['plies']), 'action')}"
        case "every":
            return "every first action"
    return f"from {file}" if file else f"from a file with the SHA-256 digest {str(openings['sha256'])[:8]}..."
