"""Planes as bits, row by row or whole boards at once: kernels that look at many cells at once read and write this way.

A few vector instructions turn 4, 8, 16, 32 or 64 cells into bits and back. Rows of other lengths are two such vectors
that overlap.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from athenan.rules.compiler import helper
from athenan.rules.geometry.bits import ONE
from athenan.rules.geometry.words import last_64
from athenan.rules.intrinsics import emits
from athenan.rules.memory import load16, load64
from athenan.rules.numba_parts import TypingError, cgutils

_WORD, _BYTE = ir.IntType(64), ir.IntType(8)


def _checked(count: Any) -> int:
    """The number of cells. Raises TypingError unless it is constant and a vector may have as many."""
    if not isinstance(count, types.IntegerLiteral) or count.literal_value not in (4, 8, 16, 32, 64):
        raise TypingError(f"a vector has 4, 8, 16, 32 or 64 cells, not {count}")
    return int(count.literal_value)


def _place(context: Any, builder: Any, kind: Any, planes: Any, begin: Any, count: int) -> Any:
    """The address of some cells, as a pointer to a vector of bytes."""
    data = context.make_array(kind)(context, builder, planes).data
    return builder.bitcast(builder.gep(data, [begin]), ir.VectorType(_BYTE, count).as_pointer())


def _read(context: Any, builder: Any, kind: Any, planes: Any, begin: Any, count: int) -> Any:
    cells = builder.load(_place(context, builder, kind, planes, begin, count), align=1)
    occupied = builder.icmp_unsigned("!=", cells, ir.Constant(cells.type, None))
    return builder.zext(builder.bitcast(occupied, ir.IntType(count)), _WORD)


def _write(context: Any, builder: Any, kind: Any, planes: Any, begin: Any, count: int, word: Any) -> None:
    bits = builder.bitcast(builder.trunc(word, ir.IntType(count)), ir.VectorType(ir.IntType(1), count))
    cells = builder.zext(bits, ir.VectorType(_BYTE, count))
    builder.store(cells, _place(context, builder, kind, planes, begin, count), align=1)


@intrinsic(prefer_literal=True)
def read_bits(typing_context: Any, planes: Any, begin: Any, count: Any) -> Any:
    """read_bits(planes, begin, count): a bit for each number that is not 0, the first lowest, of the 4, 8, 16, 32 or 64
    numbers of an int8 vector from `begin` on, unchecked.
    """
    cells = _checked(count)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _read(context, builder, signature.args[0], values[0], values[1], cells)

    return types.uint64(planes, types.int64, count), generate


@intrinsic(prefer_literal=True)
def write_bits(typing_context: Any, planes: Any, begin: Any, count: Any, word: Any) -> Any:
    """write_bits(planes, begin, count, word): writes the lowest bits as 0 and 1 where `read_bits` reads, unchecked."""
    cells = _checked(count)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        _write(context, builder, signature.args[0], values[0], values[1], cells, values[3])
        return context.get_dummy_value()

    return types.void(planes, types.int64, count, types.uint64), generate


@helper
def pack_row(planes, begin, cells):
    """Up to 64 numbers of a plane from `begin` on, each 0 or 1, as the bits of a word, the first one lowest."""
    if cells == 64:
        return read_bits(planes, begin, 64)
    if cells >= 32:
        return read_bits(planes, begin, 32) | read_bits(planes, begin + cells - 32, 32) << np.uint64(cells - 32)
    if cells >= 16:
        return read_bits(planes, begin, 16) | read_bits(planes, begin + cells - 16, 16) << np.uint64(cells - 16)
    if cells >= 8:
        return read_bits(planes, begin, 8) | read_bits(planes, begin + cells - 8, 8) << np.uint64(cells - 8)
    if cells >= 4:
        return read_bits(planes, begin, 4) | read_bits(planes, begin + cells - 4, 4) << np.uint64(cells - 4)
    row = np.uint64(0)
    for cell in range(cells):
        row |= np.uint64(planes[begin + cell]) << np.uint64(cell)
    return row


@helper
def unpack_row(row, planes, begin, cells):
    """Writes the lowest bits of a word, up to 64, as numbers 0 and 1 of a plane from `begin` on."""
    if cells == 64:
        write_bits(planes, begin, 64, row)
    elif cells >= 32:
        write_bits(planes, begin, 32, row)
        write_bits(planes, begin + cells - 32, 32, row >> np.uint64(cells - 32))
    elif cells >= 16:
        write_bits(planes, begin, 16, row)
        write_bits(planes, begin + cells - 16, 16, row >> np.uint64(cells - 16))
    elif cells >= 8:
        write_bits(planes, begin, 8, row)
        write_bits(planes, begin + cells - 8, 8, row >> np.uint64(cells - 8))
    elif cells >= 4:
        write_bits(planes, begin, 4, row)
        write_bits(planes, begin + cells - 4, 4, row >> np.uint64(cells - 4))
    else:
        for cell in range(cells):
            planes[begin + cell] = row >> np.uint64(cell) & ONE


@emits(lambda planes, begin, last, like: like(planes, types.int64, types.uint64, like))
def _whole_words(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """_whole_words(planes, begin, last, like): a board, of whose words only the last one is given."""
    words, begins = [], values[1]
    for _ in range(signature.return_type.count - 1):
        words.append(_read(context, builder, signature.args[0], values[0], begins, 64))
        begins = builder.add(begins, ir.Constant(_WORD, 64))
    return cgutils.pack_array(builder, [*words, values[2]])


@emits(lambda words, planes, begin: types.void(words, planes, types.int64))
def _write_whole_words(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """_write_whole_words(words, planes, begin): writes all words of a board but the last one."""
    begins = values[2]
    for word in cgutils.unpack_tuple(builder, values[0])[:-1]:
        _write(context, builder, signature.args[1], values[1], begins, 64, word)
        begins = builder.add(begins, ir.Constant(_WORD, 64))
    return context.get_dummy_value()


@helper
def pack_board(planes, begin, cells, like):
    """The numbers of a plane from `begin` on, each 0 or 1, as a board (`words`) of as many words as they need."""
    if len(like) == 1:
        last = pack_row(planes, begin, cells)
    else:
        last = read_bits(planes, begin + cells - 64, 64) >> np.uint64(64 * len(like) - cells)
    return _whole_words(planes, begin, last, like)


@helper
def unpack_board(words, planes, begin, cells):
    """Writes the cells of a board where `pack_board` reads them."""
    _write_whole_words(words, planes, begin)
    if len(words) == 1:
        unpack_row(words[0], planes, begin, cells)
    else:
        write_bits(planes, begin + cells - 64, 64, last_64(words, cells))


@helper
def fill(planes, begin, cells, value):
    """Writes the same number, 0 or 1, into `cells` cells from `begin` on."""
    row = ~np.uint64(0) if value else np.uint64(0)
    for cell in range(0, cells - 64, 64):
        write_bits(planes, begin + cell, 64, row)
    if cells >= 64:
        write_bits(planes, begin + cells - 64, 64, row)
    else:
        unpack_row(row, planes, begin, cells)


@helper
def unpack_words(state, words, planes, begin, cells):
    """Writes the bits of words that begin at a byte of a state, the lowest first, as a plane from `begin` on."""
    for cell in range(0, cells, 64):
        unpack_row(load64(state, words + (cell >> 3)), planes, begin + cell, min(cells - cell, 64))


@helper
def unpack_rows(state, rows, planes, begin, width, height):
    """Writes rows of 16 bits that begin at a byte of a state as a plane from `begin` on, 64 cells at a time.

    The lowest bit of a row is its first cell. Bits beyond the width must be 0.
    """
    word, used = np.uint64(0), 0
    for row in range(height):
        bits = np.uint64(load16(state, rows + 2 * row))
        word |= bits << np.uint64(used)
        used += width
        if used >= 64:
            write_bits(planes, begin, 64, word)
            begin, used = begin + 64, used - 64
            word = bits >> np.uint64(width - used)
    unpack_row(word, planes, begin, used)
