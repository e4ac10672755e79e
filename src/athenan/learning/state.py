"""The state of a training: everything that its next match depends on, which a checkpoint saves and restores."""

from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.heuristics import Heuristic
from athenan.learning.config import TrainingConfig
from athenan.learning.examples.examples import Examples
from athenan.learning.learner.protocol import Learner
from athenan.learning.progress import LEARNT, Progress, restored_progress
from athenan.learning.replay import Replay
from athenan.learning.replay.divided import DividedReplay
from athenan.learning.self_play.actors import Actor, refresh
from athenan.learning.self_play.choice import Choice
from athenan.rules.game import Game
from athenan.runs.checkpoint import Checkpoint, CheckpointError, expect, generator


@dataclass(frozen=True, eq=False)
class ActorMoment:
    """What an actor's next match depends on, apart from the network, at the end of a match."""

    arrays: dict[str, NDArray[Any]]
    """What it remembers from match to match."""
    random: NDArray[np.uint64]
    """The random states of its matches side by side; uint64[parallel_matches]."""
    choice: dict[str, Any]
    """The random state of its choice of actions."""


@dataclass(frozen=True, eq=False)
class Moment:
    """The state of self-play, and the progress, at the end of a phase, before the next match begins."""

    actors: list[ActorMoment]
    """The moment of each actor."""
    progress: dict[str, Any]


def choice_seeds(seed: int, actors: int, matches: int = 0) -> list[list[int]]:
    """The seeds of each actor's choice of actions in a training that begins, or goes on after `matches` matches.

    A checkpoint has the random state of the first actor, and of the others if these learn their matches themselves.
    Otherwise what the others play depends on chance in any case.
    """
    return [[seed, 1], *([seed, 1, number, matches] for number in range(1, actors))]


@dataclass
class TrainingState:
    """The parts of a training, and the examples that wait to be learnt."""

    config: TrainingConfig
    game: Game
    heuristic: Heuristic
    learner: Learner
    replay: Replay | DividedReplay
    """Divided if each actor learns its own matches."""
    choices: list[Choice]
    """One for each actor."""
    progress: Progress
    actors: list[Actor] = field(default_factory=list)
    waiting: Examples | None = None
    """The examples of the last phase's matches, not learnt yet."""

    def set_random(self, states: NDArray[np.uint64]) -> None:
        """Sets the random states of all matches: uint64[actors * parallel_matches]."""
        for actor, own in zip(self.actors, np.split(states, len(self.actors)), strict=True):
            actor.self_play.random[:] = own

    def moment_of(self, number: int) -> ActorMoment:
        """A copy of what the next match of an actor depends on."""
        self_play, choice = self.actors[number].self_play, self.choices[number]
        remembered = self_play.as_arrays(f"resolved.{number}.")
        return ActorMoment(remembered, self_play.random.copy(), deepcopy(dict(choice.random.bit_generator.state)))

    def moment(self) -> Moment:
        """A copy of what changes as soon as the next match begins."""
        return Moment([self.moment_of(number) for number in range(len(self.actors))], asdict(self.progress))

    def checkpoint(self, moment: Moment | None = None) -> Checkpoint:
        """A copy of everything, so that learning can continue while it is saved.

        Self-play is as it is now, or as it was at `moment`. The progress includes what has been learnt since then.
        """
        learnt = {name: getattr(self.progress, name) for name in LEARNT}
        moment = moment or self.moment()
        tensors: dict[str, NDArray[Any]] = {**self.learner.as_arrays(), **self.replay.state_arrays()}
        tensors["search.random"] = np.concatenate([one.random for one in moment.actors])
        for one in moment.actors:
            tensors |= one.arrays
        if self.waiting is not None:
            tensors |= self.waiting.as_arrays("waiting.")
        document: dict[str, Any] = {
            "configuration": self.config.as_json(),
            "heuristic": self.heuristic.as_json(),
            "progress": moment.progress | learnt,
            "replay": self.replay.state_document(),
            "random": moment.actors[0].choice,
        }
        if isinstance(self.replay, DividedReplay):
            document["others"] = [one.choice for one in moment.actors[1:]]
        return Checkpoint(tensors, document, self.replay.match_arrays())

    def restore(self, checkpoint: Checkpoint) -> None:
        """Restores a saved checkpoint. Raises CheckpointError if it does not fit the configuration."""
        tensors, document = checkpoint.tensors, checkpoint.document
        try:
            self.learner.restore(tensors)
        except ValueError as error:
            raise CheckpointError(f"the checkpoint does not fit its configuration: {error}") from None
        refresh(self.actors)
        for number, actor in enumerate(self.actors):
            actor.self_play.restore(tensors, f"resolved.{number}.")
            actor.self_play.restart()
        self.replay.restore(tensors, document.get("replay", {}), checkpoint.matches, checkpoint.lost)
        slots = self.config.playing.actors * self.config.playing.parallel_matches
        self.set_random(expect(tensors, "search.random", np.uint64, slots))
        if "waiting.states" in tensors:
            self.waiting = Examples.from_arrays(tensors, self.game, "waiting.")
        self.progress = restored_progress(document.get("progress"), self.progress)
        for choice, random in zip(self.choices, self._generators(document), strict=True):
            choice.random.bit_generator.state = random.bit_generator.state
        self.progress.memory = len(self.replay)

    def _generators(self, document: dict[str, Any]) -> list[np.random.Generator]:
        """The generators of the actors' choices. Raises CheckpointError if they are damaged."""
        first, count = generator(document.get("random")), len(self.choices)
        if not isinstance(self.replay, DividedReplay):
            seeds = choice_seeds(self.config.run.seed, count, self.progress.matches)
            return [first, *map(np.random.default_rng, seeds[1:])]
        others = document.get("others")
        if not isinstance(others, list) or len(others) != count - 1:
            raise CheckpointError(f"the checkpoint has not the random states of {count} workers")
        return [first, *map(generator, others)]
