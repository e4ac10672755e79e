"""Self-play by whole turns and the values of the states in which they end: no tree, and many matches side by side.

In each round all matches play a turn. The states that their turns can lead to are evaluated as one batch. Each match
takes the end that is best for the side to move, or now and then any end, and chance draws what follows it, by the
random numbers of the match. Everything but the evaluation is compiled code. If a kernel evaluates, compiled code plays
rounds until a match ends, and other threads play meanwhile, since it does not hold Python's lock.

The states of a match that are learnt are the ends of turns, the only states ever evaluated, and its last state. Their
targets are λ-returns (Sutton 1988) with one value per turn, the value of the best end. So the trace runs over turns, as
in TD-Gammon. It ends before a turn that explored: what follows such a turn is not what best play leads to (Watkins
1989).
"""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.evaluation.native import ROW_VALUES, EvaluatesRows
from athenan.learning.examples.examples import Examples
from athenan.learning.examples.targets import returns
from athenan.learning.self_play.protocol import FinishedMatch, SelfPlay, Spent
from athenan.rules import calls
from athenan.rules.arrays import ACTION_LIST, ACTION_LISTS, FLOAT_ROWS, FLOATS, NUMBERS, PLANES, RANDOM, STATE, array_of
from athenan.rules.compiler import helper, kernel, prepare
from athenan.rules.game import Game
from athenan.rules.kernels import RULES, by_address
from athenan.rules.leaves import Evaluate
from athenan.rules.randomness import random_action, random_unit, streams
from athenan.rules.state import CHANCE, ONGOING, copy_state
from athenan.rules.terminal import TerminalValue, terminal_value
from athenan.search.trees.metering import metered
from athenan.search.trees.subject import SUBJECT, Subject
from athenan.search.walking.turns import TURNS, any_end, best_end, encode_turn, room_for, value_of

_MANY = 2000
"""Evaluated states after which compiled code returns, some milliseconds."""
_call_rows = by_address(ROW_VALUES)


class Matches(NamedTuple):
    """The matches in play."""

    states: NDArray[np.int8]
    """The states of each match so far; int8[matches, states, state size]"""
    values: NDArray[np.float32]
    """The value of the best end of the turn at a state where a turn begins, f_t at the end of the match, else NaN;
    float32[matches, states]"""
    actions: NDArray[np.int32]
    """int32[matches, states]"""
    learnt: NDArray[np.uint8]
    """Whether a state is learnt; uint8[matches, states]"""
    explored: NDArray[np.uint8]
    """Whether the turn that begins at a state was not played to its best end; uint8[matches, states]"""
    lengths: NDArray[np.int64]
    """Actions of each match; int64[matches]"""
    over: NDArray[np.uint8]
    """Whether a match is over and the next one has not begun; uint8[matches]"""
    legal: NDArray[np.int32]
    """Room for the actions of a state."""
    following: NDArray[np.int8]
    """Room for a state."""


MATCHES = types.NamedTuple(
    [
        array_of(np.int8, 3), FLOAT_ROWS, ACTION_LISTS, array_of(np.uint8, 2), array_of(np.uint8, 2), NUMBERS,
        array_of(np.uint8), ACTION_LIST, STATE,
    ],
    Matches,
)  # fmt: skip


def _matches(game: Game, count: int) -> Matches:
    """Arrays for `count` matches, none in play. The operating system maps them as they are used."""
    longest = game.max_length + 2
    return Matches(
        np.zeros((count, longest, game.state_size), np.int8), np.zeros((count, longest), np.float32),
        np.zeros((count, longest), np.int32), np.zeros((count, longest), np.uint8),
        np.zeros((count, longest), np.uint8), np.zeros(count, np.int64), np.ones(count, np.uint8),
        np.zeros(game.max_actions, np.int32), np.zeros(game.state_size, np.int8),
    )  # fmt: skip


class TurnPlay(SelfPlay):
    """Plays matches without end, many side by side, and without trees."""

    def __init__(
        self,
        game: Game,
        evaluate: Evaluate,
        terminal: TerminalValue,
        trace: float,
        matches: int = 1,
        seed: int = 0,
        exploitation: float = 1.0,
    ) -> None:
        """`evaluate` must give values, `trace` is the λ of the returns, and `matches` are played side by side.

        A turn is played to its best end with the probability `exploitation`, otherwise to any end.
        Raises ValueError for a one-player game.
        """
        if game.players != 2:
            raise ValueError(f"matches of whole turns are for two players, and {game.name} has one")
        prepare(_begin, _unfold, _play)
        self.game = game
        self._random = streams(seed, matches)
        self._evaluate, self._trace = metered(evaluate), trace
        self._matches = _matches(game, matches)
        turns, self._planes = room_for(game, matches)
        self._counts = np.zeros(3, np.int64)
        self._finished = deque[FinishedMatch]()
        subject = Subject.of(game, terminal)
        self._begin = _begin.bound(game.rules, self._matches, self._random)
        self._unfold = _unfold.bound(subject, self._matches, turns, self._planes)
        self._play = _play.bound(subject, self._matches, turns, self._random, exploitation)
        self._rounds: Callable[[], None] | None = None
        if isinstance(evaluate, EvaluatesRows):
            address, numbers, weights = evaluate.row_values
            self._rounds = _rounds.bound(
                subject, self._matches, turns, self._random, exploitation, self._planes,
                np.zeros(len(self._planes), np.float32), address, numbers, weights, self._counts,
            )  # fmt: skip

    def restart(self) -> None:
        """Begins all matches anew."""
        self._matches.over[:] = 1
        self._finished.clear()

    @property
    def random(self) -> NDArray[np.uint64]:
        """The random states of the matches."""
        return self._random

    @property
    def spent(self) -> Spent:
        """What the rounds have spent; there are no searches."""
        return Spent(self._evaluate.states, self._evaluate.batches, 0, self._evaluate.seconds)

    def next_match(self, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        """Plays until a match ends; None if `interrupted`. The next call continues the matches in play."""
        while not interrupted():
            if self._finished:
                return self._finished.popleft()
            self._begin()
            if self._rounds:
                self._rounds()
                self._count()
            else:
                self._round()
            self._finished.extend(self._match(int(slot)) for slot in np.flatnonzero(self._matches.over))
        return None

    def _count(self) -> None:
        """Notes what compiled code has evaluated. Raises ValueError if some value was not finite."""
        states, batches, faults = self._counts.tolist()
        self._counts.fill(0)
        self._evaluate.states += states
        self._evaluate.batches += batches
        if faults:
            raise ValueError(f"the evaluation of {faults} of {states} states is NaN or infinite, and must be finite")

    def _round(self) -> None:
        """A turn of each match."""
        rows = self._unfold()
        values = np.zeros(0, np.float32)
        if rows:
            values = np.ascontiguousarray(self._evaluate(self._planes[:rows]).values)
        self._play(values)

    def _match(self, slot: int) -> FinishedMatch:
        """The match of a slot, which is over."""
        matches = self._matches
        length = int(matches.lengths[slot])
        actions = matches.actions[slot, :length].tolist()
        outcome = self.game.outcome(matches.states[slot, length])
        assert outcome is not None
        learnt = np.flatnonzero(matches.learnt[slot, : length + 1])
        explored = np.flatnonzero(matches.explored[slot, :length])
        parts = np.split(matches.values[slot, : length + 1], explored + 1)
        values = np.concatenate([returns(part, self._trace) for part in parts])
        return FinishedMatch(actions, outcome, Examples(matches.states[slot, learnt], values[learnt]), actions)


@helper
def _reach(matches, match, length):
    """Makes a match as long as this; nothing is known of its last state yet."""
    matches.lengths[match], matches.values[match, length] = length, np.nan
    matches.learnt[match, length] = matches.explored[match, length] = 0


@helper
def _note(matches, match, state, action):
    """Notes an action of a match, and the state after it."""
    length = matches.lengths[match]
    matches.actions[match, length] = action
    copy_state(state, matches.states[match, length + 1])
    _reach(matches, match, length + 1)


@helper
def _act(rules, matches, match, random):
    """Plays a random action, or draws an outcome of chance."""
    state = matches.states[match, matches.lengths[match]]
    action = random_action(rules, state, matches.legal, random[match : match + 1])
    calls.play(rules, state, action, matches.following)
    _note(matches, match, matches.following, action)


@helper
def _draw(rules, matches, match, random):
    """Draws and plays outcomes of chance while chance is to move."""
    while True:
        state = matches.states[match, matches.lengths[match]]
        if state[0] != CHANCE or calls.outcome(rules, state) != ONGOING:
            return
        _act(rules, matches, match, random)


@helper
def _open(rules, matches, match, random):
    """Plays random actions until chance is to move for the first time, as nothing else would vary these actions.

    What they lead to is learnt. If they end the match, it begins without them.
    """
    while matches.states[match, matches.lengths[match]][0] != CHANCE:
        state = matches.states[match, matches.lengths[match]]
        if calls.outcome(rules, state) != ONGOING:
            matches.lengths[match] = 0
            return
        _act(rules, matches, match, random)
    matches.learnt[match, matches.lengths[match]] = matches.lengths[match] > 0


@kernel(types.void(RULES, MATCHES, RANDOM))
def _begin(rules, matches, random):
    """Begins a match in the place of each that is over."""
    for match in range(len(matches.lengths)):
        if matches.over[match]:
            matches.over[match] = 0
            _reach(matches, match, 0)
            calls.initial(rules, matches.states[match, 0])
            _open(rules, matches, match, random)
            _draw(rules, matches, match, random)


@kernel(types.int64(SUBJECT, MATCHES, TURNS, PLANES))
def _unfold(subject, matches, turns, planes):
    """Lists what the turns of all matches can lead to, and encodes the ends; returns the number of rows."""
    rows = 0
    for match in range(len(matches.lengths)):
        rows = encode_turn(subject, turns, match, matches.states[match, matches.lengths[match]], planes, rows)
    return rows


@kernel(types.void(SUBJECT, MATCHES, TURNS, RANDOM, types.float64, FLOATS))
def _play(subject, matches, turns, random, exploitation, values):
    """Plays a turn of each match to its best end, by the values of the rows, and what chance draws after it.

    The turn of a match explores, and is played to any end, with the probability 1 - `exploitation`.
    """
    for match in range(len(matches.lengths)):
        best = end = best_end(turns, match, values, random[match : match + 1])
        if exploitation < 1 and random_unit(random, match) >= exploitation:
            end = any_end(turns, match, random[match : match + 1])
        matches.values[match, matches.lengths[match]] = value_of(turns.steps[best], values)
        matches.explored[match, matches.lengths[match]] = end != best
        _note_path(matches, match, turns, end)
        matches.learnt[match, matches.lengths[match]] = 1
        _draw(subject.rules, matches, match, random)
        state = matches.states[match, matches.lengths[match]]
        outcome = calls.outcome(subject.rules, state)
        if outcome != ONGOING:
            value = terminal_value(subject.heuristic, subject.rules, state, outcome, subject.constants)
            matches.values[match, matches.lengths[match]] = value
            matches.over[match], matches.learnt[match, matches.lengths[match]] = 1, 1


@kernel(
    types.void(
        SUBJECT, MATCHES, TURNS, RANDOM, types.float64, PLANES, FLOATS, types.int64, NUMBERS, FLOATS, NUMBERS
    )
)  # fmt: skip
def _rounds(subject, matches, turns, random, exploitation, planes, values, address, numbers, weights, counts):
    """Plays turns of all matches until one is over, or `_MANY` states are evaluated, by the kernel at the address.

    Counts in `counts` the states, the batches, and the values that are not finite, after which it does not play on.
    """
    over = False
    while not over and counts[0] < _MANY:
        rows = _unfold(subject, matches, turns, planes)
        if rows:
            _call_rows(address, (subject.rules, planes[:rows], numbers, weights, values[:rows]))
            counts[0] += rows
            counts[1] += 1
        for row in range(rows):
            if not np.isfinite(values[row]):
                counts[2] += 1
        if counts[2]:
            return
        _play(subject, matches, turns, random, exploitation, values)
        for match in range(len(matches.over)):
            over = over or matches.over[match] != 0


@helper
def _note_path(matches, match, turns, end):
    """Notes the actions to an end of the turn: reverses the links on the way back, then follows them."""
    steps, at, after = turns.steps, end, -1
    while steps[at].before >= 0:
        before = steps[at].before
        steps[at].before = after
        at, after = before, at
    while after >= 0:
        _note(matches, match, turns.states[after], steps[after].action)
        after = steps[after].before
