"""Matches of a learner against an opponent, many at a time.

>>> from athenan import make
>>> batch = OpponentBatch(make("othello:6"), 32, "random", side="both")
>>> batch.reset(seed=1)
>>> points, matches = 0.0, 0
>>> while matches < 200:
...     batch.step(batch.sample())
...     points, matches = points + batch.rewards.sum(), matches + batch.ends.sum()
>>> bool(abs(points / matches) < 0.5)  # random play against random play
True
"""

import secrets
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from athenan.environments.batch import MOST_SEED, StateBatch
from athenan.environments.opponents import Opponent, Policy, make_opponent
from athenan.rules.game import Game, GameError
from athenan.rules.randomness import streams
from athenan.rules.state import CHANCE

Side = Literal["first", "second", "both"]


class OpponentBatch:
    """A batch of matches in which an opponent plays the other side: only states where the learner is to move are seen.

    The arrays are buffers, as of `StateBatch`.
    """

    def __init__(
        self,
        game: Game,
        rows: int,
        opponent: str | Opponent | Policy,
        *,
        side: Side = "both",
        threads: int = 1,
        resets: bool = True,
        named: bool = True,
    ) -> None:
        """Begins a match in each row, by random seeds.

        `opponent`: see `make_opponent`. `side`: the learner's; with `both` every other row begins as the second player,
        and each row changes sides after each match. `resets`: as of `StateBatch`. Raises ValueError for a one-player
        game, and as `StateBatch` and `make_opponent` do.
        """
        if side not in get_args(Side):
            raise ValueError(f"side must be first, second or both, not {side!r}")
        if game.players != 2:
            raise ValueError(f"{game.name} is a game of one player, who has no opponent: use StateBatch")
        self.game, self._side = game, side
        self.opponent = make_opponent(opponent, game, rows, threads, named)
        chance: Literal["drawn", "left"] = "left" if self.opponent.observes else "drawn"
        self._batch = batch = StateBatch(game, rows, threads=threads, chance=chance, resets=resets)
        self.states, self.final_states = batch.states, batch.final_states
        """The states and final states of `StateBatch`."""
        self.observations, self.final_observations = batch.observations, batch.final_observations
        """The observations and final observations of `StateBatch`."""
        self.masks, self.players = batch.masks, batch.players
        """The masks and players of `StateBatch`."""
        self.sides: NDArray[np.int8] = np.zeros(rows, np.int8)
        """The learner's side in the present match: 0 first player, 1 second player; int8[n]."""
        self.rewards: NDArray[np.float32] = np.zeros(rows, np.float32)
        """The learner's gain where the last step ended a match (1 win, 0 draw, -1 loss), otherwise 0; float32[n]."""
        self.ends: NDArray[np.bool_] = np.zeros(rows, np.bool_)
        """Whether the last step ended the match of each row; without resets, whether it is over; bool[n]."""
        self._seeds = np.zeros(rows, np.uint64)
        self._matches = np.zeros(rows, np.int64)
        self.reset(seed=secrets.randbits(61))

    def __len__(self) -> int:
        return len(self._batch)

    def __repr__(self) -> str:
        return f"OpponentBatch({self.game.name!r}, {len(self)})"

    def reset(self, seed: int | None = None, rows: ArrayLike | None = None) -> None:
        """Begins a match in each row, or in some rows, in which the learner is to move; seeds as of `StateBatch`.

        Sides begin anew with a seed. Raises ValueError for rows that do not exist.
        """
        self._batch.reset(seed, rows)
        every = np.arange(len(self))
        selected = every if rows is None else np.unique(every[np.asarray(rows)])
        if seed is not None:
            self._seeds[selected] = streams(seed, len(self))[selected]
            self._matches[selected] = 0
        self._begin(selected)
        self.rewards[selected], self.ends[selected] = 0, False
        self._answer()

    def step(self, actions: ArrayLike) -> None:
        """Plays the learner's action in each row, then the opponent's, until the learner is to move.

        Raises GameError, with the row, if an action is not legal, and ValueError for arrays of another shape or type;
        nothing has been played then. An illegal action of the opponent raises a GameError as well.
        """
        before = self._batch.over.nonzero()[0]
        self._batch.step(actions)
        self.rewards[:] = 0
        self.ends[:] = False
        self.ends[before] = True
        played = np.setdiff1d(np.arange(len(self)), before) if len(before) else np.arange(len(self))
        self._after(played, np.asarray(actions)[played])
        self._answer()

    def sample(self) -> NDArray[np.int32]:
        """A random legal action of each row; see `StateBatch.sample`."""
        return self._batch.sample()

    def legal(self, row: int) -> NDArray[np.int32]:
        """The legal actions of a row, ascending; a copy."""
        return self._batch.legal(row)

    def close(self) -> None:
        """Closes the opponent."""
        self.opponent.close()

    def _answer(self) -> None:
        """Lets chance and the opponent play until the learner is to move in each row, or its match is over."""
        batch = self._batch
        while True:
            waiting = (batch.players != self.sides) & ~batch.over
            if not waiting.any():
                return
            chance = (waiting & (batch.players == CHANCE)).nonzero()[0]
            rows = chance if len(chance) else waiting.nonzero()[0]
            actions = batch.sample(rows) if len(chance) else self.opponent.select(batch, rows)
            try:
                batch.step(actions, rows)
            except (GameError, ValueError) as error:
                raise GameError(f"the opponent's play: {error}") from error
            self._after(rows, np.array(actions))

    def _after(self, rows: NDArray[np.int64], actions: NDArray[np.integer]) -> None:
        """Tells the opponent what was played, and counts the matches that have ended."""
        batch = self._batch
        ended = rows[batch.ends[rows]]
        if self.opponent.observes:
            states = np.where(batch.ends[rows][:, None], batch.final_states[rows], batch.states[rows])
            self.opponent.observe(rows, actions, states)
        if len(ended):
            self.rewards[ended] = batch.rewards[ended, self.sides[ended]]
            self.ends[ended] = True
            self._matches[ended] += 1
            begun = ended[~batch.over[ended]]
            if len(begun):
                self._begin(begun)

    def _begin(self, rows: NDArray[np.int64]) -> None:
        if self._side == "both":
            self.sides[rows] = (rows + self._matches[rows]) % 2
        else:
            self.sides[rows] = int(self._side == "second")
        self.opponent.begin(rows, (self._seeds[rows] + self._matches[rows].astype(np.uint64)) % np.uint64(MOST_SEED))


def learner_batch(
    game: Game, rows: int, opponent: str | Opponent | Policy, side: Side, *, threads: int = 1, resets: bool = True
) -> OpponentBatch | StateBatch:
    """A batch of matches against an opponent, or of matches of a one-player game."""
    if game.players == 1:
        return StateBatch(game, rows, threads=threads, resets=resets)
    return OpponentBatch(game, rows, opponent, side=side, threads=threads, resets=resets)


def close_batch(batch: OpponentBatch | StateBatch) -> None:
    """Closes the opponent, if the batch has one."""
    if isinstance(batch, OpponentBatch):
        batch.close()
