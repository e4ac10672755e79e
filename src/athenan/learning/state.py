"""The state of a training: everything that its next match depends on, which a checkpoint saves and restores."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from athenan.evaluation.heuristics import Heuristic
from athenan.evaluation.networks import load_weights
from athenan.learning.config import TrainingConfig
from athenan.learning.examples.examples import Examples
from athenan.learning.learner.learner import Learner
from athenan.learning.progress import Progress, restored_progress
from athenan.learning.replay import Replay
from athenan.learning.self_play.actors import Actor
from athenan.learning.self_play.choice import Choice
from athenan.rules.game import Game
from athenan.runs.checkpoint import (
    LEARNER_PREFIX,
    NETWORK_PREFIX,
    Checkpoint,
    CheckpointError,
    expect,
    generator,
    weights_of,
)  # fmt: skip

OPTIMIZER_PREFIX = "optimizer."


@dataclass
class TrainingState:
    """Its parts, and the examples that wait to be learnt."""

    config: TrainingConfig
    game: Game
    heuristic: Heuristic
    learner: Learner
    replay: Replay
    choice: Choice
    progress: Progress
    actors: list[Actor] = field(default_factory=list)
    waiting: Examples | None = None
    """The examples of the last phase's matches, not learnt yet."""

    def set_random(self, states: NDArray[np.uint64]) -> None:
        """Sets the random states of all matches: uint64[actors * parallel_matches]."""
        for actor, own in zip(self.actors, np.split(states, len(self.actors)), strict=True):
            actor.self_play.random[:] = own

    def checkpoint(self) -> Checkpoint:
        """Everything, copied, so that learning can continue while it is saved."""
        tensors = {name: np.array(tensor.cpu().numpy()) for name, tensor in self._learnt().items()}
        tensors |= self.replay.state_arrays()
        tensors["search.random"] = np.concatenate([actor.self_play.random for actor in self.actors])
        for number, actor in enumerate(self.actors):
            tensors |= actor.self_play.as_arrays(f"resolved.{number}.")
        if self.waiting is not None:
            tensors |= self.waiting.as_arrays("waiting.")
        document: dict[str, Any] = {
            "configuration": self.config.as_json(),
            "heuristic": self.heuristic.as_json(),
            "progress": asdict(self.progress),
            "replay": self.replay.state_document(),
            "random": self.choice.random.bit_generator.state,
        }
        return Checkpoint(tensors, document, self.replay.match_arrays())

    def _learnt(self) -> dict[str, torch.Tensor]:
        """The weights that play, those that learning steps change if they are others, and the optimizer's state."""
        learner = self.learner
        tensors = {NETWORK_PREFIX + name: tensor for name, tensor in learner.average.state_dict().items()}
        if learner.averaging:
            tensors |= {LEARNER_PREFIX + name: tensor for name, tensor in learner.network.state_dict().items()}
        return tensors | {OPTIMIZER_PREFIX + name: tensor for name, tensor in learner.state_dict().items()}

    def restore(self, checkpoint: Checkpoint) -> None:
        """Restores a saved checkpoint. Raises CheckpointError if it does not fit the configuration."""
        tensors, document, learner = checkpoint.tensors, checkpoint.document, self.learner
        try:
            load_weights(learner.average, weights_of(tensors, NETWORK_PREFIX))
            if learner.averaging:
                load_weights(learner.network, weights_of(tensors, LEARNER_PREFIX))
            learner.load_state_dict(
                {name: torch.from_numpy(array) for name, array in weights_of(tensors, OPTIMIZER_PREFIX).items()}
            )
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
        self.choice.random.bit_generator.state = generator(document.get("random")).bit_generator.state
        self.progress = restored_progress(document.get("progress"), self.progress)
        self.progress.memory = len(self.replay)
