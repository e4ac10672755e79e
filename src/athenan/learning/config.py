"""The configuration of a training, and the recipe that chooses it from the game and the length of the run."""

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.heuristics import check_heuristic, default_heuristic
from athenan.games.catalogue import make
from athenan.learning.replay import ReplayConfig
from athenan.rules.game import Game
from athenan.rules.playouts import mean_actions
from athenan.search.budget import Budget
from athenan.search.search import SearchSettings

_BOUNDS: dict[str, tuple[float, float]] = {
    "matches": (1, 10**12), "iterations": (1, 10**12), "evaluations": (1, 10**12), "parallel_matches": (1, 100_000),
    "seed": (0, 2**63 - 1), "memory": (1, 2**24), "threads": (1, 1024), "actors": (1, 256),
    "evaluation_games": (2, 10**6), "averaging": (0, 0.999999), "minutes": (1e-6, 10**7),
    "seconds": (1e-6, 10**6), "learning_rate": (1e-12, 10), "l2": (0, 10**6), "evaluation_seconds": (0, 10**9),
}  # fmt: skip
"""Least and greatest value of each setting that is a number."""


_MANY_ACTIONS = 12
_FULL_BATCH = 40  # states that the network evaluates together at nearly its full rate
_REPLAY_BYTES = 8 << 30
_VALUES_PER_SECOND = 30_000  # of the network on a processor's core, about
_MOST_ACTORS = 8  # Python runs in one of them at a time
_MUCH_LONGER = 4  # than the search time of an action


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class RunSettings:
    """What is learnt, and for how long."""

    game: str = "hex:7"
    """The game, such as hex:7 or othello:6."""
    minutes: float | None = None
    """Minutes of training; the match in play then is dropped."""
    matches: int | None = None
    """Matches of training; without minutes and matches it lasts until interrupted."""
    network: str = "c"
    """An architecture of the papers, with changes if wanted, such as c, r1, r2 or c:filters=32,dense=50."""
    heuristic: str = "classic"
    """What finished matches are worth: classic, score, additive_depth, multiplicative_depth or presence."""
    threads: int = field(default_factory=available_cores)
    """Threads of the networks on a CPU."""
    seed: int = 0
    """Of all random numbers."""


@dataclass(frozen=True)
class ActionLimits:
    """What ends the search for one action, whichever comes first; without any, the recipe gives it a time."""

    seconds: float | None = None
    """Seconds (τ)."""
    iterations: int | None = None
    """Search iterations."""
    evaluations: int | None = None
    """States evaluated by the network; such a training is deterministic under its seed."""


@dataclass(frozen=True)
class PlayingSettings:
    """How matches are played."""

    selection: Literal["ordinal", "epsilon_greedy"] = "ordinal"
    """How actions are chosen after a search: the ordinal distribution (Algorithm 14) or ε-greedy (Algorithm 2)."""
    exploitation: str = "uniform"
    """ε' of the selection: uniform (drawn from [0, 1] for each action), annealed (from 0 to 1 over the training), or
    a number from 0 to 1."""
    completed_selection: bool = True
    """Play proven wins and avoid proven losses (section 5.2, point 3)."""
    parallel_matches: int = 1
    """Matches side by side; 1 is exactly the papers' algorithm."""
    actors: int = 1
    """Threads that play at the same time, each `parallel_matches`, in its share of the memory."""
    borrowing: bool = False
    """Where searches outlast their seconds, as an iteration of Descent does in long games, make up for it: choose the
    next actions by what the tree knows, after the expansion of their state if it is a new one."""
    memory: int = 2048
    """MiB that the search trees may take in all."""
    precision: str = "auto"
    """Of the network in searches: auto (measured), float32 or bfloat16."""


@dataclass(frozen=True)
class LearningSettings:
    """How the network learns."""

    learning_rate: float = 0.001
    """Of Adam."""
    averaging: float = 0.0
    """Decay, per learning step, of the average of weights that plays; 0 plays with the weights of the last step."""
    l2: float = 0.001
    """Weight of the L2 penalty."""
    overlap: bool = False
    """Learn from a match while the next is played, with the network as it was before; uses several cores better.
    Without it each match is learnt before the next, as in the papers."""
    device: str = "auto"
    """Where the network runs, in searches too: auto, cpu or cuda."""
    learning_precision: str = "auto"
    """Of the network in learning steps: auto (measured), float32 or bfloat16."""


@dataclass(frozen=True)
class EvaluationSettings:
    """Measurements of strength during the training."""

    evaluation_opponent: str = "mcts:200"
    """Opponent, which the network plays with a search of one iteration. In a game of one player it plays alone, and
    this is not used."""
    evaluation_games: int = 20
    """Games of each measurement; fewer, if they would take more than a tenth of the seconds between."""
    evaluation_seconds: float = 60.0
    """Seconds of training between measurements, more if they take long; 0 for none."""


@dataclass(frozen=True)
class TrainingConfig(EvaluationSettings, LearningSettings, PlayingSettings, ActionLimits, RunSettings):
    """Everything that decides how a training goes. Raises ValueError, saying what would be right, for bad values.

    A message about the value of a setting begins with the setting's name.
    """

    search: SearchSettings = field(default_factory=lambda: SearchSettings(algorithm="descent"))
    replay: ReplayConfig = field(default_factory=ReplayConfig)

    def __post_init__(self) -> None:
        game = make(self.game)
        parse_architecture(self.network)
        check_heuristic(self.heuristic, game)
        for name, value, choices in (
            ("algorithm", self.search.algorithm, ("descent", "ubfm")),
            ("selection", self.selection, ("ordinal", "epsilon_greedy")),
        ):
            if value not in choices:
                raise ValueError(f"{name} must be {' or '.join(choices)}, not {value!r}")
        if self.exploitation not in ("uniform", "annealed"):
            _number("exploitation", self.exploitation)
        for name, (least, most) in _BOUNDS.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise ValueError(f"{name} must be from {least:,} to {most:,}, not {str(value)[:50]}")
        if self.evaluation_games % 2:
            raise ValueError(f"evaluation_games must be even, two for each opening, not {self.evaluation_games}")
        if self.exploitation == "annealed" and self.minutes is None and self.matches is None:
            raise ValueError("exploitation can be annealed only if minutes or matches say how long the training is")

    @property
    def budget(self) -> Budget:
        """Of the search for each action."""
        return Budget(seconds=self.seconds, iterations=self.iterations, evaluations=self.evaluations)

    def as_json(self) -> dict[str, Any]:
        """The configuration as plain data; `config_from_json` reads it."""
        return asdict(self)


def recommended(
    game: str = "hex:7",
    minutes: float | None = None,
    matches: int | None = None,
    timed: bool = True,
    threads: int | None = None,
) -> TrainingConfig:
    """The default configuration for a game and the length of a run; `timed=False` leaves the search budget open.

    `threads` are those that a timed run may use; default: one for each core.

    The rules were found by measurement (docs/results.md). The search time per action follows from the length of the
    run (`seconds_per_action`); where an iteration of Descent takes much longer, actions borrow time from each other.
    Where states have few actions, several matches share the batches of the network, and of each state to learn one
    random symmetry is learnt instead of two, so that learning keeps up with playing. Half of the threads play, but at
    least two actors, so that no core is idle while there is nothing to learn. A run that is not timed is to be
    repeatable, so it plays one match at a time and learns it before the next, in one thread. The network that plays is
    the average of the last thousand or so learning steps, which is stronger than the last.
    """
    rules = make(game)
    actions, seconds = mean_actions(rules), seconds_per_action(rules, minutes)
    threads = (threads or available_cores()) if timed else 1
    iteration = rules.typical_length * actions / _VALUES_PER_SECOND
    return TrainingConfig(
        game=rules.name,
        minutes=minutes,
        matches=matches,
        heuristic=default_heuristic(rules),
        seconds=seconds if timed else None,
        replay=_replay(rules, actions),
        parallel_matches=max(1, min(8, round(_FULL_BATCH / actions))) if timed else 1,
        averaging=0.999,
        borrowing=timed and iteration > _MUCH_LONGER * seconds,
        actors=max(2, min(threads // 2, _MOST_ACTORS)) if threads > 1 else 1,
        overlap=threads > 1,
        threads=threads,
    )


def _replay(game: Game, actions: float) -> ReplayConfig:
    """States take up to _REPLAY_BYTES, which matters to games whose states hold all of a long match."""
    limit = min(ReplayConfig.pairs_limit, _REPLAY_BYTES // game.state_size)
    if actions >= _MANY_ACTIONS:
        return ReplayConfig(pairs_limit=limit)
    return ReplayConfig(duplication=2.0, augmentation="random", pairs_limit=limit)


def seconds_per_action(game: Game, minutes: float | None) -> float:
    """The search time per action: such that about 1000 matches fit into five minutes, and twice as many into four
    times as long; a run without an end counts as a day.
    """
    minutes = 1440.0 if minutes is None else minutes
    if not 0 < minutes < math.inf:
        raise ValueError(f"minutes must be positive, not {minutes}")
    matches = 1000 * math.sqrt(minutes / 5)
    return float(f"{min(2.0, max(0.005, 60 * minutes / (matches * game.typical_length))):.2g}")


def config_from_json(data: Mapping[str, Any]) -> TrainingConfig:
    """The configuration that `as_json` gave. Raises ValueError if it is none."""
    return _from_json(TrainingConfig, data)  # type: ignore[no-any-return]


def _from_json(kind: Any, data: Any) -> Any:
    if not isinstance(data, Mapping):
        raise ValueError(f"a {kind.__name__} must be an object, not {data!r}")
    hints, known = get_type_hints(kind), {item.name for item in fields(kind)}
    if unknown := sorted(set(data) - known):
        raise ValueError(f"there is no setting {unknown[0]!r}; settings are {', '.join(sorted(known))}")
    return kind(**{name: _checked(name, hints[name], value) for name, value in data.items()})


def _checked(name: str, hint: Any, value: Any) -> Any:
    """The value, if it is of the type of the setting."""
    if is_dataclass(hint):
        return _from_json(hint, value)
    choices = get_args(hint)
    if get_origin(hint) is Literal:
        right = value in choices
    else:
        kinds = choices or (hint,)
        right = type(value) in kinds or (float in kinds and type(value) is int)
    if not right:
        raise ValueError(f"setting {name} cannot be {value!r}")
    return value


def _number(name: str, text: str) -> float:
    """A number from 0 to 1 read from text."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be uniform, annealed or a number from 0 to 1, not {text!r}")
    return value
