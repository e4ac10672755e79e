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
from athenan.learning.self_play.actors import Actor
from athenan.learning.self_play.choice import Choice
from athenan.rules.game import Game
from athenan.runs.checkpoint import Checkpoint, CheckpointError, expect, generator


@dataclass(frozen=True, eq=False)
class Moment:
    """The state of self-play, and the progress, at the end of a phase, before the next match begins."""

    arrays: dict[str, NDArray[Any]]
    progress: dict[str, Any]
    random: dict[str, Any]
    """The random state of the first actor's choice of actions."""


def choice_seeds(seed: int, actors: int, matches: int = 0) -> list[list[int]]:
    """The seeds of each actor's choice of actions in a training that begins, or goes on after `matches` matches.

    A checkpoint has the random state of the first actor. What the others play depends on chance in any case.
    """
    return [[seed, 1], *([seed, 1, number, matches] for number in range(1, actors))]


@dataclass
class TrainingState:
    """The parts of a training, and the examples that wait to be learnt."""

    config: TrainingConfig
    game: Game
    heuristic: Heuristic
    learner: Learner
    replay: Replay
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

    def moment(self) -> Moment:
        """A copy of what changes as soon as the next match begins."""
        arrays: dict[str, NDArray[Any]] = {
            "search.random": np.concatenate([actor.self_play.random for actor in self.actors])
        }
        for number, actor in enumerate(self.actors):
            arrays |= actor.self_play.as_arrays(f"resolved.{number}.")
        return Moment(arrays, asdict(self.progress), deepcopy(dict(self.choices[0].random.bit_generator.state)))

    def checkpoint(self, moment: Moment | None = None) -> Checkpoint:
        """A copy of everything, so that learning can continue while it is saved.

        Self-play is as it is now, or as it was at `moment`. The progress includes what has been learnt since then.
        """
        learnt = {name: getattr(self.progress, name) for name in LEARNT}
        moment = moment or self.moment()
        tensors: dict[str, NDArray[Any]] = {**self.learner.as_arrays(), **self.replay.state_arrays(), **moment.arrays}
        if self.waiting is not None:
            tensors |= self.waiting.as_arrays("waiting.")
        document: dict[str, Any] = {
            "configuration": self.config.as_json(),
            "heuristic": self.heuristic.as_json(),
            "progress": moment.progress | learnt,
            "replay": self.replay.state_document(),
            "random": moment.random,
        }
        return Checkpoint(tensors, document, self.replay.match_arrays())

    def restore(self, checkpoint: Checkpoint) -> None:
        """Restores a saved checkpoint. Raises CheckpointError if it does not fit the configuration."""
        tensors, document = checkpoint.tensors, checkpoint.document
        try:
            self.learner.restore(tensors)
        except ValueError as error:
            raise CheckpointError(f"the checkpoint does not fit its configuration: {error}") from None
        for number, actor in enumerate(self.actors):
            actor.evaluator.refresh()
            actor.self_play.restore(tensors, f"resolved.{number}.")
            actor.self_play.restart()
        self.replay.restore(tensors, document.get("replay", {}), checkpoint.matches, checkpoint.lost)
        slots = self.config.playing.actors * self.config.playing.parallel_matches
        self.set_random(expect(tensors, "search.random", np.uint64, slots))
        if "waiting.states" in tensors:
            self.waiting = Examples.from_arrays(tensors, self.game, "waiting.")
        self.progress = restored_progress(document.get("progress"), self.progress)
        seeds = choice_seeds(self.config.run.seed, len(self.choices), self.progress.matches)
        first, *others = generator(document.get("random")), *map(np.random.default_rng, seeds[1:])
        for choice, random in zip(self.choices, (first, *others), strict=True):
            choice.random.bit_generator.state = random.bit_generator.state
        self.progress.memory = len(self.replay)
