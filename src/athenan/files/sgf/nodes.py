"""Nodes of SGF as the reader takes them: one move or some stones in each, stones of several nodes at once."""

import re
from collections.abc import Iterator

from athenan.files.sgf.tree import SgfNode
from athenan.rules.sgf import LETTERS

SETUP = ("AE", "AB", "AW", "AA")
"""The properties that change the board without a move."""


def one_by_one(node: SgfNode) -> SgfNode:
    """A node; one with stones to set up and a move, or with several moves, becomes a chain of nodes, of which this is
    the first.

    Old files have moves of both sides in a node, and some programs put all moves into the first one. What else the
    node has stays with its first move.
    """
    setup, moves = [name for name in node.properties if name in SETUP], node.moves
    if len(moves) + bool(setup) < 2:
        return node
    others = {name: values for name, values in node.properties.items() if name not in (*setup, "B", "W")}
    parts = [{name: node.properties[name] for name in setup}] if setup else []
    parts += [{colour: [text]} | (others if not number else {}) for number, (colour, text) in enumerate(moves)]
    following = node.children
    for part in reversed(parts):
        following = [SgfNode(part, following)]
    return following[0]


def set_up_at_once(node: SgfNode) -> SgfNode:
    """A node, together with what the nodes after it set up before anything is played.

    Moves put the stones that are left in the end: a later node may take some off the board.
    """
    while _only_sets_up(node) and len(node.children) == 1 and _only_sets_up(child := one_by_one(node.children[0])):
        told = set_points(node) | set_points(child)
        put = {name: [point for point, one in told.items() if one == name] for name in SETUP}
        comment = "\n".join(text for one in (node, child) if (text := one.first("C")))
        properties = {name: found for name, found in {**put, "C": [comment] * bool(comment)}.items() if found}
        node = SgfNode(properties, child.children)
    return node


def _only_sets_up(node: SgfNode) -> bool:
    return any(name in node.properties for name in SETUP) and not {"B", "W"} & set(node.properties)


def set_points(node: SgfNode) -> dict[str, str]:
    """The points that a node sets, each with the property that sets it."""
    named = [(point.strip(), name) for name in SETUP for point in node.properties.get(name, ())]
    return {point: name for text, name in named for point in points(text) if point}


def points(text: str) -> list[str]:
    """The points of a value of AB, AW or AE: one, or a rectangle such as `aa:cb`, which FF[4] allows."""
    found = re.fullmatch(r"([a-z])([a-z]):([a-z])([a-z])", text.strip())
    if not found:
        return [text]
    left, top, right, bottom = (LETTERS.index(letter) for letter in found.groups())
    return [LETTERS[x] + LETTERS[y] for x in range(left, right + 1) for y in range(top, bottom + 1)]


def main_moves(node: SgfNode) -> Iterator[tuple[str, str]]:
    """The moves of the main line from a node on: colours, and texts without spaces around them."""
    while True:
        yield from ((colour, text.strip()) for colour, text in node.moves)
        if not node.children:
            return
        node = node.children[0]
