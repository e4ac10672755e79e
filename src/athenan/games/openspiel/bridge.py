"""The Python functions that the kernels of OpenSpiel's games call to ask OpenSpiel.

A state holds the history of its match, from which OpenSpiel's own state is made. Recent OpenSpiel states are kept.
"""

from collections.abc import Callable
from ctypes import memmove, string_at
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.rules.game import GameError, State
from athenan.rules.state import CHANCE, FIRST, HEADER

OUTCOME = 1
"""The byte of the header with 0 while the match goes on, else 2 plus the first player's gain."""
_EVENTS = slice(4, 6)
"""The bytes of the header with the number of events in the history, little-endian."""
_WAITS = 6
"""The byte of the header that is 1 before `go_on`, behind which chance waits."""
_KEPT = 1 << 15
GO_ON = "go_on"


class Bridge:
    """One game of OpenSpiel. Its methods `initial` to `probabilities` are the kernels of `kernels`, with addresses."""

    def __init__(self, game: Any, most_actions: int, multiplier: float) -> None:
        """`multiplier` multiplies the numbers of observations, which are then rounded."""
        self.game, self._multiplier = game, multiplier
        self.most_actions = max(most_actions, game.max_chance_outcomes())
        self.stochastic = bool(game.max_chance_outcomes())
        self.players_actions: int = game.num_distinct_actions()
        self.go_on: int = self.players_actions + game.max_chance_outcomes()
        """The only action before an event of chance that follows another."""
        self.action_count = self.go_on + self.stochastic
        chance_nodes = game.max_chance_nodes_in_history() if self.stochastic else 0
        self.most_events: int = game.max_game_length() + chance_nodes
        self.max_length = self.most_events + chance_nodes
        numbers = max(self.players_actions, game.max_chance_outcomes()) + 1
        self._event = np.dtype(np.uint8 if numbers < 1 << 8 else np.uint16 if numbers < 1 << 16 else np.uint32)
        self.state_size = HEADER + -(-self.most_events * self._event.itemsize // 8) * 8
        shape: list[int] = game.observation_tensor_shape()
        *others, rows, columns = [*shape, 1, 1] if len(shape) == 1 else [1, *shape]
        self.planes = (int(np.prod(others)) + 1 + self.stochastic, rows, columns)
        self._states: dict[bytes, Any] = {}
        called = (self.initial, self.actions, self.play, self.encode, self.probabilities)
        self._functions = tuple(map(_telling, called))
        self.addresses = np.array([id(function) for function in self._functions], np.int64)

    # Called by kernels, with numbers and addresses of vectors.

    def initial(self, _: int, state: int, __: int) -> int:
        """Writes the initial state."""
        self._write(state, b"", 0, 0, self.game.new_initial_state(), after_chance=False)
        return 0

    def actions(self, _: int, state: int, actions: int) -> int:
        """Writes the legal actions as int32, and returns their number."""
        found = np.array(self._legal(string_at(state, self.state_size)), np.int32)
        if len(found) > self.most_actions:
            raise GameError(
                f"a state has {len(found)} legal actions, more than {self.most_actions}: "
                f"name the game with max_actions={self.players_actions}"
            )
        memmove(actions, found.ctypes.data, found.nbytes)
        return len(found)

    def play(self, action: int, state: int, following: int) -> int:
        """Writes the state after an action."""
        before = string_at(state, self.state_size)
        history, length = self._history(before), int.from_bytes(before[2:4], "little") + 1
        events = len(history) // self._event.itemsize
        if before[_WAITS]:
            self._write(following, history, events, length, self._at(history), after_chance=False)
            return 0
        chance = before[0] == CHANCE
        event = action - self.players_actions if chance else action
        if events == self.most_events:
            raise GameError(f"a match of {self.game} is longer than OpenSpiel says")
        child = self._at(history).child(event)
        history += np.array(event + 1, self._event).tobytes()
        self._keep(history, child)
        self._write(following, history, events + 1, length, child, after_chance=chance)
        return 0

    def encode(self, _: int, state: int, planes: int) -> int:
        """Writes OpenSpiel's observation for the first player, then the side to move."""
        header = string_at(state, self.state_size)
        seen = np.asarray(self._at(self._history(header)).observation_tensor(0))
        cells, found = self.planes[1] * self.planes[2], np.empty(self.planes, np.int8).reshape(-1)
        found[: len(seen)] = np.clip(np.rint(self._multiplier * seen), -127, 127)
        found[len(seen) :] = 0
        found[len(seen) : len(seen) + cells] = header[0] == FIRST
        if self.stochastic:
            found[len(seen) + cells :] = header[0] == CHANCE
        memmove(planes, found.ctypes.data, found.nbytes)
        return 0

    def probabilities(self, _: int, state: int, probabilities: int) -> int:
        """Writes the probabilities of the outcomes as float64, in the order of `actions`."""
        found = np.array([chance for _, chance in self._outcomes(string_at(state, self.state_size))])
        memmove(probabilities, found.ctypes.data, found.nbytes)
        return 0

    # Called from Python.

    def action_name(self, state: State, action: int) -> str:
        """OpenSpiel's own name of an action, with its number if others have the same name.

        The name has no spaces and no #, which chess uses for mate: comments in files and in GTP begin with #.
        """
        header = state.tobytes()
        here, actions = self._at(self._history(header)), self._legal(header)
        names = {one: self._name(here, one) for one in {*actions, action}}
        same = [one for one in names if names[one].lower() == names[action].lower()]
        return names[action] if len(same) == 1 else f"{names[action]}@{action}"

    def _name(self, here: Any, action: int) -> str:
        if action == self.go_on:
            return GO_ON
        event = action - self.players_actions if here.is_chance_node() else action
        words = here.action_to_string(here.current_player(), event).replace("#", "").split()
        return "_".join(words) or f"@{action}"

    def text(self, state: State) -> str:
        """OpenSpiel's own picture."""
        return str(self._at(self._history(state.tobytes()))).rstrip() or "(empty)"

    # OpenSpiel's states.

    def _history(self, state: bytes) -> bytes:
        """The events of the match that led to a state."""
        return state[HEADER : HEADER + int.from_bytes(state[_EVENTS], "little") * self._event.itemsize]

    def _at(self, history: bytes) -> Any:
        """OpenSpiel's state after a history."""
        if (found := self._states.get(history)) is None:
            found = self.game.new_initial_state()
            for event in np.frombuffer(history, self._event):
                found.apply_action(int(event) - 1)
            self._keep(history, found)
        return found

    def _keep(self, history: bytes, state: Any) -> None:
        if len(self._states) >= _KEPT:
            self._states.clear()
        self._states[history] = state

    def _legal(self, state: bytes) -> list[int]:
        """The legal actions, ascending."""
        if state[OUTCOME]:
            return []
        if state[_WAITS]:
            return [self.go_on]
        if state[0] == CHANCE:
            return [self.players_actions + outcome for outcome, _ in self._outcomes(state)]
        legal: list[int] = self._at(self._history(state)).legal_actions()
        return sorted(legal)

    def _outcomes(self, state: bytes) -> list[tuple[int, float]]:
        """The possible outcomes, ascending, with their probabilities."""
        listed = self._at(self._history(state)).chance_outcomes()
        return sorted((outcome, chance) for outcome, chance in listed if chance > 0)

    def _write(self, address: int, history: bytes, events: int, length: int, here: Any, *, after_chance: bool) -> None:
        """Writes the state of a history, whose OpenSpiel state is `here`."""
        header = bytearray(HEADER)
        header[2:4], header[_EVENTS] = length.to_bytes(2, "little"), events.to_bytes(2, "little")
        if here.is_terminal():
            header[OUTCOME] = 2 + int(np.sign(here.returns()[0]))
        elif here.is_chance_node() and after_chance:
            header[_WAITS] = 1
        else:
            header[0] = CHANCE if here.is_chance_node() else here.current_player()
        state: NDArray[np.int8] = np.zeros(self.state_size, np.int8)
        state[: HEADER + len(history)] = np.frombuffer(bytes(header) + history, np.int8)
        memmove(address, state.ctypes.data, self.state_size)


def _telling(function: Callable[[int, int, int], int]) -> Callable[[int, int, int], int]:
    """The function, with OpenSpiel's exceptions as GameError."""

    @wraps(function)
    def called(number: int, state: int, output: int) -> int:
        try:
            return function(number, state, output)
        except GameError:
            raise
        except Exception as error:
            raise GameError(f"OpenSpiel failed: {' '.join(str(error).split())}") from error

    return called
