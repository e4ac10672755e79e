"""Arimaa as its official rules have it: a turn is a list of steps, pushes and pulls; a board is a text of 64 squares.

Squares are in the order a1, b1, ... h8, "." is an empty one; the first player's pieces are capitals.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np
from plain_rules import Slow

Turn = tuple[str, ...]
DIRECTIONS = {"s": (-1, 0), "w": (0, -1), "e": (0, 1), "n": (1, 0)}
NAMES = [column + row for row in "12345678" for column in "abcdefgh"]
TRAPS = [NAMES.index(name) for name in ("c3", "f3", "c6", "f6")]
STRENGTH = {letter: strength for strength, pair in enumerate(("rR", "cC", "dD", "hH", "mM", "eE")) for letter in pair}
ALL_PIECES = "rrrrrrrrccddhhme"


@cache
def neighbours(square: int) -> dict[str, int]:
    """The squares to which steps lead."""
    row, column = divmod(square, 8)
    found = {name: (row + up, column + right) for name, (up, right) in DIRECTIONS.items()}
    return {name: 8 * row + column for name, (row, column) in found.items() if row in range(8) and column in range(8)}


def friends(one: str, other: str) -> bool:
    return "." not in (one, other) and one.isupper() == other.isupper()


def stronger(one: str, other: str) -> bool:
    """Whether the one can push, pull and freeze the other."""
    return "." not in (one, other) and one.isupper() != other.isupper() and STRENGTH[one] > STRENGTH[other]


def has_friend(board: str, square: int) -> bool:
    return any(friends(board[beside], board[square]) for beside in neighbours(square).values())


def is_frozen(board: str, square: int) -> bool:
    near = [board[beside] for beside in neighbours(square).values()]
    return any(stronger(piece, board[square]) for piece in near) and not has_friend(board, square)


def moved(board: str, *moves: tuple[int, int]) -> str:
    """The board after pieces have moved at the same time, without those that are then lost in traps."""
    squares = list(board)
    for start, _ in moves:
        squares[start] = "."
    for start, target in moves:
        squares[target] = board[start]
    after = "".join(squares)
    lost = [trap for trap in TRAPS if after[trap] != "." and not has_friend(after, trap)]
    return "".join("." if square in lost else piece for square, piece in enumerate(after))


def own_steps(board: str, first: bool) -> Iterator[tuple[str, int, int]]:
    """The steps of the own pieces, of which pulls may be made: name, start and target."""
    for square, piece in enumerate(board):
        if piece == "." or piece.isupper() != first or is_frozen(board, square):
            continue
        for direction, target in neighbours(square).items():
            if board[target] == "." and (piece, direction) not in (("R", "s"), ("r", "n")):
                yield f"{piece}{NAMES[square]}{direction}", square, target


def moves(board: str, first: bool) -> Iterator[tuple[Turn, str]]:
    """Single steps, pushes and pulls, and the boards after them."""
    for name, start, target in own_steps(board, first):
        yield (name,), moved(board, (start, target))
        for square in neighbours(start).values():
            if stronger(board[start], board[square]):
                (back,) = (way for way, to in neighbours(square).items() if to == start)
                pull = f"{board[square]}{NAMES[square]}{back}"
                yield (name, pull), moved(board, (start, target), (square, start))
    for start, pusher in enumerate(board):
        if pusher == "." or pusher.isupper() != first or is_frozen(board, start):
            continue
        for direction, square in neighbours(start).items():
            if stronger(pusher, board[square]):
                for way, target in neighbours(square).items():
                    if board[target] == ".":
                        push = f"{board[square]}{NAMES[square]}{way}", f"{pusher}{NAMES[start]}{direction}"
                        yield push, moved(board, (square, target), (start, square))


class SlowArimaa(Slow):
    """A match from a board on; from the setup on if there is none."""

    def __init__(self, limit: int = 900, board: str = "." * 64, player: int = 1) -> None:
        self.limit, self.squares, self.player = limit, board, player
        self.placing, self.played = board == "." * 64, 0 if board == "." * 64 else 32
        self.begin()
        self.seen = Counter({(board, player): 1})

    def begin(self) -> None:
        self.start, self.steps = self.squares, list[str]()

    @property
    def board(self) -> np.ndarray:  # type: ignore[override]
        owners = [0 if piece == "." else 1 if piece.isupper() else 2 for piece in self.squares]
        return np.array(owners).reshape(8, 8)

    def allowed(self, board: str) -> bool:
        """Whether the turn may end so."""
        return board != self.start and self.seen[board, 3 - self.player] < 2

    def names(self) -> set[str]:
        return self.setup() if self.placing else self.continuations()

    def setup(self) -> set[str]:
        row = [0, 1, 6, 7][self.played // 8]
        empty = [column for column in range(8) if self.squares[8 * row + column] == "."]
        columns = {0, 7} if len(empty) == 8 else {empty[0]} if empty[0] else {empty[-1]}
        left = Counter(ALL_PIECES if self.player == 2 else ALL_PIECES.upper()) - Counter(self.squares)
        return {f"{piece}{NAMES[8 * row + column]}" for piece in left for column in columns}

    def continuations(self) -> set[str]:
        """The next steps of all turns that begin with the steps made."""
        found, made = set[str](), len(self.steps)

        def search(board: str, turn: Turn) -> None:
            if len(turn) > made and turn[made] in found:
                return
            if turn and len(turn) >= made and self.allowed(board):
                found.add((*turn, "end")[made])
            for more, after in moves(board, self.player == 1):
                longer = turn + more
                if len(longer) <= 4 and all(map(str.__eq__, longer, self.steps)):
                    search(after, longer)

        search(self.start, ())
        return found

    def ends(self) -> set[str]:
        """The boards with which the turn that begins here can end."""
        boards: list[set[str]] = [{self.squares}, set(), set(), set(), set()]
        for steps in range(4):
            for board in boards[steps]:
                for more, after in moves(board, self.player == 1):
                    if steps + len(more) <= 4:
                        boards[steps + len(more)].add(after)
        return {board for board in set().union(*boards[1:]) if self.allowed(board)}

    def play(self, name: str) -> None:
        self.played += 1
        if self.placing:
            square = NAMES.index(name[1:])
            self.squares = self.squares[:square] + name[0] + self.squares[square + 1 :]
            if self.played in (16, 32):
                self.player = 3 - self.player
            if self.played == 32:
                self.placing = False
                self.seen = Counter({(self.squares, 1): 1})
                self.begin()
        else:
            if name != "end":
                square = NAMES.index(name[1:3])
                self.squares = moved(self.squares, (square, neighbours(square)[name[3]]))
                self.steps.append(name)
            if name == "end" or len(self.steps) == 4:
                self.end_turn()
        if self.over is None and self.played == self.limit:
            self.over = 0

    def end_turn(self) -> None:
        mine, theirs = ("R", "r") if self.player == 1 else ("r", "R")
        gain, goals = 3 - 2 * self.player, {"R": self.squares[56:], "r": self.squares[:8]}
        self.player = 3 - self.player
        self.seen[self.squares, self.player] += 1
        self.begin()
        if mine in goals[mine]:
            self.over = gain
        elif theirs in goals[theirs]:
            self.over = -gain
        elif theirs not in self.squares:
            self.over = gain
        elif mine not in self.squares:
            self.over = -gain
        elif not self.can_turn():
            self.over = gain

    def can_turn(self) -> bool:
        """Nearly always the first step tried can be the whole turn."""
        quick = (self.allowed(after) for _, after in moves(self.squares, self.player == 1))
        return any(quick) or bool(self.continuations())
