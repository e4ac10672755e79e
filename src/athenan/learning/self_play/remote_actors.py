"""Actors in other processes, of this machine or of a Ray cluster, for one learner.

An actor that has started says so at once. Then it gets orders to play for some seconds with the newest network, after
which it sends the matches that have ended, and goes on with the others at the next order. If it dies, only what it has
played since it last sent is lost: its matches in play, and the finished ones of at most `renewal` seconds. Another
actor takes its place.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from athenan.games.catalogue import known
from athenan.jobs import Machines, team
from athenan.learning.components import Components
from athenan.learning.config import TrainingConfig
from athenan.learning.learner.making import takes_gpu
from athenan.learning.self_play.protocol import FinishedMatch, Spent

_TICK = 0.02
"""Seconds after which the caller is asked again whether it wants to go on."""


@dataclass(frozen=True)
class Order:
    """An order to play for `config.playing.renewal` seconds."""

    config: TrainingConfig
    heuristic: Any
    """The numbers of the heuristic, `Heuristic.as_json`."""
    seeds: tuple[int, int]
    """The random numbers of an actor that begins with this order."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What actors must know of a training at one moment."""

    version: int
    """Learning phases of the network; grows while a training is not interrupted."""
    weights: dict[str, NDArray[np.float32]]
    """The weights of the network that plays, by name."""
    done: float | None
    """The share of the training that is over; None if that is not known."""
    stage: int
    """The stage of expert iteration."""


@dataclass(frozen=True, eq=False)
class Played:
    """What an actor has done for an order."""

    matches: list[FinishedMatch]
    version: int
    """The version of the network; matches may have begun with an older one."""
    spent: Spent
    """What this order has cost."""


class RemoteActors:
    """Actors that play together, from `with` to its end, which ends their processes.

    They do not run ahead of learning: each has one order at most, and there are no new ones while more matches wait
    than there are actors.
    """

    def __init__(self, components: Components, machines: Machines, snapshot: Callable[[], Snapshot], seed: int) -> None:
        """`snapshot` is asked now, and at each `renew`. Raises JobError if there is no such cluster."""
        self._asked = snapshot
        self._snapshot = snapshot()
        numbers = components.heuristic.as_json()
        orders = (Order(components.config, numbers, (seed, number)) for number in count())
        gpu = takes_gpu(components.config)
        self._team = team(play, orders, machines, common=lambda: self._snapshot, gpu=gpu)
        self._matches = deque[tuple[FinishedMatch, int]]()
        self._begun = False
        self.spent = Spent()
        """What all actors have spent: sums of counts, and means of seconds."""
        self.lag = 0
        """Learning phases that the network of the last match lacked when it was taken."""

    @property
    def size(self) -> int:
        """Actors that play."""
        return self._team.size

    @property
    def lost(self) -> int:
        """Actors that have died."""
        return self._team.deaths

    def begun(self) -> bool:
        """Whether an actor has started. Waits a moment for one. Raises JobError if they die again and again."""
        if not self._begun:
            for _, played in self._team.finished(_TICK):
                self._take(played)
        return self._begun

    def next_match(self, interrupted: Callable[[], bool], ready: Callable[[], bool]) -> FinishedMatch | None:
        """The next finished match, when the caller is `ready` for one; None if `interrupted`.

        Raises the errors of the actors, and JobError if these die again and again.
        """
        while not interrupted():
            if self._matches and ready():
                match, version = self._matches.popleft()
                self.lag = self._snapshot.version - version
                return match
            if len(self._matches) > self.size:
                time.sleep(_TICK)
                continue
            for _, played in self._team.finished(_TICK):
                self._take(played)
        return None

    def renew(self) -> None:
        """Lets the next orders go with the present network."""
        self._snapshot = self._asked()

    def _take(self, played: Played) -> None:
        self._begun = True
        self._matches.extend((match, played.version) for match in played.matches)
        idle = [Spent()] * (self.size - 1)
        self.spent += Spent.among([played.spent, *idle])

    def __enter__(self) -> Self:
        self.renew()
        self._team.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._team.__exit__(kind, error, at)


def play(order: Order, snapshot: Snapshot) -> Played:
    """Fulfils an order, in a process of its own, which keeps its actor; the first order only makes it."""
    if not _KEPT:
        _KEPT.append(_Playing(order))
        return Played([], snapshot.version, Spent())
    return _KEPT[0].play(snapshot)


class _Playing:
    """An actor with a network of its own."""

    def __init__(self, order: Order) -> None:
        config = order.config.changed(run={"threads": 1})
        components = Components(config, known(order.config.run.game), order.heuristic)
        self._learner = components.learner()
        self._seconds = order.config.playing.renewal
        self._snapshot: Snapshot | None = None
        self._actor = components.seeded_actor(
            self._learner, [*order.seeds], lambda: self._newest.done, lambda: self._newest.stage
        )

    @property
    def _newest(self) -> Snapshot:
        assert self._snapshot is not None, "orders come with a snapshot"
        return self._snapshot

    def play(self, snapshot: Snapshot) -> Played:
        """Plays for the seconds of an order."""
        actor = self._actor
        before = self._snapshot
        self._snapshot = snapshot
        if before is None or before.version != snapshot.version:
            self._learner.plays_with(snapshot.weights)
            actor.evaluator.refresh()
        earlier = actor.spent
        matches = list(self._matches(time.perf_counter() + self._seconds))
        return Played(matches, snapshot.version, actor.spent - earlier)

    def _matches(self, end: float) -> Iterator[FinishedMatch]:
        while match := self._actor.play(lambda: time.perf_counter() >= end):
            yield match


_KEPT: list[_Playing] = []
"""The actor of this process, if it has one."""
