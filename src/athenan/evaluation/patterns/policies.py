"""Which entries the logit of an action reads: windows and lines of cells around the place where the action lies.

Games say where on the board an action lies (`Game.action_places`): at a cell, on a plane of actions that differ only in
their cells, such as steps in one direction. The logit of an action is the sum of one entry for each *shape* around its
cell, and one for its place itself, all seen by the side to move. An action without a place has an entry of its own.

| shape | cells |
| --- | --- |
| near | cells whose row and column differ by at most 1 |
| wide | cells at most √5 away |
| lines | four in both directions of a row, a column or a diagonal |

All cells of a plane read the same entries, and cells beyond the edge have a code of their own. A symmetry of the game
that maps rows and columns linearly turns the shapes with the planes, so that the image of an action has its logit. A
symmetry that maps a shape of a plane to itself only puts its cells in another order: the index of the entry is the
least index of all orders. Where pieces stand on each other (`Game.beneath`), an action lies at the cell that it
fills. Indices are hashed.

Sources: patterns around a move, hashed, in one table for the whole board, as in D. Stern, R. Herbrich and T. Graepel,
"Bayesian pattern ranking for move prediction in the game of Go" (ICML 2006).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.patterns.codes import Codes
from athenan.evaluation.patterns.header import POLICY, numbers_of
from athenan.evaluation.patterns.indices import MIXING
from athenan.evaluation.patterns.tuples import source_of
from athenan.rules.features import input_symmetry
from athenan.rules.game import Game

MOST_BOARD = 16_384
"""Cells of all layers with their margins for which there is room on the machine's stack."""
MOST_SHAPE, MOST_ENTRIES = 32, 256
"""Most cells of a shape, and most entries in the logit of an action."""
_ARM, _FAR = 4, 5
_ALL_ENTRIES, _MOST_BITS, _LEAST_BITS = 2**22, 16, 8
"""Entries that the shapes may have in all tables, and the bits of a hashed index."""
_MANY_LAYERS = 2

Cell = tuple[int, int, int]
"""A layer, and how far down and right of the place."""


@dataclass(frozen=True, eq=False)
class PolicyLayout:
    """The numbers of a policy, and how many entries a table of it has."""

    numbers: NDArray[np.int64]
    stride: int


class _Turn(NamedTuple):
    """A symmetry of the game that maps rows and columns linearly."""

    matrix: NDArray[np.int64]
    """int64[2, 2]: how the cell that a code comes from moves when the cell with the code moves."""
    layers: NDArray[np.int64]
    """The layer that the codes of each layer come from."""
    cells: NDArray[np.int64]
    """int64[places]: the cell that each cell's code comes from."""
    planes: NDArray[np.int64]
    """int64[planes]: the plane of the image of the actions of each plane, -1 without actions."""
    actions: NDArray[np.int32]

    def source(self, cell: Cell) -> Cell:
        """The cell that the code at a cell of the image comes from."""
        down, right = (self.matrix @ np.array(cell[1:])).tolist()
        return int(self.layers[cell[0]]), down, right


class _Shape(NamedTuple):
    """Cells around a place, and the orders in which symmetries put them."""

    begin: int
    orders: list[tuple[Cell, ...]]


def policy_layout(
    game: Game,
    codes: Codes,
    tables: int,
    sources: NDArray[np.int64],
    actions: NDArray[np.int64],
    base: int,
    rows_at: int,
) -> PolicyLayout:
    """The layout of the policy of a network with `tables` tables.

    `sources` (int64[2, cells]) are the cells whose bits stand at each cell in both views, `actions` (int64[2, actions])
    the images of the actions. `base` is where the policy begins in the numbers of the network, `rows_at` where its
    entries begin in the weights. Raises ValueError if the board is too large.
    """
    rows, columns = game.planes[1:]
    places, turns = rows * columns, _turns(game, codes)
    placed = _places(game)
    kinds, families = _kinds(turns, len(codes.local), game.action_planes)
    bits = max(_LEAST_BITS, min(_MOST_BITS, (_ALL_ENTRIES // max(1, families * tables)).bit_length() - 1))
    own, of_action, others = _own_entries(turns, placed, game.action_planes, places)
    first = families << bits
    reach = [abs(step) for shapes in kinds for shape in shapes for cell in shape.orders[0] for step in cell[1:]]
    margin = max(reach, default=0)
    height, width = rows + 2 * margin, columns + 2 * margin
    if len(codes.local) * height * width > MOST_BOARD or max(map(len, kinds), default=0) >= MOST_ENTRIES:
        raise ValueError(f"the board of {game.name} is too large for a policy of patterns")
    whole = np.arange(len(codes.local) * height * width).reshape(-1, height, width)
    boards = whole[:, margin : margin + rows, margin : margin + columns].reshape(-1)
    records, lists = _records(turns, kinds, bits, (height * width, width, 1))
    where = np.where(placed >= 0, placed, -1 - first - of_action)[actions]
    values: dict[str, int | NDArray[np.int64]] = {
        "rows_at": rows_at, "stride": first + others, "shift": 64 - bits,
        "board": len(codes.local) * height * width, "places": places, "actions": game.action_count,
        "most": 1 + max((len(shapes) for shapes in kinds), default=0),
        "boards_at": np.where(codes.varying, boards, -1), "sources_at": sources, "actions_at": where,
        "own_at": first + own, "kinds_at": _ranges(kinds), "centres_at": boards[:places],
    }  # fmt: skip
    if len(codes.beneath):
        values["above_at"] = _above(codes.beneath)
    values["shapes_at"] = records
    numbers = numbers_of(POLICY, values, base)
    numbers[len(numbers) - records.size :].reshape(records.shape)[:, 3:] += base + len(numbers)  # where lists begin
    return PolicyLayout(np.concatenate([numbers, lists]), first + others)


def _places(game: Game) -> NDArray[np.int64]:
    """int64[actions]: the place of each action, -1 for none."""
    if game.action_places is None:
        return np.full(game.action_count, -1, np.int64)
    return game.action_places.astype(np.int64)


def _turns(game: Game, codes: Codes) -> list[_Turn]:
    """The symmetries of the start that turn shapes, the identity first; others are left out.

    Weights are stored by family of shapes, so more symmetries would read older networks otherwise.
    """
    places, found, own = game.planes[1] * game.planes[2], list[_Turn](), np.arange(codes.local.shape[1])
    on_board = np.asarray(codes.varying.reshape(-1, places).any(axis=0))
    count = game.start_symmetries
    for symmetry, actions in zip(game.plane_symmetries[:count], game.action_symmetries[:count], strict=True):
        source = source_of(codes, input_symmetry(game, symmetry))
        if source is None or not ((source[1] == own) | (source[1] < 0)).all():
            continue
        layers, cells = np.divmod(source[0].reshape(-1, places), places)
        planes = _image_planes(game, cells[0], actions)
        matrix = _matrix(cells[0], on_board, game.planes[1:])
        if planes is None or matrix is None or (cells != cells[0]).any() or (layers != layers[:, :1]).any():
            continue
        found.append(_Turn(matrix, layers[:, 0], cells[0], planes, actions))
    return found


def _image_planes(game: Game, cells: NDArray[np.int64], actions: NDArray[np.int32]) -> NDArray[np.int64] | None:
    """`_Turn.planes`; None unless the actions of a plane have images on one plane, at the images of their cells."""
    placed, places = _places(game), len(cells)
    planes = np.full(game.action_planes, -1, np.int64)
    for place, image in zip(placed, placed[actions], strict=True):
        if place < 0:
            continue
        plane, other = place // places, image // places
        if image < 0 or planes[plane] not in (-1, other) or cells[image % places] != place % places:
            return None
        planes[plane] = other
    return planes


def _matrix(cells: NDArray[np.int64], on_board: NDArray[np.bool_], shape: tuple[int, ...]) -> NDArray[np.int64] | None:
    """`_Turn.matrix`; None if the cells of the board do not move linearly."""
    rows, columns = shape
    moved = np.stack(np.divmod(cells, columns)).reshape(2, rows, columns)
    board, matrix = on_board.reshape(rows, columns), np.eye(2, dtype=np.int64)
    for axis in range(2):
        both = board[1:] & board[:-1] if axis == 0 else board[:, 1:] & board[:, :-1]
        steps = np.diff(moved, axis=axis + 1)[:, both]
        if not steps.size:
            continue
        if (steps != steps[:, :1]).any():
            return None
        matrix[:, axis] = steps[:, 0]
    return matrix


def _kinds(turns: list[_Turn], layers: int, planes: int) -> tuple[list[list[_Shape]], int]:
    """The shapes of each plane as its first image has them, and how many families of shapes there are."""
    first = _first_planes(turns, planes)
    shapes, families = dict[int, list[_Shape]](), 0
    for plane in sorted({int(one) for one in first if one >= 0}):
        staying = [turn for turn in turns if turn.planes[plane] == plane]
        shapes[plane], families = _shapes(staying, layers, families)
    return [shapes.get(int(one), []) for one in first], families


def _first_planes(turns: list[_Turn], planes: int) -> NDArray[np.int64]:
    """int64[planes]: the first of the images of each plane, -1 for a plane without actions."""
    return np.min([turn.planes for turn in turns], axis=0) if planes else np.zeros(0, np.int64)


def _shapes(turns: list[_Turn], layers: int, families: int) -> tuple[list[_Shape], int]:
    """The shapes around a place that these symmetries leave in place; shapes of one family are images of each other."""
    found, known = list[_Shape](), set[frozenset[Cell]]()
    for layer in range(layers):
        for cells in _bases(turns, layer, only_near=layers > _MANY_LAYERS):
            orders = dict.fromkeys(tuple(turn.source(cell) for cell in cells) for turn in turns)
            images = dict[frozenset[Cell], list[tuple[Cell, ...]]]()
            for order in orders:
                images.setdefault(frozenset(order), []).append(order)
            if known & images.keys():
                continue
            known |= images.keys()
            found += [_Shape(families, of_image) for of_image in images.values()]
            families += 1
    return found, families


def _bases(turns: list[_Turn], layer: int, only_near: bool) -> list[list[Cell]]:
    """The cells of one shape of each family."""
    steps = range(-2, 3)
    square = [(layer, down, right) for down in steps for right in steps]

    def within(cell: Cell, most: int, far: int) -> bool:
        """Whether all images of a cell are this near."""
        images = [turn.source(cell)[1:] for turn in turns]
        return all(max(map(abs, one)) <= most and one[0] ** 2 + one[1] ** 2 <= far for one in images)

    near = [cell for cell in square if within(cell, 1, _FAR)]
    if only_near:
        return [near]
    wide = [cell for cell in square if within(cell, 2, _FAR)]
    arm = range(-_ARM, _ARM + 1)
    lines = [[(layer, step * down, step * right) for step in arm] for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))]
    return [near, wide, *lines]


def _own_entries(
    turns: list[_Turn], placed: NDArray[np.int64], planes: int, places: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """The numbers of the entries of all places, of all actions without a place, and how many there are."""
    labels, alone = np.arange(planes * places).reshape(planes, places), np.arange(len(placed))
    for _ in range(len(turns)):  # no more passes, as images of images are images
        for turn in turns:
            known = turn.planes >= 0
            images = labels[turn.planes[known]][:, turn.cells.argsort()]
            labels[known] = np.minimum(labels[known], images)
            alone = np.minimum(alone, alone[turn.actions])
    _, own = np.unique(labels, return_inverse=True)
    _, of_action = np.unique(np.where(placed < 0, alone, -1), return_inverse=True)
    count = int(own.max(initial=-1)) + 1
    return own.reshape(-1), of_action.reshape(-1) + count, count + int(of_action.max(initial=-1)) + 1


def _ranges(kinds: list[list[_Shape]]) -> NDArray[np.int64]:
    """int64[planes, 2]: the first shape of each plane, and the one behind its last."""
    ends = np.cumsum([0, *(len(shapes) for shapes in kinds)])
    return np.stack([ends[:-1], ends[1:]], axis=1)


def _records(
    turns: list[_Turn], kinds: list[list[_Shape]], bits: int, strides: tuple[int, int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The records of the shapes of all planes, int64[shapes, 5], and the lists of cells and factors that they name.

    A plane sees the shapes of its first image where their codes come from.
    """
    first, records, lists, factors_of = _first_planes(turns, len(kinds)), [], list[int](), dict[int, int]()
    for plane, shapes in enumerate(kinds):
        turn = next((turn for turn in turns if turn.planes[plane] == first[plane]), turns[0])
        for shape in shapes:
            cells, cells_at = shape.orders[0], len(lists)
            lists += [int(np.dot(strides, turn.source(cell))) for cell in cells]
            if id(shape) not in factors_of:
                factors_of[id(shape)] = len(lists)
                lists += [_factor(order.index(cell)) for order in shape.orders for cell in cells]
            records.append((shape.begin << bits, len(cells), len(shape.orders), cells_at, factors_of[id(shape)]))
    return np.array(records, np.int64).reshape(-1, 5), np.array(lists, np.int64)


def _factor(place: int) -> int:
    """What a code counts in the index at this place of an order, as a signed number of 64 bits."""
    factor = pow(int(MIXING), place + 1, 2**64)
    return factor - 2**64 * (factor >= 2**63)


def _above(beneath: NDArray[np.int64]) -> NDArray[np.int64]:
    """The cell that stands on each cell, -1 for none."""
    above = np.full(len(beneath), -1, np.int64)
    standing = np.flatnonzero(beneath >= 0)
    above[beneath[standing]] = standing
    return above
