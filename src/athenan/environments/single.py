"""One side of a game as an environment of Gymnasium, against an opponent.

from athenan.environments import OpponentEnv
environment = OpponentEnv("othello:8", "athenan:club")
observation, info = environment.reset(seed=1)
action = environment.action_space.sample(observation["action_mask"])
observation, reward, terminated, truncated, info = environment.step(action)
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from athenan.environments.against import OpponentBatch, Side, close_batch, learner_batch
from athenan.environments.opponents import Opponent, Policy
from athenan.environments.spaces import (
    RENDER_MODES,
    action_space,
    game_of,
    observation_space,
    rendered,
    require_render_mode,
    seen,
)
from athenan.extras import require
from athenan.rules.game import Game, GameError

require("gymnasium", "athenan.environments.single")

from gymnasium import Env  # noqa: E402  # Gymnasium is optional

Observation = dict[str, NDArray[np.int8]]


class OpponentEnv(Env[Observation, int]):
    """A match as the learner's side sees it: each step is its action and the opponent's answer.

    A one-player game has no opponent; its reward is the score.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES}

    def __init__(
        self,
        game: str | Game,
        opponent: str | Opponent | Policy = "random",
        *,
        side: Side = "both",
        illegal: Literal["raises", "loses"] = "raises",
        render_mode: str | None = None,
    ) -> None:
        """`game`: a name such as othello:8, or a game; `opponent`, `side`: as for `OpponentBatch`.

        `illegal`: whether an illegal action raises a GameError, or loses the match, which code needs that draws actions
        without the mask.
        """
        require_render_mode(render_mode)
        if illegal not in ("raises", "loses"):
            raise ValueError(f"illegal must be raises or loses, not {illegal!r}")
        self.game, self.render_mode, self._illegal = game_of(game), render_mode, illegal
        self.observation_space, self.action_space = observation_space(self.game), action_space(self.game)
        self._batch = learner_batch(self.game, 1, opponent, side, resets=False)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, as sb3-contrib's MaskablePPO asks for them; bool[actions]."""
        mask: NDArray[np.bool_] = self._batch.masks[0].copy()
        return mask

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a match, in which the learner is to move; without a seed the sides change if `side` is both."""
        super().reset(seed=seed)
        self._batch.reset(seed)
        return self._seen(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action, then the opponent's. Raises GameError for an illegal action, unless it loses the match."""
        batch = self._batch
        if batch.ends[0]:
            raise GameError("the match is over: call reset before the next step")
        try:
            batch.step(np.array([action]))
        except GameError:
            if self._illegal == "raises":
                raise
            return self._seen(), -1.0, True, False, {**self._info(), "illegal": True}
        if self.render_mode == "human":
            self.render()
        return self._seen(), float(batch.rewards.reshape(-1)[0]), bool(batch.ends[0]), False, self._info()

    def render(self) -> str | None:
        """The picture of the board in text (ansi); human prints it."""
        return rendered(self.game, self._batch.states[0], self.render_mode)

    def close(self) -> None:
        """Closes the opponent."""
        close_batch(self._batch)

    def _seen(self) -> Observation:
        return seen(self._batch.observations[0].copy(), self._batch.masks[0].copy())

    def _info(self) -> dict[str, Any]:
        side = int(self._batch.sides[0]) if isinstance(self._batch, OpponentBatch) else 0
        return {"side": side}
