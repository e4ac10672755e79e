"""The components of a training that its learner and all its actors have in common, in whichever process they are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import choose_device
from athenan.evaluation.heads import ActionSpace
from athenan.evaluation.heuristics import make_heuristic, restored_heuristic
from athenan.evaluation.networks import Network, build_network
from athenan.learning.config import TrainingConfig
from athenan.learning.learner.protocol import Learner, PlayingEvaluator
from athenan.learning.learner.torch_learner import TorchLearner
from athenan.learning.self_play.actors import Actor
from athenan.learning.self_play.choice import Choice
from athenan.learning.self_play.making import make_self_play
from athenan.rules.determinization import Determinization
from athenan.rules.game import Game


class Components:
    """What follows from a configuration: game, heuristic, network, and how actors are made of them."""

    def __init__(self, config: TrainingConfig, game: Game, numbers: Any, new: bool = False) -> None:
        """`numbers` are those of the saved heuristic, `Heuristic.as_json`; a `new` training makes its own.

        Raises ValueError if there is no such heuristic, or its numbers are damaged.
        """
        name = config.run.heuristic
        self.config = config
        self.heuristic = make_heuristic(name, game) if new else restored_heuristic(name, game, numbers)
        self.game = self.heuristic.tracked(game)
        self.determinization = Determinization(self.game, self.heuristic) if config.playing.determinization else None
        of = self.determinization
        self.searched, self.terminal = (of.game, of.value) if of else (self.game, self.heuristic)
        """The game and the terminal evaluation of the searches of self-play."""

    def learner(self) -> TorchLearner:
        """A learner of a network with random weights, which follow from the seed of the training."""
        run, learning = self.config.run, self.config.learning
        torch.set_num_threads(run.threads)
        torch.manual_seed(run.seed)
        return TorchLearner(
            self.network().to(choose_device(learning.device)), learning.learning_rate, learning.l2,
            learning.learning_precision, learning.averaging, self.config.losses, run.initial is not None, run.threads,
        )  # fmt: skip

    def network(self) -> Network:
        """A network with random weights."""
        return build_network(
            parse_architecture(self.config.run.network), self.game.planes, self.heuristic.scale,
            self.heuristic.bounded, self.config.heads, ActionSpace.of(self.game),
        )  # fmt: skip

    def evaluator(self, learner: Learner, threads: int) -> PlayingEvaluator:
        """An actor's evaluator, with a copy of the weights: for self-play, and for measurements of strength."""
        search = self.config.search
        heads = dict.fromkeys((*search.heads(self.searched.stochastic), *search.heads(self.game.stochastic)))
        return learner.evaluator(tuple(heads), self.config.playing.precision, threads)

    def actor(self, evaluator: PlayingEvaluator, choice: Choice, stage: Callable[[], int]) -> Actor:
        """An actor with its share of the memory. Raises ValueError if that is too little."""
        self_play = make_self_play(
            self.config, self.searched, evaluator, self.terminal, choice, stage, self.determinization
        )
        return Actor(self_play, evaluator)

    def choice(self, seeds: list[int], done: Callable[[], float | None]) -> Choice:
        """The choice of actions to play; `done` tells which share of the training is over."""
        random = np.random.default_rng(seeds)
        return Choice(self.config.playing, self.heuristic.scale, random, done, self.config.search.select)
