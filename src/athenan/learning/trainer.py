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
from statistics import fmean

import numpy as np
import torch
from numpy.typing import NDArray

from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator, choose_device
from athenan.evaluation.heads import ActionSpace
from athenan.evaluation.heuristics import make_heuristic, restored_heuristic
from athenan.evaluation.networks import build_network, load_weights
from athenan.games.catalogue import known, make
from athenan.learning.actors import Actor, Actors
from athenan.learning.carrying import carry_network
from athenan.learning.choice import Choice
from athenan.learning.config import TrainingConfig
from athenan.learning.display import Display
from athenan.learning.examples import Batch, Examples
from athenan.learning.expert_iteration import enter_stage
from athenan.learning.initialisation import terminal_batches
from athenan.learning.keeping import Keeping
from athenan.learning.latest import Latest
from athenan.learning.learner import Learner
from athenan.learning.metrics import Metrics
from athenan.learning.progress import POLICY, RECENT, Progress, Record, restored_progress
from athenan.learning.relearning import Relearning
from athenan.learning.replay import make_replay
from athenan.learning.replay.methods import AllReplay
from athenan.learning.self_play import FinishedMatch
from athenan.learning.self_plays import make_self_play
from athenan.learning.strength import Strength
from athenan.rules.determinization import Determinization
from athenan.rules.game import Game
from athenan.rules.randomness import streams
from athenan.runs.checkpoint import (
    CONFIGURATION,
    LEARNER_PREFIX,
    NETWORK_PREFIX,
    RECORD,
    Checkpoint,
    CheckpointError,
    RunDirectory,
    expect,
    generator,
    weights_of,
)  # fmt: skip
from athenan.runs.latest import LATEST
from athenan.search.searches import heads_asked, make_search
from athenan.settings import from_json

OPTIMIZER_PREFIX = "optimizer."
_CURVE = 200  # losses kept for the display
_CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


def train(
    config: TrainingConfig,
    directory: str | Path | None = None,
    display: Display | None = None,
    measure: bool = True,
) -> Path:
    """Trains from nothing, or from the weights of `config.run.initial`; returns the run directory.

    The default directory is runs/GAME, numbered if that is taken.

    Every finished match is saved. On KeyboardInterrupt only the matches in play are lost. The strength is measured by
    `config.strength`, unless `measure` is False.
    Raises CheckpointError if the directory holds another run, is in use, or cannot be written, and ValueError if the
    configuration names something that does not exist, such as a device or an opponent, or an initial run whose network
    does not fit the game.
    """
    config.action.budget  # noqa: B018 - raises ValueError before a directory is made
    choose_device(config.learning.device)
    game = make(config.run.game)
    strength = _strength(config, game) if measure else None
    path = Path(directory) if directory else free_directory(game.name)
    with RunDirectory(path) as run:
        if run.holds_checkpoint:
            raise CheckpointError(f"{path} holds another run: resume it with --resume, or choose another directory")
        Trainer(config, game, run).run(display or Display(), strength)
    return path


def resume(
    directory: str | Path,
    minutes: float | None = None,
    matches: int | None = None,
    display: Display | None = None,
    measure: bool = True,
    salvage: bool = False,
) -> Path:
    """Continues a training; returns the directory.

    `minutes` or `matches`, counted from the beginning of the run, replace its limits. With several actors or parallel
    matches, those in play restart; with one, and a search budget in iterations or evaluations, the result is the same,
    bit for bit, as that of a training without interruption. With `salvage` it continues without the matches in replay
    memory whose files are missing or damaged, and lists them.
    Raises CheckpointError if there is no whole checkpoint, or its configuration cannot be used here.
    """
    display = display or Display()
    if not Path(directory).is_dir():
        raise CheckpointError(f"there is no run directory {directory}")
    with RunDirectory(directory) as run:
        checkpoint = run.load(salvage)
        try:
            config: TrainingConfig = from_json(TrainingConfig, checkpoint.document.get("configuration", {}))
            if minutes is not None or matches is not None:
                config = config.changed(run={"minutes": minutes, "matches": matches})
            config.action.budget  # noqa: B018 - checks it
            game = known(config.run.game)
            strength = _strength(config, game) if measure else None
            trainer = Trainer(config, game, run, checkpoint)
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
    name, _, given = game.partition(":")
    own = Path(name).stem if name.endswith(".py") else name
    base = re.sub(r"[:,=(]+", "-", f"{own}:{given}".replace(")", "").rstrip(":(="))
    names = (f"{base}-{number}" if number > 1 else base for number in range(1, 1_000_000))
    return next(Path("runs", name) for name in names if not Path("runs", name).exists())


def _strength(config: TrainingConfig, game: Game) -> Strength | None:
    return Strength(config.strength, game, config.search) if config.strength.seconds else None


class Trainer:
    """One training: its parts, and the loop over them."""

    def __init__(
        self, config: TrainingConfig, game: Game, directory: RunDirectory, checkpoint: Checkpoint | None = None
    ) -> None:
        run, learning = config.run, config.learning
        torch.set_num_threads(run.threads)
        torch.manual_seed(run.seed)
        self.config = config
        self.directory = directory
        if checkpoint:
            self.heuristic = restored_heuristic(run.heuristic, game, checkpoint.document.get("heuristic"))
        else:
            self.heuristic = make_heuristic(run.heuristic, game)
        self.game = game = self.heuristic.tracked(game)
        self.determinization = Determinization(game, self.heuristic) if config.playing.determinization else None
        of = self.determinization
        self.searched, self.terminal = (of.game, of.value) if of else (game, self.heuristic)
        """The game and the terminal evaluation of the searches of self-play."""
        self.network = build_network(
            parse_architecture(run.network), game.planes, self.heuristic.scale, self.heuristic.bounded,
            config.heads, ActionSpace.of(game),
        )  # fmt: skip
        self.network.to(choose_device(learning.device))
        self.learner = Learner(
            self.network, learning.learning_rate, learning.l2, learning.learning_precision, learning.averaging,
            config.losses, trained=run.initial is not None,
        )  # fmt: skip
        if run.initial is not None and checkpoint is None:
            carry_network(run.initial, run, self.learner)
        self.config = config = config.changed(  # keeps the measured choices, so that a resumed run computes the same
            playing={"precision": self._evaluator().precision},
            learning={"learning_precision": self.learner.precision},
        )
        self.progress = Progress(game=game.name, directory=str(directory.path))
        self.latest = Latest(game)
        self.replay = make_replay(game, config.replay, run.seed)
        self._batches = self._learning_phases()
        self.choice = Choice(
            config.playing, self.heuristic.scale, np.random.default_rng([run.seed, 1]), lambda: self.progress.done
        )
        self.actors = [self._actor() for _ in range(config.playing.actors)]
        self._set_random(streams(run.seed, config.playing.actors * config.playing.parallel_matches))
        self.waiting: Examples | None = None
        """The examples of the last phase's matches, not learnt yet."""
        if checkpoint:
            self._restore(checkpoint)
        self.progress.limit_seconds = run.minutes * 60 if run.minutes else None
        self.progress.limit_matches = run.matches
        self._earlier = replace(self.progress)
        self._now = _CLOCKS[run.clock]
        self._start_clocks()

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
        run, playing, learning = self.config.run, self.config.playing, self.config.learning
        threads = max(1, (run.threads // 2 if learning.overlap else run.threads) // playing.actors)
        heads = heads_asked(self.config.search, self.searched)
        return Evaluator(self.learner.average, learning.device, playing.precision, threads, heads)

    def _actor(self) -> Actor:
        """An actor with its share of the memory."""
        config, playing, evaluator = self.config, self.config.playing, self._evaluator()
        memory = (playing.memory << 20) // playing.actors
        settings = replace(config.search, turns=False) if playing.matches_by == "turns" else config.search
        search = make_search(self.searched, evaluator, self.terminal, settings, playing.parallel_matches, memory)
        stage = lambda: self.progress.stage
        return Actor(make_self_play(config, search, self.choice, stage, self.determinization), evaluator)

    def _learning_phases(self) -> Callable[[], Iterator[Batch]]:
        """What gives the minibatches of each learning phase."""
        if isinstance(self.replay, AllReplay):
            phases = Relearning(self.learner, self.replay, lambda: self.progress.stage, self._out_of_time)
            return phases.batches
        return self.replay.batches

    def _out_of_time(self) -> bool:
        limit = self.progress.limit_seconds
        return limit is not None and self._now() - self._began >= limit

    def _set_random(self, states: NDArray[np.uint64]) -> None:
        """Sets the random states of the searches: uint64[actors * parallel_matches]."""
        for actor, own in zip(self.actors, np.split(states, len(self.actors)), strict=True):
            actor.search.forest.random[:] = own

    def run(self, display: Display, strength: Strength | None = None) -> None:
        """Plays and learns until the limit, and measures the strength at intervals."""
        if not self.directory.holds_checkpoint:
            self._initialise(display)
            self._save(self._checkpoint())
        keeping = Keeping(self.directory, self.config.run.keep, self._checkpoint())
        thread = ThreadPoolExecutor(1, initializer=torch.set_num_threads, initargs=(self.config.run.threads,))
        metrics = Metrics(self.directory.path, self.progress.matches)
        if strength:
            strength.begin()
        self._enter_stage(display)
        metrics.configuration(asdict(self.config))
        with display, metrics, thread, Actors(self.actors) as actors:
            learning = thread.submit(self._learn)  # the waiting match of a resumed run
            while examples := self._play_phase(actors, display, learning.done):
                learning.result()
                self.waiting = examples
                self._enter_stage(display)
                if not self.config.learning.overlap:
                    self._learn()
                for actor in self.actors:
                    actor.evaluator.refresh()
                if strength:
                    self._measure(strength)
                checkpoint = self._checkpoint()
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

    def _play_phase(self, actors: Actors, display: Display, learnt: Callable[[], bool]) -> Examples | None:
        """The examples of the matches that are learnt together; None when the training is over."""
        matches = list[Examples]()
        while len(matches) < self.config.learning.phase_matches and (match := self._play(actors, display, learnt)):
            matches.append(match.examples)
        return Examples.joined(matches) if matches else None

    def _play(self, actors: Actors, display: Display, learnt: Callable[[], bool]) -> FinishedMatch | None:
        """The next finished match; None when the training is over."""

        def is_over() -> bool:
            self._read_clocks()
            display.update(progress)
            return progress.done == 1.0

        progress, earlier = self.progress, self._earlier
        match = actors.next_match(is_over, learnt)
        progress.evaluations = earlier.evaluations + sum(actor.evaluations for actor in self.actors)
        progress.network_seconds = earlier.network_seconds + fmean(actor.network_seconds for actor in self.actors)
        progress.search_seconds = earlier.search_seconds + fmean(actor.search_seconds for actor in self.actors)
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
        if self.waiting is None:
            return
        began, progress, losses = time.perf_counter(), self.progress, []
        self.replay.add(self.waiting)
        progress.examples += len(self.waiting)
        for batch in self._batches():
            losses.append(self.learner.step(batch))
            progress.learnt += len(batch)
        self._check_weights()
        self.waiting = None
        if losses:
            progress.losses = [*progress.losses, float(np.mean(losses))][-_CURVE:]
        progress.memory = len(self.replay)
        progress.learning_seconds += time.perf_counter() - began

    def _measure(self, strength: Strength) -> None:
        """Measures the strength if a measurement is due."""
        measured = strength.when_due(self.actors[0].evaluator, self.heuristic, self.progress.matches)
        self.progress.measurement = measured or self.progress.measurement

    def _checkpoint(self) -> Checkpoint:
        """Everything that the next match depends on, copied, so that learning can continue while it is saved."""
        network = {NETWORK_PREFIX + name: tensor for name, tensor in self.learner.average.state_dict().items()}
        if self.config.learning.averaging:
            network |= {LEARNER_PREFIX + name: tensor for name, tensor in self.network.state_dict().items()}
        optimizer = {OPTIMIZER_PREFIX + name: tensor for name, tensor in self.learner.state_dict().items()}
        tensors = {name: np.array(tensor.cpu().numpy()) for name, tensor in (network | optimizer).items()}
        tensors |= self.replay.state_arrays()
        tensors["search.random"] = np.concatenate([actor.search.forest.random for actor in self.actors])
        for number, actor in enumerate(self.actors):
            tensors |= actor.self_play.resolved.as_arrays(f"resolved.{number}.")
        if self.waiting is not None:
            tensors |= self.waiting.as_arrays("waiting.")
        document = {
            "configuration": asdict(self.config),
            "heuristic": self.heuristic.as_json(),
            "progress": asdict(self.progress),
            "replay": self.replay.state_document(),
            "random": self.choice.random.bit_generator.state,
        }
        return Checkpoint(tensors, document, self.replay.match_arrays())

    def _save(self, checkpoint: Checkpoint) -> None:
        """Replaces the checkpoint on disk."""
        began = time.perf_counter()
        self.directory.save(checkpoint.tensors, checkpoint.document, checkpoint.matches)
        self.directory.write_json(CONFIGURATION, checkpoint.document["configuration"])
        if latest := self.latest.unsaved():
            self.directory.write_json(LATEST, latest)
        if self.progress.record:
            self.directory.write_json(RECORD, {"game": self.game.name, **asdict(self.progress.record)})
        self.progress.checkpoint_seconds += time.perf_counter() - began

    def _restore(self, checkpoint: Checkpoint) -> None:
        """Restores a saved checkpoint. Raises CheckpointError if it does not fit the configuration."""
        tensors, document = checkpoint.tensors, checkpoint.document
        try:
            load_weights(self.learner.average, weights_of(tensors, NETWORK_PREFIX))
            if self.config.learning.averaging:
                load_weights(self.network, weights_of(tensors, LEARNER_PREFIX))
            self.learner.load_state_dict(
                {name: torch.from_numpy(array) for name, array in weights_of(tensors, OPTIMIZER_PREFIX).items()}
            )
        except ValueError as error:
            raise CheckpointError(f"the checkpoint does not fit its configuration: {error}") from None
        for number, actor in enumerate(self.actors):
            actor.evaluator.refresh()
            actor.self_play.resolved.restore(tensors, f"resolved.{number}.")
            actor.self_play.restart()
        self.replay.restore(tensors, document.get("replay", {}), checkpoint.matches, checkpoint.lost)
        slots = self.config.playing.actors * self.config.playing.parallel_matches
        self._set_random(expect(tensors, "search.random", np.uint64, slots))
        if "waiting.states" in tensors:
            self.waiting = Examples.from_arrays(tensors, self.game, "waiting.")
        self.choice.random.bit_generator.state = generator(document.get("random")).bit_generator.state
        self.progress = restored_progress(document.get("progress"), self.progress)
        self.progress.memory = len(self.replay)
