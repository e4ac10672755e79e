"""A game whose kernels get arrays with guards on both sides, which detect excess writes."""

from dataclasses import fields
from functools import cached_property
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
}
_GUARD = 1 << 12
"""Numbers on each side of an array."""
_FILLERS = (0, 77)


def require(condition: bool, game: Game, what: str) -> None:
    """Raises GameError with the game's name unless the condition holds."""
    if not condition:
        raise GameError(f"{game.name}: {what}")


class _Room:
    """An array with guards around it, filled with one number."""

    def __init__(self, size: int, dtype: Any, filler: int, behind: int = 0) -> None:
        self._filler, self._end = filler, _GUARD + size
        self._whole: NDArray[Any] = np.full(self._end + _GUARD + behind, filler, dtype)
        self.inside = self._whole[_GUARD : self._end]

    @property
    def before(self) -> bool:
        """Whether the guard before the array is unchanged."""
        return bool((self._whole[:_GUARD] == self._filler).all())

    @property
    def behind(self) -> bool:
        """Whether the guard behind the array is unchanged."""
        return bool((self._whole[self._end :] == self._filler).all())


def _copied(array: NDArray[Any]) -> _Room:
    room = _Room(len(array), array.dtype, _FILLERS[1])
    room.inside[:] = array
    return room


class Guarded(Game):
    """A game that calls each of its kernels twice and checks what they write and return."""

    mark: Mark

    @classmethod
    def of(cls, game: Game, mark: Mark) -> "Guarded":
        """The guarded game; `mark` is told before each call."""
        made = cls(**{field.name: getattr(game, field.name) for field in fields(Game)})
        object.__setattr__(made, "mark", mark)
        return made

    @cached_property
    def _params(self) -> _Room:
        return _copied(np.asarray(self.params, np.int64))

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
        return int(self._called("sample", (state, random), None))

    def estimate(self, name: str, state: State) -> float:
        """What the game's own evaluation of this name gives a state."""
        self.mark(f"the evaluation {name}")
        given = _copied(state)
        first, second = (float(self.evaluations[name](self.rules, given.inside)) for _ in range(2))
        twice = np.array_equal([first], [second], equal_nan=True)
        require(twice, self, f"the evaluation {name} gives {first}, then {second}")
        same = given.before and given.behind and np.array_equal(given.inside, state)
        require(same, self, f"the evaluation {name} changes the state that it is given")
        return first

    def name_of(self, state: State, action: int) -> str:
        """The name of an action."""
        self.mark("action_name")
        return self.action_name(state, action)

    def _returned(self, kernel: str, *given: Any) -> int:
        first, second = (int(self._called(kernel, given, None)) for _ in range(2))
        require(first == second, self, f"{kernel} returns {first}, then {second}, for the same state")
        return first

    def _written(self, kernel: str, size: int, dtype: type, *given: Any) -> NDArray[Any]:
        """What a kernel writes into an array of `size`, tried with two previous contents; `actions` returns a count."""
        counts, rooms = list[int](), [_Room(size, dtype, filler, behind=self.action_count) for filler in _FILLERS]
        for room in rooms:
            count = self._called(kernel, given, room)
            counts.append(size if count is None else int(count))
            if kernel == "actions":
                right = 0 <= counts[-1] <= size
                require(right, self, f"actions returns {counts[-1]}, not a number from 0 to max_actions")
        first, second = counts
        require(first == second, self, f"{kernel} returns {first}, then {second}, for the same state")
        one, other = (room.inside[:first] for room in rooms)
        require(np.array_equal(one, other), self, f"{kernel} leaves some of its output unwritten")
        return one.copy()

    def _called(self, kernel: str, given: tuple[Any, ...], output: _Room | None) -> Any:
        """Calls a kernel with guards around all arrays and checks the guards; a given state must not change."""
        state = _copied(given[0]) if given else None
        arguments = [*([state.inside] if state else []), *given[1:], *([output.inside] if output else [])]
        self.mark(kernel)
        result = getattr(calls, kernel)(self.rules, *arguments)
        if output:
            require(output.behind, self, f"{kernel} writes beyond {_SIZES[kernel]}")
            require(output.before, self, f"{kernel} writes before the beginning of its output")
        if state:
            same = np.array_equal(state.inside, given[0])
            require(same, self, f"{kernel} changes the state that it is given")
            require(state.before and state.behind, self, f"{kernel} writes outside the state that it is given")
        params = self._params
        same = params.before and params.behind and np.array_equal(params.inside, self.params)
        require(same, self, f"{kernel} changes params")
        return result
