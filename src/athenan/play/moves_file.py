r"""The moves of a match in a file, which is also one of openings for `athenan match`.

The first line is a comment with the name of the game, the next the moves in its notation, separated by spaces.

>>> import tempfile
>>> from pathlib import Path
>>> from athenan import make
>>> game, file = make("tictactoe"), Path(tempfile.mkdtemp(), "match")
>>> write_moves(file, game, [4, 0])
>>> file.read_text()
'# tictactoe\nb2 a1\n'
>>> read_moves(file, game)
[4, 0]
"""

import json
from collections.abc import Sequence
from pathlib import Path

from athenan.rules.game import Game
from athenan.settings import shown

_LARGEST = 1 << 20
"""Bytes of a file of moves."""


def write_moves(path: str | Path, game: Game, actions: Sequence[int]) -> None:
    """Writes the actions of a match to a new file. Raises FileExistsError if there is one, and other OSErrors."""
    with open(path, "x") as file:
        file.write(f"# {game.name}\n{game.moves(actions)}\n")


def read_moves(path: str | Path, game: Game) -> list[int]:
    """The actions in a file of moves. Raises OSError; ValueError if they are none of this game, or finish the match."""
    return actions_of(game, _moves(path, game))


def read_match(path: str | Path, game: Game, number: int = 1) -> list[int]:
    """The actions of a match, finished or not: of a file of moves, or of a line, counted from 1, of `match --records`.

    Raises ValueError if there is no such match of this game, and OSError.
    """
    with open(path, "rb") as file:
        lines = file.readlines() if file.peek(1)[:1] == b"{" else []
    if not lines:
        return _actions(game, _moves(path, game))
    if not 1 <= number <= len(lines):
        raise ValueError(f"{path} has matches 1 to {len(lines)}, and no match {number}")
    try:
        data = json.loads(lines[number - 1])
        name, moves = data["game"], data["moves"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise ValueError(f"{path}, line {number}: this is no match, as `athenan match --records` writes them") from None
    if name != game.name or not isinstance(moves, str):
        raise ValueError(f"{path}, line {number}: a match of {game.name} was expected, not one of {shown(name)}")
    return _actions(game, moves)


def _moves(path: str | Path, game: Game) -> str:
    with open(path, "rb") as file:
        data = file.read(_LARGEST + 1)
    try:
        lines = data.decode().splitlines()
    except UnicodeDecodeError:
        lines = None
    if lines is None or len(data) > _LARGEST:
        raise ValueError(f"{path} is no file of moves, which is text")
    if lines and lines[0].startswith("# ") and (name := lines[0][2:].strip()) != game.name:
        raise ValueError(f"{path} is of {name}, not of {game.name}")
    return " ".join(line.partition("#")[0] for line in lines)


def actions_of(game: Game, moves: str) -> list[int]:
    """The actions of moves. Raises GameError for the first that is not legal, and ValueError if they end the match."""
    if game.outcome(game.after(moves)) is not None:
        raise ValueError("the match is over after these moves; there is nothing left to play")
    return _actions(game, moves)


def _actions(game: Game, moves: str) -> list[int]:
    """The actions of moves. Raises GameError for the first that is not legal."""
    game.after(moves)
    state, actions = game.initial(), list[int]()
    for text in moves.split():
        actions.append(game.parse_action(state, text))
        state = game.play(state, actions[-1])
    return actions
