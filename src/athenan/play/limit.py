"""How long a player may think about one action.

>>> from athenan import Budget, make
>>> game = make("hex:7")
>>> budget_of(Clock(left=60, increment=2), game, game.initial())
Budget(seconds=7.0, iterations=None, evaluations=None)
>>> budget_of(Clock(left=0, overtime=3), game, game.initial())
Budget(seconds=3.0, iterations=None, evaluations=None)
>>> budget_of(Budget(iterations=100), game, game.initial())
Budget(seconds=None, iterations=100, evaluations=None)
"""

from dataclasses import dataclass, replace
from typing import Annotated

from athenan.rules.game import Game, State
from athenan.rules.playouts import decision_share
from athenan.search.budget import Budget
from athenan.settings import Between, Checked, require_type

_LEAST_ACTIONS = 10
"""The least number of further actions that a clock leaves time for."""
LEAST_SECONDS = 0.001
"""The least time for an action, even after the clock has run out, because a search must find something."""


@dataclass(frozen=True)
class Clock(Checked):
    """The time that a player has left for all further actions. Raises ValueError for an invalid time."""

    left: Annotated[float, Between(0, 1e9)]
    """Seconds."""
    increment: Annotated[float, Between(0, 1e9)] = 0.0
    """Seconds added after each action."""
    overtime: Annotated[float, Between(0, 1e9)] = 0.0
    """Seconds for each action after the time left is used up."""

    def after(self, seconds: float) -> "Clock":
        """The clock after an action that took these seconds."""
        return replace(self, left=max(0.0, self.left - seconds) + self.increment)

    def seconds(self, game: Game, state: State) -> float:
        """The time for one action: an equal share of the time left, plus the increment and the overtime.

        Without overtime it is at most half of the time left. With overtime the time left may be used up.

        There are as many shares as the player has further actions in a match of typical length, at least 10. Draws of
        chance do not count. A single legal action gets no time, which leaves more for the other actions of a turn, such
        as the other checkers of a roll.
        """
        if len(game.actions(state)) == 1:
            return LEAST_SECONDS
        actions = (game.typical_length - game.length(state)) * decision_share(game) / game.players
        actions = max(_LEAST_ACTIONS, actions)
        most = self.left + self.overtime if self.overtime else self.left / 2
        return max(LEAST_SECONDS, min(self.left / actions + self.increment + self.overtime, most))


Limit = Budget | Clock
"""What ends the search for an action: seconds, iterations or evaluations, or what a clock allows."""


def before_more_time(left: float, actions: int, increment: float = 0.0) -> Budget:
    """The limit of an action: an equal share of the `left` seconds, which must last for this number of actions.

    Afterwards the clock gets more time. The increment is added after each action.
    """
    return Budget(seconds=max(LEAST_SECONDS, min(left, (left + increment * (actions - 1)) / actions)))


DEFAULT_LIMIT = Budget(seconds=1.0)
"""The limit of players without a limit of their own."""


def budget_of(limit: Limit, game: Game, state: State) -> Budget:
    """The limit as the budget of a search for an action of this state."""
    require_limit(limit)
    return Budget(seconds=limit.seconds(game, state)) if isinstance(limit, Clock) else limit


def require_limit(limit: object) -> None:
    """Raises TypeError for what is not a limit, such as a number of seconds."""
    if not isinstance(limit, Clock):
        require_type("a limit that is no Clock", limit, Budget, "Budget(seconds=1)")
