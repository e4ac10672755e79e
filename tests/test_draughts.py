"""Draughts against slow rules that try every way of every capture, and its special rules, notation and positions."""

import random
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_rules import Cell, seeds

from athenan import Game, GameError, make, perft
from athenan.games.conformance import random_match
from athenan.games.draughts import read_fen
from athenan.games.draughts_notation import read_move, write_fen
from athenan.games.game import State

SIZES = {"international": 10, "brazilian": 8, "canadian": 12}
DIAGONALS = list(product((-1, 1), repeat=2))
Move = tuple[str, str, frozenset[str]]


class SlowDraughts:
    """`board`: cell (row from the bottom, column) -> x, o, or X, O for kings."""

    def __init__(self, variant: str, board: dict[Cell, str] | None = None, player: int = 0) -> None:
        self.variant, self.size, self.player, self.over = variant, SIZES[variant], player, None
        self.cells = [at for at in product(range(self.size), repeat=2) if sum(at) % 2 == 0]
        middle = (self.size // 2 - 1, self.size // 2)
        start = {at: "x" if at[0] < middle[0] else "o" for at in self.cells if at[0] not in middle}
        self.board = start if board is None else dict(board)
        self.ply, self.king_moves, self.deadline = 0, 0, None
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
            before = (self.lands(at, direction, True) if king else []) or [at]
            before = [at, *before] if before != [at] else before
            victim = before[-1][0] + direction[0], before[-1][1] + direction[1]
            if victim in self.own(1 - self.player) and victim not in taken:
                for to in self.lands(victim, direction, king):
                    found.append((to, taken | {victim}))
                    found += self.jumps(to, king, taken | {victim})
        return found

    def moves(self) -> set[Move]:
        captures, others = set(), set()
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
        sides = sorted("".join(sorted(self.board[at].upper() for at in self.own(player))) for player in (0, 1))
        sides = ["".join("K" if at.isupper() else "M" for at in own) for own in self.sides()]
        limit = None
        weaker, stronger = sorted(sides, key=lambda side: (len(side), -side.count("K")))
        if self.variant == "brazilian":
            few = [("K", "K"), ("K", "KK"), ("K", "KM"), ("KK", "KK"), ("KK", "KM")]
            limit = 10 if (weaker, stronger) in few else None
        elif weaker == "K":
            limit = {"K": 10, "KK": 10, "KM": 10, "KKK": 32, "KKM": 32, "KMM": 32}.get(stronger)
        self.deadline = None if limit is None else min(self.deadline or 10**6, self.ply + limit)

    def sides(self) -> list[str]:
        """The pieces of each side, kings first."""
        return ["".join(sorted(self.board[at] for at in self.own(player))) for player in (0, 1)]

    def end(self) -> None:
        if not self.moves():
            self.over = 2 * self.player - 1
        elif self.seen[self.key()] == 3 or self.ply == self.deadline:
            self.over = 0
        elif self.king_moves == (40 if self.variant == "brazilian" else 50):
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


def occupied(game: Game, state: State, plane: int) -> frozenset[str]:
    slow = SlowDraughts(game.name.partition(":")[2])
    planes = game.encode(state)
    return frozenset(slow.name(at) for at in slow.cells if planes[plane, slow.size - 1 - at[0], at[1]])


def turns(game: Game, state: State) -> dict[Move, State]:
    """The whole moves of the side to move and the states after them; fails if two ways lead to one."""
    found: dict[Move, State] = {}
    before = occupied(game, state, 1 - game.player(state))
    for first in game.actions(state):
        start, to = game.action_name(state, int(first)).replace("-", "x").split("x")
        unfinished = [game.play(state, int(first))]
        while unfinished:
            following = unfinished.pop()
            if game.player(following) == game.player(state):
                assert game.outcome(following) is None
                unfinished += [game.play(following, int(action)) for action in game.actions(following)]
                continue
            move = start, to, before - occupied(game, following, 1 - game.player(state))
            assert move not in found
            found[move] = following
    return found


def check_planes(game: Game, state: State, slow: SlowDraughts) -> None:
    planes, moves = game.encode(state), slow.moves()
    for plane, letters in enumerate(("xX", "oO", "X", "O")):
        expected = {slow.name(at) for at, piece in slow.board.items() if piece in letters}
        assert occupied(game, state, plane) == expected
    assert (planes[4] == (slow.player == 0)).all()
    taken = [move[2] for move in moves if slow.over is None]
    assert occupied(game, state, 5) == (frozenset.intersection(*taken) if taken else set())
    assert occupied(game, state, 6) == frozenset().union(*taken)
    assert not planes[7].any()
    assert (planes[8] == (slow.over is None and slow.seen[slow.key()] > 1)).all()
    for plane, soon in enumerate((32, 16, 8, 4, 2), 9):
        assert (planes[plane] == (slow.over is None and slow.left() <= soon)).all()


def agree(game: Game, slow: SlowDraughts, state: State, seed: int, plies: int = 1000) -> None:
    """Plays one random match of both, at most so many moves."""
    choose = random.Random(seed)
    for _ in range(plies):
        check_planes(game, state, slow)
        assert game.outcome(state) == slow.over
        assert game.player(state) == slow.player
        if slow.over is not None:
            return
        following = turns(game, state)
        assert set(following) == slow.moves()
        move = choose.choice(sorted(following, key=str))
        slow.play(move)
        state = following[move]


def scattered(variant: str, seed: int, most: int, kings: float) -> SlowDraughts:
    """A random position of 1 to `most` pieces a side, a part of them kings."""
    choose, size = random.Random(seed), SIZES[variant]
    cells = SlowDraughts(variant).cells
    choose.shuffle(cells)
    board: dict[Cell, str] = {}
    for letter, last in (("x", size - 1), ("o", 0)):
        for _ in range(choose.randint(1, most)):
            at = cells.pop()
            board[at] = letter.upper() if at[0] == last or choose.random() < kings else letter
    return SlowDraughts(variant, board, choose.randint(0, 1))


variants = st.sampled_from(sorted(SIZES))


@settings(max_examples=9)
@given(variants, seeds)
def test_matches(variant: str, seed: int) -> None:
    game = make(f"draughts:{variant}")
    agree(game, SlowDraughts(variant), game.initial(), seed)


@settings(max_examples=40)
@given(variants, seeds, st.sampled_from([(2, 0.9), (3, 0.6), (6, 0.3)]))
def test_endings(variant: str, seed: int, few: tuple[int, float]) -> None:
    game, slow = make(f"draughts:{variant}"), scattered(variant, seed, *few)
    agree(game, slow, read_fen(game, slow.fen()), seed, plies=60)


@settings(max_examples=40)
@given(variants, seeds)
def test_captures_of_many_kings(variant: str, seed: int) -> None:
    """One move each from full boards: that is where captures are long and differ in what they take only."""
    game, slow = make(f"draughts:{variant}"), scattered(variant, seed, SIZES[variant], 0.5)
    agree(game, slow, read_fen(game, slow.fen()), seed, plies=2)


@pytest.mark.slow
@pytest.mark.parametrize("variant", sorted(SIZES))
def test_many_positions(variant: str) -> None:
    game = make(f"draughts:{variant}")
    for seed in range(1000):
        slow = scattered(variant, seed, SIZES[variant], 0.4)
        agree(game, slow, read_fen(game, slow.fen()), seed, plies=3)


def names(game: Game, state: State) -> list[str]:
    return [game.action_name(state, int(action)) for action in game.actions(state)]


def played(game: Game, fen: str, moves: str) -> State:
    state = read_fen(game, fen)
    for text in moves.split():
        for action in read_move(game, state, text):
            state = game.play(state, action)
    return state


INTERNATIONAL = make("draughts:international")
BRAZILIAN = make("draughts:brazilian")


@pytest.mark.parametrize(
    ("fen", "legal", "move", "after"),
    [
        # The longest capture only, by whichever piece; it may also go backward.
        ("W:W32,37:B28,19,27", ["32x14"], "32x14", "B:W14,37:B27"),
        ("B:W32,33:B28", ["28x37", "28x39"], "28x39", "W:W32:B39"),
        # A man that passes through the last row stays a man; one that ends there is a king.
        ("W:W12:B8,30", ["12x3"], "12x3", "B:WK3:B30"),
        ("W:W12:B8,9,30", ["12x14"], "12x14", "B:W14:B30"),
        # A king lands wherever it likes behind the last piece, but must take the most.
        ("W:WK46:B28", ["46x23", "46x19", "46x14", "46x10", "46x5"], "46x5", "B:WK5:B"),
        ("W:WK46:B32,19", ["46x14", "46x10", "46x5"], "46x10", "B:WK10:B"),
        # Round a square and back to its own.
        ("W:W38:B32,22,23,33,1", ["38x38"], "38x38", "B:W38:B1"),
        # The taken pieces stay until the end: 37 keeps the king from going on along 31, 37, 42 (coup turc).
        ("W:WK46:B21,22,37,42", ["46x26"], "46x26", "B:WK26:B42"),
    ],
)
def test_moves(fen: str, legal: list[str], move: str, after: str) -> None:
    state = read_fen(INTERNATIONAL, fen)
    assert sorted(names(INTERNATIONAL, state)) == sorted(legal)
    assert write_fen(INTERNATIONAL, played(INTERNATIONAL, fen, move)) == after
