"""The loop of a training: self-play, and learning from its matches (003, Algorithm 3)."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import SupportsFloat

from athenan.jobs import HERE, Machines
from athenan.learning.clocks import Clocks
from athenan.learning.components import Components
from athenan.learning.config import TrainingConfig
from athenan.learning.counting import Counting
from athenan.learning.examples.examples import Batch, Examples
from athenan.learning.exchange import Learners, Left, require_exchange
from athenan.learning.learner.initialisation import terminal_batches
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.learner.protocol import PlayingEvaluator
from athenan.learning.learner.sharing import SharedLearner
from athenan.learning.observers.observer import Observer, Observers
from athenan.learning.progress import POLICY, RECENT, Progress
from athenan.learning.replay import Replay, make_replay
from athenan.learning.replay.divided import DividedReplay, move, parts_of
from athenan.learning.replay.methods import AllReplay
from athenan.learning.saving import Saving
from athenan.learning.self_play.actors import Actors, refresh
from athenan.learning.self_play.by_policy import enter_stage
from athenan.learning.self_play.memory import shortage
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.learning.self_play.remote_actors import RemoteActors, Snapshot
from athenan.learning.state import TrainingState, choice_seeds
from athenan.learning.work_log import WorkLog
from athenan.learning.workers import Work, Workers, learn_themselves
from athenan.rules.game import Game
from athenan.rules.randomness import streams
from athenan.runs.checkpoint import CONFIGURATION, Checkpoint, RunDirectory
from athenan.search.named import search_text
from athenan.settings import counted
from athenan.version import environment

_TICK = 0.05  # seconds between two looks at the workers

Playing = Actors | RemoteActors
"""What plays: threads of this process, or other processes."""


class Trainer:
    """One training: its parts, and the loop over them."""

    def __init__(
        self,
        config: TrainingConfig,
        game: Game,
        directory: RunDirectory,
        checkpoint: Checkpoint | None = None,
        machines: Machines = HERE,
        exchange: bool = False,
    ) -> None:
        """`exchange`: other processes learn what they have played, and exchange what they have learnt."""
        run = config.run
        self.directory = directory
        self.machines = machines
        numbers = checkpoint.document.get("heuristic") if checkpoint else None
        self.components = Components(config, game, numbers, new=checkpoint is None)
        self.heuristic, self.game = self.components.heuristic, self.components.game
        self.learner = self.components.learner(checkpoint.tensors if checkpoint else None)
        if run.initial is not None and checkpoint is None:
            from athenan.learning.learner.carrying import carry_network

            carry_network(run.initial, run, self.learner)
        self._exchanging = require_exchange(config, self.learner) if exchange else None
        evaluators = self.components.evaluators(self.learner, self._threads())
        self.config = self.components.config = config = config.changed(  # keeps what was measured, as for a resumed run
            playing={"precision": evaluators[0].precision}, learning={"learning_precision": self.learner.precision}
        )
        self._parts = config.playing.actors if learn_themselves(config, self.learner) else 0
        saved = parts_of(checkpoint.document.get("replay")) if checkpoint else self._parts
        self._parts = self._parts if saved else 0  # a run of one learner goes on with one
        self.replay = self._memory(saved)
        done = lambda: self.progress.done
        choices = [self.components.choice(seeds, done) for seeds in choice_seeds(run.seed, config.playing.actors)]
        self.state = TrainingState(
            config, self.game, self.heuristic, self.learner, self.replay, choices,
            Progress(self.game.name, str(directory.path), search=search_text(config.search), code=config.code),
        )  # fmt: skip
        self._told = Observers(())
        self._clocks = Clocks(self.state, run.clock)
        self._batches = self._learning_phases()  # before a checkpoint is restored: relearning begins with new weights
        stage = lambda: self.progress.stage
        self.actors = self.state.actors
        self.actors += [self.components.actor(*one, stage) for one in zip(evaluators, choices, strict=True)]
        self.state.set_random(streams(run.seed, config.playing.actors * config.playing.parallel_matches))
        if checkpoint:
            self.state.restore(checkpoint)
        self.progress.limit_seconds = run.minutes * 60 if run.minutes else None
        self.progress.limit_matches = run.matches
        self.progress.remote_actors = self.progress.lost_actors = 0
        if [environment()] != list(self.progress.environments)[-1:]:
            self.progress.environments = [*self.progress.environments, environment()]
        self._counting = Counting(self.game, self.progress)
        self._work_log = WorkLog(self.state, self._counting, elsewhere=self._exchanging is not None)
        self._phases, self._phase_seconds = 0, self.progress.seconds

    @property
    def progress(self) -> Progress:
        """How far the training has come."""
        return self.state.progress

    def _memory(self, parts: int) -> Replay | DividedReplay:
        """An empty memory of replay, divided into so many parts; with 0 one learner has all of it."""
        seed, replay = self.config.run.seed, self.config.replay
        return DividedReplay(self.game, replay, seed, parts) if parts else make_replay(self.game, replay, seed)

    def _divide(self, parts: int) -> Replay | DividedReplay:
        """Divides the memory of replay into other parts if its parts are not as many. Returns it."""
        before = len(self.replay.parts) if isinstance(self.replay, DividedReplay) else 0
        if before != parts:
            memory = self._memory(parts)
            move(self.replay, memory)
            if len(memory):
                was, now = (counted(max(1, number), "worker") for number in (before, parts))
                self._told.message(f"the replay memory of {was} goes to {now}: its matches count as new ones")
            self.replay = self.state.replay = memory
            self._batches = self._learning_phases()
        return self.replay

    def _threads(self) -> int:
        """The threads of an actor's evaluations. The learner may use all threads, the actors share half of them."""
        config = self.components.config
        threads = config.run.threads // 2 if config.learning.overlap else config.run.threads
        return max(1, threads // config.playing.actors)

    def _learning_phases(self) -> Callable[[], Iterator[Batch]]:
        """The function that gives the minibatches of each learning phase."""
        if isinstance(self.replay, AllReplay):
            from athenan.learning.learner.relearning import Relearning
            from athenan.learning.learner.torch_learner import TorchLearner

            assert isinstance(self.learner, TorchLearner)  # `make_learner` refuses others
            phases = Relearning(self.learner, self.replay, lambda: self.progress.stage, self._clocks.out_of_time)
            return phases.batches
        return self.replay.checked_batches

    def watching_evaluator(self) -> PlayingEvaluator:
        """An evaluator for observers. Where workers do not wait for them, it has weights of its own."""
        learner = self.learner
        if isinstance(learner, NativeLearner) and (self._exchanging or isinstance(self.replay, DividedReplay)):
            return learner.still_evaluator()
        return self.actors[0].evaluator

    def _players(self) -> Playing | Work:
        """Those who play: actors for one learner, or workers, each of which learns the matches that it has played."""
        if self.machines:
            seed = int(self.state.choices[0].random.integers(2**63))
            if self._exchanging:
                return Learners(
                    self.components, self.machines, self._exchanging, seed, self._divide, self._left, self._work_log
                )
            self._divide(self._parts)
            return RemoteActors(self.components, self.machines, self._snapshot, seed)
        self._divide(self._parts)
        if isinstance(self.replay, DividedReplay) and isinstance(self.learner, NativeLearner):
            return Workers(
                self.actors, self.replay.parts, SharedLearner(self.learner), self.config.learning.phase_matches,
                self._clocks.out_of_time, self._work_log,
            )  # fmt: skip
        return Actors(self.actors)

    def _snapshot(self) -> Snapshot:
        """What actors in other processes must know now."""
        return Snapshot(self._phases, self.learner.playing_weights(), self.progress.done, self.progress.stage)

    def run(self, observers: Sequence[Observer] = ()) -> None:
        """Plays and learns until the limit, and tells the observers."""
        self._told = Observers(observers)
        players = self._players()
        if warning := shortage(self.config, self.components.searched):
            self._told.message(warning)
        if not self.directory.holds_checkpoint:
            self._initialise()
            self._save(self.state.checkpoint())
            self.progress.checkpoint_seconds = 0.0
        self._told.begin(self.directory, self.state.checkpoint())
        self._clocks.start()
        self._enter_stage()
        self._cool()
        with self._told:
            if isinstance(players, Work):
                self._play_and_learn_by_workers(players)
            else:
                self._play_and_learn(players)
            self._told.end(self.progress)

    def _play_and_learn(self, acting: Playing) -> None:
        """The loop of one learner: matches are played, then learnt; with `overlap`, while the next ones are played.

        Other processes play on in any case.
        """
        state, overlap = self.state, self.config.learning.overlap or bool(self.machines)
        moment, unsaved = state.moment(), False
        with ThreadPoolExecutor(1) as thread, Saving(self._save, self._tell_saved, self.config.run.saving) as saving:
            learning = thread.submit(self._learn)  # the waiting matches of a resumed run
            try:
                with acting as actors:
                    self._await(actors)
                    while examples := self._play_phase(actors, learning.done):
                        saving.look()
                        learning.result()
                        state.waiting = examples
                        self._enter_stage()
                        self._cool()
                        if not overlap:
                            learning = thread.submit(self._learn)
                            learning.result()
                        actors.renew()
                        self._told.phase(self.progress)
                        moment, unsaved = state.moment(), not (self._kept_soon() or saving.due)
                        checkpoint = None if unsaved else state.checkpoint(moment)
                        learning = thread.submit(self._learn)
                        if checkpoint:
                            saving.begin(checkpoint)
                    if self._clocks.out_of_time():  # the match in play took the rest, and a resumed run is over as well
                        moment, unsaved = replace(moment, progress=asdict(self.progress)), True
            finally:
                learning.result()
                self._clocks.read()  # what is saved now takes no time from the training
                if unsaved:
                    saving.begin(state.checkpoint(moment))

    def _await(self, actors: Playing | Work) -> None:
        """Waits until somebody plays, and starts the clocks: starting processes takes no time from the training."""
        while not actors.begun():
            self._told.update(self.progress)
        self._clocks.start()

    def _play_and_learn_by_workers(self, workers: Work) -> None:
        """The loop of workers that learn the matches they have played. Here these are shown, and checkpoints saved."""
        self._learn()  # the waiting matches of a run that other processes have played
        progress = self.progress
        if self._exchanging:
            progress.lags = []
        self._work_log.begin()
        with Saving(self._save, self._tell_saved, self.config.run.saving) as saving:
            try:
                with workers:
                    self._await(workers)
                    for phases in workers.phases(_TICK):
                        self._clocks.read()
                        self._cool()
                        progress.remote_actors, progress.lost_actors = workers.processes, workers.lost
                        self._told.update(self.progress)
                        saving.look()
                        self._work_log.tell(phases, self._told)
                        if phases and (self._kept_soon() or (saving.due and workers.ready_to_save())):
                            saving.begin(self._checkpoint_of(workers))
            finally:
                self._clocks.read()  # what is saved now takes no time from the training
                if over := self._clocks.out_of_time():  # the matches in play have taken the rest
                    self._counting.spent(workers.spent)
                if over or workers.unsaved:
                    saving.begin(self._checkpoint_of(workers))

    def _cool(self) -> None:
        """Sets the learning rate, which follows from the progress; of one learner between its phases, so repeatably."""
        self.learner.rate_left = self.config.learning.rate_left(self.progress.done)

    def _left(self) -> Left:
        """What is left of the training, for other processes."""
        progress, matches = self.progress, self.progress.limit_matches
        matches_left = None if matches is None else max(0, matches - progress.matches)
        return Left(self._clocks.seconds_left(), matches_left, progress.done)

    def _checkpoint_of(self, workers: Work) -> Checkpoint:
        """A copy of everything that workers have learnt, and of where each began its match in play."""
        with workers.pause():
            return self.state.checkpoint(self._work_log.moment())

    def _kept_soon(self) -> bool:
        """Whether the next learning phase may end too late for the next network to keep, judging by the last phase."""
        now, before = self.progress.seconds, self._phase_seconds
        self._phase_seconds = now
        return self.config.run.until_kept(now) < 2 * (now - before)

    def _initialise(self) -> None:
        """Learns random terminal states before the clock of the run begins, if wanted (003, 9.3.1).

        Raises ValueError if the weights are no longer finite.
        """
        config, states = self.config, self.config.learning.random_ends
        if not states:
            return
        self._told.message(f"learning {states:,} random terminal states before the first match")
        self.learner.begin_phase()
        for batch in terminal_batches(self.game, self.heuristic, states, config.replay, config.run.seed):
            self.learner.step(batch)
            self.progress.learnt += len(batch)
        self.learner.end_phase()
        refresh(self.actors)

    def _play_phase(self, actors: Playing, learnt: Callable[[], bool]) -> Examples | None:
        """The examples of the matches that are learnt together; None when the training is over."""
        matches = list[Examples]()
        while len(matches) < self.config.learning.phase_matches and (match := self._play(actors, learnt)):
            matches.append(match.examples)
        return Examples.joined(matches) if matches else None

    def _play(self, actors: Playing, learnt: Callable[[], bool]) -> FinishedMatch | None:
        """The next finished match; None when the training is over."""

        def is_over() -> bool:
            self._clocks.read()
            self._told.update(progress)
            return progress.done == 1.0

        progress = self.progress
        match = actors.next_match(is_over, learnt)
        self._counting.spent(actors.spent)
        if isinstance(actors, RemoteActors):
            progress.remote_actors, progress.lost_actors = actors.size, actors.lost
            progress.lags = [*progress.lags, *([actors.lag] if match else [])][-RECENT:]
        if match:
            self._counting.match(match)
            self._told.match(match, progress)
        return match

    def _enter_stage(self) -> None:
        """Enters the stage of expert iteration that is due at this share of the training."""
        if self.config.playing.matches_by == "policy" and enter_stage(self.progress, self.config.exit):
            what = "its policy" if self.progress.stage == POLICY else "its policy and its values"
            self._told.message(f"match {self.progress.matches:,}: from now on the network learns {what}")

    def _learn(self) -> None:
        """The learning phase after a match, or several (Algorithm 3 with Algorithm 6 or 8), if one is waiting.

        Raises ValueError if the weights are no longer finite; they are not saved then.
        """
        if self.state.waiting is None:
            return
        self.learner.begin_phase()
        began, progress, losses = time.perf_counter(), self.progress, list[SupportsFloat]()
        self.replay.add(self.state.waiting)
        progress.examples += len(self.state.waiting)
        for batch in self._batches():
            losses.append(self.learner.step(batch))
            progress.learnt += len(batch)
        self.learner.end_phase()
        self._phases += 1
        self.state.waiting = None
        self._counting.phase([*map(float, losses)], time.perf_counter() - began, len(self.replay))

    def _tell_saved(self, checkpoint: Checkpoint) -> None:
        self._told.checkpoint(checkpoint, self.progress)

    def _save(self, checkpoint: Checkpoint) -> None:
        """Replaces the checkpoint on disk."""
        began = time.perf_counter()
        self.directory.save(checkpoint.tensors, checkpoint.document, checkpoint.matches)
        self.directory.write_json(CONFIGURATION, checkpoint.document["configuration"])
        self.progress.checkpoint_seconds += time.perf_counter() - began
