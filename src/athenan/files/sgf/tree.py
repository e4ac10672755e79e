r"""The trees of the Smart Game Format: nodes with properties, whatever the game.

>>> [tree] = split("(;FF[4]C[a \\] b];B[aa](;W[bb])(;W[cc]))")
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
_BEGIN = re.compile(r"\(\s*(?:;|[A-Z]{1,2}\s*\[)")
"""The beginning of a tree. Some servers leave out the semicolon of its first node."""
_ROOT = re.compile(r"\(\s*;?\s*(?:[A-Z]{1,2}\s*\[[^\]\\]*\]\s*){0,8}?(?:GM|FF|SZ|PB|PW|CA|AP|EV|RU|RE|KM|GN|DT)\s*\[")
"""The beginning of a tree with facts about a match, which a variation does not have."""
_NEXT = re.compile(r"\(\s*;\s*(?:GM|FF|PB|PW|SZ|CA)\s*\[")
"""The beginning of the next match, if it stands where a variation could stand: the tree before it has no end."""
_STRAY = re.compile(r";\s*(?:[BWC]|A[BW]|GM|FF|SZ)\s*\[")
"""The beginning of a node outside of a tree."""
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
    order: list[str] = field(default_factory=list, compare=False, repr=False)
    """The identifier of each value, in the order of the file; empty for a node that no file gave."""

    def first(self, *names: str) -> str | None:
        """The first value of the first of the named properties that the node has."""
        return next((self.properties[name][0] for name in names if name in self.properties), None)

    def fact(self, name: str) -> str | None:
        """The first value of a property; None also if it is empty."""
        text = self.first(name)
        return text if text and text.strip() else None

    @property
    def moves(self) -> list[tuple[str, str]]:
        """The colours, B or W, and texts of the node's moves in their order. A good file has one in a node at most."""
        left = {name: iter(self.properties.get(name, ())) for name in "BW"}
        order = self.order or [name for name, values in self.properties.items() for _ in values]
        return [(name, next(left[name])) for name in order if name in left]


def split(text: str) -> list[SgfNode | SgfError]:
    """The first nodes of the trees of a text, and the error of each tree that is not SGF in its place.

    Raises SgfError if the text has no tree.
    """
    trees, position, begin = list[SgfNode | SgfError](), 0, _BEGIN
    while found := begin.search(text, position):
        reader, place = _Reader(), found.start()
        after_error, begin = begin is _ROOT, _BEGIN
        try:
            if not after_error and _STRAY.search(text, position, place):
                raise SgfError("it is not SGF: a node stands outside of the trees, which begin with (;")
            position = reader.take_tree(text, place)
        except SgfError as error:
            trees.append(error)
            position, begin = max(place, reader.position), _ROOT  # a variation is no match
        else:
            trees.append(reader.root)
    if not trees:
        raise SgfError("it is not SGF: there is no tree, which begins with (;")
    if begin is _BEGIN and _STRAY.search(text, position):
        trees.append(SgfError("it is not SGF: a node stands after the end of its tree"))
    return trees


class _Reader:
    """Reads one tree."""

    def __init__(self) -> None:
        self.root = SgfNode()
        self.position = 0
        """Where the reader is in the text."""
        self._stack = list[SgfNode | None]()
        """The nodes after which the open trees began."""
        self._last: SgfNode | None = None
        self._name = ""
        """The identifier of the current property."""
        self._opened = False
        """Whether a tree has just begun, without its first node."""
        self._count = 0

    def take_tree(self, text: str, position: int) -> int:
        """Reads the tree at a position, and returns the position after it. Raises SgfError."""
        self.position = position
        while True:
            token = _TOKEN.match(text, self.position)
            if token and token[1] == "(" and self._stack and _NEXT.match(text, token.start(1)):
                raise SgfError("it is not a whole SGF: it has no end")
            if not token:
                there = text[self.position : self.position + 200].strip()[:20]
                raise SgfError(
                    f"it is not SGF: {there!r} is out of place" if there else "it is not a whole SGF: it has no end"
                )
            self.position = token.end()
            self._take(*token.groups())
            if not self._stack:
                return self.position

    def _take(self, sign: str | None, name: str | None, value: str | None) -> None:
        """Takes a sign, the name of a property, or a value. Raises SgfError."""
        if sign == "(":
            self._stack.append(self._last)
        elif sign == ")":
            self._last = self._stack.pop()
        elif sign == ";" or (name is not None and self._opened):  # some programs leave out the first semicolon
            self._begin_node()
        self._opened = sign == "("
        if sign is not None:
            self._name = ""
        elif self._last is None or (name is None and not self._name):
            raise SgfError(f"it is not SGF: {(name or value or '')[:20]!r} belongs to no node")
        elif name is not None:
            capitals = "".join(letter for letter in name if letter.isupper())  # older files have Black[...]
            self._name = capitals or name.upper()
            self._last.properties.setdefault(self._name, [])
        else:
            self._last.properties[self._name].append(_unescaped(value or ""))
            self._last.order.append(self._name)

    def _begin_node(self) -> None:
        self._count += 1
        if self._count > _MOST_NODES:
            raise SgfError(f"it has more than {_MOST_NODES:,} nodes")
        if self._count == 1:
            self._last = self.root
            return
        node = SgfNode()
        if self._last is None:
            raise SgfError("it is not SGF: a variation stands before the first node")
        self._last.children.append(node)
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
