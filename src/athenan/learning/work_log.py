"""What workers have begun, played, learnt and remember."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from athenan.learning.counting import Counting
from athenan.learning.observers.observer import Observers
from athenan.learning.replay.divided import DividedReplay
from athenan.learning.self_play.protocol import FinishedMatch, Spent
from athenan.learning.state import Moment, TrainingState


@dataclass(frozen=True, eq=False)
class Phase:
    """The matches that a worker has played and then learnt together."""

    matches: list[FinishedMatch]
    examples: int
    """States with their values that these matches gave to learn."""
    learnt: int
    """Items learnt."""
    losses: list[float]
    """The loss of each minibatch."""
    seconds: float
    """Seconds of learning."""
    memory: int
    """Items in the worker's memory of replay."""


class WorkLog:
    """Notes in the progress of a training what its workers do; they take turns to call it."""

    def __init__(self, state: TrainingState, counting: Counting, *, elsewhere: bool) -> None:
        """`elsewhere`: the workers are in other processes, so that nothing here says how they go on."""
        self._state, self._counting, self._elsewhere = state, counting, elsewhere

    def begin(self) -> None:
        """Begins with the training as it is now."""
        state = self._state
        self._begun = self._told = state.progress.matches
        self._moments = state.moment().actors
        parts = state.replay.parts if isinstance(state.replay, DividedReplay) else []
        self._remembered = {worker: len(part) for worker, part in enumerate(parts)}

    def begins_match(self) -> bool:
        """Whether a worker may begin another match: together they play as many as the limit allows."""
        limit = self._state.progress.limit_matches
        begins = limit is None or self._begun < limit
        self._begun += begins
        return begins

    def learnt(self, worker: int, phase: Phase, spent: Spent, workers: int) -> None:
        """Notes a worker's phase before its next match begins, and what all have spent; so many play side by side."""
        for match in phase.matches:
            self._counting.match(match)
        self._counting.spent(spent)
        progress = self._state.progress
        progress.examples += phase.examples
        progress.learnt += phase.learnt
        self._remembered[worker] = phase.memory
        self._counting.phase(phase.losses, phase.seconds / workers, sum(self._remembered.values()))
        if not self._elsewhere:
            self._moments[worker] = self._state.moment_of(worker)

    def tell(self, phases: Sequence[Phase], observers: Observers) -> None:
        """Tells observers of phases, and of each match with its number."""
        progress = self._state.progress
        for match in (match for phase in phases for match in phase.matches):
            self._told += 1
            observers.match(match, replace(progress, matches=self._told))
        if phases:
            observers.phase(progress)

    def moment(self) -> Moment:
        """How each worker began its match in play; for a time in which nobody learns."""
        return Moment(list(self._moments), asdict(self._state.progress))
