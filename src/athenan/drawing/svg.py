"""Pictures of positions as SVG.

>>> from athenan import make
>>> picture = draw(make("hex:5"), "b4 swap c3")
>>> picture.svg[:46]
'<svg xmlns="http://www.w3.org/2000/svg" class='

A notebook shows the last expression of a cell. The picture follows the light or dark mode of the reader's screen.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from athenan.drawing.figures import FIGURES
from athenan.drawing.overlay import Value, line_layer, values_layer
from athenan.drawing.shapes import UNIT, circle, corners, die, piece, polygon, polyline, px, ring, written
from athenan.drawing.style import GRADIENTS, HEAD, PIECES, STYLE
from athenan.rules.board import NOBODY, Board, Look, Outline, Piece, Scene
from athenan.rules.game import Game, State, require_game
from athenan.rules.geometry.boards import square
from athenan.rules.state import CHANCE

_MARGIN = 0.3
_LINE_HEIGHT, _CHARACTER = 0.5, 0.26


@dataclass(frozen=True)
class Drawing:
    """A picture of a position."""

    svg: str = field(repr=False)
    """The text of an SVG file."""

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Writes the picture to a file."""
        Path(path).write_text(self.svg + "\n", encoding="utf-8")


def draw(
    game: Game,
    where: State | str | None = None,
    *,
    last: int | None = None,
    before: State | None = None,
    values: Sequence[Value] = (),
    line: Sequence[int] = (),
    targets: Iterable[int] = (),
    look: Look = "drawn",
    clickable: bool = False,
) -> Drawing:
    """The picture of a state, of the position after moves such as "c2 b3", or (None) of the initial position.

    The places `targets` are marked, and so are the places of the action `last`, played in the state `before`. If
    `last` is a roll, the die shows it. After the end of a match rings show what decided it, such as the winning
    four. For moves, `last` is the last move. `values` are values of actions, and `line` is a variation from here.
    `look` says what pieces of several kinds bear, such as Arimaa's; a game without that look has figures. If
    `clickable`, every place is a separate element over the picture, with its number as `data-place` and its name,
    and the pieces have all looks of the game, of which a page shows one. A game without a board is shown as text.
    Raises GameError if the position does not exist, or an action of `values` or `line` is not legal.
    """
    require_game(game)
    state = game.position(where)
    for one in values:
        game.play(state, one.action)  # raises if it is not legal
    if isinstance(where, str) and where.split() and last is None:
        before, (*_, final) = game.after(" ".join(where.split()[:-1])), where.split()
        last = game.parse_action(before, final)
    if game.board is None:
        return Drawing(_of_text(game, game.text(state)))
    board, scene = game.board, game.board.scene(state)
    looks: tuple[Look, ...] = (look if look in board.looks else "drawn",)
    if clickable and board.looks:
        looks = board.looks
    marked = game.places(before, last) if last is not None and before is not None else ()
    layers = [
        *(polygon(place.outline, f"area {place.tone}") for place in board.places if place.tone),
        *_layers(board, board.ground, looks, "ground" if clickable else ""),
        *(polygon(board.places[place].outline, "last") for place in marked),
        *_layers(board, scene, looks, "pieces" if clickable else ""),
        *(ring(board.places[place], "decided") for place in _deciding(game, board, state)),
        *(circle(board.places[place].x, board.places[place].y, 0.16, 'class="target"') for place in targets),
        *(
            die(board.dice_at[0] + at, board.dice_at[1], number)
            for at, number in enumerate(_dice(board, scene, before, last))
        ),
        f'<g class="overlay">{values_layer(game, state, values)}{line_layer(game, state, line)}</g>',
    ]
    if clickable:
        layers.append(f'<g class="places">{_places(game, board, scene)}</g>')
    first, second = (PIECES[colour][1] for colour in board.colours)
    return Drawing(_svg(game, _box(board, scene), "".join(layers), f"--first:{first};--second:{second}"))


def lone_piece(board: Board, one: Piece) -> str:
    """The SVG of a piece without its board, in all looks of the game.

    It belongs on a page with a picture of the board, whose gradients it uses.
    """
    place, box = board.places[one.place], " ".join(px(length) for length in (-0.5, -0.5, 1, 1))
    drawn = piece(board, one._replace(dx=-place.x, dy=-place.y), board.looks or ("drawn",))
    return f'<svg class="athenan" viewBox="{box}" aria-hidden="true">{drawn}</svg>'


def _deciding(game: Game, board: Board, state: State) -> Sequence[int]:
    """The places that decided the match, if it is over and has a winner."""
    outcome = game.outcome(state)
    return board.deciding(state, int(outcome < 0)) if board.deciding and outcome else ()


def _dice(board: Board, scene: Scene, before: State | None, last: int | None) -> Sequence[int]:
    """The dice still to be played, or the die that the last action rolled."""
    if board.rolled is None or before is None or last is None or before[0] != CHANCE:
        return scene.dice
    number = board.rolled(before, last)
    return () if number is None else (number,)


def _layers(board: Board, scene: Scene, looks: Sequence[Look], name: str) -> Iterable[str]:
    """The layers of a scene. With a name they are a group, and so is each piece, with the number of its place."""
    if name:
        yield f'<g class="{name}">'
    yield from (polygon(area.outline, f"area {area.tone}") for area in scene.areas)
    yield from (polyline(line.points, f"line {line.tone}") for line in scene.lines)
    for label in scene.labels:
        kind = "label ink" if label.ink else "label"
        yield written(label.x, label.y, label.text, label.size, f'class="{kind}"')
    drawn = ((one.place, piece(board, one, looks)) for one in scene.pieces)
    yield from (f'<g class="piece" data-on="{place}">{text}</g>' if name else text for place, text in drawn)
    if name:
        yield "</g>"


def _places(game: Game, board: Board, scene: Scene) -> str:
    """Transparent outlines to click, each with its name and its pieces."""
    standing = dict[int, list[str]]()
    for one in scene.pieces:
        if one.owner != NOBODY:
            what = " ".join(filter(None, (game.sides[one.owner], one.shape, "" if one.shape in FIGURES else one.text)))
            standing.setdefault(one.place, []).append(what)
    drawn = []
    for number, place in enumerate(board.places):
        there = standing.get(number, ["empty"])
        more = f" ({len(there)})" if len(there) > 1 else ""
        label = quoteattr(f"{place.name}: {there[0]}{more}")
        points = corners(place.outline)
        drawn.append(f'<polygon class="place" data-place="{number}" aria-label={label} points="{points}"/>')
    return "".join(drawn)


def _box(board: Board, scene: Scene) -> tuple[float, float, float, float]:
    """Left, top, width and height of everything."""
    points = [point for place in board.places for point in place.outline]
    for drawn in (board.ground, scene):
        outlines: list[Outline] = [area.outline for area in drawn.areas] + [line.points for line in drawn.lines]
        points += [point for outline in outlines for point in outline]
        points += [(label.x, label.y) for label in drawn.labels]
    if board.rolled:
        points += square(*board.dice_at)
    across, down = zip(*points, strict=True)
    left, top = min(across) - _MARGIN, min(down) - _MARGIN
    return left, top, max(across) + _MARGIN - left, max(down) + _MARGIN - top


def _of_text(game: Game, text: str) -> str:
    lines = text.split("\n")
    rows = "".join(
        f'<text class="text" xml:space="preserve" x="{px(0.4)}" y="{px((row + 1) * _LINE_HEIGHT)}" '
        f'font-size="{px(0.42)}">{escape(line)}</text>'
        for row, line in enumerate(lines)
    )
    width = 0.8 + _CHARACTER * max(map(len, lines))
    return _svg(game, (0, 0, width, (len(lines) + 0.6) * _LINE_HEIGHT), rows, "")


def _svg(game: Game, box: tuple[float, float, float, float], content: str, variables: str) -> str:
    _, _, width, height = box
    view = " ".join(px(length) for length in box)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="athenan" role="img" style="{variables}" viewBox="{view}" '
        f'width="{width * UNIT:.0f}" height="{height * UNIT:.0f}"><title>{escape(game.title)}</title>'
        f"<style>{STYLE}</style><defs>{GRADIENTS}{HEAD}</defs>{content}</svg>"
    )
