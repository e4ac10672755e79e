"""The turns of a match, for the list of its moves."""

from typing import Any, NamedTuple

from athenan.rules.game import Game, State
from athenan.rules.state import CHANCE


class TurnMove(NamedTuple):
    """What the page is told of a move besides its name."""

    side: int
    begins: bool
    """Whether it is the first of a turn: of consecutive actions of one side, with what chance draws for it."""
    forced: bool
    """Whether it was the only action, and one without a place, such as a pass."""
    turn_of: int
    """Whose turn it belongs to."""

    def told(self, name: str) -> dict[str, Any]:
        """The move for the page."""
        return {"name": name, "side": self.side, "begins": self.begins, "forced": self.forced}


def turn_move(game: Game, state: State, following: State, before: TurnMove | None) -> TurnMove:
    """The move from a state to the following one, after the move `before`."""
    side, forced = game.player(state), _forced(game, state)
    turn_of = before.turn_of if before else None
    if side != CHANCE:
        return TurnMove(side, game.players == 1 or side != turn_of, forced, side)
    if turn_of is not None and _decides(game, state):
        return TurnMove(side, False, False, turn_of)
    return TurnMove(side, True, False, game.player(following))


def _forced(game: Game, state: State) -> bool:
    """Whether a side has one action only, and one without a place to click, such as a pass."""
    if game.player(state) == CHANCE or len(legal := game.actions(state)) != 1:
        return False
    return not game.places(state, int(legal[0]))


def _decides(game: Game, state: State) -> bool:
    """Whether what chance draws decides who goes on: in Pig after `roll`, in backgammon never."""
    return len({game.player(game.play(state, int(drawn))) for drawn in game.actions(state)}) > 1
