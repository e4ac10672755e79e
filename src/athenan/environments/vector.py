"""Many matches of one side against an opponent, as a vector environment of Gymnasium.

from athenan.environments import OpponentVectorEnv
environments = OpponentVectorEnv("othello:8", 256, "athenan:club", threads=2)
observations, infos = environments.reset(seed=1)
observations, rewards, terminations, truncations, infos = environments.step(environments.sample())
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from athenan.environments.against import Side, close_batch, learner_batch
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
from athenan.rules.game import Game

require("gymnasium", "athenan.environments.vector")

from gymnasium.vector import AutoresetMode, VectorEnv  # noqa: E402  # Gymnasium is optional
from gymnasium.vector.utils import batch_space  # noqa: E402

Observations = dict[str, NDArray[np.int8]]


class OpponentVectorEnv(VectorEnv[Observations, Any, Any]):
    """Matches that begin anew in the step that ends them; `infos["final_obs"]` has the last observations.

    A one-player game has no opponent; its reward is the score.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        opponent: str | Opponent | Policy = "random",
        *,
        side: Side = "both",
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        """`opponent`, `side`, `threads`: as for `OpponentBatch`. `copy`: whether observations are copies.

        If not, they are buffers that the next step overwrites.
        """
        require_render_mode(render_mode)
        self.game, self.num_envs, self.render_mode, self._copy = game_of(game), num_envs, render_mode, copy
        self._batch = learner_batch(self.game, num_envs, opponent, side, threads=threads)
        self.single_observation_space, self.single_action_space = observation_space(self.game), action_space(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begins a match in each row."""
        super().reset(seed=seed)
        self._batch.reset(seed)
        return self._seen(), {}

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Plays an action in each row, then the opponent's. Raises GameError, with the row, for an illegal action."""
        batch = self._batch
        batch.step(actions)
        rewards, ends = batch.rewards.reshape(self.num_envs).astype(np.float64), batch.ends.copy()
        return self._seen(), rewards, ends, np.zeros_like(ends), self._last(ends)

    def sample(self) -> NDArray[np.int32]:
        """A random legal action of each row."""
        return self._batch.sample().copy()

    def render(self) -> tuple[str | None, ...]:
        """The pictures of all boards in text (ansi); human prints them."""
        return tuple(rendered(self.game, state, self.render_mode) for state in self._batch.states)

    def close_extras(self, **_: Any) -> None:
        """Closes the opponent."""
        close_batch(self._batch)

    def _seen(self) -> Observations:
        planes, masks = self._batch.observations, self._batch.masks
        return seen(planes.copy(), masks.copy()) if self._copy else seen(planes, masks)

    def _last(self, ends: NDArray[np.bool_]) -> dict[str, Any]:
        """The last observations of the matches that have ended, as Gymnasium's own vector environments give them."""
        if not ends.any():
            return {}
        found, none = np.full(self.num_envs, None, object), np.zeros(self.game.action_count, np.bool_)
        for row in ends.nonzero()[0].tolist():
            found[row] = seen(self._batch.final_observations[row].copy(), none.copy())
        return {"final_obs": found, "_final_obs": ends.copy()}
