"""How long a search lasts: seconds, iterations or evaluations."""

from dataclasses import dataclass
from numbers import Real

from athenan.settings import Checked, Count, Seconds, counted, shown


@dataclass(frozen=True)
class Budget:
    """The limits of a search for one action. The one reached first ends the search, after the present iteration.

    Without a network a search ends within milliseconds after its time, even in the middle of an iteration of Descent.

    Searches limited only by iterations or evaluations are deterministic under a seed.
    """

    seconds: float | None = None
    """Seconds (the papers' τ): wall-clock time, except in self-play with `--clock processor`."""
    iterations: int | None = None
    """Walks from the root to a new or terminal state."""
    evaluations: int | None = None
    """States given to the evaluation function. If no states are left, a search ends after this many iterations."""

    @property
    def in_words(self) -> str:
        """The limits in words.

        >>> Budget(seconds=0.5, iterations=1).in_words
        '0.5 seconds or 1 iteration'
        """
        limits = {"second": self.seconds, "iteration": self.iterations, "evaluation": self.evaluations}
        return " or ".join(counted(value, noun) for noun, value in limits.items() if value is not None)

    def __post_init__(self) -> None:
        given = [value for value in (self.seconds, self.iterations, self.evaluations) if value is not None]
        if not given:
            raise ValueError("a budget needs seconds, iterations or evaluations")
        for value in given:
            if not isinstance(value, Real):
                raise TypeError(f"a budget is a number, such as Budget(seconds=1), not {shown(value)}")
            if not value > 0:
                raise ValueError(f"a budget must be positive, not {value}")


@dataclass(frozen=True)
class ActionLimits(Checked):
    """What ends the search for one action, whichever comes first."""

    seconds: Seconds | None = None
    """Seconds (τ)."""
    iterations: Count | None = None
    """Search iterations."""
    evaluations: Count | None = None
    """States that the network evaluates or, without one, that it would."""

    @property
    def budget(self) -> Budget:
        """The budget of a search with these limits. Raises ValueError without a limit."""
        return Budget(self.seconds, self.iterations, self.evaluations)

    @property
    def limit(self) -> Budget | None:
        """The budget of a search with these limits; None without a limit."""
        return None if (self.seconds, self.iterations, self.evaluations) == (None, None, None) else self.budget
