"""How long a search lasts: seconds, iterations or evaluations."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """What ends a search for one action, whichever comes first; the present iteration is finished.

    Without a network a search is over a few milliseconds after its seconds, in the middle of an iteration of Descent.

    Searches limited by iterations or evaluations alone are deterministic under a seed.
    """

    seconds: float | None = None
    """Wall-clock time per action (τ of the papers)."""
    iterations: int | None = None
    """Walks from the root to a new or terminal state."""
    evaluations: int | None = None
    """States given to the evaluation function. A tree without any left to evaluate ends after as many iterations."""

    def __post_init__(self) -> None:
        given = [value for value in (self.seconds, self.iterations, self.evaluations) if value is not None]
        if not given:
            raise ValueError("a budget needs seconds, iterations or evaluations")
        for value in given:
            if not value > 0:
                raise ValueError(f"a budget must be positive, not {value}")
