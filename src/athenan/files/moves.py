r"""The moves of a match as plain text, which is also a file of openings for `athenan match`.

The first line is a comment with the name of the game. The next line has the moves in its notation, separated by spaces.
If the game is known otherwise, the comment may say anything else.

>>> from athenan import make
>>> write("4 0", make("tictactoe"))
'# tictactoe\n4 0\n'
>>> read("# tictactoe\nb2 a1 # and so on\n")
('tictactoe', 'b2 a1')
"""

from collections.abc import Sequence

from athenan.rules.game import Game


def read(text: str) -> tuple[str | None, str]:
    """The comment before the moves, which may name the game, and the moves."""
    lines = [line for line in text.splitlines() if line.strip()]
    comment = lines[0].lstrip()[1:].strip() if lines and lines[0].lstrip().startswith("#") else ""
    return comment or None, " ".join(word for line in lines for word in line.partition("#")[0].split())


def write(moves: str, game: Game) -> str:
    """The text of moves."""
    return f"# {game.name}\n{moves}\n"


def unfinished(game: Game, actions: Sequence[int]) -> Sequence[int]:
    """Returns the actions. Raises ValueError if the match is over after them."""
    if game.outcome(game.replay(actions)) is not None:
        raise ValueError("the match is over after these moves, so nothing is left to play")
    return actions
