"""Training: matches of Descent against itself, and learning from their trees (003, Algorithm 3).

from athenan import recommended, train
directory = train(recommended("hex:7", minutes=5))
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator, choose_device
from athenan.evaluation.heuristics import make_heuristic, restored_heuristic
from athenan.evaluation.networks import build_network, load_weights
from athenan.games.catalogue import make
from athenan.learning.actors import Actor, Actors
from athenan.learning.checkpoint import (
    NETWORK_PREFIX,
    Checkpoint,
    CheckpointError,
    RunDirectory,
    expect,
    generator,
)  # fmt: skip
from athenan.learning.config import TrainingConfig, config_from_json
from athenan.learning.display import RECENT, Display, Evaluation, Progress, Record
from athenan.learning.examples import Examples
from athenan.learning.learner import Learner
from athenan.learning.metrics import Metrics
from athenan.learning.replay import make_replay
from athenan.learning.self_play import FinishedMatch, SelfPlay
from athenan.rules.game import Game
from athenan.rules.randomness import streams
from athenan.rules.terminal import TerminalValue
from athenan.search.node import Node
from athenan.search.search import Search
from athenan.search.selection import Select, completed, epsilon_greedy, ordinal

OPTIMIZER_PREFIX = "optimizer."
LEARNER_PREFIX = "learner."
"""Of the weights that steps are taken from, where the network that plays is their average."""
_CURVE = 200  # losses kept for the display

Measure = Callable[[Game, Evaluator, TerminalValue, int], Evaluation]
"""measure(game, evaluator, heuristic, matches learnt): a measurement of strength during training."""


def train(
    config: TrainingConfig,
    directory: str | Path | None = None,
    display: Display | None = None,
    measure: Measure | None = None,
) -> Path:
    """Trains from nothing; returns the run directory (default: runs/GAME, numbered if that is taken).

    Every finished match is saved. On KeyboardInterrupt nothing but the matches in play is lost. `measure`, if given,
    is called every `config.evaluation_seconds`.
    Raises CheckpointError if the directory holds another run, is in use, or cannot be written, and ValueError if the
    configuration asks for what is not there, such as a device.
    """
    config.budget  # noqa: B018 - says what is missing before a directory is made
    choose_device(config.device)
    path = Path(directory) if directory else free_directory(config.game)
    with RunDirectory(path) as run:
        if run.holds_checkpoint:
            raise CheckpointError(f"{path} holds another run: resume it with --resume, or choose another directory")
        Trainer(config, run).run(display or Display(), measure)
    return path


def resume(
    directory: str | Path,
    minutes: float | None = None,
    matches: int | None = None,
    display: Display | None = None,
    measure: Measure | None = None,
    salvage: bool = False,
) -> Path:
    """Goes on with a training as if nothing had happened; returns the directory.

    `minutes` or `matches`, counted from the beginning of the run, replace its limits. With several actors or
    matches side by side, those in play begin anew; with one, and a search budget in iterations or evaluations, the
    result is the same, bit for bit, as that of a training which was never interrupted. With `salvage` it goes on
    without the matches in replay memory whose files are missing or damaged, and says which.
    Raises CheckpointError if there is no whole checkpoint, or its configuration cannot be used here.
    """
    display = display or Display()
    if not Path(directory).is_dir():
        raise CheckpointError(f"there is no run directory {directory}")
    with RunDirectory(directory) as run:
        checkpoint = run.load(salvage)
        try:
            config = config_from_json(checkpoint.document.get("configuration", {}))
            if minutes is not None or matches is not None:
                config = replace(config, minutes=minutes, matches=matches)
            config.budget  # noqa: B018 - checks it
            trainer = Trainer(config, run, checkpoint)
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
        trainer.run(display, measure)
    return Path(directory)


def free_directory(game: str) -> Path:
    """runs/GAME, or with the first number that makes it new."""
    base = game.replace(":", "-").replace(",", "-").replace("=", "-")
    names = (f"{base}-{number}" if number > 1 else base for number in range(1, 1_000_000))
    return next(Path("runs", name) for name in names if not Path("runs", name).exists())


class Trainer:
    """One training: its parts, and the loop over them."""

    def __init__(self, config: TrainingConfig, directory: RunDirectory, checkpoint: Checkpoint | None = None) -> None:
        self.config = config
        torch.set_num_threads(config.threads)
        torch.manual_seed(config.seed)
        self.directory = directory
        self.game = make(config.game)
        if checkpoint:
            saved = checkpoint.document.get("heuristic")
            self.heuristic = restored_heuristic(config.heuristic, self.game, saved)
        else:
            self.heuristic = make_heuristic(config.heuristic, self.game)
        self.network = build_network(
            parse_architecture(config.network), self.game.planes, self.heuristic.scale, self.heuristic.bounded
        )
        self.network.to(choose_device(config.device))
        self.learner = Learner(
            self.network, config.learning_rate, config.l2, config.learning_precision, config.averaging
        )
        precision = Evaluator(self.learner.average, config.device, config.precision, self._actor_threads).precision
        self.config = replace(  # what was measured is kept, so that a resumed run computes the same
            config, precision=precision, learning_precision=self.learner.precision
        )
        self.replay = make_replay(self.game, config.replay, config.seed)
        self.random = np.random.default_rng([config.seed, 1])
        """Of action selection; of all actors, as generators may be shared by threads."""
        self.actors = [self._actor() for _ in range(config.actors)]
        self._set_random(streams(config.seed, config.actors * config.parallel_matches))
        self.waiting: Examples | None = None
        """The states and values of the match that is to be learnt next."""
        self.progress = Progress(game=self.game.name, directory=str(directory.path))
        if checkpoint:
            self._restore(checkpoint)
        self.progress.limit_seconds = config.minutes * 60 if config.minutes else None
        self.progress.limit_matches = config.matches
        self._earlier = replace(self.progress)
        self._began = time.perf_counter() - self.progress.seconds
        self._measure_at = self.progress.seconds + config.evaluation_seconds

    @property
    def _actor_threads(self) -> int:
        """Of each actor's network; beside a learner, which may use all, the actors share half of them."""
        threads = self.config.threads // 2 if self.config.overlap else self.config.threads
        return max(1, threads // self.config.actors)

    def _actor(self) -> Actor:
        """A part of self-play, with its share of the memory."""
        config = self.config
        evaluator = Evaluator(self.learner.average, config.device, config.precision, self._actor_threads)
        search = Search(
            self.game, evaluator, self.heuristic, config.search, config.parallel_matches,
            (config.memory << 20) // config.actors,
        )  # fmt: skip
        return Actor(SelfPlay(self.game, search, config.budget, self._choose, config.borrowing), evaluator)

    def _set_random(self, states: NDArray[np.uint64]) -> None:
        """Sets the random states of the searches: uint64[actors * parallel_matches]."""
        for actor, own in zip(self.actors, np.split(states, len(self.actors)), strict=True):
            actor.search.forest.random[:] = own

    def run(self, display: Display, measure: Measure | None = None) -> None:
        """Plays and learns until the limit."""
        if not self.directory.holds_checkpoint:
            self._save(self._checkpoint())
        thread = ThreadPoolExecutor(1, initializer=torch.set_num_threads, initargs=(self.config.threads,))
        metrics = Metrics(self.directory.path, self.progress.matches)
        with display, metrics, thread, Actors(self.actors) as actors:
            learning = thread.submit(self._learn)  # a match that the checkpoint holds
            while match := self._play(actors, display, learning.done):
                learning.result()
                self.waiting = match.examples
                if not self.config.overlap:
                    self._learn()
                for actor in self.actors:
                    actor.evaluator.refresh()
                self._measure(measure)
                checkpoint = self._checkpoint()
                learning = thread.submit(self._learn)
                self._save(checkpoint)
                metrics.update(self.progress)
            learning.result()

    def _play(self, actors: Actors, display: Display, learnt: Callable[[], bool]) -> FinishedMatch | None:
        """The next finished match; None when the training is over."""

        def is_over() -> bool:
            progress.seconds = time.perf_counter() - self._began
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
        return match

    def _note_score(self, match: FinishedMatch) -> None:
        """The score of a match of one player, and whether the match, or its search, has found the best one so far."""
        game, progress, moves = self.game, self.progress, self.game.moves(match.line)
        progress.scores = [*progress.scores, game.score(game.after(game.moves(match.actions)))][-RECENT:]
        score = game.score(game.after(moves))
        if progress.record is None or score > progress.record.score:
            progress.record = Record(score, progress.matches, moves)

    def _learn(self) -> None:
        """The learning phase after a match (Algorithm 3 with Algorithm 6 or 8), if one is waiting.

        Raises ValueError if the weights are no longer finite; they are not saved then.
        """
        if self.waiting is None:
            return
        began, progress, losses = time.perf_counter(), self.progress, []
        self.replay.add(self.waiting)
        for batch in self.replay.batches():
            losses.append(self.learner.step(batch))
            progress.learnt += len(batch)
        if not all(torch.isfinite(weights).all() for weights in self.network.parameters()):
            raise ValueError("the network's weights are no longer finite: begin anew with a lower learning_rate")
        self.waiting = None
        progress.losses = [*progress.losses, float(np.mean(losses))][-_CURVE:]
        progress.memory = len(self.replay)
        progress.learning_seconds += time.perf_counter() - began

    def _choose(self, root: Node) -> int:
        """Action selection after a search."""
        if self.config.exploitation == "uniform":
            exploitation = self.random.random()
        elif self.config.exploitation == "annealed":
            exploitation = self.progress.done or 0.0
        else:
            exploitation = float(self.config.exploitation)
        greedy = self.config.selection == "epsilon_greedy"
        select: Select = epsilon_greedy(1 - exploitation) if greedy else ordinal(exploitation)
        if self.config.completed_selection:
            return completed(root, select, self.random)
        return select(root, np.arange(len(root.actions)), self.random)

    def _measure(self, measure: Measure | None) -> None:
        """Measures the strength now and then, with pauses nine times as long."""
        every, progress = self.config.evaluation_seconds, self.progress
        if measure and every and progress.seconds >= self._measure_at:
            began = time.perf_counter()
            progress.evaluation = measure(self.game, self.actors[0].evaluator, self.heuristic, progress.matches)
            taken = time.perf_counter() - began
            self._measure_at = progress.seconds + taken + max(every, 9 * taken)

    def _checkpoint(self) -> Checkpoint:
        """All that the next match depends on; copied, so that learning may go on while it is saved."""
        network = {NETWORK_PREFIX + name: tensor for name, tensor in self.learner.average.state_dict().items()}
        if self.config.averaging:
            network |= {LEARNER_PREFIX + name: tensor for name, tensor in self.network.state_dict().items()}
        optimizer = {OPTIMIZER_PREFIX + name: tensor for name, tensor in self.learner.state_dict().items()}
        tensors = {name: np.array(tensor.cpu().numpy()) for name, tensor in (network | optimizer).items()}
        tensors |= self.replay.state_arrays()
        tensors["search.random"] = np.concatenate([actor.search.forest.random for actor in self.actors])
        if self.waiting is not None:
            tensors |= self.waiting.as_arrays("waiting.")
        document = {
            "configuration": self.config.as_json(),
            "heuristic": self.heuristic.as_json(),
            "progress": asdict(self.progress),
            "replay": self.replay.state_document(),
            "random": self.random.bit_generator.state,
        }
        return Checkpoint(tensors, document, self.replay.match_arrays())

    def _save(self, checkpoint: Checkpoint) -> None:
        """Replaces the checkpoint on disk."""
        began = time.perf_counter()
        self.directory.save(checkpoint.tensors, checkpoint.document, checkpoint.matches)
        if self.progress.record:
            self.directory.write_record({"game": self.game.name, **asdict(self.progress.record)})
        self.progress.checkpoint_seconds += time.perf_counter() - began

    def _restore(self, checkpoint: Checkpoint) -> None:
        """Takes up what `_save` wrote. Raises CheckpointError if it does not fit together."""
        tensors, document = checkpoint.tensors, checkpoint.document
        try:
            load_weights(self.learner.average, weights_of(tensors, NETWORK_PREFIX))
            if self.config.averaging:
                load_weights(self.network, weights_of(tensors, LEARNER_PREFIX))
            self.learner.load_state_dict(
                {name: torch.from_numpy(array) for name, array in weights_of(tensors, OPTIMIZER_PREFIX).items()}
            )
        except ValueError as error:
            raise CheckpointError(f"the checkpoint does not fit its configuration: {error}") from None
        for actor in self.actors:
            actor.evaluator.refresh()
        self.replay.restore(tensors, document.get("replay", {}), checkpoint.matches, checkpoint.lost)
        slots = self.config.actors * self.config.parallel_matches
        self._set_random(expect(tensors, "search.random", np.uint64, slots))
        if "waiting.states" in tensors:
            self.waiting = Examples.from_arrays(tensors, self.game, "waiting.")
        self.random = generator(document.get("random"))
        self.progress = _progress(document.get("progress"), self.progress)
        self.progress.memory = len(self.replay)


def weights_of(tensors: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The tensors whose names begin so, by the rest of the name."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _progress(data: Any, new: Progress) -> Progress:
    """A saved progress, checked field by field, in the directory where it is found now."""
    totals = [item.name for item in fields(Progress) if isinstance(getattr(new, item.name), int | float)]
    try:
        evaluation, record = data["evaluation"], data.get("record")
        return replace(
            new,
            **{name: _total(data[name], type(getattr(new, name))) for name in totals},
            lengths=[_total(length, int) for length in data["lengths"]],
            outcomes=[_total(outcome + 1, int) - 1 for outcome in data["outcomes"]],
            losses=[_total(loss, float) for loss in data["losses"]],
            evaluation=None if evaluation is None else Evaluation(
                str(evaluation["opponent"]), _total(evaluation["match"], int), _total(evaluation["score"], float),
                _total(evaluation["games"], int),
                None if evaluation.get("best") is None else _score(evaluation["best"]),
            ),
            scores=[_score(score) for score in data.get("scores", [])],
            record=None if record is None else Record(
                _score(record["score"]), _total(record["match"], int), str(record["moves"]),
            ),
        )  # fmt: skip
    except (TypeError, ValueError, KeyError):
        raise CheckpointError("the checkpoint's progress is damaged: it was changed by hand") from None


def _score(value: Any) -> int:
    """The value, if it is a whole number. Raises ValueError if it is none."""
    if type(value) is not int:
        raise ValueError
    return value


def _total(value: Any, kind: type[Any]) -> Any:
    """The value, if it is a number of that kind as a progress may hold it. Raises ValueError if it is none."""
    if type(value) is not kind or not 0 <= value < 2**63:
        raise ValueError
    return value
