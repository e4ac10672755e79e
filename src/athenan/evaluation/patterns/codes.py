"""Codes: what stands on each cell of an encoded state, as a small number.

A plane of 0 and 1 that is the same on all cells in every state, such as the side to move, is *shared*: the shared
planes of a state choose one of several tables. The other planes of 0 and 1 are *local*: the code of a cell says which
local planes are 1 there. Planes with other numbers are left out. Random play finds which plane is which, and which
codes occur, so the same seed gives the same codes. A combination that random play has not met gets the code that
differs in the fewest planes.

If a game has several boards (`Game.boards`), each is a *layer*, with as many cells as the planes have. On request each
board has two layers: what stands there, and the marks upon it, such as frozen pieces. Both have fewer codes than their
combinations, so a tuple can have more cells.

If a game says what is beneath a cell (`Game.beneath`), an empty cell that can be filled now has a bit of its own, above
the bits of the local planes. Features, such as a threat at an empty cell, do not fill a cell. The bits above that are
the number of the cell's group: layers of one group have the same codes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.rules.colours import PlaneExchange
from athenan.rules.features import input_planes, input_symmetry, with_features
from athenan.rules.game import Game
from athenan.rules.playouts import encoded_states, random_states

STATES = 20_000
"""States of random play in which codes are looked for."""
MOST_BITS = 20
"""Most bits of a cell that codes can tell apart, and most shared planes."""


class NoPatternsError(ValueError):
    """A game whose states have no cells that can be coded."""


@dataclass(frozen=True, eq=False)
class Codes:
    """Turns the planes of a state into the codes of its cells and the number of its table."""

    local: NDArray[np.int64]
    """int64[layers, kinds]: the local planes of each layer, -1 where another group has more kinds."""
    group: NDArray[np.int64]
    """int64[layers]: the group of each layer, ascending."""
    shared: NDArray[np.int64]
    """The shared planes, ascending."""
    code_of: NDArray[np.uint8]
    """uint8[2^bits]: the code of a cell, by its bits."""
    table_of: NDArray[np.uint8]
    """uint8[2^shared]: the number of the table of a state, by its shared planes as bits."""
    varying: NDArray[np.bool_]
    """bool[layers * rows * columns]: whether the code of a cell varies."""
    pieces: NDArray[np.int64]
    """int64[3]: the bits of a cell of the first group where nothing stands: none, or if all cells have some the most
    frequent ones; and the fewest and the most cells with other bits, of all layers, that a state of random play has."""
    beneath: NDArray[np.int64]
    """int64[rows * columns], as `Game.beneath`; int64[0] if the game does not declare it."""
    planes: int
    """The number of planes of the game's encoded states. Its features are behind them. It is not saved."""

    @property
    def bits(self) -> int:
        """Bits of a cell: of its local planes, whether it can be filled now, and its group."""
        return self.group_at + int(self.group[-1]).bit_length()

    @property
    def group_at(self) -> int:
        """The lowest bit of the group."""
        return int(self.local.shape[1]) + bool(len(self.beneath))

    @property
    def starts(self) -> NDArray[np.int64]:
        """int64[layers * rows * columns]: the bits of a cell that has no pieces."""
        return np.repeat(self.group << self.group_at, len(self.varying) // len(self.group))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """int64[layers * rows * columns]: how many codes a cell has."""
        of_groups = self.code_of.reshape(-1, 1 << self.group_at).max(axis=1).astype(np.int64) + 1
        return np.repeat(of_groups[self.group], len(self.varying) // len(self.group))

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return int(self.table_of.max()) + 1

    def of(self, planes: NDArray[np.int8]) -> tuple[NDArray[np.uint8], int]:
        """The codes of the cells, uint8[layers * rows * columns], and the number of the table, of one encoded state.

        Its features follow the planes (`rules.features.with_features`).
        """
        cells = planes.reshape(len(planes), -1)
        found = _free(_masks(cells, self.local), self.beneath, self.local, self.planes)
        return self.code_of[found + self.starts], int(self.table_of[_bits(cells[self.shared, 0])])

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name; `restored` takes them."""
        return {name: getattr(self, name) for name in ARRAYS}

    @staticmethod
    def restored(game: Game, arrays: Mapping[str, NDArray[Any]]) -> "Codes":
        """The codes that `as_arrays` gave, among other arrays. Raises ValueError if they are not of this game.

        Networks of one layer may lack its group, and have one row of local planes.
        """
        _, rows, columns = game.planes
        arrays = {"group": np.zeros(1, np.int64), **arrays, "local": np.atleast_2d(arrays["local"])}
        codes = Codes(**{name: arrays[name] for name in ARRAYS}, planes=game.planes[0])
        layers = len(codes.local)
        groups = layers // game.boards
        of_boards = np.repeat(np.arange(groups), game.boards)
        if (
            codes.local.dtype != np.int64 or codes.local.ndim != 2 or not codes.local.size
            or not np.array_equal(codes.group, of_boards) or not 1 <= groups <= 2
            or not np.array_equal(codes.beneath, _beneath(game)) or (len(codes.beneath) and layers > 1)
        ):  # fmt: skip
            raise ValueError(f"its codes are not of {game.name}")
        wanted = {
            "shared": (np.int64, (len(codes.shared),)), "code_of": (np.uint8, (1 << min(codes.bits, MOST_BITS),)),
            "table_of": (np.uint8, (1 << min(len(codes.shared), MOST_BITS),)),
            "varying": (np.bool_, (layers * rows * columns,)), "pieces": (np.int64, (3,)),
        }  # fmt: skip
        chosen = [*codes.local[codes.local >= 0], *codes.shared]
        padding = codes.local.reshape(groups, game.boards, -1) < 0
        if (
            any(arrays[name].dtype != dtype or arrays[name].shape != shape for name, (dtype, shape) in wanted.items())
            or any(not 0 <= plane < input_planes(game) for plane in chosen)
            or len(set(chosen)) < len(chosen)
            or (padding != padding[:, :1]).any()
            or not 0 <= codes.pieces[1] <= codes.pieces[2] <= len(codes.varying)
            or not 0 <= codes.pieces[0] < len(codes.code_of)
        ):
            raise ValueError(f"its codes are not of {game.name}")
        return codes


ARRAYS = tuple(item.name for item in fields(Codes) if item.name != "planes")
"""The names of the arrays of codes, as they are saved."""


@lru_cache(maxsize=16)
def codes_of(game: Game, layers: bool = False, features: bool = True, all_shared: bool = True) -> Codes:
    """The codes of a game; with `layers`, what overlaps the pieces is a layer of its own.

    Without `features`, the game's features are left out. Without `all_shared`, only the side to move remains of the
    shared planes.

    Raises NoPatternsError if no cell can be coded.
    """
    planes = encoded_states(game, random_states(game, STATES))
    flat = with_features(game, planes) if features else planes.reshape(STATES, game.planes[0], -1)
    some, every = np.bitwise_or.reduce(flat), np.bitwise_and.reduce(flat)  # they differ where numbers do
    binary = (some | 1 == 1).all(axis=1)
    if features and game.features.estimate:
        binary[-1] = False
    same = (np.bitwise_or.reduce(flat, axis=2) == np.bitwise_and.reduce(flat, axis=2)).all(axis=0)
    varied = (some != every).any(axis=1)
    shared = np.flatnonzero(binary & same & varied)
    if not all_shared:
        shared = shared[shared == _side(game)]
    found = np.flatnonzero(binary & ~same & varied)
    if not found.size:
        raise NoPatternsError(f"{game.name} has no planes of 0 and 1 that tell what stands on a cell")
    beneath, kinds = _beneath(game), np.unique(found // game.boards)
    groups = [kinds] if len(beneath) or not layers else _groups(game, flat, kinds)
    local = np.full((len(groups) * game.boards, max(map(len, groups))), -1, np.int64)
    for layer, row in enumerate(local):
        group = groups[layer // game.boards]
        row[: len(group)] = group * game.boards + layer % game.boards
    group_at = local.shape[1] + bool(len(beneath))
    if max(group_at + len(groups) - 1, len(shared)) > MOST_BITS:
        raise NoPatternsError(f"{game.name} has {len(kinds)} planes for each cell; patterns take at most {MOST_BITS}")
    masks = _masks(flat.swapaxes(0, 1), local)
    varying = (masks != masks[:1]).any(axis=0)
    bits = _free(masks, beneath, local, game.planes[0]).reshape(STATES, len(groups), -1)
    seen = varying.reshape(len(groups), -1)  # what stands on other cells, such as those of a border, needs no code
    first = masks.reshape(STATES, len(groups), -1)[:, 0]
    empty = 0 if (first == 0).any() else int(np.bincount(first.reshape(-1)).argmax())
    counts = (first != empty).sum(axis=1) + first.shape[1] * (len(groups) - 1)  # no cell of marks is that empty cell
    return Codes(
        local, np.repeat(np.arange(len(groups)), game.boards), shared,
        np.concatenate([_numbered(bits[:, number][:, seen[number]], group_at) for number in range(len(groups))]),
        _numbered(_bits(flat[:, shared, 0].T), len(shared)), varying,
        np.array([empty, counts.min(), counts.max()]), beneath, game.planes[0],
    )  # fmt: skip


def _side(game: Game) -> int:
    """The plane of the side to move. Raises NoPatternsError if the game does not tell which it is."""
    exchange = exchange_of(game)
    if exchange is None:
        raise NoPatternsError(f"shared must be true: {game.name} declares no exchange of the players")
    return exchange.side


def exchange_of(game: Game, estimate: bool = True) -> PlaneExchange | None:
    """What turns states of the second player into images for the first, for a network with or without `estimate`."""
    if game.colour_symmetry is not None:
        return game.colour_symmetry.of_planes
    return game.plane_exchange if estimate else None


def has_codes(game: Game) -> bool:
    """Whether the cells of the game can be coded."""
    try:
        codes_of(game)
    except NoPatternsError:
        return False
    return True


def _groups(game: Game, flat: NDArray[np.int8], kinds: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Divides kinds into what stands on a cell, and the marks upon it.

    The first group has, from the first kind on, kinds of which any two exclude or imply each other. The others are
    marks. Kinds that the exchange of the players turns into each other stay together.
    """
    planes = flat.reshape(len(flat), -1, game.boards, flat.shape[2])[:, kinds] != 0
    ones = planes.swapaxes(0, 1).reshape(len(kinds), -1).astype(np.float32)
    both = ones @ ones.T
    fewer = np.minimum(both.diagonal(), both.diagonal()[:, None])
    nested = (both == 0) | (both == fewer)
    exchange, chosen = exchange_of(game), list[int]()
    images = kinds
    if exchange is not None:
        sources = input_symmetry(game, exchange.planes, exchange=True)[:: flat.shape[2]]
        images = sources[kinds * game.boards] // flat.shape[2] // game.boards
    for number, image in enumerate(images):
        added = [*chosen, *{number, *np.flatnonzero(kinds == image).tolist()}]
        if nested[np.ix_(added, added)].all():
            chosen = list(dict.fromkeys(added))
    others = np.setdiff1d(np.arange(len(kinds)), chosen)
    return [group for group in (kinds[sorted(chosen)], kinds[others]) if len(group)]


def _beneath(game: Game) -> NDArray[np.int64]:
    return np.zeros(0, np.int64) if game.beneath is None else np.asarray(game.beneath, np.int64)


def _masks(planes: NDArray[np.int8], local: NDArray[np.int64]) -> NDArray[np.int64]:
    """The local planes of cells as bits, int64[..., layers * cells], from [planes, ..., cells]."""
    found: NDArray[np.int64] = np.concatenate([_bits(planes[layer[layer >= 0]]) for layer in local], axis=-1)
    return found


def _free(
    masks: NDArray[np.int64], beneath: NDArray[np.int64], local: NDArray[np.int64], planes: int
) -> NDArray[np.int64]:
    """The bits of cells with the one that says which empty cells can be filled now; features do not fill a cell."""
    if not len(beneath):
        return masks
    filled = (masks & int(_bits(local[0] < planes))) != 0
    free = ~filled & ((beneath < 0) | filled[..., beneath])
    found: NDArray[np.int64] = masks + (free.astype(np.int64) << local.shape[1])
    return found


def _bits(planes: NDArray[np.int8]) -> NDArray[np.int64]:
    """Numbers from planes of 0 and 1, [planes, ...]: the first plane is the lowest bit."""
    found = np.zeros(planes.shape[1:], np.int64)
    for bit, plane in enumerate(planes):
        found += (plane != 0).astype(np.int64) << bit
    return found


def _numbered(masks: NDArray[np.int64], bits: int) -> NDArray[np.uint8]:
    """Numbers from 0 on for the masks that occur, ascending; other masks get the number of the nearest one."""
    seen = np.flatnonzero(np.bincount(masks.reshape(-1)))
    if len(seen) > 256:
        raise NoPatternsError(f"its cells have {len(seen)} different codes; patterns take at most 256")
    nearest = np.full(1 << bits, 255, np.uint8)
    numbers = np.zeros(1 << bits, np.uint8)
    for number, mask in enumerate(seen):
        distance = np.bitwise_count(np.arange(1 << bits) ^ mask)
        numbers[distance < nearest] = number
        nearest = np.minimum(nearest, distance)
    return numbers
