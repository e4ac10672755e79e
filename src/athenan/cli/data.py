"""Options of the commands that print results as data."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from athenan.cli.arguments import Argument
from athenan.cli.options import print_json
from athenan.report.data import Data, as_csv, as_json, as_latex, as_table
from athenan.report.tables import Table

FormatName = Literal["", "csv", "json", "latex"]
"""A format of data; empty for the report."""


@dataclass(frozen=True)
class DataOptions:
    """Print results as data instead of the report."""

    csv: bool = False
    """Print a table as CSV, with one observation in a row."""
    latex: bool = False
    """Print the report's tables for LaTeX."""
    table: Annotated[str | None, Argument(metavar="TABLE")] = None
    """The table of --csv, --json or --latex. tournament: pairs or players; grade: grades or answers; experiment:
    pairs, trainings, grades or environments. By default --csv prints the first of these."""

    def format(self, json: bool, tables: Sequence[str]) -> FormatName:
        """The format that is asked for. Raises ValueError for several, and for a table that is not among `tables`."""
        given: list[FormatName] = [name for name in ("csv", "latex") if getattr(self, name)] + ["json"] * json
        if len(given) > 1:
            raise ValueError(f"give one of {' and '.join(f'--{name}' for name in given)}: each prints another format")
        if self.table is not None and not given:
            raise ValueError("--table needs --csv, --json or --latex")
        if self.table is not None and self.table not in tables:
            raise ValueError(f"--table must be {' or '.join(tables)}, not {self.table!r}")
        return given[0] if given else ""

    def print(
        self,
        form: FormatName,
        rows: Callable[[], Sequence[Data]],
        report: Callable[[], Iterable[Table]],
        whole: Callable[[], Any],
    ) -> None:
        """Prints the chosen table of `rows`. By default: the first as CSV, the `report` for LaTeX, `whole` as JSON."""
        found = rows() if self.table or form == "csv" else ()
        chosen = next((one for one in found if one.name == self.table), None)
        if form == "csv":
            print(as_csv(chosen or found[0]), end="")
        elif form == "latex":
            print(as_latex([as_table(chosen)] if chosen else report()), end="")
        else:
            print_json(as_json(chosen) if chosen else whole())
