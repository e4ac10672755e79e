"""Draughts by its written rules, slowly."""

from collections import Counter
from itertools import product

from plain_rules import Cell

SIZES = {"international": 10, "brazilian": 8, "canadian": 12}
DIAGONALS = [(up, right) for up in (-1, 1) for right in (-1, 1)]
Move = tuple[str, str, frozenset[str]]


class SlowDraughts:
    """`board`: cell (row from the bottom, column) -> x, o, or X, O for kings."""

    def __init__(self, variant: str, board: dict[Cell, str] | None = None, player: int = 0) -> None:
        self.variant, self.size, self.player = variant, SIZES[variant], player
        self.over: int | None = None
        self.cells = [(row, column) for row, column in product(range(self.size), repeat=2) if (row + column) % 2 == 0]
        middle = (self.size // 2 - 1, self.size // 2)
        start = {at: "x" if at[0] < middle[0] else "o" for at in self.cells if at[0] not in middle}
        self.board = start if board is None else dict(board)
        self.ply, self.king_moves = 0, 0
        self.deadline: int | None = None
        self.seen = Counter([self.key()])
        self.note_ending()
        self.end()

    def key(self) -> tuple[frozenset[tuple[Cell, str]], int]:
        return frozenset(self.board.items()), self.player

    def name(self, at: Cell) -> str:
        row, column = at
        if self.size == 8:
            return f"{chr(ord('a') + column)}{row + 1}"
        return str(((self.size - 1 - row) * self.size + column) // 2 + 1)

    def own(self, player: int) -> list[Cell]:
        return [at for at, piece in self.board.items() if (piece in "oO") == player]

    def lands(self, at: Cell, direction: Cell, king: bool) -> list[Cell]:
        """The empty cells in a direction, up to the first that is not."""
        found: list[Cell] = []
        while len(found) < (self.size if king else 1):
            at = at[0] + direction[0], at[1] + direction[1]
            if at not in self.cells or at in self.board:
                break
            found.append(at)
        return found

    def jumps(self, at: Cell, king: bool, taken: frozenset[Cell]) -> list[tuple[Cell, frozenset[Cell]]]:
        """All ends of captures, long or short, that go on from here."""
        found = []
        for direction in DIAGONALS:
            before = [at, *(self.lands(at, direction, True) if king else [])]
            victim = before[-1][0] + direction[0], before[-1][1] + direction[1]
            if self.board.get(victim, " ") in "oOxX"[2 * self.player :][:2] and victim not in taken:
                for to in self.lands(victim, direction, king):
                    found.append((to, taken | {victim}))
                    found += self.jumps(to, king, taken | {victim})
        return found

    def moves(self) -> set[Move]:
        captures, others = set[tuple[Cell, Cell, frozenset[Cell]]](), set[tuple[Cell, Cell, frozenset[Cell]]]()
        for at in self.own(self.player):
            piece = self.board.pop(at)
            king = piece.isupper()
            captures |= {(at, *jump) for jump in self.jumps(at, king, frozenset())}
            for direction in DIAGONALS:
                if king or direction[0] == 1 - 2 * self.player:
                    others |= {(at, to, frozenset()) for to in self.lands(at, direction, king)}
            self.board[at] = piece
        most = max((len(taken) for _, _, taken in captures), default=0)
        chosen = {move for move in captures if len(move[2]) == most} or others
        return {(self.name(at), self.name(to), frozenset(map(self.name, taken))) for at, to, taken in chosen}

    def play(self, move: Move) -> None:
        cells = {self.name(at): at for at in self.cells}
        piece, to = self.board.pop(cells[move[0]]), cells[move[1]]
        for victim in move[2]:
            del self.board[cells[victim]]
        self.king_moves = self.king_moves + 1 if piece.isupper() and not move[2] else 0
        self.board[to] = piece.upper() if to[0] == (self.size - 1) * (1 - self.player) else piece
        self.player, self.ply = 1 - self.player, self.ply + 1
        self.seen[self.key()] += 1
        self.note_ending()
        self.end()

    def note_ending(self) -> None:
        """Sets the ply at which an ending of few pieces is drawn; a later ending does not put it off."""
        pieces = [sorted("K" if self.board[at].isupper() else "M" for at in self.own(player)) for player in (0, 1)]
        weaker, stronger = sorted(("".join(side) for side in pieces), key=lambda side: (len(side), side))
        limit: int | None = None
        if self.variant == "brazilian":
            few = [("K", "K"), ("K", "KK"), ("K", "KM"), ("KK", "KK"), ("KK", "KM")]
            limit = 10 if (weaker, stronger) in few else None
        elif weaker == "K":
            limit = {"K": 10, "KK": 10, "KM": 10, "KKK": 32, "KKM": 32, "KMM": 32}.get(stronger)
        self.deadline = None if limit is None else min(self.deadline or 10**6, self.ply + limit)

    def end(self) -> None:
        if not self.moves():
            self.over = 2 * self.player - 1
        elif self.seen[self.key()] == 3 or self.left() == 0:
            self.over = 0

    def left(self) -> int:
        """The moves left before a draw by their number."""
        limit = (40 if self.variant == "brazilian" else 50) - self.king_moves
        return limit if self.deadline is None else min(limit, self.deadline - self.ply)

    def fen(self) -> str:
        sides = []
        for player in (0, 1):
            sides.append(",".join(("K" if self.board[at].isupper() else "") + self.name(at) for at in self.own(player)))
        return f"{'WB'[self.player]}:W{sides[0]}:B{sides[1]}"
