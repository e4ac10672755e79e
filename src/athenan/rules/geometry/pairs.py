"""A board of each player in one vector, for kernels: what is done to both takes as long as for one.

`pair(first, second)` has two boards of the same number of words (`words`), and `first_of` and `second_of` return them.
`&`, `|`, `^` and `~` combine them cell by cell. The other functions here change both boards alike.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

from athenan.rules.compiler import helper
from athenan.rules.geometry.edges import load_edges
from athenan.rules.intrinsics import emits
from athenan.rules.numba_parts import cgutils

_WORD, _INDEX = ir.IntType(64), ir.IntType(32)


class BoardPair(types.Type):
    """The type of two boards of some words."""

    def __init__(self, words: int) -> None:
        super().__init__(f"pair({words})")
        self.words = words


@register_model(BoardPair)
class _BoardPairModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.VectorType(_WORD, 2 * kind.words))


def _shuffled(builder: Any, one: Any, lanes: list[int]) -> Any:
    """A vector of lanes of another, or 0 for lanes beyond its last."""
    places = ir.Constant(ir.VectorType(_INDEX, len(lanes)), lanes)
    return builder.shuffle_vector(one, ir.Constant(one.type, None), places)


@emits(lambda first, second: BoardPair(first.count)(first, first))
def pair(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """pair(first, second): two boards."""
    words = [word for board in values for word in cgutils.unpack_tuple(builder, board)]
    found = ir.Constant(ir.VectorType(_WORD, len(words)), ir.Undefined)
    for lane, word in enumerate(words):
        found = builder.insert_element(found, word, ir.Constant(_INDEX, lane))
    return found


def _half(description: str, second: bool) -> Any:
    """An intrinsic that returns one of two boards."""

    @emits(lambda boards: types.UniTuple(types.uint64, boards.words)(boards))
    def half(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        words = signature.args[0].words
        lanes = [ir.Constant(_INDEX, words * second + word) for word in range(words)]
        return cgutils.pack_array(builder, [builder.extract_element(values[0], lane) for lane in lanes])

    half.__doc__ = description
    return half


first_of = _half("first_of(boards): the first player's board.", second=False)
second_of = _half("second_of(boards): the second player's board.", second=True)


@emits(lambda boards: boards(boards))
def exchanged(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """exchanged(boards): the board of each player for the other."""
    words = signature.args[0].words
    return _shuffled(builder, values[0], [(lane + words) % (2 * words) for lane in range(2 * words)])


@emits(lambda boards: types.boolean(boards))  # noqa: PLW0108  # numba reads its parameters
def any_in(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """any_in(boards): whether a board has a cell."""
    whole = ir.IntType(128 * signature.args[0].words)
    return builder.icmp_unsigned("!=", builder.bitcast(values[0], whole), ir.Constant(whole, 0))


def _moving(description: str, *, up: bool) -> Any:
    """An intrinsic that moves all cells."""

    @emits(lambda boards, distance: boards(boards, types.int64))
    def move(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        words, own, kind = signature.args[0].words, values[0], values[0].type
        step, beyond = (-1, 0) if up else (1, words - 1)
        lanes = [2 * words if lane % words == beyond else lane + step for lane in range(2 * words)]
        distances = builder.insert_element(ir.Constant(kind, ir.Undefined), values[1], ir.Constant(_INDEX, 0))
        distances = _shuffled(builder, distances, [0] * (2 * words))
        beside = _shuffled(builder, own, lanes)
        name, first, last = ("fshl", own, beside) if up else ("fshr", beside, own)
        shift = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(kind, (kind, kind, kind)), f"llvm.{name}.v{2 * words}i64"
        )
        return builder.call(shift, (first, last, distances))

    move.__doc__ = description
    return move


up = _moving("up(boards, distance): the cells moved up by 1 to 63.", up=True)
down = _moving("down(boards, distance): the cells moved down by 1 to 63.", up=False)


def _define(sign: Any, count: int, build: Callable[..., Any]) -> None:
    """Gives an operator its meaning."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return build(builder, *values)

    if count == 1:
        type_callable(sign)(lambda context: lambda one: one if isinstance(one, BoardPair) else None)
    else:
        type_callable(sign)(
            lambda context: lambda one, other: one if isinstance(one, BoardPair) and one == other else None
        )
    lower_builtin(sign, *[BoardPair] * count)(generate)


for _sign in (operator.and_, operator.iand):
    _define(_sign, 2, lambda builder, one, other: builder.and_(one, other))
for _sign in (operator.or_, operator.ior):
    _define(_sign, 2, lambda builder, one, other: builder.or_(one, other))
for _sign in (operator.xor, operator.ixor):
    _define(_sign, 2, lambda builder, one, other: builder.xor(one, other))
_define(operator.invert, 1, lambda builder, one: builder.not_(one))


@helper
def load_edge_pairs(params, begin, like):
    """The edges that begin at an index of params, each for both boards."""
    not_first, not_last = load_edges(params, begin, like)
    return pair(not_first, not_first), pair(not_last, not_last)


@helper
def neighbours(boards, width, edges):
    """The cells with a cell of a board on their left, right, lower and upper side; `edges` are of `load_edge_pairs`."""
    return up(boards, 1) & edges[0], down(boards, 1) & edges[1], up(boards, width), down(boards, width)


@helper
def around(boards, width, edges):
    """The cells beside the cells of a board."""
    left, right, below, above = neighbours(boards, width, edges)
    return left | right | below | above
