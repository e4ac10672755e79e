"""Errors of games."""

from collections.abc import Sequence


class GameError(ValueError):
    """A game, an option, an action or a position does not exist; the message gives valid ones."""


class IllegalAction(GameError):
    """A text is not the notation of a legal action."""

    def __init__(self, message: str, text: str = "", legal: Sequence[str] = ()) -> None:
        """`legal`: a few legal actions; none after the end of a match."""
        super().__init__(message)
        self.text, self.legal = text, tuple(legal)


def require(what: str, value: float, low: int, high: int) -> None:
    """Raises GameError unless low <= value <= high: for bounds that depend on other settings."""
    if not low <= value <= high:
        raise GameError(f"{what} must be from {low} to {high}, not {value:.12g}")
