"""Whole numbers in few bytes."""

import lzma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from athenan.runs.checkpoint.planes import compressed, decompressed, from_planes, to_planes

WHOLE = st.sampled_from([np.dtype(name) for name in ("int8", "int16", "int32")])
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, max_side=20)


@given(WHOLE.flatmap(lambda dtype: hnp.arrays(dtype, SHAPES)))
def test_whole_numbers_come_back(array: np.ndarray) -> None:
    back = from_planes(to_planes(array), array.dtype.name, array.shape)
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


@given(
    hnp.arrays(np.int16, (40, 3), elements=st.integers(-60, 60)), hnp.arrays(np.int16, 40, elements=st.integers(0, 9))
)
def test_rows_of_multiples_come_back(quotients: np.ndarray, powers: np.ndarray) -> None:
    array = quotients << powers[:, None]
    np.testing.assert_array_equal(from_planes(to_planes(array), "int16", [40, 3]), array)


def test_coarse_rows_take_little() -> None:
    """The quotients and powers of rows that were rounded coarsely have less entropy than the rows."""
    random = np.random.default_rng(0)
    quotients, powers = random.integers(-3, 4, (20_000, 16)), random.integers(0, 8, 20_000)
    size = sum(plane.nbytes for plane in to_planes((quotients << powers[:, None]).astype(np.int16)).values())
    assert size < 1.15 * 20_000 * (16 * np.log2(7) + 3) / 8


def test_powers_that_do_not_fit_are_refused() -> None:
    planes = to_planes(np.full((4, 2), 64, np.int8))
    assert (
        from_planes({name: planes[name] for name in planes if name != "powers"}, "int8", [4, 2]).tolist()
        == [[1, 1]] * 4
    )
    for powers, message in (([6, 6, 7, 6], "number is too large"), ([6, 8, 6, 6], "power is too large")):
        with pytest.raises(ValueError, match=message):
            from_planes({**planes, "powers": compressed(np.array(powers, np.uint8))}, "int8", [4, 2])
    with pytest.raises(ValueError, match="bytes are expected"):
        from_planes({**planes, "powers": compressed(np.zeros(3, np.uint8))}, "int8", [4, 2])


def test_bytes_of_another_shape_or_type_are_refused() -> None:
    planes = to_planes(np.arange(-50, 50, dtype=np.int16).reshape(10, 10))
    for shape in ([10, 9], [10, 11], [17, 10], [10, 0], [0, 10]):
        with pytest.raises(ValueError, match="bytes are expected"):
            from_planes(planes, "int16", shape)
    with pytest.raises(KeyError):
        from_planes(planes, "int32", [10, 10])


def test_rows_of_zeros_take_a_bit() -> None:
    random = np.random.default_rng(0)
    table = np.zeros((80_000, 16), np.int8)
    table[::800] = random.integers(-128, 128, (100, 16))
    assert sum(plane.nbytes for plane in to_planes(table).values()) < 100 * 16 + 1000


def test_columns_have_statistics_of_their_own() -> None:
    """Less than LZMA needs without telling columns apart, and little more than the entropy of each column."""
    random = np.random.default_rng(0)
    table = np.rint(random.normal(0, 1 + np.arange(16), (20_000, 16))).astype(np.int8)
    entropy = 0.0
    for column in table.T:
        shares = np.unique(column, return_counts=True)[1] / len(column)
        entropy -= len(column) * (shares * np.log2(shares)).sum() / 8
    size = sum(plane.nbytes for plane in to_planes(table).values())
    assert size < 1.04 * entropy
    assert size < 0.95 * len(lzma.compress(table.tobytes(), lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2}]))


def test_damage_is_refused() -> None:
    with pytest.raises(ValueError, match="damaged"):
        decompressed(np.full(50, 255, np.uint8), 50)
    with pytest.raises(ValueError, match="are bytes"):
        decompressed(compressed(np.arange(9)).astype(np.int64), 72)
    with pytest.raises(ValueError, match="bytes are expected"):
        decompressed(compressed(np.arange(9)), 71)
