"""A game whose kernels get arrays with guards on both sides, which detect excess writes."""

from dataclasses import fields
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.conformance.progress import Mark
from athenan.rules.game import Game, GameError, State
from athenan.rules.kernels import Rules
from athenan.rules.state import ONGOING

_SIZES = {
    "initial": "state_size",
    "actions": "max_actions",
    "play": "state_size",
    "encode": "planes",
    "probabilities": "the outcomes",
    "features": "the planes of features",
}
_GUARD = 1 << 12
"""Numbers on each side of an array."""
_FILLERS = (0, 77)


def require(condition: bool, game: Game, what: str) -> None:
    """Raises GameError with the game's name unless the condition holds."""
    if not condition:
        raise GameError(f"{game.name}: {what}")


@cache
def _filled(count: int, dtype: Any, filler: int) -> bytes:
    return np.full(count, filler, dtype).tobytes()


class _Room:
    """An array in the middle of memory that is filled with one number, `behind` more of them after its guards.

    What is expected of the memory is kept as bytes: a check runs at each call of a kernel, and comparing bytes takes a
    fraction of what NumPy takes to compare arrays of this size.
    """

    def __init__(self, size: int, dtype: Any, filler: int, behind: int = 0) -> None:
        whole = _filled(2 * _GUARD + size + behind, dtype, filler)
        self._before, self._behind = _filled(_GUARD, dtype, filler), _filled(_GUARD + behind, dtype, filler)
        self._memory = bytearray(whole)
        self.inside: NDArray[Any] = np.frombuffer(self._memory, dtype, size, len(self._before))

    @property
    def before(self) -> bool:
        """Whether the guard before the array is unchanged."""
        return self._memory.startswith(self._before)

    @property
    def behind(self) -> bool:
        """Whether the guard behind the array is unchanged."""
        return self._memory.endswith(self._behind)


class _Given(_Room):
    """A copy of an array, which must not change, with guards around it."""

    def __init__(self, array: NDArray[Any]) -> None:
        super().__init__(len(array), array.dtype, _FILLERS[1])
        self.inside[:] = array
        self._whole = bytes(self._memory)

    @property
    def unchanged(self) -> bool:
        """Whether the array and its guards are as they were."""
        return self._memory == self._whole

    @property
    def guarded(self) -> bool:
        """Whether the guards are unchanged."""
        return self.before and self.behind


class Guarded(Game):
    """A game that calls each of its kernels twice and checks what they write and return."""

    mark: Mark

    @classmethod
    def of(cls, game: Game, mark: Mark) -> "Guarded":
        """The guarded game; `mark` is told before each call."""
        made = cls(**{field.name: getattr(game, field.name) for field in fields(Game) if field.init})
        object.__setattr__(made, "mark", mark)
        return made

    @cached_property
    def _params(self) -> _Given:
        return _Given(np.asarray(self.params, np.int64))

    @cached_property
    def rules(self) -> Rules:
        """The game as compiled code takes it, with guards around its parameters."""
        return Rules(**self.table.addresses, params=self._params.inside)

    def initial(self) -> State:
        return self._written("initial", self.state_size, np.int8)

    def actions(self, state: State) -> NDArray[np.int32]:
        return self._written("actions", self.max_actions, np.int32, state)

    def play(self, state: State, action: int) -> State:
        return self._written("play", self.state_size, np.int8, state, action)

    def encode(self, state: State) -> NDArray[np.int8]:
        return self._written("encode", int(np.prod(self.planes)), np.int8, state).reshape(self.planes)

    def features_of(self, planes: NDArray[np.int8]) -> NDArray[np.int8]:
        """What the kernel `features` writes about encoded states; int8[planes of features, rows, columns]."""
        shape = self.features.planes, *self.planes[1:]
        return self._written("features", int(np.prod(shape)), np.int8, planes.reshape(-1)).reshape(shape)

    def probabilities(self, state: State) -> NDArray[np.float64]:
        return self._written("probabilities", len(self.actions(state)), np.float64, state)

    def outcome(self, state: State) -> int | None:
        found = self._returned("outcome", state)
        return None if found == ONGOING else found

    def score(self, state: State) -> int:
        return self._returned("score", state)

    def pieces(self, state: State, player: int) -> int:
        """The number that the kernel `pieces` returns."""
        return self._returned("pieces", state, player)

    def sampled(self, state: State, random: NDArray[np.uint64]) -> int:
        """An action that the kernel `sample` draws; `random` advances."""
        return int(self._called("sample", _Given(state), (random,), None))

    def rolled(self, state: State, last: int, random: NDArray[np.uint64]) -> int:
        """An action that the kernel `rollout` draws after the action `last`; `random` advances."""
        return int(self._called("rollout", _Given(state), (last, random), None))

    def estimate(self, name: str, state: State) -> float:
        """The value that the game's own evaluation of this name gives a state."""
        self.mark(f"the evaluation {name}")
        given = _Given(state)
        first, second = (float(self.evaluations[name](self.rules, given.inside)) for _ in range(2))
        twice = np.array_equal([first], [second], equal_nan=True)
        require(twice, self, f"the evaluation {name} gives {first}, then {second}")
        require(given.unchanged, self, f"the evaluation {name} changes the state that it is given")
        return first

    def name_of(self, state: State, action: int) -> str:
        """The name of an action."""
        self.mark("action_name")
        return self.action_name(state, action)

    def _returned(self, kernel: str, *given: Any) -> int:
        state = _Given(given[0])
        first, second = (int(self._called(kernel, state, given[1:], None)) for _ in range(2))
        require(first == second, self, f"{kernel} returns {first}, then {second}, for the same state")
        return first

    def _written(self, kernel: str, size: int, dtype: type, *given: Any) -> NDArray[Any]:
        """What a kernel writes into an array of `size`, tried with two previous contents; `actions` returns a count."""
        counts, rooms = list[int](), [_Room(size, dtype, filler, behind=self.action_count) for filler in _FILLERS]
        state = _Given(given[0]) if given else None
        for room in rooms:
            count = self._called(kernel, state, given[1:], room)
            counts.append(size if count is None else int(count))
            if kernel == "actions":
                right = 0 <= counts[-1] <= size
                require(right, self, f"actions returns {counts[-1]}, not a number from 0 to max_actions")
        first, second = counts
        require(first == second, self, f"{kernel} returns {first}, then {second}, for the same state")
        one, other = (room.inside[:first] for room in rooms)
        require(one.tobytes() == other.tobytes(), self, f"{kernel} leaves some of its output unwritten")
        return one.copy()

    def _called(self, kernel: str, state: _Given | None, others: tuple[Any, ...], output: _Room | None) -> Any:
        """Calls a kernel with guards around all arrays and checks the guards; a given state must not change."""
        arguments = [*([state.inside] if state else []), *others, *([output.inside] if output else [])]
        self.mark(kernel)
        result = getattr(calls, kernel)(self.rules, *arguments)
        if output:
            require(output.behind, self, f"{kernel} writes beyond {_SIZES[kernel]}")
            require(output.before, self, f"{kernel} writes before the beginning of its output")
        if state and not state.unchanged:
            require(state.guarded, self, f"{kernel} writes outside the state that it is given")
            raise GameError(f"{self.name}: {kernel} changes the state that it is given")
        require(self._params.unchanged, self, f"{kernel} changes params")
        return result
