"""Figures that stand on pieces: animals and people as filled paths, with details in the colour of the piece.

Lengths are hundredths of the piece's radius from its middle; no figure reaches its edge.
"""

from typing import NamedTuple

from athenan.rules.board import Shape


class Figure(NamedTuple):
    """A figure as the data of SVG's paths."""

    body: str
    """The filled silhouette."""
    details: str
    """Lines upon it; a line without length is a dot."""


def _wheel(x: int, y: int, radius: int) -> str:
    return f"M{x - radius} {y}a{radius} {radius} 0 1 1 {2 * radius} 0a{radius} {radius} 0 1 1 {-2 * radius} 0Z"


FIGURES: dict[Shape, Figure] = {
    "elephant": Figure(
        "M-62 52C-52 52-46 44-46 30V8C-42 14-32 18-26 16V54H-4V28H24V54H46V18C54 12 58 0 58-8C58-32 40-44 16-44"
        "C4-44-4-44-10-46C-30-52-58-44-62-18C-64 0-62 14-62 26C-62 34-64 38-70 40Z",
        "M-14-38C6-34 6-4-10 4C-22 2-28-14-26-26M-45-22h.1M-60 16C-54 14-50 10-48 4",
    ),
    "camel": Figure(
        "M-70-34C-70-44-58-50-46-46L-36-38C-32-20-34-4-28-2C-22-8-24-38-10-40C4-40 2-14 10-14C18-14 16-42 28-42"
        "C42-40 44-18 52-8C58 0 58 10 56 18L60 56H46L40 24H-4L-8 56H-22L-22 20C-42 20-52 4-52-22L-66-22Z",
        "M-52-36h.1",
    ),
    "horse": Figure(
        "M-32 56H46C52 10 48-40 8-50L4-68L-12-50C-26-44-36-28-46-8C-54 4-58 12-52 20C-46 28-36 26-28 18"
        "C-18 12-8 14 4 6C4 24-26 32-32 56Z",
        "M-16-26h.1M16-36C36-20 38 12 34 44M-46 12h.1",
    ),
    "dog": Figure(
        "M-66-2C-66-12-48-14-32-18C-26-38-8-50 14-48C42-46 54-16 50 20C50 36 54 46 60 56H-8C-4 44-6 38-14 32"
        "C-32 36-56 34-60 22L-40 14L-64 12Z",
        "M12-42C38-40 48-2 36 22C18 20 8-6 10-28M-14-22h.1M-60 0h.1",
    ),
    "cat": Figure(
        "M-50-62L-22-38C-8-44 8-44 22-38L50-62C58-36 58-14 56 4C52 36 26 52 0 52C-26 52-52 36-56 4C-58-14-58-36-50-62Z",
        "M-24-6v6M24-6v6M-6 18H6L0 24ZM0 24C-2 34-12 36-18 30M0 24C2 34 12 36 18 30M-28 18L-48 12M-28 26L-46 30"
        "M28 18L48 12M28 26L46 30",
    ),
    "rabbit": Figure(
        "M-12-10C-34-30-40-68-26-72C-12-74-3-40 0-18C3-40 12-74 26-72C40-68 34-30 12-10C32-4 42 12 40 28"
        "C38 48 20 58 0 58C-20 58-38 48-40 28C-42 12-32-4-12-10Z",
        "M-16 14v3M16 14v3M-4 30H4L0 34ZM0 34V42M-22-54C-20-40-14-28-10-22M22-54C20-40 14-28 10-22",
    ),
    "general": Figure(
        "M-6-74H6L10-52C34-46 44-24 44-2H54V14L48 56L26 44V16H-26V44L-48 56L-54 14V-2H-44C-44-24-34-46-10-52Z"
        "M-18 22H18V34C18 48 8 56 0 60C-8 56-18 48-18 34Z",
        "M-44 0H44M0-40L7-26L0-12L-7-26Z",
    ),
    "advisor": Figure(
        "M-30 14V-6C-30-22-22-28-16-30C-16-56 16-56 16-30C22-28 30-22 30-6V14ZM32 0L62-8C74-8 74 12 62 12H32Z"
        "M-32 0L-62-8C-74-8-74 12-62 12H-32ZM-24 18H24V28C24 46 10 52 0 66C-10 52-24 46-24 28Z",
        "M-28-12C-10-18 10-18 28-12M-10 28h.1M10 28h.1M-8 44H8",
    ),
    "chariot": Figure(
        "M-52-40L0-66L52-40V-32H-52ZM-38-32H-28V-6H-38ZM28-32H38V-6H28ZM-48-10H48L40 14H-40Z" + _wheel(0, 28, 32),
        _wheel(0, 28, 22) + "M0 6V50M-22 28H22M-15 13L15 43M-15 43L15 13",
    ),
    "cannon": Figure(
        "M-70-28L-58-52L-46-48L-44-42L42-12C56-6 54 18 38 20H26L-56-16L-60-22ZM30 34L64 52V60H22Z"
        + _wheel(8, 26, 32),
        _wheel(8, 26, 22) + "M8 4V48M-14 26H30M-7 11L23 41M-7 41L23 11M-52-46L-62-22",
    ),
    "soldier": Figure(
        "M-52-6C-30-14-14-40-6-60C4-40 18-14 40-6ZM-24-2H14C14 16 6 26-5 26C-16 26-24 16-24-2ZM-48 60"
        "C-48 40-34 30-20 28H10C24 30 36 40 36 60ZM48-66L56-44H51V60H45V-44H40Z",
        "M-13 8h.1M3 8h.1M-20 30L-5 46L10 30",
    ),
}  # fmt: skip
