"""Examples: states with their values and, optionally, policies, action values and numbers for heads of your own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from athenan.rules.game import Game, State
from athenan.rules.kernels import LARGEST_VALUE
from athenan.runs.checkpoint import CheckpointError, Tensors, expect

_MORE = "more."
_RANGE = f"from {-LARGEST_VALUE:g} to {LARGEST_VALUE:g}"


@dataclass(frozen=True, eq=False)
class ActionNumbers:
    """A number for some actions of each of n states; actions without one are not learnt (or have probability 0)."""

    counts: NDArray[np.int32]
    """How many actions of each state have one; int32[n]."""
    actions: NDArray[np.int32]
    """The actions, state by state; int32[sum of counts]."""
    numbers: NDArray[np.float32]
    """Their probabilities or values; float32[sum of counts]."""

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, states: NDArray[np.int64]) -> Self:
        """The numbers of some states, by their positions."""
        ends = np.cumsum(self.counts)
        counts = self.counts[states]
        starts = np.repeat(ends[states] - counts - (np.cumsum(counts) - counts), counts)
        places = starts + np.arange(counts.sum())
        return type(self)(counts, self.actions[places], self.numbers[places])

    @classmethod
    def none(cls, states: int) -> Self:
        """No numbers, for `states` states."""
        return cls(np.zeros(states, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The numbers of several parts, concatenated."""
        return cls(
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.actions for part in parts]),
            np.concatenate([part.numbers for part in parts]),
        )

    def rows(self, images: NDArray[np.int32], missing: float) -> NDArray[np.float32]:
        """A row of all actions for each state, float32[n, actions].

        `images` -- int32[n, actions], the position in the row of each action of each state. `missing` fills the
        positions without a number.
        """
        rows = np.full(images.shape, missing, np.float32)
        states = np.repeat(np.arange(len(self)), self.counts)
        rows[states, images[states, self.actions]] = self.numbers
        return rows

    def check(self, states: int, actions: int) -> None:
        """Raises ValueError unless they are numbers for this many states of a game with this many actions."""
        types = [str(getattr(array, "dtype", None)) for array in (self.counts, self.actions, self.numbers)]
        fits = (
            types == ["int32", "int32", "float32"]
            and self.counts.shape == (states,)
            and self.actions.shape == self.numbers.shape == (int(self.counts.sum(dtype=np.int64)),)
            and (self.counts >= 0).all()
        )
        if not fits:
            raise ValueError(f"numbers of actions are int32[{states}], int32[their sum] and float32[their sum]")
        if ((self.actions < 0) | (self.actions >= actions)).any() or not (np.abs(self.numbers) <= LARGEST_VALUE).all():
            raise ValueError(f"actions are from 0 to {actions - 1}, and their numbers {_RANGE}")

    def as_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The arrays by name; `from_arrays` reads them."""
        return {prefix + name: array for name, array in vars(self).items()}

    @classmethod
    def from_arrays(cls, arrays: Tensors, prefix: str) -> Self | None:
        """The numbers that `as_arrays` wrote; None if no array has the prefix. Raises CheckpointError."""
        if prefix + "counts" not in arrays:
            return None
        return cls(
            expect(arrays, prefix + "counts", np.int32, None),
            expect(arrays, prefix + "actions", np.int32, None),
            expect(arrays, prefix + "numbers", np.float32, None),
        )


@dataclass(frozen=True, eq=False)
class Examples:
    """n states and the answers that the network learns for them; from the first player's point of view."""

    states: State
    """int8[n, state size]"""
    values: NDArray[np.float32]
    """float32[n]"""
    policies: ActionNumbers | None = None
    """Probabilities of actions; a state without any has no policy."""
    action_values: ActionNumbers | None = None
    """v(s, a) of the actions for which it is known."""
    more: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    """Numbers for heads of your own, by their names: float32[n, ...], the same for all symmetric images of a state."""

    def __len__(self) -> int:
        return len(self.values)

    def take(self, states: NDArray[np.int64]) -> "Examples":
        """The examples of some states, by their positions."""
        return Examples(
            self.states[states], self.values[states],
            None if self.policies is None else self.policies.take(states),
            None if self.action_values is None else self.action_values.take(states),
            {name: numbers[states] for name, numbers in self.more.items()},
        )  # fmt: skip

    @staticmethod
    def joined(parts: Sequence["Examples"]) -> "Examples":
        """Several examples, concatenated; `more` keeps only names that all have. A single part is returned as it is."""
        if len(parts) == 1:
            return parts[0]
        names = set(parts[0].more).intersection(*(part.more for part in parts))
        return Examples(
            np.concatenate([part.states for part in parts]),
            np.concatenate([part.values for part in parts]),
            _joined([(len(part), part.policies) for part in parts]),
            _joined([(len(part), part.action_values) for part in parts]),
            {name: np.concatenate([part.more[name] for part in parts]) for name in sorted(names)},
        )

    def check(self, game: Game) -> None:
        """Raises ValueError unless they are examples of the game, at least one, with numbers that can be learnt."""
        count, size, found = np.size(self.values), game.state_size, [_described(self.states), _described(self.values)]
        if found != [f"int8[{count}, {size}]", f"float32[{count}]"]:
            raise ValueError(f"examples of {game.name} are int8[n, {size}] and float32[n], not {' and '.join(found)}")
        if not count:
            raise ValueError("examples have at least one state")
        for name, numbers in {"values": self.values, **self.more}.items():
            fits = _described(numbers).startswith(f"float32[{count}{',' if np.ndim(numbers) > 1 else ']'}")
            if not fits or not (np.abs(numbers) <= LARGEST_VALUE).all():
                raise ValueError(f"examples have {name} {_RANGE}, float32[{count}, ...]")
        for given in (self.policies, self.action_values):
            if given is not None:
                given.check(len(self), game.action_count)
        if self.policies is not None and (self.policies.numbers < 0).any():
            raise ValueError("probabilities of actions are not negative")

    def as_arrays(self, prefix: str = "") -> dict[str, NDArray[Any]]:
        """All arrays by name, for a checkpoint; `from_arrays` reads them."""
        arrays: dict[str, NDArray[Any]] = {prefix + "states": self.states, prefix + "values": self.values}
        if self.policies is not None:
            arrays |= self.policies.as_arrays(prefix + "policies.")
        if self.action_values is not None:
            arrays |= self.action_values.as_arrays(prefix + "action_values.")
        return arrays | {prefix + _MORE + name: numbers for name, numbers in self.more.items()}

    @staticmethod
    def from_arrays(arrays: Tensors, game: Game, prefix: str = "") -> "Examples":
        """The examples that `as_arrays` wrote, among other arrays. Raises CheckpointError if they are not valid."""
        more = prefix + _MORE
        examples = Examples(
            expect(arrays, prefix + "states", np.int8, None, game.state_size),
            expect(arrays, prefix + "values", np.float32, None),
            ActionNumbers.from_arrays(arrays, prefix + "policies."),
            ActionNumbers.from_arrays(arrays, prefix + "action_values."),
            {name.removeprefix(more): array for name, array in arrays.items() if name.startswith(more)},
        )
        try:
            examples.check(game)
        except ValueError as error:
            raise CheckpointError(f"the checkpoint's {prefix}* are damaged, or changed by hand: {error}") from None
        return examples


def _described(array: Any) -> str:
    """The type and shape of an array, such as float32[7]; the type alone of anything else."""
    return f"{array.dtype}{list(array.shape)}" if isinstance(array, np.ndarray) else type(array).__name__


def latest_of_equal(states: NDArray[np.int8]) -> NDArray[np.int64]:
    """The positions of the states to keep, ascending: the last of equal states, int8[n, state size]."""
    keys = np.ascontiguousarray(states).view(np.dtype((np.void, states.shape[1])))[:, 0]
    return np.sort(len(keys) - 1 - np.unique(keys[::-1], return_index=True)[1])


def _joined(parts: Sequence[tuple[int, ActionNumbers | None]]) -> ActionNumbers | None:
    """The numbers of several examples, some of which may lack them; None if all lack them."""
    if all(numbers is None for _, numbers in parts):
        return None
    return ActionNumbers.joined([ActionNumbers.none(count) if given is None else given for count, given in parts])


@dataclass(frozen=True, eq=False)
class Batch:
    """B encoded states and the answers that the network learns for them."""

    planes: NDArray[np.int8]
    """int8[B, planes * rows * columns], or [B, planes, rows, columns]"""
    values: NDArray[np.float32]
    """float32[B]"""
    policies: NDArray[np.float32] | None = None
    """Probabilities of all actions, float32[B, actions]; a row of zeros for a state without a policy."""
    action_values: NDArray[np.float32] | None = None
    """v(s, a) of all actions, float32[B, actions]; NaN if it is not known."""
    legal: NDArray[np.bool_] | None = None
    """The legal actions, bool[B, actions], where there are policies."""
    more: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    """Numbers for heads of your own, by their names: float32[B, ...]."""

    def __len__(self) -> int:
        return len(self.values)

    def check(self, game: Game) -> None:
        """Raises ValueError unless its arrays are encoded states of the game, with numbers that can be learnt."""
        count, actions, cells = np.size(self.values), game.action_count, int(np.prod(game.planes))
        wanted = {"values": f"float32[{count}]", "policies": f"float32[{count}, {actions}]"}
        wanted |= {"action_values": wanted["policies"], "legal": f"bool[{count}, {actions}]"}
        found = {name: _described(array) for name in wanted if (array := getattr(self, name)) is not None}
        if not isinstance(self.planes, np.ndarray) or self.planes.dtype != np.int8 or self.planes.size != count * cells:
            raise ValueError(f"planes of a batch are int8[{count}, {cells}], not {_described(self.planes)}")
        for name, kind in found.items():
            if kind != wanted[name]:
                raise ValueError(f"{name} of a batch are {wanted[name]}, not {kind}")
        for name, numbers in self.targets().items():
            known = numbers[~np.isnan(numbers)] if name == "action_values" else numbers
            if not (np.abs(known) <= LARGEST_VALUE).all():
                raise ValueError(f"{name} of a batch are {_RANGE}")

    def targets(self) -> dict[str, NDArray[np.float32]]:
        """The targets of the batch, by the names of the heads that learn them."""
        found = {"values": self.values, "policies": self.policies, "action_values": self.action_values}
        return {name: numbers for name, numbers in (found | dict(self.more)).items() if numbers is not None}
