r"""The trees of the Smart Game Format: nodes with properties, whatever the game.

>>> [tree] = read("(;FF[4]C[a \\] b];B[aa](;W[bb])(;W[cc]))")
>>> tree.properties, [child.properties for child in tree.children[0].children]
({'FF': ['4'], 'C': ['a ] b']}, [{'W': ['bb']}, {'W': ['cc']}])
>>> write([tree])
'(;FF[4]C[a \\] b]\n;B[aa]\n(;W[bb])\n(;W[cc]))\n'
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_MOST_NODES = 1_000_000
_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)\s*(?=\[)|\[((?:[^\]\\]|\\.)*)\])", re.DOTALL)
_BEGIN = re.compile(r"\(\s*;")
_LINE_BREAK = r"(?:\r\n|\n\r|\r|\n)"


class SgfError(ValueError):
    """A text that is no SGF, or tells no match that is known here."""


@dataclass
class Node:
    """A node: what was done or said, and the nodes after it, the main line first."""

    properties: dict[str, list[str]] = field(default_factory=dict)
    """Identifier -> its values, without escapes."""
    children: "list[Node]" = field(default_factory=list)

    def first(self, *names: str) -> str | None:
        """The first value of the first of these properties that the node has."""
        return next((self.properties[name][0] for name in names if name in self.properties), None)


def read(text: str) -> list[Node]:
    """The first nodes of the trees of a text; what is around the trees is no part of them. Raises SgfError."""
    roots, stack, count = list[Node](), list[Node | None](), 0
    last: Node | None = None
    values: list[str] | None = None
    position = 0
    while True:
        if not stack:
            last = None
            if not (found := _BEGIN.search(text, position)):
                break
            position = found.start()
        if not (found := _TOKEN.match(text, position)):
            there = text[position:].strip()
            raise SgfError(f"it is no SGF: {there[:20]!r} has no place there" if there else "it is no whole SGF: a tree has no end")
        position, (sign, name, value) = found.end(), found.groups()
        if sign == "(":
            stack.append(last)
            values = None
        elif sign == ")":
            last, values = stack.pop(), None
        elif sign == ";":
            count += 1
            if count > _MOST_NODES:
                raise SgfError(f"it has more than {_MOST_NODES:,} nodes")
            node, values = Node(), None
            (last.children if last else roots).append(node)
            last = node
        elif name is not None:
            if last is None:
                raise SgfError(f"it is no SGF: the property {name[:20]!r} is before the first node")
            name = "".join(letter for letter in name if letter.isupper()) or name.upper()  # older files: Black[...]
            values = last.properties.setdefault(name, [])
        else:
            if values is None:
                raise SgfError(f"it is no SGF: the value {value[:20]!r} has no property")
            values.append(_unescaped(value))
    if not roots:
        raise SgfError("it is no SGF: there is no tree, which begins with (;")
    return roots


def _unescaped(value: str) -> str:
    """A value without its escapes; a line break that is escaped is none."""
    value = re.sub(rf"\\{_LINE_BREAK}", "", value)
    return re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)


def write(trees: Iterable[Node]) -> str:
    """The text of trees, one node a line."""
    return "".join(_tree(tree) + "\n" for tree in trees)


def _tree(root: Node) -> str:
    """The text of a tree; it may be deeper than calls can be."""
    parts, todo = ["("], list[Node | str]([")", root])
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            parts.append(one)
            continue
        parts.append(_node(one))
        if len(one.children) == 1:
            todo += [one.children[0], "\n"]
        else:
            for child in reversed(one.children):
                todo += [")", child, "\n("]
    return "".join(parts)


def _node(node: Node) -> str:
    return ";" + "".join(
        name + "".join(f"[{_escaped(value)}]" for value in values) for name, values in node.properties.items()
    )


def _escaped(value: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", value)
