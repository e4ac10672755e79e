"""Results in words, for people and for JSON. Gains are the first player's: 1, 0 or -1."""

from athenan.rules.game import Game

PLAYERS = ("first player", "second player")
"""The sides of a match, by number."""


def gain_word(gain: int) -> str:
    """`win`, `draw` or `loss` of the first player."""
    return {1: "win", 0: "draw", -1: "loss"}[gain]


def proven_word(game: Game, gain: int | None) -> str | None:
    """What is proven, for JSON: the first player's `win`, `draw` or `loss`; in a game of one player the `value`."""
    if gain is None:
        return None
    return gain_word(gain) if game.players == 2 else "value"


def result(gain: int) -> str:
    """The result: "the first player wins", "a draw", "the second player wins"."""
    return f"the {PLAYERS[gain < 0]} wins" if gain else "a draw"


def proof(gain: int) -> str:
    """What is proven: "proven win for the first player", "proven draw"."""
    return f"proven win for the {PLAYERS[gain < 0]}" if gain else "proven draw"
