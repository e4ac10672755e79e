"""The components of a training that its learner and all its actors share, in whichever process they run."""

from collections.abc import Callable
from typing import Any

import numpy as np

from athenan.evaluation.heuristics import make_heuristic, restored_heuristic
from athenan.learning.config import TrainingConfig
from athenan.learning.examples.targets import make_target
from athenan.learning.learner.making import make_learner, takes_gpu
from athenan.learning.learner.protocol import Learner, PlayingEvaluator
from athenan.learning.self_play.actors import Actor
from athenan.learning.self_play.by_policy import WARM_STARTS, ExpertIteration
from athenan.learning.self_play.by_search import SearchPlay
from athenan.learning.self_play.by_turns import TurnPlay
from athenan.learning.self_play.choice import Choice
from athenan.learning.self_play.determinized import DeterminizedPlay
from athenan.learning.self_play.memory import check_memory
from athenan.learning.self_play.protocol import SelfPlay
from athenan.learning.self_play.shared_evaluator import SharedEvaluator, gains_by_sharing
from athenan.rules.determinization import Determinization
from athenan.rules.game import Game
from athenan.rules.leaves import Evaluate
from athenan.rules.randomness import streams
from athenan.runs.checkpoint import Tensors
from athenan.search.clock import CLOCKS
from athenan.search.named import make_search
from athenan.search.trees.forest_search import ForestSearch


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
        self._begin = of.begin if of else None

    def learner(self, saved: Tensors | None = None) -> Learner:
        """A learner for a new network, or for the `saved` one; see `make_learner`."""
        return make_learner(self.config, self.game, self.heuristic, saved)

    def evaluator(self, learner: Learner, threads: int, precision: str | None = None) -> PlayingEvaluator:
        """An actor's evaluator, with a copy of the weights: for self-play, and for measurements of strength.

        `precision`: by default the one of the configuration.
        """
        search = self.config.search
        heads = dict.fromkeys((*search.heads(self.searched.stochastic), *search.heads(self.game.stochastic)))
        return learner.evaluator(tuple(heads), precision or self.config.playing.precision, threads)

    def evaluators(self, learner: Learner, threads: int) -> list[PlayingEvaluator]:
        """The evaluators of the actors of this process. On a GPU they share one where that is clearly faster.

        On a CPU each has its own, so that all cores evaluate.
        """
        first = self.evaluator(learner, threads)
        others = range(1, self.config.playing.actors)
        own = [first, *(self.evaluator(learner, threads, first.precision) for _ in others)]
        if len(own) == 1 or not takes_gpu(self.config):
            return own
        from athenan.evaluation.evaluator import Evaluator

        if isinstance(first, Evaluator) and first.device.type != "cpu" and gains_by_sharing(own, first.usual_planes()):
            return [SharedEvaluator(first)] * len(own)
        return own

    def actor(self, evaluator: PlayingEvaluator, choice: Choice, stage: Callable[[], int]) -> Actor:
        """An actor with its share of the memory. Raises ValueError if that is too little."""
        return Actor(self.self_play(evaluator, choice, stage), evaluator)

    def seeded_actor(
        self, learner: Learner, seeds: list[int], done: Callable[[], float | None], stage: Callable[[], int]
    ) -> Actor:
        """An actor of one thread in another process, whose random numbers follow from the seeds."""
        choice = self.choice(seeds, done)
        actor = self.actor(self.evaluator(learner, threads=1), choice, stage)
        random = actor.self_play.random
        random[:] = streams(int(choice.random.integers(2**63)), len(random))
        return actor

    def self_play(self, evaluate: Evaluate, choice: Choice, stage: Callable[[], int]) -> SelfPlay:
        """The self-play of one actor: by a search, or by the policy or the values of its network.

        `stage` gives the stage of expert iteration. Raises ValueError if the actor's share of the memory is too little
        for its trees.
        """
        config, playing = self.config, self.config.playing
        if playing.matches_by == "turns":
            trace, exploitation = config.learning.trace, float(playing.exploitation)
            return TurnPlay(
                self.searched, evaluate, self.terminal, trace, playing.parallel_matches, exploitation=exploitation
            )
        check_memory(config, self.searched)
        memory = (playing.memory << 20) // playing.actors
        search = make_search(self.searched, evaluate, self.terminal, config.search, playing.parallel_matches, memory)
        by_policy = playing.matches_by == "policy"
        found = self._by_policy(search, choice, stage) if by_policy else self._by_search(search, choice)
        return DeterminizedPlay(found, self.determinization) if self.determinization else found

    def _by_policy(self, search: ForestSearch, choice: Choice, stage: Callable[[], int]) -> SelfPlay:
        config = self.config
        return ExpertIteration(
            search.game, search, config.action.budget, lambda: int(choice.random.integers(2**63)), stage,
            config.exit.rollouts, self._begin, WARM_STARTS[config.exit.warm_start_search], CLOCKS[config.run.clock],
        )  # fmt: skip

    def _by_search(self, search: ForestSearch, choice: Choice) -> SelfPlay:
        playing, learning, budget = self.config.playing, self.config.learning, self.config.action.budget
        return SearchPlay(
            search.game, search, budget, choice.choose, playing.borrowing,
            make_target(learning.target, learning.policy_target, learning.trace),
            playing.resolved_period if search.game.players == 2 else 0,
            self.config.search.preparation(budget, choice.random), self._begin, CLOCKS[self.config.run.clock],
            choice.selection if choice.compiles else None,
        )  # fmt: skip

    def choice(self, seeds: list[int], done: Callable[[], float | None]) -> Choice:
        """The choice of actions to play; `done` returns the share of the training that is over."""
        random = np.random.default_rng(seeds)
        return Choice(self.config.playing, self.heuristic.scale, random, done, self.config.search.select)
