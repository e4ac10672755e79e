"""The components of a training that its learner and all its actors share, in whichever process they run."""

from collections.abc import Callable
from typing import Any

import numpy as np

from athenan.evaluation.heuristics import make_heuristic, restored_heuristic
from athenan.learning.config import TrainingConfig
from athenan.learning.learner.making import make_learner
from athenan.learning.learner.protocol import Learner, PlayingEvaluator
from athenan.learning.self_play.actors import Actor
from athenan.learning.self_play.choice import Choice
from athenan.learning.self_play.making import make_self_play
from athenan.rules.determinization import Determinization
from athenan.rules.game import Game
from athenan.runs.checkpoint import Tensors


class Components:
    """What follows from a configuration: game, heuristic, network, and how actors are made of them."""

    def __init__(self, config: TrainingConfig, game: Game, numbers: Any, new: bool = False) -> None:
        """`numbers` come from the saved heuristic (`Heuristic.as_json`); a `new` training makes its own.

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

    def learner(self, saved: Tensors | None = None) -> Learner:
        """A learner for a new network, or for the `saved` one; see `make_learner`."""
        return make_learner(self.config, self.game, self.heuristic, saved)

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
        """The choice of actions to play; `done` returns the share of the training that is over."""
        random = np.random.default_rng(seeds)
        return Choice(self.config.playing, self.heuristic.scale, random, done, self.config.search.select)
