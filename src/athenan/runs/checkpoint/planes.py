"""Arrays of whole numbers in few bytes.

Most entries of the tables of a network are small, and many rows of them are all 0. So each row has a bit that says
whether it is stored. A row whose numbers are all multiples of a power of two is stored as that power and the quotients:
rows that were rounded coarsely have small numbers too. The rows are stored by ascending powers, as rows of one power
are alike. Their numbers have the sign in the lowest bit: -3 becomes 5, and 3 becomes 6. The lowest bytes come first,
then the next higher ones, which are nearly all 0: each of these planes is compressed by itself. LZMA keeps statistics
for places modulo up to 16, so each of up to 16 columns has its own.

>>> import numpy as np
>>> table = np.array([[0, 0], [-12, 1200], [0, 0]], np.int16)
>>> stored = to_planes(table)
>>> list(stored), decompressed(stored["powers"], 1).tolist()
(['rows', 'plane0', 'plane1', 'powers'], [2])
>>> decompressed(stored["plane0"], 2), decompressed(stored["plane1"], 2)
(array([ 5, 88], dtype=uint8), array([0, 2], dtype=uint8))
>>> from_planes(stored, "int16", [3, 2]).tolist()
[[0, 0], [-12, 1200], [0, 0]]
"""

import lzma
from collections.abc import Mapping, Sequence
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

POWERS = "powers"
"""The part of `to_planes` that only arrays of several columns have, and older files have not."""
_ROWS = "rows"
_MOST_COLUMNS = 16  # as many as LZMA can tell apart


def plane_names(dtype: str) -> list[str]:
    """The names of the parts that `to_planes` stores of every array of this type."""
    return [_ROWS, *(f"plane{place}" for place in range(np.dtype(dtype).itemsize))]


def to_planes(whole: NDArray[np.signedinteger]) -> dict[str, NDArray[np.uint8]]:
    """An array of whole numbers as compressed bytes: which rows are stored, the planes of these rows, their powers."""
    table = whole.reshape(-1, _columns(whole.shape))
    stored = table.any(axis=1)
    rows, powers = table[stored], {}
    if table.shape[1] > 1:
        of_rows = _powers_of_two(rows)
        order = np.argsort(of_rows, kind="stable")
        rows, powers = rows[order] >> of_rows[order, None], {POWERS: compressed(of_rows.astype(np.uint8))}
    unsigned = ((rows << 1) ^ (rows >> (8 * rows.itemsize - 1))).astype(f"<u{rows.itemsize}")
    _, *names = plane_names(whole.dtype.name)
    planes = np.moveaxis(unsigned[..., None].view(np.uint8), -1, 0)
    lower = {name: compressed(plane, table.shape[1]) for name, plane in zip(names, planes, strict=True)}
    return {_ROWS: compressed(np.packbits(stored)), **lower, **powers}


def _powers_of_two(rows: NDArray[np.signedinteger]) -> NDArray[np.signedinteger]:
    """The largest power of two that divides all numbers of each row, of the type of the rows; rows are not all 0."""
    bits = np.bitwise_or.reduce(rows, axis=1)
    lowest = (bits & -bits).astype(np.int64) & (1 << 8 * rows.itemsize) - 1
    found: NDArray[np.signedinteger] = np.log2(lowest).astype(rows.dtype)
    return found


def from_planes(planes: Mapping[str, NDArray[np.uint8]], dtype: str, shape: Sequence[int]) -> NDArray[np.signedinteger]:
    """The array of `to_planes`. Raises ValueError if the bytes are not an array of this type and shape."""
    columns, size = _columns(shape), np.dtype(dtype).itemsize
    count = prod(shape) // columns if columns else 0
    bits, *lower = (planes[name] for name in plane_names(dtype))
    stored = np.unpackbits(decompressed(bits, -(-count // 8)))[:count].astype(bool)
    places = int(stored.sum()) * columns
    unsigned = np.stack([decompressed(plane, places, columns) for plane in lower], axis=-1).view(f"<u{size}")[:, 0]
    rows = ((unsigned >> 1) ^ -(unsigned & 1)).astype(dtype).reshape(-1, columns)
    if POWERS in planes:
        rows = _multiplied(rows, decompressed(planes[POWERS], len(rows)))
    table = np.zeros((count, columns), dtype)
    table[stored] = rows
    return table.reshape(shape)


def _multiplied(rows: NDArray[np.signedinteger], powers: NDArray[np.uint8]) -> NDArray[np.signedinteger]:
    """Stored rows in their order and with their powers. Raises ValueError if a number is too large for its type."""
    if powers.size and powers.max() >= 8 * rows.itemsize:
        raise ValueError("a power is too large")
    factors = powers.astype(rows.dtype)
    order = np.argsort(powers, kind="stable")
    found = np.empty_like(rows)
    found[order] = rows
    largest = np.maximum(found.max(axis=1, initial=0), -1 - found.min(axis=1, initial=0))
    if (largest > np.iinfo(rows.dtype).max >> factors).any():
        raise ValueError("a number is too large")
    found <<= factors[:, None]
    return found


def _columns(shape: Sequence[int]) -> int:
    return shape[-1] if len(shape) > 1 else 1


def compressed(array: NDArray[np.generic], columns: int = 1) -> NDArray[np.uint8]:
    """The bytes of an array, compressed; the statistics of its columns are kept apart if they are bytes."""
    data = lzma.compress(np.ascontiguousarray(array).tobytes(), lzma.FORMAT_RAW, filters=_filters(columns))
    return np.frombuffer(data, np.uint8)


def decompressed(data: NDArray[np.uint8], size: int, columns: int = 1) -> NDArray[np.uint8]:
    """The bytes of `compressed`. Raises ValueError if there are not exactly `size` bytes."""
    if data.dtype != np.uint8:
        raise ValueError("compressed arrays are bytes")
    try:
        decompressor = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_filters(columns))
        found = decompressor.decompress(data.tobytes(), size + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise ValueError("the compressed bytes are damaged") from error
    if len(found) != size:
        raise ValueError(f"{size} bytes are expected, not {len(found)}")
    return np.frombuffer(found, np.uint8)


def _filters(columns: int) -> list[dict[str, int]]:
    bits = gcd(columns, _MOST_COLUMNS).bit_length() - 1
    return [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 0, "lp": bits, "pb": bits}]
