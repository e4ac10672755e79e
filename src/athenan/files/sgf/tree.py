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
_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)\s*(?=\[)|\[([^\]\\]*(?:\\.[^\]\\]*)*)\])", re.DOTALL)
_BEGIN = re.compile(r"\(\s*;")
_LINE_BREAK = r"(?:\r\n|\n\r|\r|\n)"


class SgfError(ValueError):
    """A text is not SGF, or its match is of an unknown kind."""


class SgfGameError(SgfError):
    """A match is of another game than the expected one."""


@dataclass
class SgfNode:
    """A node: its properties, and the nodes after it, the main line first."""

    properties: dict[str, list[str]] = field(default_factory=dict)
    """Identifier -> its values, without escapes."""
    children: "list[SgfNode]" = field(default_factory=list)

    def first(self, *names: str) -> str | None:
        """The first value of the first of the named properties that the node has."""
        return next((self.properties[name][0] for name in names if name in self.properties), None)

    def fact(self, name: str) -> str | None:
        """The first value of a property; None also if it is empty."""
        text = self.first(name)
        return text if text and text.strip() else None


def read(text: str) -> list[SgfNode]:
    """The first nodes of the trees of a text; text around the trees is ignored. Raises SgfError."""
    reader, position = _Reader(), 0
    while True:
        if not reader.inside:
            if not (found := _BEGIN.search(text, position)):
                break
            position = found.start()
        if not (token := _TOKEN.match(text, position)):
            there = text[position : position + 200].strip()[:20]
            raise SgfError(
                f"it is not SGF: {there!r} is out of place" if there else "it is not a whole SGF: it has no end"
            )
        position = token.end()
        reader.take(*token.groups())
    if not reader.roots:
        raise SgfError("it is not SGF: there is no tree, which begins with (;")
    return reader.roots


class _Reader:
    """The trees read so far."""

    def __init__(self) -> None:
        self.roots = list[SgfNode]()
        self._stack = list[SgfNode | None]()
        """The nodes after which the open trees began."""
        self._last: SgfNode | None = None
        self._values: list[str] | None = None
        """The values of the current property."""
        self._count = 0

    @property
    def inside(self) -> bool:
        """Whether a tree is open."""
        return bool(self._stack)

    def take(self, sign: str | None, name: str | None, value: str | None) -> None:
        """Takes a sign, the name of a property, or a value. Raises SgfError."""
        if sign == "(":
            self._stack.append(self._last)
        elif sign == ")":
            self._last = self._stack.pop()
        elif sign == ";":
            self._begin_node()
        if sign is not None:
            self._values = None
        elif self._last is None or (name is None and self._values is None):
            raise SgfError(f"it is not SGF: {(name or value or '')[:20]!r} belongs to no node")
        elif name is not None:
            capitals = "".join(letter for letter in name if letter.isupper())  # older files have Black[...]
            self._values = self._last.properties.setdefault(capitals or name.upper(), [])
        elif self._values is not None:
            self._values.append(_unescaped(value or ""))

    def _begin_node(self) -> None:
        self._count += 1
        if self._count > _MOST_NODES:
            raise SgfError(f"it has more than {_MOST_NODES:,} nodes")
        node = SgfNode()
        (self._last.children if self._last else self.roots).append(node)
        self._last = node


def _unescaped(value: str) -> str:
    """A value without its escapes; an escaped line break disappears."""
    value = re.sub(rf"\\{_LINE_BREAK}", "", value)
    return re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)


def write(trees: Iterable[SgfNode]) -> str:
    """The text of trees, one node a line."""
    return "".join(_tree(tree) + "\n" for tree in trees)


def _tree(root: SgfNode) -> str:
    """The text of a tree, without recursion, as a tree may be deeper than calls can be."""
    parts, todo = ["("], list[SgfNode | str]([")", root])
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


def _node(node: SgfNode) -> str:
    return ";" + "".join(
        name + "".join(f"[{_escaped(value)}]" for value in values) for name, values in node.properties.items()
    )


def _escaped(value: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", value)
