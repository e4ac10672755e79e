"""`athenan plot`: the curves of runs, as figures and as a table."""

import csv
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from athenan.cli.arguments import Argument
from athenan.cli.info import RunNames
from athenan.cli.options import parse
from athenan.extras import require
from athenan.replacing import replacing, require_writable
from athenan.report.figures import COLOURS, figure_text, save
from athenan.runs.curves import Point, curves
from athenan.settings import readable

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_SHOWN = ("strength/", "learning/loss", "match/")
"""The tags that are shown begin with one of these."""
_STYLES = ("-", "--", ":", "-.")
Curves = Mapping[str, list[Point]]


@dataclass(frozen=True)
class Plot:
    """Writes the curves of runs: strength, loss, length and results of matches, as SVG, PNG and CSV."""

    runs: RunNames = ()
    """Run directories."""
    output: Annotated[Path, Argument(metavar="NAME")] = Path("curves")
    """Write NAME.svg, NAME.png and NAME.csv; existing files are replaced."""
    against: Literal["minutes", "matches"] = "minutes"
    """The horizontal axis: minutes or matches of training."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Plot, "plot", arguments)
    if not options.runs:
        raise ValueError("which run? For example: athenan plot runs/hex-7; `athenan runs` lists them")
    if options.output.name in ("", ".."):
        raise ValueError(f"--output must end with the name of a file without its ending, not {str(options.output)!r}")
    require("matplotlib", "drawing the curves of runs")
    files = [options.output.with_name(options.output.name + ending) for ending in (".svg", ".png", ".csv")]
    require_writable(files[0])
    found = {readable(str(path)): _shown(curves(path)) for path in options.runs}
    tags = sorted({tag for one in found.values() for tag in one}, key=_order)
    rows = -(-len(tags) // 2)

    def draw(figure: "Figure") -> None:
        _draw(figure, found, tags, options.against)

    save(draw, 9, 2.6 * rows + 0.4, *files[:2])
    with replacing(files[2]) as half, open(half, "w", encoding="utf-8", newline="") as file:
        _write(csv.writer(file), found)
    print(f"written: {', '.join(map(os.fspath, files))}")


def _shown(all_curves: Curves) -> Curves:
    return {tag: points for tag, points in all_curves.items() if tag.startswith(_SHOWN) and points}


def _order(tag: str) -> tuple[int, str]:
    return next(number for number, beginning in enumerate(_SHOWN) if tag.startswith(beginning)), tag


def _draw(figure: "Figure", found: Mapping[str, Curves], tags: Sequence[str], against: str) -> None:
    """Draws a panel for each tag, with a line for each run."""
    lines = dict[str, "Line2D"]()
    for number, tag in enumerate(tags):
        axes = figure.add_subplot(-(-len(tags) // 2), 2, number + 1)
        axes.set_title(tag, fontsize=10)
        axes.set_xlabel(against)
        axes.locator_params(axis="x", nbins=6)
        axes.grid(alpha=0.3)
        for place, (name, one) in enumerate(found.items()):
            if points := one.get(tag):
                x = [point.matches if against == "matches" else point.seconds / 60 for point in points]
                style = _STYLES[place // len(COLOURS) % len(_STYLES)]
                marker = "o" if len(points) < 30 else ""
                y = [point.value for point in points]
                colour = COLOURS[place % len(COLOURS)]
                lines[figure_text(name)], *_ = axes.plot(x, y, style, marker=marker, markersize=3, color=colour)
    figure.legend(lines.values(), lines, loc="outside lower center", ncols=2, frameon=False)


def _write(table: Any, found: Mapping[str, Curves]) -> None:
    """Writes all points, one row each."""
    table.writerow(("run", "curve", "matches", "minutes", "value"))
    for name, one in found.items():
        for tag, points in one.items():
            table.writerows((name, tag, point.matches, point.seconds / 60, point.value) for point in points)
