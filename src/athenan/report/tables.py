"""Tables as rows of text, for the terminal and for pages.

>>> print(as_text(Table("Lengths", ("game", "actions"), (("hex", "60"), ("go", "200")), "Of typical matches.")))
Lengths
-------
game  actions
hex        60
go        200
<BLANKLINE>
Of typical matches.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

Row = tuple[str, ...]
WIDTH = 118
"""The usual characters of a line."""
_REMARKS = "What programs refuse, and that they take much longer than their limits; each remark is shown once."


@dataclass(frozen=True)
class Table:
    """A table with a title and a note on the meaning of its numbers."""

    title: str
    header: Row
    rows: tuple[Row, ...]
    note: str = ""


def remarks_table(remarks: Sequence[str]) -> Table:
    """What players had to say (`MatchRecord.remarks`), one in a row."""
    return Table("Remarks", ("remark",), tuple((remark,) for remark in remarks), _REMARKS)


def as_text(table: Table, width: int = WIDTH) -> str:
    """The table as plain text; columns that do not fit continue below."""
    cells = (table.header, *table.rows)
    widths = [max(len(row[column]) for row in cells) for column in range(len(table.header))]
    lines, last = [table.title, "-" * len(table.title)], 1
    while True:
        first, used = last, widths[0]
        while last < len(widths) and (last == first or used + 2 + widths[last] <= width):
            used, last = used + 2 + widths[last], last + 1
        for row in cells:
            line = [f"{row[0]:<{widths[0]}}", *(f"{row[column]:>{widths[column]}}" for column in range(first, last))]
            lines.append("  ".join(line).rstrip())
        lines.append("")
        if last == len(widths):
            break
    return "\n".join([*lines, *([fill(table.note, width)] if table.note else [])]).rstrip("\n")
