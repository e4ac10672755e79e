"""Codes: what stands on each cell of an encoded state, as a small number.

A plane of 0 and 1 that is the same on all cells in every state, such as the side to move, is *shared*: the shared
planes of a state choose one of several tables. The other planes of 0 and 1 are *local*: those that are 1 at a cell are
its code. Planes with other numbers are left out. Which is which, and which codes occur, is found by random play, so
that the same seed gives the same codes; what random play has not met gets the code that differs in the fewest planes.

Where a game says what is beneath a cell (`Game.beneath`), an empty cell that can be filled now has a bit of its own,
above those of the local planes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.rules.game import Game
from athenan.rules.playouts import encoded_states, random_states

STATES = 20_000
"""States of random play in which codes are looked for."""
MOST_PLANES = 20
"""Local planes that codes can tell apart."""


class NoPatternsError(ValueError):
    """A game whose states have no cells that can be coded."""


@dataclass(frozen=True, eq=False)
class Codes:
    """From the planes of a state to the codes of its cells and the number of its table."""

    local: NDArray[np.int64]
    """The local planes, ascending."""
    shared: NDArray[np.int64]
    """The shared planes, ascending."""
    code_of: NDArray[np.uint8]
    """uint8[2^bits]: the code of a cell, by its bits."""
    table_of: NDArray[np.uint8]
    """uint8[2^shared]: the number of the table of a state, by its shared planes as bits."""
    varying: NDArray[np.bool_]
    """bool[rows * columns]: whether a cell has not always the same code."""
    pieces: NDArray[np.int64]
    """int64[3]: the local planes, as bits, of a cell where nothing stands: none, or if all cells have some the most
    frequent ones; and the fewest and the most other cells that a state of random play has."""
    beneath: NDArray[np.int64]
    """int64[rows * columns], as `Game.beneath`; int64[0] if the game has none."""

    @property
    def bits(self) -> int:
        """Bits of a cell: of its local planes, and whether it can be filled now."""
        return len(self.local) + bool(len(self.beneath))

    @property
    def codes(self) -> int:
        """How many codes there are."""
        return int(self.code_of.max()) + 1

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return int(self.table_of.max()) + 1

    def of(self, planes: NDArray[np.int8]) -> tuple[NDArray[np.uint8], int]:
        """The codes of the cells, uint8[rows * columns], and the number of the table, of one encoded state."""
        cells = planes.reshape(len(planes), -1)
        return self.code_of[_cells(cells[self.local], self.beneath)], int(self.table_of[_bits(cells[self.shared, 0])])

    def phase_of(self, planes: NDArray[np.int8], phases: int) -> int:
        """The phase of one encoded state, of so many."""
        empty, fewest, most = map(int, self.pieces)
        count = int((_bits(planes.reshape(len(planes), -1)[self.local]) != empty).sum())
        return max(0, min(phases - 1, (count - fewest) * phases // (most - fewest + 1)))

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """All of it by name; `restored` takes them."""
        return dict(vars(self))

    @staticmethod
    def restored(game: Game, arrays: Mapping[str, NDArray[Any]]) -> "Codes":
        """What `as_arrays` gave, among other arrays. Raises ValueError if it is not of this game."""
        planes, rows, columns = game.planes
        codes = Codes(**{item.name: arrays[item.name] for item in fields(Codes)})
        wanted = {
            "local": (np.int64, (len(codes.local),)), "shared": (np.int64, (len(codes.shared),)),
            "code_of": (np.uint8, (1 << min(codes.bits, MOST_PLANES),)),
            "beneath": (np.int64, (len(codes.beneath),)),
            "table_of": (np.uint8, (1 << min(len(codes.shared), MOST_PLANES),)),
            "varying": (np.bool_, (rows * columns,)), "pieces": (np.int64, (3,)),
        }  # fmt: skip
        chosen = [*codes.local, *codes.shared]
        if (
            any(arrays[name].dtype != dtype or arrays[name].shape != shape for name, (dtype, shape) in wanted.items())
            or not len(codes.local)
            or not np.array_equal(codes.beneath, _beneath(game))
            or any(not 0 <= plane < planes for plane in chosen)
            or len(set(chosen)) < len(chosen)
            or codes.pieces[1] > codes.pieces[2]
            or not 0 <= codes.pieces[0] < len(codes.code_of)
        ):
            raise ValueError(f"its codes are not of {game.name}")
        return codes


def codes_of(game: Game, seed: int = 0) -> Codes:
    """The codes of a game. Raises NoPatternsError if no cell can be coded."""
    flat = encoded_states(game, random_states(game, STATES, seed)).reshape(STATES, game.planes[0], -1)
    binary = ((flat == 0) | (flat == 1)).all(axis=(0, 2))
    same = (flat == flat[:, :, :1]).all(axis=(0, 2))
    shared = np.flatnonzero(binary & same & (flat[:, :, 0] != flat[0, :, 0]).any(axis=0))
    local = np.flatnonzero(binary & ~same & (flat != flat[:1]).any(axis=(0, 2)))
    if not local.size:
        raise NoPatternsError(f"{game.name} has no planes of 0 and 1 that tell what stands on a cell")
    if max(len(local), len(shared)) > MOST_PLANES:
        raise NoPatternsError(f"{game.name} has {len(local)} planes for each cell; patterns take at most {MOST_PLANES}")
    masks, beneath = _bits(flat[:, local].swapaxes(0, 1)), _beneath(game)
    empty = 0 if (masks == 0).any() else int(np.bincount(masks.reshape(-1)).argmax())
    counts = (masks != empty).sum(axis=1)
    bits = _cells(flat[:, local].swapaxes(0, 1), beneath)
    return Codes(
        local, shared, _numbered(bits, len(local) + bool(len(beneath))),
        _numbered(_bits(flat[:, shared, 0].T), len(shared)), (masks != masks[:1]).any(axis=0),
        np.array([empty, counts.min(), counts.max()]), beneath,
    )  # fmt: skip


def has_codes(game: Game) -> bool:
    """Whether the cells of the game can be coded."""
    try:
        codes_of(game)
    except NoPatternsError:
        return False
    return True


def _beneath(game: Game) -> NDArray[np.int64]:
    return np.zeros(0, np.int64) if game.beneath is None else np.asarray(game.beneath, np.int64)


def _cells(planes: NDArray[np.int8], beneath: NDArray[np.int64]) -> NDArray[np.int64]:
    """The bits of cells, int64[..., cells], from their local planes, [planes, ..., cells]."""
    masks = _bits(planes)
    if not len(beneath):
        return masks
    free = (masks == 0) & ((beneath < 0) | (masks[..., beneath] != 0))
    masks[free] = 1 << len(planes)
    return masks


def _bits(planes: NDArray[np.int8]) -> NDArray[np.int64]:
    """Numbers from planes of 0 and 1, [planes, ...]: the first plane is the lowest bit."""
    found = np.zeros(planes.shape[1:], np.int64)
    for bit, plane in enumerate(planes):
        found += (plane != 0).astype(np.int64) << bit
    return found


def _numbered(masks: NDArray[np.int64], bits: int) -> NDArray[np.uint8]:
    """Numbers from 0 on for the masks that occur, ascending; others get that of the nearest one."""
    seen = np.unique(masks)
    if len(seen) > 256:
        raise NoPatternsError(f"its cells have {len(seen)} different codes; patterns take at most 256")
    nearest = np.full(1 << bits, 255, np.uint8)
    numbers = np.zeros(1 << bits, np.uint8)
    for number, mask in enumerate(seen):
        distance = np.bitwise_count(np.arange(1 << bits) ^ mask)
        numbers[distance < nearest] = number
        nearest = np.minimum(nearest, distance)
    return numbers
