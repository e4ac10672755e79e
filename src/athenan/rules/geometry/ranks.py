"""Positions in the manner of FEN: the ranks of a board from the top, divided by "/", the side to move, numbers.

>>> write_ranks(["x..", "...", "..o"])
'x2/3/2o'
>>> read_ranks("x2/3/2o", 3, 3, "xo")
['x..', '...', '..o']
"""

import re
from collections.abc import Iterable

import numpy as np

from athenan.rules.game import GameError, State
from athenan.settings import shown


def write_ranks(rows: Iterable[str]) -> str:
    """Ranks from rows of letters, top row first; "." is an empty place."""
    return "/".join(re.sub(r"\.+", lambda empty: str(len(empty[0])), row) for row in rows)


def read_ranks(text: str, width: int, height: int, letters: str) -> list[str]:
    """The rows that `write_ranks` wrote. Raises GameError unless they are a board of these letters."""
    ranks = re.sub(r"\d{1,2}", lambda empty: "." * int(empty[0]), text).split("/")
    if [len(rank) for rank in ranks] != [width] * height or set(text) - {*letters, *"/0123456789"}:
        raise GameError(
            f"{shown(text)} is not a board: it needs {height} ranks of {width} places, with the letters {letters} and "
            "numbers of empty places"
        )
    return ranks


def split_fen(text: str, sides: str, rest: str) -> list[str]:
    """The fields of a FEN: a board, one of the sides to move, and at most as many more fields as `rest` has.

    Raises GameError for other fields.
    """
    fields = text.split()
    if not 2 <= len(fields) <= 2 + len(rest.split()) or fields[1] not in sides:
        names = f"{', '.join(sides[:-1])} or {sides[-1]}"
        raise GameError(
            f"{shown(text)} is not a FEN: it needs a board and {names} for the side to move"
            f"{f', and perhaps {rest!r}' if rest else ''}"
        )
    return fields


def move_number(state: State) -> int:
    """The number, from 1, of the current pair of actions, counted from the first state of the match."""
    length = int(state[2:4].view(np.uint16)[0])
    return 1 + (length + ((length & 1) != int(state[0]))) // 2


def read_number(text: str, most: int, what: str) -> int:
    """A whole number of a FEN. Raises GameError unless it is from 0 to `most`."""
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) > most:
        raise GameError(f"{what} must be a number from 0 to {most}, not {shown(text)}")
    return int(text)
