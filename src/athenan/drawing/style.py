"""The colours of boards, light and dark, and the gradients of pieces."""

from athenan.rules.board import Colour

PIECES: dict[Colour, tuple[str, str, str, str]] = {
    "black": ("#5a5a5e", "#17171a", "#000", "#fff"),
    "white": ("#ffffff", "#dcd8ce", "#6b675e", "#222"),
    "red": ("#f0695c", "#b3261e", "#6e120d", "#fff"),
    "blue": ("#6ea8ea", "#1f5fae", "#0f376b", "#fff"),
    "gold": ("#ffe08a", "#d3a025", "#7a5a08", "#222"),
    "silver": ("#f4f6f8", "#a9b3bd", "#5a646e", "#222"),
    "yellow": ("#ffe66b", "#e5b800", "#8a6d00", "#222"),
    "grey": ("#b8b8b8", "#7d7d7d", "#444", "#fff"),
}
"""The lit side, the shaded side, the edge, and the text of each colour."""

_LIGHT = (
    "--light:#f0dcb8;--dark:#b98b62;--plain:#e8e3d8;--felt:#3a9663;--wood:#e6c07c;--wall:#4d627a;"
    "--line:#5a4228;--label:#5d5d63;--ink:#2f1e10;--block:#f6f1e6;--edge:#8d8574;--dome:#2f6fb4;"
    "--last:#f2c200;--mark:#e8590c;"
    "--target:#1f7a3d"
)
_DARK = (
    "--light:#b3a184;--dark:#74583f;--plain:#6a6f7b;--felt:#25684a;--wood:#a9844f;--wall:#33465c;"
    "--line:#241a10;--label:#b9bac0;--ink:#e9e3d6;--block:#cfc8b8;--edge:#4a463d;--dome:#4f8fd6;"
    "--last:#ffd43b;--mark:#ff922b;"
    "--target:#8ce99a"
)
_RULES = """
.light{fill:var(--light)}.dark{fill:var(--dark)}.plain{fill:var(--plain)}.felt{fill:var(--felt)}
.wood{fill:var(--wood)}.wall{fill:var(--wall)}.area.first{fill:var(--first)}.area.second{fill:var(--second)}
.area{stroke:var(--line);stroke-opacity:.35;stroke-width:1}
.line{fill:none;stroke:var(--line);stroke-width:1.3;stroke-linecap:round;stroke-linejoin:round}
.line.first{stroke:var(--first);stroke-width:4}.line.second{stroke:var(--second);stroke-width:4}
.line.wall{stroke:var(--wall);stroke-width:3}.line.felt{stroke:var(--felt);stroke-width:3}
.label{fill:var(--label)}.label.ink{fill:var(--ink)}
.label,.on{font-family:"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif;text-anchor:middle;dominant-baseline:central}
.on{font-weight:600}.text{fill:var(--label);font-family:"DejaVu Sans Mono",Menlo,Consolas,monospace;white-space:pre}
.block{fill:var(--block);stroke:var(--edge);stroke-width:1.5}.dome{fill:var(--dome);stroke:var(--edge)}
.arrow{fill:var(--wall);stroke:var(--line)}.dot{fill:var(--line)}
.last{fill:var(--last);fill-opacity:.4;stroke:var(--last);stroke-width:2}
.target{fill:var(--target);fill-opacity:.75}
.marked{fill:none;stroke:var(--mark);stroke-width:3}
.die{fill:#fff;stroke:#555;stroke-width:1.5}.pip{fill:#222}
.value circle{stroke:#0006;stroke-width:1}.value text{fill:#fff}.value.proven circle{stroke:#fff;stroke-width:2.5}
.decided{fill:none;stroke:var(--target);stroke-width:3.5}.contour{stroke:#fff;stroke-width:6.5}
.aim{fill:none;stroke:var(--mark);stroke-width:3}
.way{fill:none;stroke:var(--mark);stroke-width:3;stroke-opacity:.55;stroke-linecap:round}
.head{fill:var(--mark)}.step circle{fill:var(--mark)}.step text{fill:#fff}
.place{fill:transparent;stroke:none}
"""

_PREFIX = ".athenan"


def _scoped(rules: str) -> str:
    """The rules restricted to the inside of a board, so that they change nothing else on a page."""
    parts = [part.partition("{") for part in rules.replace("\n", "").split("}") if part]
    return "".join(
        ",".join(f"{_PREFIX} {one.strip()}" for one in names.split(",")) + "{" + body + "}" for names, _, body in parts
    )


STYLE = f"{_PREFIX}{{{_LIGHT}}}@media(prefers-color-scheme:dark){{{_PREFIX}{{{_DARK}}}}}{_scoped(_RULES)}"
"""The style sheet of a picture."""

GRADIENTS = "".join(
    f'<radialGradient id="athenan-{colour}" cx=".35" cy=".3" r=".8"><stop offset="0" stop-color="{lit}"/>'
    f'<stop offset="1" stop-color="{shaded}"/></radialGradient>'
    for colour, (lit, shaded, _, _) in PIECES.items()
)
"""The fillings of pieces."""
HEAD = (
    '<marker id="athenan-head" viewBox="0 0 10 10" refX="6" refY="5" markerWidth="4.5" markerHeight="4.5" '
    'orient="auto"><path class="head" d="M0 0 10 5 0 10z"/></marker>'
)
"""The head of an arrow."""
