"""Players: whatever selects actions in a match.

    >>> from athenan import Budget, make
    >>> from athenan.play.roster import make_player
    >>> game = make("tictactoe")
    >>> player = make_player("mcts:1000", game)
    >>> player.new_match(game, seed=7)
    >>> game.action_name(game.initial(), player.select(game.initial(), Budget(seconds=1)).action)
    'b2'

The module `roster` makes players of their names, and takes in those of your own.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from athenan.play.limit import Limit
from athenan.rules.game import Game, State


class PlayerError(ValueError):
    """A player that does not exist, or that cannot do what it is asked to."""


class Intervention(Exception):
    """What a player may do instead of selecting an action."""


class Undo(Intervention):
    """Takes back the player's last action, and what followed."""


class Resign(Intervention):
    """Gives the match up: it is lost."""


class Quit(Intervention):
    """Leaves: the match has no result."""


@dataclass(frozen=True)
class Move:
    """An action, and what the player thinks of it; values and gains are from the first player's point of view."""

    action: int
    value: float | None = None
    """Of the state it is played in; of one player the final value that is expected."""
    proven: int | None = None
    """The gain under perfect play (1, 0, -1), if proven; of one player 0 where `value` is proven."""
    line: tuple[int, ...] = ()
    """The actions that are expected, beginning with this one."""


class Player(Protocol):
    """One side of matches, or both. A player is used by one thread at a time."""

    @property
    def name(self) -> str:
        """The text that `roster.make_player` makes the same player of."""

    def new_match(self, game: Game, seed: int) -> None:
        """A match begins, at the initial state. The same seed gives the same play, unless the limit is a time."""

    def select(self, state: State, limit: Limit) -> Move:
        """A legal action of a state of the match, whose side to move this player plays. May raise Intervention.

        `limit` is for this action; a player with a limit of its own keeps to that.
        """

    def observe(self, action: int, following: State) -> None:
        """An action of the match has been played, by whichever side, and the state after it.

        Also those of the opening, from the initial state on.
        """

    def close(self) -> None:
        """Gives back what the player holds (processes, memory); it is not used again."""


class RandomPlayer:
    """Plays uniformly random legal actions."""

    name = "random"

    def new_match(self, game: Game, seed: int) -> None:
        self._game, self._random = game, np.random.default_rng(seed)

    def select(self, state: State, limit: Limit) -> Move:
        return Move(int(self._random.choice(self._game.actions(state))))

    def observe(self, action: int, following: State) -> None:
        pass

    def close(self) -> None:
        pass
