"""Many states of one game, stepped together in compiled code.

>>> from athenan import make
>>> batch = StateBatch(make("connect_four"), 512)
>>> batch.reset(seed=1)
>>> batch.observations.shape, batch.masks.shape
((512, 3, 6, 7), (512, 7))
>>> while not batch.ends.any():
...     batch.step(batch.sample())
>>> row = int(batch.ends.argmax())
>>> batch.rewards[row].tolist()
[1.0, -1.0]
"""

import secrets
from collections.abc import Callable, Sequence
from typing import Annotated, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from athenan.environments.rows import (
    BY_SCORE,
    DRAWS,
    LEAST,
    RESETS,
    ROOM_BETWEEN,
    SHOW_MASKS,
    SHOW_PLANES,
    WRONG,
    Rows,
    check_rows,
    put_rows,
    reset_rows,
    sample_rows,
    seed_rows,
    step_rows,
    take_states,
)
from athenan.environments.threads import Crew
from athenan.rules.atomics import APART
from athenan.rules.compiler import prepare
from athenan.rules.game import Game, GameError, require_game
from athenan.settings import Between, Threads, check_value

ChanceBy = Literal["drawn", "left"]
MOST_ROWS = 1 << 24
_FEW, _MANY = 128, 2048
"""Rows that one thread steps sooner than it wakes another, and rows whose actions it draws or checks sooner."""
MOST_SEED = 2**62
RowNumbers = NDArray[np.int64]
_Seed = Annotated[int, Between(0, MOST_SEED)]


class StateBatch:
    """A batch of n states of one game.

    The arrays are written by each call and are the same objects for the life of the batch, so `torch.from_numpy` and
    DLPack share their memory: copy what you keep. A batch is used by one thread at a time; `threads` is the number of
    threads that share its rows. Results do not depend on it.
    """

    def __init__(
        self,
        game: Game,
        rows: int,
        *,
        threads: int = 1,
        chance: ChanceBy = "drawn",
        resets: bool = True,
        observes: bool = True,
        masks: bool = True,
    ) -> None:
        """Makes the buffers and begins a match in each row, by random seeds.

        `chance`: whether outcomes of chance are drawn, so that a player is to move in every row, or left to the caller,
        who plays them like actions. `resets`: whether the step that ends a match begins the next one in its row. If
        not, the row stays at its last state until it is reset. `observes`, `masks`: whether observations and masks are
        written, which takes most of the time. Raises ValueError for values that are not possible.
        """
        require_game(game)
        check_value("rows", Annotated[int, Between(1, MOST_ROWS)], rows)
        check_value("threads", Threads, threads)
        if chance not in get_args(ChanceBy):
            raise ValueError(f"chance must be drawn or left, not {chance!r}")
        self.game = game
        self.threads = threads
        try:
            self._rows = own = _buffers(game, rows, masks, observes)
        except MemoryError:
            raise ValueError(f"there is no room for {rows:,} rows of {game.name}") from None
        self.states: NDArray[np.int8] = _read_only(own.states)
        """int8[n, state size], read-only: change states by `step`, `put` and `copy`."""
        self.final_states: NDArray[np.int8] = _read_only(own.final_states)
        """The last state of the match that each row finished last; int8[n, state size], read-only."""
        self.observations: NDArray[np.int8] = own.planes.reshape(-1, *game.planes)
        """The planes of the states, as `Game.encode` gives them; int8[n, planes, rows, columns]."""
        self.final_observations: NDArray[np.int8] = own.final_planes.reshape(-1, *game.planes)
        """The planes of `final_states`, where `ends`; int8[n, planes, rows, columns]."""
        self.masks: NDArray[np.bool_] = own.masks.view(np.bool_)
        """Which actions are legal; bool[n, actions]. None is where a match is over."""
        self.players: NDArray[np.int8] = own.players
        """The side to move: 0 first player, 1 second player, 2 chance; int8[n]."""
        self.rewards: NDArray[np.float32] = own.rewards
        """What the last step gave each player: the gain (1 win, 0 draw, -1 loss) where it ended a match, and the score
        in a one-player game, otherwise 0; float32[n, players]."""
        self.ends: NDArray[np.bool_] = own.ends.view(np.bool_)
        """Whether the last step ended the match of each row; without resets, whether it is over; bool[n]."""
        self._all = np.arange(rows)
        self._numbers = np.zeros(rows, np.int64)
        self._sampled = np.zeros(rows, np.int32)
        self._claimed = np.zeros(APART, np.int64)
        self._crew = Crew(threads)
        self._bind(
            SHOW_MASKS * masks + SHOW_PLANES * observes + DRAWS * (chance == "drawn" and game.stochastic)
            + RESETS * resets + BY_SCORE * (game.players == 1)
        )  # fmt: skip
        self.reset(seed=secrets.randbits(62))

    def _bind(self, options: int) -> None:
        """Gives the kernels the buffers."""
        prepare(check_rows, put_rows, reset_rows, sample_rows, seed_rows, step_rows, take_states)
        rules, own, claimed = self.game.rules, self._rows, self._claimed
        self._step = step_rows.bound(rules, own, options, claimed)
        self._reset = reset_rows.bound(rules, own, options, claimed)
        self._put = put_rows.bound(rules, own, options, claimed)
        self._sample = sample_rows.bound(rules, own, claimed)
        self._check = check_rows.bound(own, claimed)

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        return f"StateBatch({self.game.name!r}, {len(self)})"

    @property
    def memory(self) -> int:
        """The bytes of all buffers."""
        return sum(array.nbytes for array in self._rows) + self._all.nbytes + self._numbers.nbytes

    def reset(self, seed: int | Sequence[int] | None = None, rows: ArrayLike | None = None) -> None:
        """Begins a match in each row, or in some: `rows` are their numbers, or a mask bool[n].

        With a `seed`, row i gets the seed `seed + i`, as in Gymnasium, or `seed[i]` if it is a sequence; a row of any
        batch with the same seed has the same luck. Without, the random numbers go on. Raises ValueError for rows that
        do not exist.
        """
        selected = self._selected(rows)
        if seed is not None:
            seed_rows(self._rows, selected, _seeds(seed, selected))
        self._run(self._reset, selected)

    def step(self, actions: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Plays an action in each row, or in some rows; then all arrays show the states that follow.

        `actions` are integers of shape [n], or one for each of `rows`, whose numbers must differ. If a match of a row
        is over, which happens only without resets, its action does not matter. Raises GameError, with the row, if an
        action is not legal, and ValueError for arrays of another shape or type; nothing has been played then.
        """
        selected = self._selected(rows)
        numbers = self._actions(actions, selected)
        self._claimed[WRONG] = len(selected)
        self._run(self._check, selected, numbers, few=_MANY)
        if (wrong := int(self._claimed[WRONG])) < len(selected):
            action, row = np.asarray(actions).reshape(-1)[wrong], int(selected[wrong])
            raise GameError(f"{self.game.name}: action {action} is not legal in row {row}; nothing was played")
        self._run(self._step, selected, numbers)

    def sample(self, rows: ArrayLike | None = None) -> NDArray[np.int32]:
        """A random legal action of each row, or of some rows: each equally likely, outcomes of chance by their
        probabilities; int32[n], a buffer that the next call overwrites. It is 0 where a match is over.
        """
        selected = self._selected(rows)
        numbers = self._numbers[: len(selected)]
        self._run(self._sample, selected, numbers, few=_MANY)
        self._sampled[: len(selected)] = numbers
        return self._sampled[: len(selected)]

    def legal(self, row: int) -> NDArray[np.int32]:
        """The legal actions of a row, ascending; a copy. Raises ValueError if there is no such row."""
        (row,) = self._selected([row])
        return self._rows.legal[row, : self._rows.counts[row]].copy()

    def probabilities(self, row: int) -> NDArray[np.float64]:
        """The probabilities of the `legal` actions of a row where chance is to move. Raises GameError elsewhere."""
        (row,) = self._selected([row])
        return self.game.probabilities(self.states[row])

    @property
    def over(self) -> NDArray[np.bool_]:
        """Whether the match of each row is over and stays so until a reset; bool[n]. Never with `resets`."""
        over: NDArray[np.bool_] = self._rows.counts == 0
        return over

    def put(self, states: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Puts states into all rows, or into some; int8[n, state size].

        They must be states of this game, for example from another batch or from `Game.play`; only their shape and type
        can be checked. A final state ends the match of its row, which then stays until it is reset. Raises ValueError
        for arrays of another shape or type.
        """
        selected, given = self._selected(rows), np.asarray(states)
        wanted = (len(selected), self.game.state_size)
        if given.dtype != np.int8 or given.shape != wanted:
            raise ValueError(f"states must be int8{list(wanted)}, not {given.dtype}{list(given.shape)}")
        self._run(self._put, selected, np.require(given, requirements=["C", "W"]))

    def copy(self, sources: ArrayLike, targets: ArrayLike) -> None:
        """Copies states from rows to other rows: row targets[i] gets the state that was in row sources[i].

        Raises ValueError if there are no such rows, or two targets are the same.
        """
        source, target = self._selected(sources, distinct=False), self._selected(targets)
        if len(source) != len(target):
            raise ValueError(f"there must be as many sources as targets, not {len(source)} and {len(target)}")
        taken = np.empty((len(source), self.game.state_size), np.int8)
        take_states(self._rows.states, source, taken)
        self._run(self._put, target, taken)

    def _run(self, work: Callable[..., object], selected: RowNumbers, *more: object, few: int = _FEW) -> None:
        """Calls a kernel on rows, in several threads if there are more than a few rows."""
        threads = self.threads if len(selected) > few else 1
        self._claimed[0], self._claimed[1] = 0, 2 * threads if threads > 1 else 1
        if threads > 1:
            self._crew.run(lambda _: work(selected, *more))
        else:
            work(selected, *more)

    def _selected(self, rows: ArrayLike | None, distinct: bool = True) -> RowNumbers:
        """The numbers of rows. Raises ValueError if there are no such rows, or two are the same."""
        if rows is None:
            return self._all
        given = np.asarray(rows)
        if given.dtype == np.bool_ and given.shape == (len(self),):
            return given.nonzero()[0]
        if not given.size:
            return np.zeros(0, np.int64)
        if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer):
            raise ValueError(
                f"rows must be a vector of numbers or a mask bool[{len(self)}], not {given.dtype}{list(given.shape)}"
            )
        if not 0 <= given.min() <= given.max() < len(self):
            raise ValueError(f"rows must be from 0 to {len(self) - 1}, not {given.min()} to {given.max()}")
        found = np.ascontiguousarray(given, np.int64)
        if distinct and len(found) > 1 and not (found[1:] > found[:-1]).all() and len(np.unique(found)) < len(found):
            raise ValueError("each row may be given only once")
        return found

    def _actions(self, actions: ArrayLike, selected: RowNumbers) -> NDArray[np.int64]:
        """Actions as compiled code takes them. Raises ValueError for arrays of another shape or type."""
        given = np.asarray(actions)
        if given.shape != (len(selected),) or not np.issubdtype(given.dtype, np.integer):
            if not len(selected) and not given.size:
                return self._numbers[:0]
            raise ValueError(
                f"actions must be integers of shape [{len(selected)}], not {given.dtype}{list(given.shape)}"
            )
        numbers = self._numbers[: len(selected)]
        np.copyto(numbers, given, casting="unsafe")
        return numbers


def _buffers(game: Game, rows: int, masks: bool, observes: bool) -> Rows:
    cells, size = int(np.prod(game.planes)), game.state_size
    shown, rooms = rows if observes else 0, rows // LEAST + 1
    return Rows(
        states=np.zeros((rows, size), np.int8), rooms=np.zeros((rooms, size + ROOM_BETWEEN), np.int8),
        final_states=np.zeros((rows, size), np.int8), legal=np.zeros((rows, game.max_actions), np.int32),
        counts=np.zeros(rows, np.int64), masks=np.zeros((rows if masks else 0, game.action_count), np.int8),
        planes=np.zeros((shown, cells), np.int8), final_planes=np.zeros((shown, cells), np.int8),
        rewards=np.zeros((rows, game.players), np.float32), ends=np.zeros(rows, np.int8),
        players=np.zeros(rows, np.int8), random=np.zeros((rows, 2), np.uint64),
    )  # fmt: skip


def _read_only(array: NDArray[np.int8]) -> NDArray[np.int8]:
    view = array.view()
    view.flags.writeable = False
    return view


def _seeds(seed: int | Sequence[int], selected: RowNumbers) -> NDArray[np.uint64]:
    """The seed of each selected row. Raises ValueError for seeds that are no whole numbers from 0 to 2^62."""
    if isinstance(seed, int | np.integer):
        check_value("seed", _Seed, int(seed))
        return (selected + int(seed)).astype(np.uint64)
    given = np.asarray(seed)
    if given.shape != selected.shape or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"seeds must be integers of shape [{len(selected)}], not {given.dtype}{list(given.shape)}")
    for extreme in (given.min(), given.max()) if len(given) else ():
        check_value("seed", _Seed, int(extreme))
    return np.ascontiguousarray(given, np.uint64)
