"""Answers queries: many positions are searched at once, one in each slot, and share the network's batches.

>>> from athenan import Budget, Search, make
>>> told = []
>>> server = QueryServer(Search(make("tictactoe"), slots=4), Budget(iterations=10_000), told.append, "1.0")
>>> for line in ('{"id": "one", "moves": "b2 b1"}', '{"id": "two", "moves": ["b2", "a1"]}'):
...     server.handle(line)
>>> while server.step():
...     pass
>>> sorted((json.loads(line)["id"], json.loads(line)["proven"]) for line in told)
[('one', 'win'), ('two', 'draw')]
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from queue import Empty, SimpleQueue
from threading import Semaphore, Thread
from typing import Any

from athenan.engines.queries.messages import Query, QueryError, Terminate, read
from athenan.engines.serving import READ_AHEAD, Write
from athenan.evaluation.chances import Chances
from athenan.play.analysis import Analysis, of_end, of_search
from athenan.rules.game import GameError, State
from athenan.search.budget import Budget
from athenan.search.clock import Deadlines
from athenan.search.searcher import advance
from athenan.search.trees.forest_search import ForestSearch

MOST_WAITING = 100_000
"""The most positions that may wait; then no further lines are read, so that a later `terminate` also waits."""
_AT_ONCE = 64
"""The most lines that are handled before the searches advance."""


@dataclass(eq=False)
class _Job:
    """One position of a query."""

    query: str
    turn: int
    state: State
    budget: Budget
    every: float = inf
    """Seconds between reports."""
    terminated: bool = False
    reported: float = 0.0
    """How many seconds its search had lasted at the last report."""


class QueryServer:
    """Answers lines. Its owner calls `step` until nothing is left to do.

    `search` has a slot for each position that is searched at the same time. `limit` applies to queries without their
    own limit. `write` gets each answer as a line. Answers come as searches end, in any order. Unless its limit is a
    time, a query gets the same answer as if it were alone, except for rounding in the network.
    """

    def __init__(
        self,
        search: ForestSearch,
        limit: Budget,
        write: Write,
        version: str,
        seed: int = 0,
        chances: Chances | None = None,
    ) -> None:
        """`chances`: what values of the search mean as win chances, if that is known."""
        self.search, self.game = search, search.game
        self._limit, self._write, self._version, self._seed = limit, write, version, seed
        self._chances = chances
        self._free = list(range(len(search.forest.slots)))
        self._deadlines = Deadlines(len(search.forest.slots))
        self._running: dict[int, _Job] = {}
        """Slot -> the position that is searched in it."""
        self._waiting: list[tuple[int, int, _Job]] = []
        """A heap by priority and order; it may hold terminated jobs."""
        self._open: dict[str, dict[_Job, None]] = {}
        """Query -> its unanswered positions."""
        self._number = 0

    @property
    def waiting(self) -> int:
        """The number of waiting positions."""
        return len(self._waiting)

    def handle(self, line: str) -> None:
        """Takes a line. A bad line is answered by an error; empty lines are ignored."""
        if not line.strip():
            return
        try:
            message = read(line)
            if isinstance(message, Query):
                self._add(message)
            elif isinstance(message, Terminate):
                self._terminate(message)
            else:
                self._tell(id=message.id, action=message.action, version=self._version, game=self.game.name)
        except QueryError as error:
            self._tell(**error.as_json())

    def step(self) -> bool:
        """Advances all searches by one batch and answers those that have ended; False if none is running."""
        self._start()
        if not self._running:
            return False
        advance(self.search, self._deadlines)
        for slot in map(int, self.search.done()):
            if slot in self._running:
                self._end(slot)
        for slot, job in self._running.items():
            if job.terminated:
                self.search.stop(slot)
            elif self._deadlines.elapsed(slot) - job.reported >= job.every and self.search.expanded(slot):
                job.reported = self._deadlines.elapsed(slot)
                self._answer(job, self._found(slot), during=True)
        return True

    def _add(self, query: Query) -> None:
        """Queues the positions of a query. Raises QueryError if one of them does not exist."""
        if query.id in self._open:
            raise QueryError(f"the query {query.id!r} is not answered yet: choose another id", "id", query.id)
        states = self._states(query)
        priorities = query.priorities or [query.priority] * len(query.turns)
        every = query.reportDuringSearchEvery or inf
        for turn, priority in zip(query.turns, priorities, strict=True):
            job = _Job(query.id, turn, states[turn], query.limit or self._limit, every)
            self._open.setdefault(query.id, {})[job] = None
            self._number += 1
            heappush(self._waiting, (-priority, self._number, job))

    def _states(self, query: Query) -> list[State]:
        """The positions before and after each move."""
        at = "fen"
        try:
            states = [self.game.initial() if query.fen is None else self.game.read_fen(query.fen)]
            at = "moves"
            for number, move in enumerate(query.moves.split(), 1):
                at = f"move {number}"
                states.append(self.game.play(states[-1], self.game.parse_action(states[-1], move)))
        except GameError as error:
            name = "fen" if at == "fen" else "moves"
            raise QueryError(f"{at}: {error}", name, query.id) from None
        return states

    def _terminate(self, message: Terminate) -> None:
        """Ends searches; their positions are answered with what was found, if anything."""
        self._tell(
            id=message.id, action=message.action,
            **({} if message.terminateId is None else {"terminateId": message.terminateId}),
            **({} if message.turnNumbers is None else {"turnNumbers": message.turnNumbers}),
        )  # fmt: skip
        of_all = message.terminateId is None
        meant = list(self._open.values()) if of_all else [self._open.get(message.terminateId or "", {})]
        searched = set(self._running.values())
        for job in [job for jobs in meant for job in jobs]:
            if job.terminated or (message.turnNumbers is not None and job.turn not in message.turnNumbers):
                continue
            job.terminated = True
            if job not in searched:
                self._answer(job, None)

    def _start(self) -> None:
        """Starts searches in the free slots."""
        while self._free and self._waiting:
            *_, job = heappop(self._waiting)
            if job.terminated:
                continue
            if self.game.outcome(job.state) is not None:
                self._answer(job, of_end(self.search, job.state, self._chances))
                continue
            slot = self._free.pop()
            self.search.seed(self._seed, slot)
            self.search.reset(job.state, slot)
            self.search.prepare(job.budget, slot)
            self.search.start(job.budget, slot)
            self._deadlines.start(slot, job.budget.seconds)
            self._running[slot] = job

    def _end(self, slot: int) -> None:
        job = self._running.pop(slot)
        self._free.append(slot)
        self._answer(job, self._found(slot) if self.search.expanded(slot) else None)

    def _found(self, slot: int) -> Analysis:
        """What the search of a slot has found so far."""
        return of_search(self.search, self._deadlines.elapsed(slot), self._chances, slot)

    def _answer(self, job: _Job, found: Analysis | None, *, during: bool = False) -> None:
        """Reports what was found for a position; unless `during`, this is its final answer."""
        if not during:
            jobs = self._open[job.query]
            del jobs[job]
            if not jobs:
                del self._open[job.query]
        told = {"noResults": True} if found is None else found.as_json()
        self._tell(id=job.query, turnNumber=job.turn, isDuringSearch=during, **told)

    def _tell(self, **answer: Any) -> None:
        self._write(json.dumps(answer, allow_nan=False) + "\n")


def serve(server: QueryServer, lines: Iterable[str]) -> None:
    """Answers all lines, reading further ones while searches run, and ends with the last answer.

    Raises what reading raises, after answering all earlier lines.
    """
    read_lines, room = SimpleQueue[str | None | BaseException](), Semaphore(READ_AHEAD)

    def reading() -> None:
        end: BaseException | None = None
        try:
            for line in lines:
                room.acquire()
                read_lines.put(line)
        except BaseException as error:
            end = error
        read_lines.put(end)

    Thread(target=reading, daemon=True).start()
    more, busy, failure = True, False, None
    while more or busy:
        for _ in range(_AT_ONCE):
            if not more or server.waiting >= MOST_WAITING:
                break
            try:
                line = read_lines.get(block=not busy)
            except Empty:
                break
            if isinstance(line, str):
                room.release()
                server.handle(line)
                busy = True
            else:
                more, failure = False, line
        busy = server.step()
    if failure:
        raise failure
