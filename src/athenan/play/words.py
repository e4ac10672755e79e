"""Results in words, for people and for JSON. Gains are the first player's: 1, 0 or -1."""

from athenan.rules.game import Game

PLAYERS = ("first player", "second player")
"""The sides of a match, by number."""


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


def result(gain: int) -> str:
    """The result: "the first player wins", "a draw", "the second player wins"."""
    return f"the {PLAYERS[gain < 0]} wins" if gain else "a draw"


def proof(gain: int, stochastic: bool = False) -> str:
    """What is proven: "proven win for the first player", "proven draw"; in a game of chance "certain win for ..."."""
    how = "certain" if stochastic else "proven"
    return f"{how} win for the {PLAYERS[gain < 0]}" if gain else f"{how} draw"


def expectation(value: float) -> str:
    """The exact value, in words, of a position in a game of chance that neither player wins for certain."""
    return f"expectation exactly {value:+.4g}"
