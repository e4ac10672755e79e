"""Training: self-play, and learning from its matches (003, Algorithm 3).

from athenan import recommended, train
directory = train(recommended("hex:7", minutes=5))
"""

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch

from athenan.evaluation.evaluator import Evaluator, choose_device
from athenan.games.catalogue import known, make
from athenan.jobs import HERE, Machines
from athenan.learning.actors import Actors
from athenan.learning.carrying import carry_network
from athenan.learning.components import Components
from athenan.learning.config import TrainingConfig
from athenan.learning.display import Display
from athenan.learning.examples import Batch, Examples
from athenan.learning.expert_iteration import enter_stage
from athenan.learning.initialisation import terminal_batches
from athenan.learning.keeping import Keeping
from athenan.learning.latest import Latest
from athenan.learning.learner import Learner
from athenan.learning.memory import shortage
from athenan.learning.metrics import Metrics
from athenan.learning.progress import POLICY, RECENT, Progress, Record
from athenan.learning.relearning import Relearning
from athenan.learning.remote_actors import RemoteActors, Snapshot
from athenan.learning.replay import make_replay
from athenan.learning.replay.methods import AllReplay
from athenan.learning.self_play import FinishedMatch
from athenan.learning.state import TrainingState
from athenan.learning.strength import Strength
from athenan.play.latest import LATEST
from athenan.rules.game import Game, family_of
from athenan.rules.randomness import streams
from athenan.runs.checkpoint import CONFIGURATION, RECORD, Checkpoint, CheckpointError, RunDirectory

_CURVE = 200  # losses kept for the display
_CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


Playing = Actors | RemoteActors
"""What plays: threads of this process, or other processes."""


def train(
    config: TrainingConfig,
    directory: str | Path | None = None,
    display: Display | None = None,
    measure: bool = True,
    machines: Machines = HERE,
) -> Path:
    """Trains from nothing, or from the weights of `config.run.initial`; returns the run directory.

    The default directory is runs/GAME, numbered if that is taken.

    Matches are saved when they are learnt, or with `overlap` before. On KeyboardInterrupt those in play are lost, and
    those that wait for others to be learnt with. The strength is measured by `config.strength`, unless `measure` is
    False. With `machines`, other processes play: an actor in each, instead of threads of this one; one that dies is
    replaced.
    Raises CheckpointError if the directory holds another run, is in use, or cannot be written, and ValueError if the
    configuration names something that does not exist, such as a device or an opponent, or an initial run whose network
    does not fit the game. Raises JobError if there is no such cluster, or its processes die again and again.
    """
    config.action.budget  # noqa: B018 - raises ValueError before a directory is made
    _check_clock(config, machines)
    choose_device(config.learning.device)
    game = make(config.run.game)
    strength = _strength(config, game) if measure else None
    path = Path(directory) if directory else free_directory(game.name)
    with RunDirectory(path) as run:
        if run.holds_checkpoint:
            raise CheckpointError(f"{path} holds another run: resume it with --resume, or choose another directory")
        Trainer(config, game, run, machines=machines).run(display or Display(), strength)
    return path


def resume(
    directory: str | Path,
    minutes: float | None = None,
    matches: int | None = None,
    display: Display | None = None,
    measure: bool = True,
    salvage: bool = False,
    machines: Machines = HERE,
) -> Path:
    """Continues a training; returns the directory.

    `minutes` or `matches`, counted from the beginning of the run, replace its limits. With several actors or parallel
    matches, those in play restart; with one, and a search budget in iterations or evaluations, the result is the same,
    bit for bit, as that of a training without interruption. With `salvage` it continues without the matches in replay
    memory whose files are missing or damaged, and lists them. `machines` as for `train`; they need not be those of
    before.
    Raises CheckpointError if there is no whole checkpoint, or its configuration cannot be used here.
    """
    display = display or Display()
    if not Path(directory).is_dir():
        raise CheckpointError(f"there is no run directory {directory}")
    with RunDirectory(directory) as run:
        checkpoint = run.load(salvage)
        try:
            config = TrainingConfig.from_json(checkpoint.document.get("configuration", {}))
            if minutes is not None or matches is not None:
                config = config.changed(run={"minutes": minutes, "matches": matches})
            config.action.budget  # noqa: B018 - checks it
            _check_clock(config, machines)
            game = known(config.run.game)
            strength = _strength(config, game) if measure else None
            trainer = Trainer(config, game, run, checkpoint, machines)
        except CheckpointError:
            raise
        except ValueError as error:
            raise CheckpointError(f"the configuration of {directory} cannot be used: {error}") from None
        if checkpoint.lost:
            numbers = ", ".join(map(str, checkpoint.lost))
            items = checkpoint.document["progress"]["memory"] - len(trainer.replay)
            display.message(f"lost: the data of matches {numbers}, {items:,} of the items in replay memory")
        if trainer.progress.done == 1.0:
            display.message("this run is over: --minutes or --matches, counted from its beginning, extends it")
        trainer.run(display, strength)
    return Path(directory)


def free_directory(game: str) -> Path:
    """runs/GAME, with the first number that makes it new if it exists."""
    given = game.partition(":")[2]
    base = re.sub(r"[:,=(]+", "-", f"{family_of(game)}:{given}".replace(")", "").rstrip(":(="))
    names = (f"{base}-{number}" if number > 1 else base for number in range(1, 1_000_000))
    return next(Path("runs", name) for name in names if not Path("runs", name).exists())


def _check_clock(config: TrainingConfig, machines: Machines) -> None:
    if machines and config.run.clock == "processor":
        raise ValueError("clock must be wall where other processes play: the processor time of this one is not theirs")


def _strength(config: TrainingConfig, game: Game) -> Strength | None:
    return Strength(config.strength, game, config.search) if config.strength.seconds else None


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
        run, learning = config.run, config.learning
        torch.set_num_threads(run.threads)
        torch.manual_seed(run.seed)
        self.directory = directory
        self.machines = machines
        numbers = checkpoint.document.get("heuristic") if checkpoint else None
        self.components = Components(config, game, numbers, new=checkpoint is None)
        self.heuristic, self.game = self.components.heuristic, self.components.game
        self.network = self.components.network().to(choose_device(learning.device))
        self.learner = Learner(
            self.network, learning.learning_rate, learning.l2, learning.learning_precision, learning.averaging,
            config.losses, trained=run.initial is not None,
        )  # fmt: skip
        if run.initial is not None and checkpoint is None:
            carry_network(run.initial, run, self.learner)
        self.config = self.components.config = config = config.changed(  # keeps what was measured, as for a resumed run
            playing={"precision": self._evaluator().precision},
            learning={"learning_precision": self.learner.precision},
        )
        self.replay = make_replay(self.game, config.replay, run.seed)
        choice = self.components.choice([run.seed, 1], lambda: self.progress.done)
        self.state = TrainingState(
            config, self.game, self.heuristic, self.learner, self.replay, choice,
            Progress(game=self.game.name, directory=str(directory.path)),
        )  # fmt: skip
        self.latest = Latest(self.game)
        self._batches = self._learning_phases()
        stage = lambda: self.progress.stage
        self.actors = self.state.actors
        self.actors += [self.components.actor(self._evaluator(), choice, stage) for _ in range(config.playing.actors)]
        self.state.set_random(streams(run.seed, config.playing.actors * config.playing.parallel_matches))
        if checkpoint:
            self.state.restore(checkpoint)
        self.progress.limit_seconds = run.minutes * 60 if run.minutes else None
        self.progress.limit_matches = run.matches
        self.progress.remote_actors = self.progress.lost_actors = 0
        self._earlier = replace(self.progress)
        self._phases = 0
        self._now = _CLOCKS[run.clock]
        self._start_clocks()

    @property
    def progress(self) -> Progress:
        """How far the training is."""
        return self.state.progress

    def _start_clocks(self) -> None:
        """Starts the clocks of the training at its progress so far."""
        progress = self.progress
        self._began = self._now() - progress.seconds
        self._wall_began = time.perf_counter() - progress.wall_seconds
        self._processor_began = time.process_time() - progress.processor_seconds

    def _read_clocks(self) -> None:
        """Writes the times so far to the progress."""
        self.progress.seconds = self._now() - self._began
        self.progress.wall_seconds = time.perf_counter() - self._wall_began
        self.progress.processor_seconds = time.process_time() - self._processor_began

    def _evaluator(self) -> Evaluator:
        """An actor's evaluator. The learner may use all threads, the actors share half of them."""
        config = self.components.config
        threads = config.run.threads // 2 if config.learning.overlap else config.run.threads
        return self.components.evaluator(self.learner.average, max(1, threads // config.playing.actors))

    def _learning_phases(self) -> Callable[[], Iterator[Batch]]:
        """What gives the minibatches of each learning phase."""
        if isinstance(self.replay, AllReplay):
            phases = Relearning(self.learner, self.replay, lambda: self.progress.stage, self._out_of_time)
            return phases.batches
        return self.replay.batches

    def _out_of_time(self) -> bool:
        limit = self.progress.limit_seconds
        return limit is not None and self._now() - self._began >= limit

    def _acting(self) -> Playing:
        if not self.machines:
            return Actors(self.actors)
        seed = int(self.state.choice.random.integers(2**63))
        return RemoteActors(self.components, self.machines, self._snapshot, seed)

    def _snapshot(self) -> Snapshot:
        """What actors in other processes must know now."""
        weights = {name: np.array(tensor.cpu().numpy()) for name, tensor in self.learner.average.state_dict().items()}
        return Snapshot(self._phases, weights, self.progress.done, self.progress.stage)

    def run(self, display: Display, strength: Strength | None = None) -> None:
        """Plays and learns until the limit, and measures the strength at intervals."""
        acting = self._acting()
        if warning := shortage(self.config, self.components.searched):
            display.message(warning)
        if not self.directory.holds_checkpoint:
            self._initialise(display)
            self._save(self.state.checkpoint())
        keeping = Keeping(self.directory, self.config.run.keep, self.state.checkpoint())
        thread = ThreadPoolExecutor(1)
        metrics = Metrics(self.directory.path, self.progress.matches, self.progress.measurement)
        if strength:
            strength.begin()
        self._enter_stage(display)
        metrics.configuration(self.config.as_json())
        with display, metrics, thread, acting as actors:
            learning = thread.submit(self._learn)  # the waiting match of a resumed run
            while examples := self._play_phase(actors, display, learning.done):
                learning.result()
                self.state.waiting = examples
                self._enter_stage(display)
                if not self.config.learning.overlap:
                    self._learn()
                actors.renew()
                if strength:
                    self._measure(strength)
                checkpoint = self.state.checkpoint()
                learning = thread.submit(self._learn)
                self._save(checkpoint)
                keeping.after(checkpoint)
                metrics.update(self.progress)
            learning.result()
        self._read_clocks()
        keeping.until(self.progress.seconds)

    def _initialise(self, display: Display) -> None:
        """Learns random terminal states before the clock of the run begins, if wanted (003, 9.3.1).

        Raises ValueError if the weights are no longer finite.
        """
        config, states = self.config, self.config.learning.random_ends
        if not states:
            return
        display.message(f"learning {states:,} random terminal states before the first match")
        torch.set_num_threads(config.run.threads)
        for batch in terminal_batches(self.game, self.heuristic, states, config.replay, config.run.seed):
            self.learner.step(batch)
            self.progress.learnt += len(batch)
        self._check_weights()
        for actor in self.actors:
            actor.evaluator.refresh()
        self._start_clocks()

    def _check_weights(self) -> None:
        if not all(torch.isfinite(weights).all() for weights in self.network.parameters()):
            raise ValueError("the network's weights are no longer finite: begin anew with a lower learning_rate")

    def _play_phase(self, actors: Playing, display: Display, learnt: Callable[[], bool]) -> Examples | None:
        """The examples of the matches that are learnt together; None when the training is over."""
        matches = list[Examples]()
        while len(matches) < self.config.learning.phase_matches and (match := self._play(actors, display, learnt)):
            matches.append(match.examples)
        return Examples.joined(matches) if matches else None

    def _play(self, actors: Playing, display: Display, learnt: Callable[[], bool]) -> FinishedMatch | None:
        """The next finished match; None when the training is over."""

        def is_over() -> bool:
            self._read_clocks()
            display.update(progress)
            return progress.done == 1.0

        progress, earlier = self.progress, self._earlier
        match = actors.next_match(is_over, learnt)
        progress.evaluations = earlier.evaluations + actors.evaluations
        progress.batches = earlier.batches + actors.batches
        progress.cut_short = earlier.cut_short + actors.cut_short
        progress.network_seconds = earlier.network_seconds + actors.network_seconds
        progress.search_seconds = earlier.search_seconds + actors.search_seconds
        if isinstance(actors, RemoteActors):
            progress.remote_actors, progress.lost_actors = actors.size, actors.lost
            progress.lags = [*progress.lags, *([actors.lag] if match else [])][-RECENT:]
        if match:
            progress.matches += 1
            progress.lengths = [*progress.lengths, len(match.actions)][-RECENT:]
            progress.outcomes = [*progress.outcomes, match.outcome][-RECENT:]
            if self.game.players == 1:
                self._note_score(match)
            self.latest.note(match, progress)
        return match

    def _enter_stage(self, display: Display) -> None:
        """Enters the stage of expert iteration that the share of the training over is for."""
        if self.config.playing.matches_by == "policy" and enter_stage(self.progress, self.config.exit):
            what = "its policy" if self.progress.stage == POLICY else "its policy and its values"
            display.message(f"match {self.progress.matches:,}: from now on the network learns {what}")

    def _note_score(self, match: FinishedMatch) -> None:
        """Notes the score of a match of one player, and the match or that of its search if it is the best so far."""
        game, progress, moves = self.game, self.progress, self.game.moves(match.line)
        progress.scores = [*progress.scores, game.score(game.after(game.moves(match.actions)))][-RECENT:]
        score = game.score(game.after(moves))
        if progress.record is None or score > progress.record.score:
            progress.record = Record(score, progress.matches, moves)

    def _learn(self) -> None:
        """The learning phase after a match, or several (Algorithm 3 with Algorithm 6 or 8), if one is waiting.

        Raises ValueError if the weights are no longer finite; they are not saved then.
        """
        if self.state.waiting is None:
            return
        torch.set_num_threads(self.config.run.threads)  # an evaluation in this thread may have had fewer
        began, progress, losses = time.perf_counter(), self.progress, []
        self.replay.add(self.state.waiting)
        progress.examples += len(self.state.waiting)
        for batch in self._batches():
            losses.append(self.learner.step(batch))
            progress.learnt += len(batch)
        self._check_weights()
        self._phases += 1
        self.state.waiting = None
        if losses:
            progress.losses = [*progress.losses, float(np.mean(losses))][-_CURVE:]
        progress.memory = len(self.replay)
        progress.learning_seconds += time.perf_counter() - began

    def _measure(self, strength: Strength) -> None:
        """Measures the strength if a measurement is due."""
        if self.machines:
            self.actors[0].evaluator.refresh()
        measured = strength.when_due(self.actors[0].evaluator, self.heuristic, self.progress.matches)
        self.progress.measurement = measured or self.progress.measurement

    def _save(self, checkpoint: Checkpoint) -> None:
        """Replaces the checkpoint on disk."""
        began = time.perf_counter()
        self.directory.save(checkpoint.tensors, checkpoint.document, checkpoint.matches)
        self.directory.write_json(CONFIGURATION, checkpoint.document["configuration"])
        if latest := self.latest.unsaved():
            self.directory.write_text(LATEST, latest)
        if self.progress.record:
            self.directory.write_json(RECORD, {"game": self.game.name, **asdict(self.progress.record)})
        self.progress.checkpoint_seconds += time.perf_counter() - began
