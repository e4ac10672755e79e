"""Pieces, dice and other shapes as SVG; lengths are in units of a cell."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from athenan.drawing.figures import FIGURES
from athenan.drawing.style import PIECES
from athenan.rules.board import NOBODY, Board, Colour, Look, Outline, Piece, Place

UNIT = 40
"""Pixels of a cell."""
_RING = 0.43
"""The radius of a ring around a place."""
_CROWN = ((-0.5, 0.4), (0.5, 0.4), (0.62, -0.25), (0.26, 0.06), (0, -0.5), (-0.26, 0.06), (-0.62, -0.25))
_PIPS = {
    1: ((0, 0),), 2: ((-1, -1), (1, 1)), 3: ((-1, -1), (0, 0), (1, 1)), 4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)), 6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}  # fmt: skip


def px(length: float) -> str:
    """A length in pixels."""
    return f"{length * UNIT:.1f}".removesuffix(".0")


def corners(outline: Outline) -> str:
    """Points in SVG's form."""
    return " ".join(f"{px(x)},{px(y)}" for x, y in outline)


def polygon(outline: Outline, classes: str) -> str:
    """A polygon."""
    return f'<polygon class="{classes}" points="{corners(outline)}"/>'


def polyline(points: Outline, classes: str) -> str:
    """A line through points."""
    return f'<polyline class="{classes}" points="{corners(points)}"/>'


def circle(x: float, y: float, radius: float, attributes: str) -> str:
    """A circle."""
    return f'<circle cx="{px(x)}" cy="{px(y)}" r="{px(radius)}" {attributes}/>'


def ring(place: Place, classes: str) -> str:
    """A ring around what stands on a place, with a contour that shows it on any colour."""
    around = (circle(place.x, place.y, _RING, f'class="{layer}"') for layer in (f"{classes} contour", classes))
    return "".join(around)


def written(x: float, y: float, text: str, size: float, attributes: str) -> str:
    """A text with its middle at a point."""
    return f'<text x="{px(x)}" y="{px(y)}" font-size="{px(size)}" {attributes}>{escape(text)}</text>'


def _box(x: float, y: float, width: float, classes: str, corner: float = 0.08) -> str:
    at = f'x="{px(x - width / 2)}" y="{px(y - width / 2)}" width="{px(width)}" height="{px(width)}"'
    return f'<rect class="{classes}" {at} rx="{px(corner)}"/>'


def piece(board: Board, one: Piece, looks: Sequence[Look]) -> str:
    """A piece on its place. If it has several looks, only the first is visible until a page chooses another."""
    place = board.places[one.place]
    x, y, half = place.x + one.dx, place.y + one.dy, one.size / 2
    if one.owner == NOBODY:
        if one.shape in ("block", "arrow"):
            return _box(x, y, one.size, one.shape)
        return circle(x, y, half, f'class="{one.shape}"')
    colour = board.colours[one.owner]
    drawn = _disc(x, y, half, colour)
    if one.shape == "king":
        drawn = _disc(x, y + 0.05, half, colour) + _disc(x, y - 0.07, half, colour) + _crown(x, y - 0.07, half, colour)
    elif one.shape == "queen":
        drawn += _crown(x, y, half, colour)
    inscribed = [_inscribed(x, y, one, colour, look) for look in looks]
    if len(looks) > 1:
        hidden = ["", *['display="none"'] * (len(looks) - 1)]
        named = zip(looks, hidden, inscribed, strict=True)
        inscribed = [f'<g class="look {look}" {attribute}>{text}</g>' for look, attribute, text in named]
    drawn += "".join(inscribed)
    return drawn + (circle(x, y, half + 0.04, 'class="marked"') if one.marked else "")


def _inscribed(x: float, y: float, one: Piece, colour: Colour, look: Look) -> str:
    """What a piece bears: the figure of its shape, its sign or its text."""
    _, shaded, _, ink = PIECES[colour]
    if look == "drawn" and one.shape in FIGURES:
        body, details = FIGURES[one.shape]
        at = f'transform="translate({px(x)} {px(y)}) scale({one.size / 2 * UNIT / 100:.3f})"'
        pen = f'fill="none" stroke="{shaded}" stroke-width="6" stroke-linecap="round" stroke-linejoin="round"'
        return f'<g class="figure" {at}><path fill="{ink}" d="{body}"/><path {pen} d="{details}"/></g>'
    text = one.sign if look == "signs" else one.text
    size = one.size * (0.62 if len(text) == 1 else 0.42)
    return written(x, y, text, size, f'class="on" fill="{ink}"') if text else ""


def _disc(x: float, y: float, radius: float, colour: Colour) -> str:
    return circle(x, y, radius, f'fill="url(#athenan-{colour})" stroke="{PIECES[colour][2]}" stroke-width="1.2"')


def _crown(x: float, y: float, half: float, colour: Colour) -> str:
    points = corners(tuple((x + right * half, y + down * half) for right, down in _CROWN))
    return f'<polygon points="{points}" fill="{PIECES[colour][3]}" fill-opacity=".9"/>'


def die(x: float, y: float, number: int) -> str:
    """A die, with dots up to six."""
    box = _box(x, y, 0.8, "die", 0.14)
    if number not in _PIPS:
        return box + written(x, y, str(number), 0.45, 'class="on" fill="#222"')
    return box + "".join(
        circle(x + 0.22 * right, y + 0.22 * down, 0.08, 'class="pip"') for right, down in _PIPS[number]
    )
