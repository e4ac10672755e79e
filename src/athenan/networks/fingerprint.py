"""The fingerprint of a game's rules: a network belongs to the rules that it has learnt.

It is a hash of a few random matches: their actions, the planes of their states with the game's features, their results.
For a network, whatever changes these makes it a different game.
"""

import hashlib

import numpy as np

from athenan.rules.features import with_features
from athenan.rules.game import Game
from athenan.rules.playouts import drawn_action, encoded_states
from athenan.rules.randomness import streams

_SEED, _MATCHES, _MOST_ACTIONS = 1, 4, 400


def fingerprint(game: Game, features: bool = True) -> str:
    """16 hexadecimal digits, which differ if a network of this game sees other states, actions or results.

    The name of a game does not matter, nor how its states are laid out in memory. Without `features` the digits are of
    the game as networks see it that read none.
    """
    digest = hashlib.sha256(repr((game.planes, game.action_count, game.players)).encode())
    for stream in streams(_SEED, _MATCHES):
        random, state, states, actions = np.array([stream]), game.initial(), [], list[int]()
        while (outcome := game.outcome(state)) is None and len(actions) < _MOST_ACTIONS:
            states.append(state)
            actions.append(drawn_action(game, state, random))
            state = game.play(state, actions[-1])
        states.append(state)
        digest.update(repr((actions, outcome)).encode())
        planes = encoded_states(game, np.stack(states))
        digest.update((with_features(game, planes) if features else planes).tobytes())
    return digest.hexdigest()[:16]
