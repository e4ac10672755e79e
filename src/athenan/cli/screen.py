"""The board in the terminal: each position once, in colour if the terminal has colours, with marks for the last turn.

What is marked are the cells where the actions of the last turn ended: not what they flipped, pushed or captured, and
not what chance drew. Where a picture does not have the rows of its board, and without a board, the cells that changed
are marked.
"""

import re
from collections.abc import Collection

from rich.console import Console
from rich.text import Text

from athenan.rules.board import Board
from athenan.rules.game import Game, State
from athenan.rules.state import CHANCE

_STYLES = {"x": "bold red", "X": "bold red", "o": "bold cyan", "O": "bold cyan"}
_CELL = re.compile(r"[^\s\-|/\\]+")
"""A cell of a picture, or a label or word beside them; Morpion has lines between cells."""
_BETWEEN = " -"
"""What a bracket may replace."""
_EMPTY = "."

Span = tuple[int, int]
"""Where a cell begins and ends in a text."""


class Screen:
    """Follows a match and shows its positions."""

    def __init__(self, game: Game) -> None:
        self.game, self.console = game, Console(highlight=False)
        self.new_match()

    def new_match(self) -> None:
        """Goes back to the initial state and marks it as not shown."""
        self.actions = list[int]()
        self._now, self._shown = self.game.initial(), b""
        self._side: int | None = None
        """Who played the last turn; chance has none."""
        self._before, self._named = self._now, set[int]()
        """The state before that turn, and the places where its actions ended."""

    def observe(self, action: int, following: State) -> None:
        """Follows an action."""
        side = self.game.player(self._now)
        if side not in (self._side, CHANCE) or self.game.players == 1:
            self._side, self._before, self._named = side, self._now, set()
        self._named.update(self.game.places(self._now, action)[-1:])
        self.actions.append(action)
        self._now = following

    def show(self) -> None:
        """Shows the position, unless it was the last one shown."""
        if self._shown == self._now.tobytes():
            return
        self._shown = self._now.tobytes()
        before, now = self.game.text(self._before), self.game.text(self._now)
        self.console.print()
        self.console.print(picture(now, self._marked(before, now), self.console.color_system is not None))

    def _marked(self, before: str, now: str) -> list[Span]:
        """The cells of the present picture to mark."""
        if self.game.board and self._named:
            earlier, cells = _cells(self.game.board, before), _cells(self.game.board, now)
            if earlier and cells:
                ends = [(slice(*earlier[place]), cells[place]) for place in self._named]
                return [span for old, span in ends if now[slice(*span)] not in (_EMPTY, before[old])]
        return changed(before, now)


def picture(text: str, marked: Collection[Span], colour: bool) -> Text:
    """The picture of a position with some cells marked: reversed, or in brackets.

    >>> print(picture("1 . x x .", [(4, 5), (6, 7)], colour=False))
    1 .[x x].
    """
    found, start = Text(text), 0
    for line in text.split("\n"):
        if {letter.lower() for letter in line if letter.isalpha()} <= {"x", "o"}:  # no words, no names of columns
            for place, letter in enumerate(line, start):
                if letter in _STYLES:
                    found.stylize(_STYLES[letter], place, place + 1)
        start += len(line) + 1
    if not colour:
        return Text(_bracketed(text, marked))
    for begin, end in marked:
        found.stylize("reverse", begin, end)
    return found


def _bracketed(text: str, marked: Collection[Span]) -> str:
    """The text with brackets around cells; neighbours share them."""
    letters = [*text, ""]
    opened, closed = {begin - 1 for begin, _ in marked}, {end for _, end in marked}
    for places, bracket in ((opened - closed, "["), (closed - opened, "]")):
        for place in places:
            if letters[place] in ("", "\n"):
                letters[place] = bracket + letters[place]
            elif letters[place] in _BETWEEN:
                letters[place] = bracket
    return "".join(letters)


def changed(before: str, now: str) -> list[Span]:
    """The cells that differ between two pictures of the same shape and are not empty. Lines with words have no cells.

    >>> changed("1 . x", "1 x x"), changed("4 points", "5 points")
    ([(2, 3)], [])
    """
    old, new = before.split("\n"), now.split("\n")
    if len(old) != len(new) or len(old[0]) != len(new[0]):  # Morpion shows more of its grid
        return []
    spans, start = list[Span](), 0
    for line, earlier in zip(new, old, strict=True):
        if not re.search(r"[^\W\d_]{2}", line):
            was = {found.end(): found[0] for found in _CELL.finditer(earlier)}
            for cell in _CELL.finditer(line):
                if cell[0] not in (_EMPTY, was.get(cell.end(), cell[0])):
                    spans.append((start + cell.start(), start + cell.end()))
        start += len(line) + 1
    return spans


def _cells(board: Board, text: str) -> dict[int, Span] | None:
    """The places of a board -> their cells in its picture; None if the picture is not row under row."""
    rows = dict[float, list[int]]()
    for place in sorted(range(len(board.places)), key=lambda number: (board.places[number].y, board.places[number].x)):
        rows.setdefault(board.places[place].y, []).append(place)
    lines, start = list[list[Span]](), 0
    for line in text.split("\n"):
        if line.strip():
            lines.append([(start + found.start(), start + found.end()) for found in _CELL.finditer(line)])
        start += len(line) + 1
    if len(lines) == len(rows) + 1:  # the names of columns are above
        del lines[0]
    if len(lines) != len(rows) or any(len(line) < len(row) for line, row in zip(lines, rows.values(), strict=True)):
        return None
    cells = dict[int, Span]()
    for found, row in zip(lines, rows.values(), strict=True):
        labels = min(1, len(found) - len(row))  # on the left; there may be another one on the right
        cells.update(zip(row, found[labels : labels + len(row)], strict=True))
    return cells
