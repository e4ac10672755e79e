"""Boards of games that have one."""

from athenan import Game
from athenan.rules.board import Awaited, Board, Decision
from athenan.rules.game import State


def board_of(game: Game) -> Board:
    """The board of a game, which must have one."""
    assert game.board is not None
    return game.board


def place_names(game: Game, state: State, action: int) -> list[str]:
    """The names of the places that an action touches, in order."""
    places = board_of(game).places
    return [places[place].name for place in game.places(state, action)]


def decision_of(game: Game, state: State, winner: int) -> Decision | None:
    """What decided a match, in a game that can be won in several ways."""
    decided = board_of(game).decided
    assert decided
    return decided(state, winner)


def awaited_in(game: Game, state: State) -> Awaited | None:
    """What a state awaits, in a game whose board says it."""
    awaited = board_of(game).awaited
    assert awaited
    return awaited(state)
