"""The records by which compiled code finds the parts of a pattern network's numbers (`layout`, `policies`)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

INPUTS = np.dtype(
    [
        ("size", np.int64),  # of the planes of a state
        ("features", np.int64),  # numbers of the features behind the planes; 0: the network reads none
    ],
    align=True,
)
"""What networks in compiled code see of a state: the fields with which the numbers of each begin."""
HEADER = np.dtype(
    [
        *INPUTS.descr,
        ("cells", np.int64),  # of all layers
        ("local", np.int64),  # how many local planes a layer has
        ("shared", np.int64),
        ("tuples", np.int64),
        ("length", np.int64),  # of a tuple, padded
        ("stride", np.int64),  # entries of a table
        ("local_at", np.int64),  # int[layers, local]: the numbers of the local planes; -1 where a layer has fewer
        ("shared_at", np.int64),
        ("codes_at", np.int64),  # int[2 views, 2^bits]: codes
        ("tables_at", np.int64),  # int[2^shared, 2]: the number of the table, the view
        ("begins_at", np.int64),  # int[tuples]: the first entry of its family in a table
        ("cells_at", np.int64),  # int[2 views, length, tuples]
        ("steps_at", np.int64),  # int[length, tuples]: what a code counts in the index; 0 where padded
        ("users_at", np.int64),  # int[2 views, cells + 1]: where the uses of each cell begin
        ("uses_at", np.int64),  # int[2 views, uses, 2]: tuple, step
        ("uses", np.int64),
        ("bounded", np.int64),
        ("phases", np.int64),
        ("empty", np.int64),  # the local planes of a cell where nothing stands, as bits
        ("fewest", np.int64),  # other cells in a state
        ("spread", np.int64),  # how many different numbers of them there are
        ("shift", np.int64),  # of the hashing of indices; 0: none
        ("bits", np.int64),  # of a cell
        ("beneath_at", np.int64),  # int[cells]; 0: the game has none
        ("vector", np.int64),  # weights of an entry
        ("hidden", np.int64),  # neurons of the dense part
        ("rows_at", np.int64),  # where the entries begin in the weights, if they are vectors
        ("places", np.int64),  # cells of a layer
        ("groups_at", np.int64),  # int[layers]: the bits of the group of its cells
        ("estimate_at", np.int64),  # the place of the game's estimate in the inputs; 0: the network adds none
        ("policy", np.int64),  # where the numbers of the policy begin (`policies`); 0: the network has none
    ],
    align=True,
)
"""The record with which the numbers of a pattern network begin (`layout`)."""
POLICY = np.dtype(
    [
        ("rows_at", np.int64),  # where the entries begin in the weights
        ("stride", np.int64),  # entries of a table
        ("shift", np.int64),  # of the hashing
        ("board", np.int64),  # cells of all layers with their margins
        ("places", np.int64),  # cells of a layer
        ("most", np.int64),  # entries that an action reads at most
        ("actions", np.int64),
        ("boards_at", np.int64),  # int[cells]: where a cell is on the boards with margins; -1: beyond the edge
        ("sources_at", np.int64),  # int[2 views, cells]: the cell whose bits stand at each cell
        ("actions_at", np.int64),  # int[2 views, actions]: plane * places + cell; -1 - its entry without
        ("own_at", np.int64),  # int[planes * places]: the entry of the place itself
        ("kinds_at", np.int64),  # int[planes, 2]: the first shape of a plane, and the one behind the last
        ("shapes_at", np.int64),  # SHAPE[shapes]
        ("centres_at", np.int64),  # int[places]: where each cell of the first layer is on the boards
        ("above_at", np.int64),  # int[places]: the cell that stands on a cell, -1 for none; 0: no cell stands on one
    ],
    align=True,
)
"""The record with which the numbers of a policy begin (`policies`)."""
SHAPE = np.dtype(
    [
        ("first", np.int64),  # entry
        ("size", np.int64),  # cells
        ("orders", np.int64),
        ("cells_at", np.int64),  # int[size]
        ("factors_at", np.int64),  # int[orders, size]
    ],
    align=True,
)
"""Cells around a place, and the orders in which symmetries put them."""


def numbers_of(record: np.dtype[np.void], values: Mapping[str, int | NDArray[Any]], base: int = 0) -> NDArray[np.int64]:
    """A record with these values, and the arrays among them behind it, one after the other, as one vector.

    The field of an array has the place where it begins. `base` is the place of the record itself.
    """
    header, parts = np.zeros(1, record), list[NDArray[np.int64]]()
    at = base + record.itemsize // 8
    for name, value in values.items():
        part = np.asarray(value, np.int64)
        header[name] = at if part.ndim else part
        if part.ndim:
            parts.append(part.reshape(-1))
            at += part.size
    return np.concatenate([header.view(np.int64), *parts])


def record_in(numbers: NDArray[np.int64], record: np.dtype[np.void], at: int = 0) -> np.void:
    """The record that begins at this place of a vector, from Python."""
    found: np.void = numbers[at : at + record.itemsize // 8].view(record)[0]
    return found
