"""The names of environments in Gymnasium's registry; importing this module registers them.

    import gymnasium
    import athenan.environments.registration
    gymnasium.make("athenan/othello-8-v0", opponent="athenan:club")
    gymnasium.make_vec("athenan/othello-8-v0", num_envs=256, opponent="athenan:club")
    gymnasium.make("athenan/match-v0", game="./nim.py", opponent="mcts:100")

There is a name for each game with its default settings (`athenan/hex-v0`), one for each game of which the package has a
network (`athenan/hex-7-v0`), and `athenan/match-v0`, which takes any game. `gymnasium.make` also imports the module
itself: `gymnasium.make("athenan.environments.registration:athenan/othello-8-v0")`.
"""

import re

from athenan.extras import require
from athenan.games.catalogue import GAMES
from athenan.networks.catalogue import Shipped, every

VERSION = "v0"


def names() -> dict[str, str | None]:
    """The names in the registry, with the games that they make; None for the name that takes any game."""
    games = [*GAMES, *(found.card.game for _, found in every() if isinstance(found, Shipped))]
    return {f"athenan/match-{VERSION}": None, **{_name(game): game for game in games}}


def _name(game: str) -> str:
    """The name of a game's environment.

    >>> _name("othello:8"), _name("hex:7,swap=false")
    ('athenan/othello-8-v0', 'athenan/hex-7-swap-false-v0')
    """
    return f"athenan/{re.sub(r'[^a-z0-9_]+', '-', game.lower())}-{VERSION}"


def register() -> None:
    """Registers all names that are not registered yet."""
    require("gymnasium", "athenan.environments.registration")
    import gymnasium

    for name, game in names().items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="athenan.environments.single:OpponentEnv",
                vector_entry_point="athenan.environments.vector:OpponentVectorEnv",
                kwargs={} if game is None else {"game": game},
            )


register()
