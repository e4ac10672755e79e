"""Files of Hex whose players exchange the sides: the first stone stays, and the colours change hands.

Here a swap exchanges the pieces: the stone changes its colour and is mirrored at the long diagonal, and the players
keep their sides. Both are the same match seen from different sides, so the cells after a swap of sides are mirrored and
their colours exchanged. HexGui and the programs of benzene write either word for either swap; what tells them apart
is who moves next. After a swap of sides it is the colour that has swapped.
"""

import re
from dataclasses import replace

from athenan.files.sgf.nodes import main_moves, one_by_one
from athenan.files.sgf.tree import SgfError, SgfNode
from athenan.rules.sgf import LETTERS

_SWAPS = ("swap", "swap-pieces", "swap-sides")
_CELL = re.compile(r"([a-z])([1-9]\d?)", re.IGNORECASE)
_OTHER = {"B": "W", "W": "B", "AB": "AW", "AW": "AB", "BL": "WL", "WL": "BL"}


def with_swapped_pieces(root: SgfNode) -> tuple[SgfNode, bool]:
    """The tree with a swap of pieces in place of every swap of sides, and whether its main line had one of sides.

    Raises SgfError if it is not clear which of the two a swap is.
    """
    top, main = SgfNode(), False
    todo = [(root, top, False, True)]
    for given, parent, turned, in_main in todo:  # without recursion: a tree may be deeper than calls can be
        node = one_by_one(given)
        turns = not turned and _swaps_sides(node)
        main = main or (turns and in_main)
        if turns:
            copy = SgfNode({name: list(map(_word, values)) for name, values in node.properties.items()})
        else:
            copy = _mirrored(node) if turned else replace(node, children=[])
        parent.children.append(copy)
        todo += [(child, copy, turned or turns, in_main and not at) for at, child in enumerate(node.children)]
    return top.children[0], main


def _swaps_sides(node: SgfNode) -> bool:
    """Whether a node exchanges the sides. Raises SgfError if that is not clear."""
    moves = main_moves(node)
    colour, text = next(moves, ("", "")) if node.moves else ("", "")
    if text.lower() not in _SWAPS:
        return False
    after, _ = next(moves, ("", ""))
    if text.lower() == "swap-sides" and after not in ("", colour):
        raise SgfError("after its swap-sides the other colour moves: it is not clear what the players swap")
    return after == colour


def _word(text: str) -> str:
    return "swap-pieces" if text.strip().lower() in _SWAPS else text


def _mirrored(node: SgfNode) -> SgfNode:
    """A node without its children, with the colours and cells of the other side."""
    cells = ("B", "W", "AB", "AW", "AE")
    properties = {
        _OTHER.get(name, name): list(map(mirrored, values)) if name in cells else values
        for name, values in node.properties.items()
    }
    return SgfNode(properties)


def mirrored(text: str) -> str:
    """A cell with its column and row exchanged; another text stays as it is.

    >>> mirrored("d3"), mirrored("b11"), mirrored("de"), mirrored("resign")
    ('c4', 'k2', 'ed', 'resign')
    """
    plain = text.strip()
    if (found := _CELL.fullmatch(plain)) and int(found[2]) <= len(LETTERS):
        return f"{LETTERS[int(found[2]) - 1]}{LETTERS.index(found[1].lower()) + 1}"
    return plain[::-1] if re.fullmatch("[a-z]{2}", plain) else text
