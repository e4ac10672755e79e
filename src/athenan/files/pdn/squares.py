"""The squares of PDN: named as here, or numbered row by row from a corner of the board.

>>> from athenan import make
>>> squares = numbered(make("draughts:brazilian"), 2)
>>> move_here("22-17", squares), move_here("c3-b4", squares), fen_here("W:W29-32:BK1", squares)
('c3-b4', 'c3-b4', 'W:Wa1,c1,e1,g1:BKb8')
"""

import re
from collections.abc import Mapping
from itertools import chain

from athenan.games.draughts.notation import names, written_out
from athenan.rules.game import Game

_BOTTOM_LEFT, _TOP_LEFT = 0, 2
_NUMBER = re.compile(r"(?<![a-h\d])\d{1,2}(?!\d)")


def corner(game: Game, notation: str, first_move: str) -> int:
    """The corner of square 1 as white sees it: 0 bottom left, 1 bottom right, 2 top left, 3 top right.

    `notation` is a field of the tag GameType: N and the corner, or something else. Without a corner it is the top left,
    except where squares have letters, in Brazilian draughts: programs number them from the top left or from a1. The
    first move says which, as white begins with the high numbers or with the low ones.
    """
    if found := re.fullmatch("N([0-3])", notation):
        return int(found[1])
    squares = names(int(game.params[0]))
    number = _NUMBER.match(first_move)
    from_below = number and int(number[0]) <= len(squares) // 2 and not squares[0].isdecimal()
    return _BOTTOM_LEFT if from_below else _TOP_LEFT


def numbered(game: Game, corner: int) -> dict[int, str]:
    """Number of a square -> its name here, if the numbers begin in a corner."""
    half = int(game.params[0])
    called = names(half)
    rows = [called[start : start + half] for start in range(0, len(called), half)]
    ordered = rows if corner >= _TOP_LEFT else rows[::-1]
    return dict(enumerate(chain.from_iterable(row[::-1] if corner % 2 else row for row in ordered), 1))


def move_here(text: str, squares: Mapping[int, str]) -> str:
    """A move with the names of squares for their numbers; other squares stay as they are."""
    return _NUMBER.sub(lambda found: squares.get(int(found[0]), found[0]), text)


def fen_here(text: str, squares: Mapping[int, str]) -> str:
    """A FEN with the names of squares for their numbers and ranges of numbers; other squares stay as they are."""
    text = re.sub(r"(?::[HF]\d{1,4}){0,2}\.?$", "", "".join(text.split()))  # the counters are not of the board
    player, *sides = text.split(":")
    pieces = [written_out(side[1:].split(",")) for side in sides]
    called = [",".join(move_here(one, squares) for one in own) for own in pieces]
    return ":".join([player, *(side[:1] + own for side, own in zip(sides, called, strict=True))])
