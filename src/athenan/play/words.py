"""Results in words, for people and for JSON. Gains are the first player's: 1, 0 or -1."""

import textwrap

from athenan import settings
from athenan.games.about import about
from athenan.rules.game import Game

WIDTH = 100
"""The usual characters of a line of `rules`."""
_THE_PLAYERS = "the first player", "the second player"


def gain_word(gain: int) -> str:
    """`win`, `draw` or `loss` of the first player."""
    return {1: "win", 0: "draw", -1: "loss"}[gain]


def proven_word(game: Game, gain: int | None) -> str | None:
    """What is proven, for JSON: the first player's `win`, `draw` or `loss`; in a one-player game the `value`.

    In a game of chance a win or a loss holds whatever chance brings; None if only the expectation is exact.
    """
    if gain is None:
        return None
    return gain_word(gain) if game.players == 2 else "value"


def result(gain: int, sides: tuple[str, str] = _THE_PLAYERS) -> str:
    """The result: "the first player wins", "a draw", "the second player wins"; `sides` are other names."""
    return f"{sides[gain < 0]} wins" if gain else "a draw"


def proof(gain: int, stochastic: bool = False, sides: tuple[str, str] = _THE_PLAYERS) -> str:
    """What is proven: "proven win for the first player", "proven draw"; in a game of chance "certain win for ..."."""
    how = "certain" if stochastic else "proven"
    return f"{how} win for {sides[gain < 0]}" if gain else f"{how} draw"


def lead(points: float, sides: tuple[str, str] = _THE_PLAYERS) -> str:
    """A score in words: "the first player by 4.5", or "even" if it is nearer to 0 than a twentieth of a point."""
    return f"{sides[points < 0]} by {abs(points):.4g}" if abs(points) >= 0.05 else "even"


def expectation(value: float) -> str:
    """The exact value, in words, of a position in a game of chance that neither player wins for certain."""
    return f"expectation exactly {value:+.4g}"


def sides(game: Game) -> tuple[str, ...]:
    """The sides as people call them, with the letters of their pieces in the text of a position."""
    if game.players == 1:
        return ("player",)
    return tuple(f"{side}, {mark}" if mark else side for side, mark in zip(game.sides, game.layout.marks, strict=True))


def rules(game: Game, width: int = WIDTH) -> str:
    """How a game is played: the goal, a few sentences, and who has which pieces, in lines of at most `width`."""
    words = about(settings.split(game.name)[0])
    goal = f"Goal: {words.goal}" if words.goal else words.summary
    pieces = "" if game.players == 1 else f"The sides: {'; '.join(sides(game))}."
    paragraphs = [words.title, goal, words.play, pieces]
    return "\n\n".join(textwrap.fill(one, width, break_on_hyphens=False) for one in paragraphs if one)
