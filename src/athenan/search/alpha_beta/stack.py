"""The data of alpha-beta beside the forest: a stack of the nodes being searched, and bounds on their values.

A chance node always has the widest window, whatever its parent's window: its value is always found.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import FLOAT_ROWS, array_of
from athenan.rules.compiler import helper
from athenan.rules.game import Game
from athenan.rules.state import CHANCE, sign
from athenan.search.alpha_beta.keys import HIGHEST, LOWEST
from athenan.search.trees.planting import Beside

FRAME = np.dtype(
    [
        ("alpha", np.int64),  # the window, in keys from the first player's point of view
        ("beta", np.int64),
        ("best", np.int64),  # key of the best edge so far
        ("later", np.uint64),  # the edges that were put off, a bit each
        ("node", np.int32),
        ("depth", np.int32),  # plies to search below the node; 1: its children are leaves
        ("position", np.int32),  # edges searched
        ("leader", np.int32),  # position of the best edge
        ("open", np.int8),  # whether an estimate went into what was found so far
        ("returning", np.int8),  # whether the edges that were put off are being searched
        ("reduced", np.int8),  # of the edge at the position: REDUCED or AGAIN, 0 if its first search has full depth
    ],
    align=True,
)
BOUND = np.dtype(
    [
        ("lower", np.int64),  # keys between which the value of a search to this depth lies
        ("upper", np.int64),
        ("depth", np.int32),  # 0: the search was left since, or never made, so the keys are not used
        ("open", np.int8),
    ],
    align=True,
)


_MOST_LATER = 64
REDUCED, AGAIN = 1, 2
"""An edge is searched less deep than others, or for the second time, because it was better than expected."""
NOTHING, VALUES, GAINS, BOTH = 0, 1, 2, 3
"""What is proven. VALUES: values, with c = 0, for one player or if points count. GAINS: the gain, and with it the value
of a draw. BOTH: the gain and the value, so that a certain win does not end the search for a better one."""


class Deepening(NamedTuple):
    """The data of the search beside the forest; the leading dimension of each array is the slot.

    `values` holds the evaluator's value of each outcome of chance, at the number of its edge. From its end backwards,
    it holds what the present iteration found for the root's edges. The kernels pass all arrays to their helpers: one
    more array would make searches a fifth slower.
    """

    frames: NDArray[np.void]  # FRAME[K, longest match + 1]
    bounds: NDArray[np.void]  # BOUND[K, node capacity]
    values: NDArray[np.float32]  # float32[K, edge capacity, if there is chance, + max_actions]


def plan(game: Game, slots: int, nodes: int, edges: int) -> Deepening:
    """The arrays for a forest with this many slots, and nodes and edges in each."""
    return Deepening(
        frames=np.zeros((slots, game.max_length + 1), FRAME),
        bounds=np.zeros((slots, nodes), BOUND),
        values=np.zeros((slots, edges * game.stochastic + game.max_actions), np.float32),
    )


def memory_beside(game: Game) -> Beside:
    """The memory of the arrays that grow with nodes and edges."""
    return Beside(BOUND.itemsize, 4 * game.stochastic)


DEEPENING = types.NamedTuple(
    [
        array_of(FRAME, 2),
        array_of(BOUND, 2),
        FLOAT_ROWS,
    ],
    Deepening,
)


@helper
def push(forest, plan, slot, node, depth, alpha, beta):
    """Begins the search of a node within a window."""
    record = forest.slots[slot]
    frame = plan.frames[slot, record.path]
    player = forest.nodes[slot, node].player
    frame.alpha = LOWEST if player == CHANCE else alpha
    frame.beta = HIGHEST if player == CHANCE else beta
    frame.best = LOWEST if sign(player) > 0 else HIGHEST
    frame.node = node
    frame.depth = depth
    frame.position = 0
    frame.leader = 0
    frame.open = 0
    frame.reduced = 0
    frame.later = 0
    frame.returning = 0
    record.path += 1
    record.current = node


@helper
def may_put_off(frame):
    """Whether the edge at the frame's position may be put off: not the first one, nor one for the second time."""
    return 0 < frame.position < _MOST_LATER and frame.returning == 0 and frame.reduced == 0


@helper
def put_off(frame):
    """Leaves the edge at the frame's position for later."""
    frame.later |= np.uint64(1) << np.uint64(frame.position)
    frame.position += 1


@helper
def _is_later(frame, position):
    """Whether the edge at a position was put off."""
    return position < _MOST_LATER and (frame.later >> np.uint64(position)) & np.uint64(1) != 0


@helper
def come_back(frame, edges):
    """Moves the position to the next edge that was put off, if all others were searched; to `edges` after the last."""
    if frame.returning == 0:
        if frame.position < edges or frame.later == 0:
            return
        frame.returning = 1
        frame.position = 0
    while frame.position < edges and not _is_later(frame, frame.position):
        frame.position += 1


@helper
def was_searched(frame, position):
    """Whether a frame has searched the edge at a position."""
    if frame.returning == 0:
        return position < frame.position and not _is_later(frame, position)
    return position < frame.position or not _is_later(frame, position)


@helper
def forget_bounds(bound):
    """Resets the bounds, as for a node that was never searched."""
    bound.lower = LOWEST
    bound.upper = HIGHEST
    bound.depth = 0
    bound.open = 0


@helper
def usable(bound, depth, proofs, reductions):
    """Whether bounds hold for a search to this depth: they come from this depth, or hold at every depth.

    With reductions, nodes of one iteration are searched to several depths, and a greater one will do as well.
    """
    if bound.depth == depth or (reductions and bound.depth > depth):
        return True
    return proofs != 0 and bound.depth > 0 and bound.open == 0


@helper
def keep_bounds(bound, frame, proofs):
    """Remembers what a search within a window has shown about the node: at depth 1, without cutoffs, its value."""
    if not usable(bound, frame.depth, proofs, 0):
        forget_bounds(bound)
    bound.depth = frame.depth
    bound.open |= frame.open
    if frame.depth == 1:
        bound.lower = frame.best
        bound.upper = frame.best
        return
    if frame.best > frame.alpha:
        bound.lower = max(bound.lower, frame.best) if frame.best >= frame.beta else frame.best
    if frame.best < frame.beta:
        bound.upper = min(bound.upper, frame.best) if frame.best <= frame.alpha else frame.best
