"""The places where compiled code finds the numbers of a pattern network (`layout`)."""

from typing import NamedTuple

HEADER = 48
"""Numbers before the parts."""


class HeaderPositions(NamedTuple):
    """Positions in the header of `layout`."""

    size: int = 0  # of the planes of a state
    cells: int = 1  # of all layers
    local: int = 2  # how many local planes a layer has
    shared: int = 3
    tuples: int = 4
    length: int = 5  # of a tuple, padded
    stride: int = 6  # entries of a table
    local_at: int = 7  # int[layers, local]: the numbers of the local planes; -1 where a layer has fewer
    shared_at: int = 8
    codes_at: int = 9  # int[2 views, 2^bits]: codes
    tables_at: int = 10  # int[2^shared, 2]: the number of the table, the view
    begins_at: int = 11  # int[tuples]: the first entry of its family in a table
    cells_at: int = 12  # int[2 views, length, tuples]
    steps_at: int = 13  # int[length, tuples]: what a code counts in the index; 0 where padded
    users_at: int = 14  # int[2 views, cells + 1]: where the uses of each cell begin
    uses_at: int = 15  # int[2 views, uses, 2]: tuple, step
    uses: int = 16
    bounded: int = 17
    phases: int = 18
    empty: int = 19  # the local planes of a cell where nothing stands, as bits
    fewest: int = 20  # other cells in a state
    spread: int = 21  # how many different numbers of them there are
    shift: int = 22  # of the hashing of indices; 0: none
    bits: int = 23  # of a cell
    beneath_at: int = 24  # int[cells]; 0: the game has none
    vector: int = 25  # weights of an entry
    hidden: int = 26  # neurons of the dense part
    rows_at: int = 27  # where the entries begin in the weights, if they are vectors
    places: int = 28  # cells of a layer
    groups_at: int = 29  # int[layers]: the bits of the group of its cells
    features: int = 30  # numbers of the features behind the planes; 0: the network reads none
    policy: int = 31  # where the numbers of the policy begin (`policies`); 0: the network has none


AT = HeaderPositions()
