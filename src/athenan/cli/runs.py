"""`athenan runs`: the runs in a folder."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from athenan.cli.arguments import Argument
from athenan.cli.info import described, duration, overview, strength
from athenan.cli.options import parse, print_json
from athenan.runs.checkpoint import CheckpointError
from athenan.runs.description import runs_in


@dataclass(frozen=True)
class Runs:
    """Lists the runs in a folder and its subfolders: game, training time and strength.

    athenan info RUN shows more about one.
    """

    folder: Annotated[Path, Argument(positional=True, metavar="FOLDER")] = Path("runs")
    """The folder to search."""
    json: bool = False
    """Print JSON."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Runs, "runs", arguments)
    found = [_entry(path) for path in runs_in(options.folder)]
    if options.json:
        print_json(found)
        return
    if not found:
        print(f"There are no runs in {options.folder}. To start one: athenan train hex:7 --minutes 5")
        return
    table = Table(box=box.SIMPLE, pad_edge=False)
    for title in ("run", "game"):
        table.add_column(title, overflow="fold")
    for title in ("matches", "trained", "saved"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("strength", overflow="fold")
    for one in found:
        if "damage" in one:
            table.add_row(escape(one["run"]), "", "", "", "", escape(one["damage"]))
            continue
        saved = f"{duration(time.time() - one['saved'])} ago"
        row = one["run"], one["game"], f"{one['matches']:,}", duration(one["seconds"]), saved
        table.add_row(*map(escape, (*row, strength(one))))
    Console(highlight=False).print(table)


def _entry(path: Path) -> dict[str, Any]:
    """The entry of a run in the list, or why the run cannot be read."""
    try:
        return overview(*described(path))
    except CheckpointError as error:
        return {"run": str(path), "damage": str(error)}
