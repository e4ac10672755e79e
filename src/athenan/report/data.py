r"""Results as data: tables with one observation in a row and one fact in a column, as CSV, JSON and LaTeX.

>>> some = Data("pairs", ("game", "minutes", "gain"), [("hex:5", 0.5, 1), ("hex:5", None, -1)])
>>> print(as_csv(some), end="")
game,minutes,gain
hex:5,0.5,1
hex:5,,-1
>>> as_json(some)[1]
{'game': 'hex:5', 'minutes': None, 'gain': -1}
>>> escaped("50% of ε_s")
'50\\% of $\\varepsilon$\\_s'
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from athenan.report.tables import Table

Value = str | int | float | bool | None
"""A value of a cell; None is unknown, or does not apply."""


@dataclass(frozen=True)
class Data:
    """A table of observations."""

    name: str
    """What a row is, such as pairs."""
    columns: tuple[str, ...]
    rows: Sequence[tuple[Value, ...]]
    """A value for each column."""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"a row of {self.name} must have {len(self.columns)} values")


def as_csv(data: Data) -> str:
    """The table with a line of column names, by RFC 4180 but for line feeds alone; None is empty, numbers are exact."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([data.columns, *as_table(data).rows])
    return file.getvalue()


def as_json(data: Data) -> list[dict[str, Any]]:
    """The rows as JSON data: objects with the columns as names."""
    return [dict(zip(data.columns, row, strict=True)) for row in data.rows]


def as_table(data: Data) -> Table:
    """The table as texts."""
    return Table(data.name, data.columns, tuple(tuple(map(_text, row)) for row in data.rows))


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


_NOTHING = "\0"
_SIGNS = {
    _NOTHING: "{}", "`": r"\textasciigrave{}",
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "–": "--", "—": "---", "…": r"\ldots{}",
    "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "≥": r"$\geq$", "≤": r"$\leq$", "→": r"$\to$",
    "ε": r"$\varepsilon$", "α": r"$\alpha$", "β": r"$\beta$", "δ": r"$\delta$", "λ": r"$\lambda$", "μ": r"$\mu$",
    "π": r"$\pi$", "σ": r"$\sigma$", "τ": r"$\tau$", "θ": r"$\theta$", "\n": " ", "\r": " ", "\t": " ",
}  # fmt: skip
"""Characters that LaTeX reads as commands, and some that its usual fonts lack."""


def escaped(text: str) -> str:
    """Text that LaTeX prints as it is."""
    apart = re.sub("-(?=-)", f"-{_NOTHING}", text)  # LaTeX joins hyphens to a dash
    return "".join(_SIGNS.get(sign, sign) for sign in apart)


_PREAMBLE = "% Needs \\usepackage{booktabs}.\n"


def as_latex(tables: Iterable[Table]) -> str:
    """The tables as LaTeX's table environments, with title and note as the caption; needs the package booktabs."""
    return _PREAMBLE + "\n".join(map(_tabular, tables))


def _tabular(table: Table) -> str:
    columns = "l" + "r" * (len(table.header) - 1)
    title = table.title if table.title.endswith(".") or not table.note else f"{table.title}."
    lines = [
        r"\begin{table}", r"\centering", rf"\caption{{{escaped(f'{title} {table.note}'.strip())}}}",
        rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _row(table.header), r"\midrule",
        *map(_row, table.rows), r"\bottomrule", r"\end{tabular}", r"\end{table}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    r"""A row. It begins with an empty group, because a bracket there would be an argument of the \\ before it."""
    return "{}" + " & ".join(map(escaped, cells)) + r" \\"
