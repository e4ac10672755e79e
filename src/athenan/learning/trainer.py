"""The loop of a training: self-play, and learning from its matches (003, Algorithm 3)."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields, replace

import numpy as np

from athenan.jobs import HERE, Machines
from athenan.learning.components import Components
from athenan.learning.config import TrainingConfig
from athenan.learning.examples.examples import Batch, Examples
from athenan.learning.learner.initialisation import terminal_batches
from athenan.learning.learner.protocol import PlayingEvaluator
from athenan.learning.observers.observer import Observer, Observers
from athenan.learning.progress import POLICY, RECENT, Progress, Record
from athenan.learning.replay import make_replay
from athenan.learning.replay.methods import AllReplay
from athenan.learning.saving import Saving
from athenan.learning.self_play.actors import Actors
from athenan.learning.self_play.by_policy import enter_stage
from athenan.learning.self_play.memory import shortage
from athenan.learning.self_play.protocol import FinishedMatch, Spent
from athenan.learning.self_play.remote_actors import RemoteActors, Snapshot
from athenan.learning.state import TrainingState, choice_seeds
from athenan.rules.game import Game
from athenan.rules.randomness import streams
from athenan.runs.checkpoint import CONFIGURATION, Checkpoint, RunDirectory
from athenan.search.named import search_text
from athenan.version import version

_CURVE = 200  # losses kept for the display
_CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


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
    ) -> None:
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
        self.config = self.components.config = config = config.changed(  # keeps what was measured, as for a resumed run
            playing={"precision": self._evaluator().precision},
            learning={"learning_precision": self.learner.precision},
        )
        self.replay = make_replay(self.game, config.replay, run.seed)
        done = lambda: self.progress.done
        choices = [self.components.choice(seeds, done) for seeds in choice_seeds(run.seed, config.playing.actors)]
        self.state = TrainingState(
            config, self.game, self.heuristic, self.learner, self.replay, choices,
            Progress(self.game.name, str(directory.path), search=search_text(config.search), code=config.code),
        )  # fmt: skip
        self._told = Observers(())
        self._batches = self._learning_phases()
        stage = lambda: self.progress.stage
        self.actors = self.state.actors
        self.actors += [self.components.actor(self._evaluator(), choice, stage) for choice in choices]
        self.state.set_random(streams(run.seed, config.playing.actors * config.playing.parallel_matches))
        if checkpoint:
            self.state.restore(checkpoint)
        self.progress.limit_seconds = run.minutes * 60 if run.minutes else None
        self.progress.limit_matches = run.matches
        self.progress.remote_actors = self.progress.lost_actors = 0
        if [version()] != list(self.progress.versions)[-1:]:
            self.progress.versions = [*self.progress.versions, version()]
        self._earlier = Spent(**{item.name: getattr(self.progress, item.name) for item in fields(Spent)})
        self._phases, self._phase_seconds = 0, self.progress.seconds
        self._now = _CLOCKS[run.clock]

    @property
    def progress(self) -> Progress:
        """How far the training has come."""
        return self.state.progress

    def _start_clocks(self) -> None:
        """Starts the clocks of the training at its progress so far: what comes before takes no time from it."""
        progress = self.progress
        self._began = self._now() - progress.seconds
        self._wall_began = time.perf_counter() - progress.wall_seconds
        self._processor_began = time.process_time() - progress.processor_seconds

    def _read_clocks(self) -> None:
        """Writes the times so far to the progress."""
        self.progress.seconds = self._now() - self._began
        self.progress.wall_seconds = time.perf_counter() - self._wall_began
        self.progress.processor_seconds = time.process_time() - self._processor_began

    def _evaluator(self) -> PlayingEvaluator:
        """An actor's evaluator. The learner may use all threads, the actors share half of them."""
        config = self.components.config
        threads = config.run.threads // 2 if config.learning.overlap else config.run.threads
        return self.components.evaluator(self.learner, max(1, threads // config.playing.actors))

    def _learning_phases(self) -> Callable[[], Iterator[Batch]]:
        """The function that gives the minibatches of each learning phase."""
        if isinstance(self.replay, AllReplay):
            from athenan.learning.learner.relearning import Relearning
            from athenan.learning.learner.torch_learner import TorchLearner

            assert isinstance(self.learner, TorchLearner)  # `make_learner` refuses others
            phases = Relearning(self.learner, self.replay, lambda: self.progress.stage, self._out_of_time)
            return phases.batches
        return self.replay.batches

    def _out_of_time(self) -> bool:
        limit = self.progress.limit_seconds
        return limit is not None and self._now() - self._began >= limit

    def _acting(self) -> Playing:
        if not self.machines:
            return Actors(self.actors)
        seed = int(self.state.choices[0].random.integers(2**63))
        return RemoteActors(self.components, self.machines, self._snapshot, seed)

    def _snapshot(self) -> Snapshot:
        """What actors in other processes must know now."""
        return Snapshot(self._phases, self.learner.playing_weights(), self.progress.done, self.progress.stage)

    def run(self, observers: Sequence[Observer] = ()) -> None:
        """Plays and learns until the limit, and tells the observers."""
        self._told, acting = Observers(observers), self._acting()
        if warning := shortage(self.config, self.components.searched):
            self._told.message(warning)
        if not self.directory.holds_checkpoint:
            self._initialise()
            self._save(self.state.checkpoint())
            self.progress.checkpoint_seconds = 0.0
        self._told.begin(self.directory, self.state.checkpoint())
        self._start_clocks()
        self._enter_stage()
        with self._told:
            self._play_and_learn(acting)
            self._told.end(self.progress)

    def _play_and_learn(self, acting: Playing) -> None:
        """The loop: matches are played, then learnt; with `overlap`, while the next ones are played."""
        state = self.state
        moment, unsaved = state.moment(), False
        with ThreadPoolExecutor(1) as thread, Saving(self._save, self._tell_saved, self.config.run.saving) as saving:
            learning = thread.submit(self._learn)  # the waiting matches of a resumed run
            try:
                with acting as actors:
                    while examples := self._play_phase(actors, learning.done):
                        saving.look()
                        learning.result()
                        state.waiting = examples
                        self._enter_stage()
                        if not self.config.learning.overlap:
                            learning = thread.submit(self._learn)
                            learning.result()
                        actors.renew()
                        self._told.phase(self.progress)
                        moment, unsaved = state.moment(), not (self._kept_soon() or saving.due)
                        checkpoint = None if unsaved else state.checkpoint(moment)
                        learning = thread.submit(self._learn)
                        if checkpoint:
                            saving.begin(checkpoint)
                    if self._out_of_time():  # the match in play has taken the rest, and a resumed run is over as well
                        moment, unsaved = replace(moment, progress=asdict(self.progress)), True
            finally:
                learning.result()
                self._read_clocks()  # what is saved now takes no time from the training
                if unsaved:
                    saving.begin(state.checkpoint(moment))

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
        for actor in self.actors:
            actor.evaluator.refresh()

    def _play_phase(self, actors: Playing, learnt: Callable[[], bool]) -> Examples | None:
        """The examples of the matches that are learnt together; None when the training is over."""
        matches = list[Examples]()
        while len(matches) < self.config.learning.phase_matches and (match := self._play(actors, learnt)):
            matches.append(match.examples)
        return Examples.joined(matches) if matches else None

    def _play(self, actors: Playing, learnt: Callable[[], bool]) -> FinishedMatch | None:
        """The next finished match; None when the training is over."""

        def is_over() -> bool:
            self._read_clocks()
            self._told.update(progress)
            return progress.done == 1.0

        progress = self.progress
        match = actors.next_match(is_over, learnt)
        for name, so_far in vars(self._earlier + actors.spent).items():
            setattr(progress, name, so_far)
        if isinstance(actors, RemoteActors):
            progress.remote_actors, progress.lost_actors = actors.size, actors.lost
            progress.lags = [*progress.lags, *([actors.lag] if match else [])][-RECENT:]
        if match:
            progress.matches += 1
            progress.lengths = [*progress.lengths, len(match.actions)][-RECENT:]
            progress.outcomes = [*progress.outcomes, match.outcome][-RECENT:]
            if self.game.players == 1:
                self._note_score(match)
            self._told.match(match, progress)
        return match

    def _enter_stage(self) -> None:
        """Enters the stage of expert iteration that is due at this share of the training."""
        if self.config.playing.matches_by == "policy" and enter_stage(self.progress, self.config.exit):
            what = "its policy" if self.progress.stage == POLICY else "its policy and its values"
            self._told.message(f"match {self.progress.matches:,}: from now on the network learns {what}")

    def _note_score(self, match: FinishedMatch) -> None:
        """Notes the score of a one-player match, and a new record by the match or by one that its search found."""
        game, progress = self.game, self.progress
        progress.scores = [*progress.scores, game.score(game.replay(match.actions))][-RECENT:]
        score = game.score(game.replay(match.line))
        if progress.record is None or score > progress.record.score:
            progress.record = Record(score, progress.matches, game.moves(match.line))

    def _learn(self) -> None:
        """The learning phase after a match, or several (Algorithm 3 with Algorithm 6 or 8), if one is waiting.

        Raises ValueError if the weights are no longer finite; they are not saved then.
        """
        if self.state.waiting is None:
            return
        self.learner.begin_phase()
        began, progress, losses = time.perf_counter(), self.progress, []
        self.replay.add(self.state.waiting)
        progress.examples += len(self.state.waiting)
        for batch in self._batches():
            losses.append(self.learner.step(batch))
            progress.learnt += len(batch)
        self.learner.end_phase()
        self._phases += 1
        self.state.waiting = None
        if losses:
            progress.losses = [*progress.losses, float(np.mean(losses))][-_CURVE:]
        progress.memory = len(self.replay)
        progress.learning_seconds += time.perf_counter() - began

    def _tell_saved(self, checkpoint: Checkpoint) -> None:
        self._told.checkpoint(checkpoint, self.progress)

    def _save(self, checkpoint: Checkpoint) -> None:
        """Replaces the checkpoint on disk."""
        began = time.perf_counter()
        self.directory.save(checkpoint.tensors, checkpoint.document, checkpoint.matches)
        self.directory.write_json(CONFIGURATION, checkpoint.document["configuration"])
        self.progress.checkpoint_seconds += time.perf_counter() - began
