"""What adapters show of a game: spaces of observations and actions, and pictures in text."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.extras import require
from athenan.games.catalogue import make
from athenan.rules.game import Game, State
from athenan.settings import require_type

RENDER_MODES = ["ansi", "human"]


def game_of(game: str | Game) -> Game:
    """The game, or the game of this name. Raises GameError for an unknown name."""
    if isinstance(game, Game):
        return game
    require_type("game", game, str, "'othello:8'")
    return make(game)


def observation_space(game: Game) -> Any:
    """Planes and the mask of legal actions, as PettingZoo's classic games have them."""
    require("gymnasium", "an environment of Gymnasium or PettingZoo")
    from gymnasium import spaces

    return spaces.Dict({
        "observation": spaces.Box(-128, 127, game.planes, np.int8),
        "action_mask": spaces.Box(0, 1, (game.action_count,), np.int8),
    })  # fmt: skip


def action_space(game: Game) -> Any:
    """The numbers of all actions."""
    require("gymnasium", "an environment of Gymnasium or PettingZoo")
    from gymnasium import spaces

    return spaces.Discrete(game.action_count)


def require_render_mode(mode: str | None) -> None:
    """Raises ValueError for a mode that does not exist."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be {', '.join(RENDER_MODES)} or None, not {mode!r}")


def rendered(game: Game, state: State, mode: str | None) -> str | None:
    """The picture in text for `ansi`; for `human` it is printed."""
    if mode is None:
        return None
    text = game.text(np.array(state))
    if mode == "ansi":
        return text
    print(text)
    return None


def seen(planes: NDArray[np.int8], mask: NDArray[np.bool_]) -> dict[str, NDArray[np.int8]]:
    """An observation of one state or of many; the planes and the mask are those given, not copies."""
    return {"observation": planes, "action_mask": mask.view(np.int8)}
