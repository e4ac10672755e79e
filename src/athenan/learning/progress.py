"""The progress of a training: counters, times, results of the last matches, the latest measurement of strength, and
win chances.

>>> progress = Progress(game="hex:7", directory="runs/hex-7", seconds=60, limit_seconds=300, matches=12)
>>> progress.done, progress.seconds_left
(0.2, 240)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any

from athenan.evaluation.chances import Chances, restored_chances
from athenan.reading import WRONG_SHAPE
from athenan.runs.checkpoint import CheckpointError
from athenan.version import restored_environment

WARM_START, POLICY, POLICY_AND_VALUE = 0, 1, 2
"""The stages of expert iteration: a search without a network, then the learnt policy, then also the learnt values."""
RECENT = 100
"""Averages are over at most this many of the last matches."""
LEARNT = ("examples", "learnt", "losses", "memory", "learning_seconds")
"""What learning phases change, and playing does not."""
_ADDED = ("wall_seconds", "processor_seconds", "examples", "batches", "remote_actors", "lost_actors", "cut_short")
"""Totals that earlier versions did not count; in their runs they begin at 0."""
_SHARES = ("network", "search", "learning", "checkpoint", "other")


@dataclass(frozen=True)
class Measurement:
    """The strength of the network against an opponent."""

    opponent: str
    """The opponent's name as a player, such as "mcts:200"."""
    matches: int
    """The number of matches learnt before."""
    score: float
    """The share of points won, from 0 to 1 (a win counts 1, a draw 1/2). In a one-player game: the mean score."""
    games: int
    best: int | None = None
    """The best score, in a one-player game."""


ALONE = "alone"
"""The opponent of measurements in one-player games."""


@dataclass(frozen=True)
class Record:
    """The best match of a training in a one-player game, either played or seen in a search."""

    score: int
    match: int
    """The number of the match in which it was found, from 1."""
    moves: str
    """Its actions, in the game's notation."""


@dataclass
class Progress:
    """The progress of a training. Totals count from the beginning of the run, also in a resumed one."""

    game: str
    """The game's name."""
    directory: str
    """The run directory."""
    seconds: float = 0.0
    """Seconds of training so far, by the clock of the run."""
    wall_seconds: float = 0.0
    """Wall-clock seconds of training so far."""
    processor_seconds: float = 0.0
    """Seconds of processor time of all threads of the training."""
    limit_seconds: float | None = None
    """Seconds of training at which it ends; None: no limit."""
    limit_matches: int | None = None
    """Matches at which it ends; None: no limit."""
    search: str = "ubfm"
    """The text of the search of self-play."""
    code: Sequence[str] = ()
    """The user's files and modules of other parts than the game and the search."""
    matches: int = 0
    """Matches played."""
    stage: int = WARM_START
    """The stage of expert iteration; a training that is continued for longer does not go back to an earlier one."""
    lengths: Sequence[int] = ()
    """Actions in each of the last matches; at most the last 100 count."""
    outcomes: Sequence[int] = ()
    """The first player's gains in the last matches, 1, 0 or -1; at most the last 100 count."""
    scores: Sequence[int] = ()
    """The scores of the last matches, in a one-player game; at most the last 100 count."""
    record: Record | None = None
    """The best match so far, in a one-player game."""
    learnt: int = 0
    """Items (a state with its value) learnt, repetitions counted."""
    examples: int = 0
    """States with their values that matches gave to learn, each counted once."""
    memory: int = 0
    """Items in replay memory."""
    evaluations: int = 0
    """States evaluated by the network in searches."""
    batches: int = 0
    """Batches of states for which searches asked the network: its neural evaluations (004, section 3.2)."""
    cut_short: int = 0
    """Searches that ended early because their tree had filled its memory; sequential halving counts each part."""
    network_seconds: float = 0.0
    """Seconds spent evaluating states in searches."""
    search_seconds: float = 0.0
    """The other seconds spent in searches: the trees and the rules."""
    learning_seconds: float = 0.0
    """Seconds spent in learning steps, their minibatches included."""
    checkpoint_seconds: float = 0.0
    """Seconds spent saving."""
    losses: Sequence[float] = ()
    """The mean loss of each of the last learning phases, oldest first."""
    remote_actors: int = 0
    """Actors that play in other processes now."""
    lost_actors: int = 0
    """Actors in other processes that have died since the training last began."""
    lags: Sequence[int] = ()
    """How many learning phases an actor's network lacked when its match was taken, for each of at most the last 100
    matches of actors in other processes."""
    measurement: Measurement | None = None
    """The latest measurement of strength."""
    chances: Chances | None = None
    """The win chances that values of searches with the network mean, if learnt."""
    environments: Sequence[Mapping[str, str]] = ()
    """What has trained, in order: versions and processors (`athenan.version.environment`). Old versions recorded only
    their own, or nothing. Of a training with workers elsewhere, the machine of its command."""

    @property
    def mean_length(self) -> float | None:
        """Mean number of actions of the last matches."""
        return _mean(list(self.lengths)[-RECENT:])

    @property
    def mean_loss(self) -> float | None:
        """Mean loss of the last ten learning phases."""
        return _mean(list(self.losses)[-10:])

    @property
    def results(self) -> tuple[float, float, float] | None:
        """The shares of the last matches that the first player won, drew and lost."""
        last = list(self.outcomes)[-RECENT:]
        if not last:
            return None
        return last.count(1) / len(last), last.count(0) / len(last), last.count(-1) / len(last)

    @property
    def mean_score(self) -> float | None:
        """Mean score of the last matches, in a one-player game."""
        return _mean(list(self.scores)[-RECENT:])

    @property
    def mean_lag(self) -> float | None:
        """Mean number of learning phases that the networks of actors in other processes lacked."""
        return _mean(list(self.lags)[-RECENT:])

    @property
    def evaluations_per_second(self) -> float | None:
        """States evaluated in a second of searching."""
        searching = self.network_seconds + self.search_seconds
        return self.evaluations / searching if searching > 0 else None

    @property
    def shares(self) -> dict[str, float]:
        """The shares of time: network, search, learning, checkpoint, other; empty at the beginning."""
        spent = [self.network_seconds, self.search_seconds, self.learning_seconds, self.checkpoint_seconds]
        whole = max(self.seconds, sum(spent))
        if not any(spent):
            return {}
        return dict(zip(_SHARES, [part / whole for part in [*spent, whole - sum(spent)]], strict=True))

    @property
    def done(self) -> float | None:
        """The share of the training that is over, from 0 to 1; None if it is open-ended."""
        shares = []
        if self.limit_seconds is not None:
            shares.append(self.seconds / max(self.limit_seconds, 1e-9))
        if self.limit_matches is not None:
            shares.append(self.matches / max(self.limit_matches, 1))
        return min(1.0, max(shares)) if shares else None

    @property
    def seconds_left(self) -> float | None:
        """An estimate; None if the training is open-ended, or there is no estimate yet."""
        left = []
        if self.limit_seconds is not None:
            left.append(max(0.0, self.limit_seconds - self.seconds))
        if self.limit_matches is not None and self.matches:
            left.append(self.seconds / self.matches * max(0, self.limit_matches - self.matches))
        return min(left) if left else None


def restored_progress(data: Any, new: Progress) -> Progress:
    """The progress from data of `dataclasses.asdict`, checked field by field; names and limits come from `new`.

    Raises CheckpointError if it is damaged.
    """
    totals = [item.name for item in fields(Progress) if isinstance(getattr(new, item.name), int | float)]
    totals.remove("stage")
    try:
        counted = {**{name: getattr(new, name) for name in _ADDED}, **data}
        return replace(
            new,
            **{name: _total(counted[name], type(getattr(new, name))) for name in totals},
            lengths=[_total(length, int) for length in data["lengths"]],
            outcomes=[_total(outcome + 1, int) - 1 for outcome in data["outcomes"]],
            stage=_total(data.get("stage", WARM_START), int),
            losses=[_finite(loss) for loss in data["losses"]],
            lags=[_total(lag, int) for lag in data.get("lags", [])],
            measurement=_measurement(data["measurement"]),
            scores=[_score(score) for score in data.get("scores", [])],
            record=_record(data.get("record")),
            chances=restored_chances(data.get("chances")),
            environments=_environments(data),
        )
    except WRONG_SHAPE:
        raise CheckpointError("the checkpoint's progress is damaged: it was changed by hand") from None


def _measurement(data: Any) -> Measurement | None:
    if data is None:
        return None
    return Measurement(
        str(data["opponent"]), _total(data["matches"], int), _finite(data["score"]), _total(data["games"], int),
        None if data.get("best") is None else _score(data["best"]),
    )  # fmt: skip


def _record(data: Any) -> Record | None:
    if data is None:
        return None
    return Record(_score(data["score"]), _total(data["match"], int), str(data["moves"]))


def _environments(data: Any) -> list[dict[str, str]]:
    """The environments of a progress. Earlier versions named only the versions of athenan."""
    if "environments" in data:
        return [restored_environment(one) for one in data["environments"]]
    return [restored_environment({"athenan": version}) for version in data.get("versions", [])]


def _score(value: Any) -> int:
    """The value if it is a whole number. Raises ValueError if it is not."""
    if type(value) is not int:
        raise ValueError
    return value


def _finite(value: Any) -> float:
    """The value if it is a finite number with a fraction. Raises ValueError if it is not."""
    if type(value) is not float or not isfinite(value):
        raise ValueError
    return value


def _total(value: Any, kind: type[Any]) -> Any:
    """The value if it is a number of that kind that a progress may hold. Raises ValueError if it is not."""
    if type(value) is not kind or not 0 <= value < 2**63:
        raise ValueError
    return value


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
