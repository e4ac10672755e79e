"""Boards of more than 64 cells as tuples of 64-bit words, the lowest bits first.

The number of words is part of the type of a tuple. So kernels that are compiled for a number of words keep a board in
registers, without loops and memory. `like` is any tuple with the right number of words.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from athenan.rules.compiler import helper
from athenan.rules.geometry.bits import bit_of_rank, lowest
from athenan.rules.intrinsics import emits
from athenan.rules.numba_parts import TypingError, cgutils

_WORD, _BYTE = ir.IntType(64), ir.IntType(8)
_BITS = 64


def _word(value: int) -> Any:
    return ir.Constant(_WORD, value)


def _checked(*boards: Any) -> Any:
    """The type of the boards. Raises TypingError unless they are tuples of the same number of words."""
    kind = boards[0]
    if not isinstance(kind, types.UniTuple) or kind.dtype != types.uint64 or any(one != kind for one in boards):
        raise TypingError(f"boards are tuples of uint64 of one length, not {', '.join(map(str, boards))}")
    return kind


def _bytes_at(context: Any, builder: Any, kind: Any, array: Any, offset: Any) -> Any:
    """The address of a byte in the data of an array, as a pointer to words."""
    data = builder.bitcast(context.make_array(kind)(context, builder, array).data, _BYTE.as_pointer())
    return builder.bitcast(builder.gep(data, [offset]), _WORD.as_pointer())


@emits(lambda array, offset, like: _checked(like)(array, types.int64, like))
def load_words(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """load_words(array, offset, like): the words at `offset` bytes in the data of an array of numbers, unchecked."""
    place, words = _bytes_at(context, builder, signature.args[0], values[0], values[1]), []
    for number in range(signature.return_type.count):
        words.append(builder.load(builder.gep(place, [_word(number)]), align=1))
    return cgutils.pack_array(builder, words)


@emits(lambda array, offset, words: types.void(array, types.int64, _checked(words)))
def store_words(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """store_words(array, offset, words): writes words where `load_words` reads them, unchecked."""
    place = _bytes_at(context, builder, signature.args[0], values[0], values[1])
    for number, word in enumerate(cgutils.unpack_tuple(builder, values[2])):
        builder.store(word, builder.gep(place, [_word(number)]), align=1)
    return context.get_dummy_value()


def _by_words(description: str, operation: Callable[[Any, Any, Any], Any]) -> Any:
    """An intrinsic that combines the words of two boards, one by one."""

    @emits(lambda one, other: _checked(one, other)(one, other))
    def combine(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pairs = zip(*(cgutils.unpack_tuple(builder, board) for board in values), strict=True)
        return cgutils.pack_array(builder, [operation(builder, *pair) for pair in pairs])

    combine.__doc__ = description
    return combine


both = _by_words("The cells in both of two boards.", lambda builder, one, other: builder.and_(one, other))
either = _by_words("The cells in one of two boards or in both.", lambda builder, one, other: builder.or_(one, other))
without = _by_words(
    "The cells of the first board that the second lacks.",
    lambda builder, one, other: builder.and_(one, builder.not_(other)),
)


@emits(lambda cell, like: _checked(like)(types.int64, like))
def single(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """single(cell, like): a board with one cell."""
    bit = builder.shl(_word(1), builder.and_(values[0], _word(_BITS - 1)))
    own, words = builder.lshr(values[0], _word(6)), []
    for number in range(signature.return_type.count):
        words.append(builder.select(builder.icmp_unsigned("==", own, _word(number)), bit, _word(0)))
    return cgutils.pack_array(builder, words)


@emits(lambda words: types.boolean(_checked(words)))
def any_of(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """any_of(words): whether a board has a cell."""
    found = _word(0)
    for word in cgutils.unpack_tuple(builder, values[0]):
        found = builder.or_(found, word)
    return builder.icmp_unsigned("!=", found, _word(0))


@emits(lambda words: types.int64(_checked(words)))
def count_of(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """count_of(words): the number of a board's cells."""
    count = _word(0)
    for word in cgutils.unpack_tuple(builder, values[0]):
        count = builder.add(count, builder.ctpop(word))
    return count


def _moved(builder: Any, words: list[Any], distance: Any, *, up: bool) -> list[Any]:
    """The words with all cells moved; from 1 to 63 cells."""
    rest, moved = builder.sub(_word(_BITS), distance), []
    towards, back = (builder.shl, builder.lshr) if up else (builder.lshr, builder.shl)
    for number, word in enumerate(words):
        before, own = number - 1 if up else number + 1, towards(word, distance)
        moved.append(builder.or_(own, back(words[before], rest)) if 0 <= before < len(words) else own)
    return moved


def _moving(description: str, *, up: bool) -> Any:
    """An intrinsic that moves all cells of a board."""

    @emits(lambda words, distance: _checked(words)(words, types.int64))
    def move(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        words = cgutils.unpack_tuple(builder, values[0])
        return cgutils.pack_array(builder, _moved(builder, words, values[1], up=up))

    move.__doc__ = description
    return move


moved_up = _moving("moved_up(words, distance): a board's cells moved up by 1 to 63.", up=True)
moved_down = _moving("moved_down(words, distance): a board's cells moved down by 1 to 63.", up=False)


@emits(lambda words, stride: _checked(words)(words, types.int64))
def beside(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """beside(words, stride): the cells `stride`, from 2 to 63, or 1 above or below a board's cells, itself perhaps."""
    words, near = cgutils.unpack_tuple(builder, values[0]), []
    for distance in (_word(1), values[1]):
        near += [_moved(builder, words, distance, up=up) for up in (False, True)]
    found = near[0]
    for more in near[1:]:
        found = [builder.or_(*pair) for pair in zip(found, more, strict=True)]
    return cgutils.pack_array(builder, found)


@emits(lambda words, stride: types.UniTuple(_checked(words), 3)(words, types.int64))
def beside_at_least(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """beside_at_least(words, stride): the cells that have one cell of a board `beside` them or more, two, and three."""
    words = cgutils.unpack_tuple(builder, values[0])
    near = [_moved(builder, words, distance, up=up) for distance in (_word(1), values[1]) for up in (False, True)]
    some, several, many = [], [], []
    for left, right, below, above in zip(*near, strict=True):
        pair, other = builder.and_(left, right), builder.and_(below, above)
        either_of, other_of = builder.or_(left, right), builder.or_(below, above)
        some.append(builder.or_(either_of, other_of))
        several.append(builder.or_(builder.or_(pair, other), builder.and_(either_of, other_of)))
        many.append(builder.or_(builder.and_(pair, other_of), builder.and_(other, either_of)))
    boards = [cgutils.pack_array(builder, board) for board in (some, several, many)]
    return context.make_tuple(builder, signature.return_type, boards)


@emits(lambda words, cells: types.uint64(_checked(words), types.int64))
def last_64(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """last_64(words, cells): the last 64 of a board's first `cells` cells, which end in its last word.

    A board of one word is returned as it is.
    """
    words = cgutils.unpack_tuple(builder, values[0])
    if len(words) == 1:
        return words[0]
    whole = _word(_BITS * len(words))
    missing = builder.sub(whole, values[1])  # 0 to 63 cells: no shift is by 64, which LLVM leaves undefined
    before = builder.lshr(builder.lshr(words[-2], builder.sub(_word(_BITS - 1), missing)), _word(1))
    return builder.or_(before, builder.shl(words[-1], missing))


@emits(lambda words, rank: types.Tuple([types.uint64, types.int64, types.int64])(_checked(words), types.int64))
def _word_of_rank(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """_word_of_rank(words, rank): the word with the cell of a rank, its first bit, and the rank within the word."""
    words, rank = cgutils.unpack_tuple(builder, values[0]), values[1]
    chosen, start, before, total = words[0], _word(0), _word(0), builder.ctpop(words[0])
    for number, word in enumerate(words[1:], 1):
        later = builder.icmp_unsigned(">=", rank, total)
        chosen, start = builder.select(later, word, chosen), builder.select(later, _word(_BITS * number), start)
        before = builder.select(later, total, before)
        total = builder.add(total, builder.ctpop(word))
    return context.make_tuple(builder, signature.return_type, [chosen, start, builder.sub(rank, before)])


@emits(lambda words: types.int64(_checked(words)))
def highest_of(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """highest_of(words): the highest cell of a board, which must have one."""
    found = _word(0)
    for number, word in enumerate(cgutils.unpack_tuple(builder, values[0])):
        place = builder.sub(_word(_BITS * number + _BITS - 1), builder.ctlz(word, ir.Constant(ir.IntType(1), 0)))
        found = builder.select(builder.icmp_unsigned("!=", word, _word(0)), place, found)
    return found


@helper
def lowest_of(words):
    """The lowest cell of a board, which must have one."""
    word, start, _ = _word_of_rank(words, 0)
    return start + lowest(word)


@helper
def cell_of_rank(words, rank):
    """The cell of a board with `rank` cells below it; the board must have more than `rank` cells."""
    word, start, left = _word_of_rank(words, rank)
    return start + bit_of_rank(word, left)
