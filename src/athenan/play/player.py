"""Players: objects that select actions in a match.

    >>> from athenan import Budget, make
    >>> from athenan.arena.roster import make_player
    >>> game = make("tictactoe")
    >>> player = make_player("mcts:1000", game)
    >>> player.new_match(game, seed=7)
    >>> game.action_name(game.initial(), player.select(game.initial(), Budget(seconds=1)).action)
    'b2'

The module `roster` makes players from their names. You can add your own there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from athenan.play.limit import Limit
from athenan.rules.game import Game, GameError, State
from athenan.settings import shown


class PlayerError(ValueError):
    """A player that does not exist, does not fit the game, or made an illegal move."""


class Forfeit(PlayerError):
    """Another program failed as a player: it crashed, hung, or gave no legal answer. It loses the match."""


def require_own_game(name: str, own: Game, asked: Game) -> None:
    """Raises PlayerError unless the game asked of a player is the one that it was made for."""
    if asked.name != own.name:
        raise PlayerError(f"{name} plays {own.name}, not {asked.name}")


def choices(game: Game, state: State) -> NDArray[np.int32]:
    """The legal actions of a state in which a player is to move. Raises GameError if the match is over."""
    if not len(actions := game.actions(state)):
        raise GameError(f"{game.name}: the match is over")
    return actions


def require_players(players: Sequence[object]) -> None:
    """Raises TypeError for names, searches or other objects in the place of players."""
    for player in players:
        if isinstance(player, str):
            raise TypeError(f"a player must be made first, by make_player({player!r}, game)")
        if not hasattr(player, "select"):
            raise TypeError(f"a player must be a Player, such as make_player('random', game), not {shown(player)}")


class Intervention(Exception):
    """Raised by a player instead of selecting an action."""


class Undo(Intervention):
    """Takes back the player's last action and all later ones."""


class Load(Intervention):
    """Restarts the match with actions that are played first."""

    def __init__(self, actions: Sequence[int]) -> None:
        super().__init__()
        self.actions = tuple(actions)


class Resign(Intervention):
    """Resigns: the match is lost."""


class Quit(Intervention):
    """Leaves the match, which has no result."""


@dataclass(frozen=True)
class Move:
    """An action and the player's evaluation; values and gains are from the first player's point of view."""

    action: int
    value: float | None = None
    """The value of the state before the action; in a one-player game the expected final value."""
    proven: int | None = None
    """The gain under perfect play (1, 0, -1), if proven; in a one-player game 0 if `value` is proven."""
    line: tuple[int, ...] = ()
    """The principal variation, beginning with this action."""


class Player(Protocol):
    """One side of matches, or both. A player is used by one thread at a time."""

    @property
    def name(self) -> str:
        """The text from which `roster.make_player` makes the same player."""

    def new_match(self, game: Game, seed: int) -> None:
        """Starts a match at the initial state. The same seed gives the same play, unless the limit is a time."""

    def select(self, state: State, limit: Limit) -> Move:
        """Selects a legal action of a state in which this player is to move. May raise Intervention.

        `limit` is for this action; a player's own limit takes precedence.
        """

    def observe(self, action: int, following: State) -> None:
        """Tells the player an action of either side and the state after it.

        This includes the actions of the opening, from the initial state on.
        """

    def close(self) -> None:
        """Releases the player's resources (processes, memory). The player is not used again."""


@runtime_checkable
class Remarking(Protocol):
    """A player with remarks about how it plays, for example that a program refuses time commands."""

    remarks: Sequence[str]
    """One sentence each; a match records them at its end."""


class RandomPlayer:
    """Plays uniformly random legal actions."""

    name = "random"

    def new_match(self, game: Game, seed: int) -> None:
        self._game, self._random = game, np.random.default_rng(seed)

    def select(self, state: State, limit: Limit) -> Move:
        return Move(int(self._random.choice(choices(self._game, state))))

    def observe(self, action: int, following: State) -> None:
        pass

    def close(self) -> None:
        pass
