r"""The moves of a match in a file, which is also one of openings for `athenan match`.

The first line is a comment with the name of the game, the next the moves in its notation, separated by spaces.

>>> import os, tempfile
>>> from athenan import make
>>> game, file = make("tictactoe"), os.path.join(tempfile.mkdtemp(), "match")
>>> write_moves(file, game, [4, 0])
>>> open(file).read()
'# tictactoe\nb2 a1\n'
>>> read_moves(file, game)
[4, 0]
"""

from collections.abc import Sequence
from pathlib import Path

from athenan.rules.game import Game

_LARGEST = 1 << 20
"""Bytes of a file of moves."""


def write_moves(path: str | Path, game: Game, actions: Sequence[int]) -> None:
    """Writes the actions of a match to a new file. Raises FileExistsError if there is one, and other OSErrors."""
    with open(path, "x") as file:
        file.write(f"# {game.name}\n{game.moves(actions)}\n")


def read_moves(path: str | Path, game: Game) -> list[int]:
    """The actions in a file of moves. Raises ValueError if they are none of a match of this game, and OSError."""
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
    return actions_of(game, " ".join(line.partition("#")[0] for line in lines))


def actions_of(game: Game, moves: str) -> list[int]:
    """The actions of moves. Raises GameError for the first that is not legal, and ValueError if they end the match."""
    after, state, actions = game.after(moves), game.initial(), list[int]()
    for text in moves.split():
        actions.append(game.parse_action(state, text))
        state = game.play(state, actions[-1])
    if game.outcome(after) is not None:
        raise ValueError("the match is over after these moves; there is nothing left to play")
    return actions
