"""Draughts: names of squares and moves in PDN, positions in FEN, and the picture of the board.

Brazilian draughts uses letters and numbers from the bottom left (PDN GameType 26). The other two use numbers from the
top left (GameTypes 20 and 27).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from athenan.games.draughts import moves as m
from athenan.rules import Area, Awaited, Board, Game, GameError, Label, Piece, Scene, State
from athenan.rules.geometry import boards, grid

Way = tuple[int, ...]
GAME_TYPES = {"international": 20, "brazilian": 26, "canadian": 27}
"""Variant -> the GameType of PDN in which white begins."""
GAMES = {str(number): f"draughts:{variant}" for variant, number in GAME_TYPES.items()}
"""GameType, as PDN writes it -> the game."""


@dataclass(frozen=True)
class PieceSets:
    """A board as sets of bits."""

    half: int
    player: int
    pieces: tuple[frozenset[int], frozenset[int]]
    kings: frozenset[int]


def squares(half: int) -> int:
    """The number of dark squares."""
    return 2 * half * half


def names(half: int) -> list[str]:
    """The names of the squares, in their order."""
    if half != 4:
        return [str(square + 1) for square in range(squares(half))]
    return [f"{grid.column_name(cell % 8)}{8 - cell // 8}" for cell in map(cell_of, range(squares(half)), [half] * 32)]


def cell_of(square: int, half: int) -> int:
    """A square's place among all cells of the board."""
    return 2 * square + 1 - square // half % 2


def _bits(state: State, place: int) -> frozenset[int]:
    number = int.from_bytes(state[place : place + 16].tobytes(), "little")
    return frozenset(bit for bit in range(number.bit_length()) if number >> bit & 1)


def _position(half: int, state: State) -> PieceSets:
    pieces = _bits(state, m.PIECES), _bits(state, m.PIECES + 16)
    return PieceSets(half, int(state[0]), pieces, _bits(state, m.KINGS))


def _hops(position: PieceSets, start: int, bit: int, taken: frozenset[int]) -> Iterator[tuple[int, int]]:
    """The next pieces that a capture from `start` could take, and its landing squares."""
    half, is_king, other = position.half, start in position.kings, position.pieces[1 - position.player]
    board = frozenset(m.bit_of(half, square) for square in range(squares(half)))
    empty = (board - position.pieces[0] - position.pieces[1]) | {start}
    for step in (-half - 1, -half, half, half + 1):
        victim = bit + step
        while is_king and victim in empty:
            victim += step
        landing = victim + step
        while victim in other - taken and landing in empty:
            yield victim, landing
            landing += step if is_king else 2 * len(board)  # not a square


def _captures(position: PieceSets, start: int) -> list[tuple[Way, frozenset[int]]]:
    """The longest captures of a piece: the squares on their ways and the pieces they take."""
    found: list[tuple[Way, frozenset[int]]] = []
    unfinished: list[tuple[Way, frozenset[int]]] = [((start,), frozenset())]
    while unfinished:
        way, taken = unfinished.pop()
        hops = list(_hops(position, start, way[-1], taken))
        unfinished += [((*way, landing), taken | {victim}) for victim, landing in reversed(hops)]
        if not hops and taken:
            found.append((way, taken))
    most = max((len(taken) for _, taken in found), default=0)
    return [(way, taken) for way, taken in found if len(taken) == most]


def action_name(half: int, state: State, action: int) -> str:
    """`32-28`, `28x19`; an action that selects a capture names its whole way, or says whether it takes a piece."""
    position, name, count = _position(half, state), names(half), squares(half)
    if action < count * count:
        start, to = divmod(action, count)
        bit = m.bit_of(half, start)
        capturing = abs(start // half - to // half) != 1
        if bit in position.kings:
            capturing = any(_hops(position, bit, bit, frozenset()))
        return f"{name[start]}{'x' if capturing else '-'}{name[to]}"
    leaves, square = divmod(action - count * count, count)
    taken, left = _bits(state, m.TAKEN), _bits(state, m.LEFT)
    answer = {m.bit_of(half, square)}
    taken, left = (taken, left | answer) if leaves else (taken | answer, left)
    start, to = int(state[m.FROM]), int(state[m.TO])
    ways = [
        (way, by_it)
        for way, by_it in _captures(position, start)
        if way[-1] == to and taken <= by_it and not left & by_it
    ]
    called = {m.bit_of(half, number): text for number, text in enumerate(name)}
    if len({by_it for _, by_it in ways}) == 1:
        return "x".join(called[bit] for bit in ways[0][0])
    return f"{called[start]}x{called[to]}[{'not' if leaves else ''}{name[square]}]"


def read_move(game: Game, state: State, text: str) -> list[int]:
    """The actions of a move written as in PDN: `32-28`, `28x19`, or with the whole way, `28x23x14x19`.

    Raises GameError if the move is not legal, or if it needs the whole way.
    """
    half, name = int(game.params[0]), names(int(game.params[0]))
    way = text.strip().lower().split("x")
    actions = [game.parse_action(state, "x".join([way[0], *way[-1:]]) if len(way) > 2 and not state[m.FROM] else text)]
    following, taken = game.play(state, actions[0]), None
    if len(way) > 2 and not state[m.FROM]:
        lines = _captures(_position(half, state), m.bit_of(half, name.index(way[0])))
        known = {tuple(name[m.square_of(half, bit)] for bit in line): by_it for line, by_it in lines}
        if (taken := known.get(tuple(way))) is None:
            raise GameError(f"{text!r} is not the way of a legal capture here; one is {'x'.join(min(known))}")
    while following[m.FROM]:
        questions = [int(action) for action in game.actions(following)]
        if taken is None:
            examples = " or ".join(game.action_name(following, action) for action in questions)
            raise GameError(f"{text!r} does not say which pieces are taken; the whole way does, such as {examples}")
        square = (questions[0] - squares(half) ** 2) % squares(half)
        actions.append(questions[m.bit_of(half, square) not in taken])
        following = game.play(following, actions[-1])
    return actions


def write_move(game: Game, state: State, actions: Sequence[int]) -> str:
    """The PDN of a whole move's actions, with the whole way if captures differ in what they take."""
    name = game.action_name(state, actions[0])
    if len(actions) == 1:
        return name
    half, player = int(game.params[0]), int(state[0])
    end = state
    for action in actions:
        end = game.play(end, action)
    taken = _position(half, state).pieces[1 - player] - _position(half, end).pieces[1 - player]
    called, (start, to) = names(half), name.split("x")
    ways = [
        [called[m.square_of(half, bit)] for bit in way]
        for way, by_it in _captures(_position(half, state), m.bit_of(half, called.index(start)))
        if by_it == taken
    ]
    return "x".join(min(way for way in ways if way[-1] == to))


_FEN = re.compile(r"([WB]):([WB])([^:]*):([WB])([^:]*?)\.?(?::[HF]\d{1,4}){0,2}\.?")
"""The player, the pieces of both sides and, without a group, the counters."""


def read_pieces(game: Game, text: str) -> PieceSets:
    """The position of a FEN such as `W:W31,32,K5:B1,2`. Raises GameError if it is not a FEN.

    The squares of Brazilian draughts may be numbers, from 1 at b8. Counters of half moves and moves at the end, such as
    the `:H0:F1` of Lidraughts, are left out, like the earlier moves on which a draw may depend.
    """
    half = int(game.params[0])
    match = _FEN.fullmatch("".join(text.split()))
    if not match or match[2] == match[4]:
        raise GameError(f"{text!r} is not a FEN of draughts; one is W:WK{names(half)[-1]}:B{names(half)[0]}")
    sides = {match[2]: match[3], match[4]: match[5]}
    pieces: list[frozenset[int]] = []
    kings: set[int] = set()
    for player, colour in enumerate("WB"):
        own: set[int] = set()
        for written in written_out(filter(None, sides[colour].split(","))):
            square, bit = _read_square(game, written)
            if bit in own or any(bit in other for other in pieces):
                raise GameError(f"{game.name}: there are two pieces on {names(half)[square]}")
            if written[0] == "K":
                kings.add(bit)
            elif square // half == (0 if player == 0 else 2 * half - 1):
                raise GameError(f"{game.name}: a man cannot stand on {names(half)[square]}, its last row")
            own.add(bit)
        if len(own) > half * (half - 1):
            raise GameError(f"{game.name}: a side has at most {half * (half - 1)} pieces, not {len(own)}")
        pieces.append(frozenset(own))
    return PieceSets(half, "WB".index(match[1]), (pieces[0], pieces[1]), frozenset(kings))


def written_out(written: Iterable[str]) -> Iterator[str]:
    """Squares and ranges of numbered squares, such as `31-50`, which PDN 3.0 allows, as squares."""
    for text in written:
        found = re.fullmatch(r"(K?)([0-9]{1,2})-([0-9]{1,2})", text)
        numbers = range(int(found[2]), int(found[3]) + 1) if found else ()
        yield from [f"{found[1]}{number}" for number in numbers] if found and numbers else [text]


def _read_square(game: Game, written: str) -> tuple[int, int]:
    """A square and its bit."""
    half = int(game.params[0])
    name = written.removeprefix("K")
    if name.isdecimal() and 1 <= int(name) <= squares(half):
        name = names(half)[int(name) - 1]
    if name not in names(half):
        raise GameError(f"{game.name} has no square {name!r}; they are {names(half)[0]} to {names(half)[-1]}")
    square = names(half).index(name)
    return square, m.bit_of(half, square)


def write_fen(game: Game, state: State) -> str:
    """The position as FEN, without the earlier moves on which a draw may depend."""
    half = int(game.params[0])
    position, name = _position(half, state), names(half)
    sides = []
    for colour, own in zip("WB", position.pieces, strict=True):
        called = [f"{'K' if bit in position.kings else ''}{name[m.square_of(half, bit)]}" for bit in sorted(own)]
        sides.append(colour + ",".join(called))
    return f"{'WB'[position.player]}:{sides[0]}:{sides[1]}"


def board(half: int) -> Board:
    """A chessboard whose dark squares are the places."""
    size, called = 2 * half, names(half)
    cells = boards.squares(size, size, [""] * size**2, up=False)
    dark = {cell_of(square, half): name for square, name in enumerate(called)}
    light = [Area(cell.outline, "light") for number, cell in enumerate(cells) if number not in dark]
    places = [cells[cell]._replace(name=name, tone="dark") for cell, name in dark.items()]
    numbers = [Label(place.x - 0.38, place.y - 0.4, place.name, 0.18, ink=True) for place in places]

    def scene(state: State) -> Scene:
        position, pieces = _position(half, state), list[Piece]()
        for owner, own in enumerate(position.pieces):
            for bit in sorted(own):
                is_king = bit in position.kings
                pieces.append(Piece(m.square_of(half, bit), owner, "king" if is_king else "disc"))
        return Scene(pieces=tuple(pieces))

    ground = Scene(areas=tuple(light), labels=boards.lettered(8, 8) if half == 4 else tuple(numbers))

    def awaited(state: State) -> Awaited | None:
        return Awaited("way") if state[m.FROM] else None

    return Board(tuple(places), scene, ground, ("white", "black"), facing=True, awaited=awaited)


def text(half: int, state: State) -> str:
    """The picture: men `x` and `o`, kings `X` and `O`, light squares blank; a row is labelled with its first square."""
    position, cells = _position(half, state), np.full(4 * half * half, " ")
    for square in range(squares(half)):
        bit, piece = m.bit_of(half, square), "."
        for own, letter in zip(position.pieces, "xo", strict=True):
            if bit in own:
                piece = letter.upper() if bit in position.kings else letter
        cells[cell_of(square, half)] = piece
    rows = [str(half * row + 1) for row in range(2 * half)] if half != 4 else [str(8 - row) for row in range(8)]
    columns = [grid.column_name(column) for column in range(8)] if half == 4 else [""] * (2 * half)
    picture = grid.framed(cells.reshape(2 * half, 2 * half), columns, rows)
    return picture if half == 4 else picture.partition("\n")[2]
