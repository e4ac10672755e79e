"""Moves and positions of draughts as Hub writes them.

A capture names all pieces that it takes, as in `28x19x23`: from, to, and the squares of the taken pieces in any order.
In our game it is an action from square to square, followed by further actions if several captures between these squares
take different pieces.
"""

import re
from collections.abc import Iterator, Sequence

from athenan.files.turns import turns
from athenan.play.records import plies_of
from athenan.rules.game import Game, GameError, State

_SQUARES = 50
_MOVE = re.compile(r"([0-9]{1,2})(?:-([0-9]{1,2})|((?:x[0-9]{1,2})+))")


def check(game: Game) -> None:
    """Raises GameError unless the game is international draughts."""
    if "hub" not in game.forms.programs:
        raise GameError(f"Hub is for international draughts, not for {game.name}")


def read_move(game: Game, state: State, text: str) -> list[int]:
    """The actions of a move. Raises GameError if it is not legal."""
    found = _MOVE.fullmatch(text.strip())
    if not found:
        raise GameError(f"{text[:40]!r} is not a move such as 32-28 or 28x19x23")
    if found[2]:
        return [game.parse_action(state, text.strip())]
    to, *taken = map(int, found[3][1:].split("x"))
    first = game.parse_action(state, f"{found[1]}x{to}")
    for actions, end in _ways(game, [first], game.play(state, first), game.player(state)):
        if not taken or _taken(game, state, end) == set(taken):
            return actions
    raise GameError(f"{text[:80]!r} is not a legal capture")


def _ways(game: Game, actions: list[int], state: State, side: int) -> Iterator[tuple[list[int], State]]:
    """All sequences of actions that complete a move, each with the state after it."""
    if game.outcome(state) is not None or game.player(state) != side:
        yield actions, state
        return
    for action in game.actions(state):
        yield from _ways(game, [*actions, int(action)], game.play(state, int(action)), side)


def write_move(game: Game, state: State, actions: Sequence[int]) -> str:
    """Writes the move that these actions make up."""
    name, end = game.action_name(state, actions[0]), game.replay(actions, state)
    return "x".join([name, *map(str, sorted(_taken(game, state, end)))]) if "x" in name else name


def _taken(game: Game, before: State, after: State) -> set[int]:
    """The squares of the opponent's pieces that a move removes."""
    other = "BW"[game.player(before)]
    return _pieces(game, before, other) - _pieces(game, after, other)


def _pieces(game: Game, state: State, colour: str) -> set[int]:
    sides = game.write_fen(state).split(":")[1:]
    [own] = [side[1:] for side in sides if side[0] == colour]
    return {int(square.removeprefix("K")) for square in own.split(",") if square}


def moves(game: Game, actions: Sequence[int], start: State) -> list[str]:
    """The moves that these actions make up, from a state on."""
    played = turns(game, plies_of(game, actions, start), start)
    return [write_move(game, turn.state, turn.actions) for turn in played if turn.whole]


def write_position(game: Game, state: State) -> str:
    """The side to move and the pieces, square by square: w, b, W, B for kings, e for none."""
    turn, *sides = game.write_fen(state).split(":")
    squares = ["e"] * _SQUARES
    for side in sides:
        for square in filter(None, side[1:].split(",")):
            letter = side[0] if square[0] == "K" else side[0].lower()
            squares[int(square.removeprefix("K")) - 1] = letter
    return turn + "".join(squares)


def read_position(game: Game, text: str) -> State:
    """Reads such a position. Raises GameError if the text is not one."""
    if not re.fullmatch(rf"[WB][wbWBe]{{{_SQUARES}}}", text):
        raise GameError(f"{text[:60]!r} is not a position: W or B, then w, b, W, B or e for {_SQUARES} squares")
    if text == write_position(game, game.initial()):
        return game.initial()
    sides = [
        colour + ",".join(
            f"{'K' * piece.isupper()}{square}" for square, piece in enumerate(text[1:], 1) if piece.upper() == colour
        )
        for colour in "WB"
    ]  # fmt: skip
    return game.read_fen(":".join([text[0], *sides]))
