"""Figures as SVG for pages, in the colour of the surrounding text and as wide as there is room.

Drawing a figure loads matplotlib. Its global state is not used.
"""

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from athenan.replacing import replacing
from athenan.settings import readable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#a6761d")
"""Okabe and Ito's colours, which everybody can tell apart, and two more."""
_INK = "#010203"
"""The colour of axes and text, replaced by the colour of the page's text."""
_INKED: tuple[Any, ...] = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "athenan", "font.family": "sans-serif", "font.size": 10,
    **dict.fromkeys(_INKED, _INK),
}  # fmt: skip


def figure_text(text: str) -> str:
    r"""A text for a figure, in which a dollar begins no formula.

    >>> figure_text("a$x$")
    'a\\$x\\$'
    """
    return readable(text).replace("$", r"\$")


def save(draw: Callable[["Figure"], None], width: float, height: float, *paths: str | Path) -> None:
    """Writes a figure that `draw` fills, on white; sizes are in inches, and the paths' endings give the formats."""
    from matplotlib import figure, rc_context

    with rc_context({**_STYLE, **dict.fromkeys(_INKED, "black")}):
        drawn = figure.Figure(figsize=(width, height), layout="constrained")
        draw(drawn)
        for path in map(Path, paths):
            kind, date = path.suffix[1:], {"Date": None} if path.suffix == ".svg" else None
            with replacing(path) as half:
                drawn.savefig(half, format=kind, dpi=150, metadata=date)


def svg(draw: Callable[["Figure"], None], width: float, height: float) -> str:
    """The SVG element of a figure that `draw` fills; sizes are in inches, equal figures give equal text."""
    from matplotlib import figure, rc_context

    with rc_context(_STYLE):
        drawn = figure.Figure(figsize=(width, height), layout="constrained")
        draw(drawn)
        file = io.StringIO()
        drawn.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    text = file.getvalue()
    return re.sub(
        r'<svg ([^>]*?)width="([\d.]+)pt" height="[\d.]+pt"',
        r'<svg \1style="max-width:\2pt;width:100%"',
        text[text.index("<svg") :].replace(_INK, "currentColor"),
        count=1,
    )
