"""Games as environments of PettingZoo, in which the agents take turns.

from athenan.environments.aec import env
environment = env("othello:8")
environment.reset(seed=1)
for agent in environment.agent_iter():
    observation, reward, termination, truncation, info = environment.last()
    action = None if termination else environment.action_space(agent).sample(observation["action_mask"])
    environment.step(action)
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from athenan.environments.batch import StateBatch
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

require("pettingzoo", "athenan.environments.aec")

from pettingzoo import AECEnv  # noqa: E402  # PettingZoo is optional
from pettingzoo.utils import wrappers  # noqa: E402

AGENTS = ("player_0", "player_1")
"""The first and the second player."""


def env(game: str | Game, render_mode: str | None = None) -> Any:
    """A game as PettingZoo's own games come: an error is raised if `reset` was not called."""
    return wrappers.OrderEnforcingWrapper(GameAEC(game, render_mode))


class GameAEC(AECEnv[str, Any, Any]):
    """A game of one or two players. Chance is drawn by the environment; rewards are gains, or one player's score."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
        "name": "athenan_v0",
    }

    def __init__(self, game: str | Game, render_mode: str | None = None) -> None:
        """`game`: a name such as othello:8, or a game. Raises GameError for an unknown name."""
        super().__init__()
        require_render_mode(render_mode)
        self.game, self.render_mode = game_of(game), render_mode
        self._batch = StateBatch(self.game, 1, resets=False)
        self.possible_agents = list(AGENTS[: self.game.players])
        self.observation_spaces = {agent: observation_space(self.game) for agent in self.possible_agents}
        self.action_spaces = {agent: action_space(self.game) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        """The planes and the mask of legal actions, for either agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The numbers of all actions."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> dict[str, NDArray[np.int8]]:
        """The planes of the state; the mask is empty unless the agent is to move."""
        batch = self._batch
        mask = batch.masks[0].copy() if agent == self._mover() else np.zeros(self.game.action_count, np.bool_)
        return seen(batch.observations[0].copy(), mask)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a match; the seed is for the outcomes of chance."""
        self._batch.reset(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: dict[str, Any]() for agent in self.agents}
        self.agent_selection = self._mover() or self.agents[0]

    def step(self, action: Any) -> None:
        """Plays an action of the selected agent. Raises GameError if it is not legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._batch.step(np.array([action]))
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.agents, map(float, self._batch.rewards[0]), strict=True))
        self.terminations = dict.fromkeys(self.agents, bool(self._batch.ends[0]))
        others = [other for other in self.agents if other != agent]
        self.agent_selection = self._mover() or (others or self.agents)[0]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The picture of the board in text (ansi); human prints it."""
        return rendered(self.game, self._batch.states[0], self.render_mode)

    def _mover(self) -> str | None:
        """The agent to move; None when the match is over."""
        return None if self._batch.over[0] else AGENTS[self._batch.players[0]]
