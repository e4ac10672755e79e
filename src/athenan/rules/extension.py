"""Extended games: the rules of another game, and states with more bytes behind the state of the rules.

The parameters of an extended game are the addresses of the kernels of the rules, as in `SIGNATURES`, the size of a
state of the rules, a number of the extension's own, and the parameters of the rules. The kernels here forward to the
kernels of the rules. So do the helpers, for the kernels of an extension.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from athenan.rules.compiler import Kernel, helper, kernel
from athenan.rules.facts import altered
from athenan.rules.forms import Fen
from athenan.rules.game import Game, State
from athenan.rules.kernels import SIGNATURES, KernelTable, by_address

SIZE = len(SIGNATURES)
"""The index in the parameters of the size of a state of the rules."""
OWN = SIZE + 1
"""The index of the extension's own number."""
FIRST = OWN + 1
"""The index of the first parameter of the rules."""
_initial, _actions, _play, _outcome, _encode, _score, _pieces, _sample, _probabilities, _features, _rollout = map(
    by_address, SIGNATURES.values()
)


@helper
def initial_by_rules(params, state):
    _initial(params[0], (params[FIRST:], state[: params[SIZE]]))


@helper
def actions_by_rules(params, state, actions):
    return _actions(params[1], (params[FIRST:], state[: params[SIZE]], actions))


@helper
def play_by_rules(params, state, action, following):
    _play(params[2], (params[FIRST:], state[: params[SIZE]], action, following[: params[SIZE]]))


@helper
def outcome_by_rules(params, state):
    return _outcome(params[3], (params[FIRST:], state[: params[SIZE]]))


@helper
def probabilities_by_rules(params, state, probabilities):
    _probabilities(params[8], (params[FIRST:], state[: params[SIZE]], probabilities))


@kernel(SIGNATURES["actions"])
def actions(params, state, actions):
    return actions_by_rules(params, state, actions)


@kernel(SIGNATURES["outcome"])
def outcome(params, state):
    return outcome_by_rules(params, state)


@kernel(SIGNATURES["encode"])
def encode(params, state, planes):
    _encode(params[4], (params[FIRST:], state[: params[SIZE]], planes))


@kernel(SIGNATURES["score"])
def score(params, state):
    return _score(params[5], (params[FIRST:], state[: params[SIZE]]))


@kernel(SIGNATURES["pieces"])
def pieces(params, state, player):
    return _pieces(params[6], (params[FIRST:], state[: params[SIZE]], player))


@kernel(SIGNATURES["sample"])
def sample(params, state, random):
    return _sample(params[7], (params[FIRST:], state[: params[SIZE]], random))


@kernel(SIGNATURES["probabilities"])
def probabilities(params, state, probabilities):
    probabilities_by_rules(params, state, probabilities)


@kernel(SIGNATURES["features"])
def features(params, planes, features):
    _features(params[9], (params[FIRST:], planes, features))


@kernel(SIGNATURES["rollout"])
def rollout(params, state, last, random):
    return _rollout(params[10], (params[FIRST:], state[: params[SIZE]], last, random))


_FORWARDING: dict[str, Kernel] = {
    "actions": actions, "outcome": outcome, "encode": encode, "score": score, "pieces": pieces, "sample": sample,
    "probabilities": probabilities, "features": features, "rollout": rollout,
}  # fmt: skip


def extended(game: Game, size: int, kernels: Mapping[str, Kernel | None], own: int = 0) -> Game:
    """The game with `size` more bytes in its states, and with an extension's kernels and number.

    `kernels` replace the forwarding kernels of the same names; None removes the kernel from the game. The extended game
    lacks what is not known for its states: heuristics and evaluations of the game's own, the exchange of the players,
    and how the game is made by its name. What is added to a state stays as it is when the board is turned. A state of a
    FEN has there what the initial state has.
    """
    of_rules, addresses, replaced = game.state_size, game.table.addresses, {**_FORWARDING, **kernels}
    found = {name: one for name in game.table.kernels if (one := replaced[name]) is not None}
    turned = game.turned

    def turned_with_more(state: State, number: int) -> State:
        assert turned
        return np.concatenate([turned(state[:of_rules], number), state[of_rules:]])

    def read_fen(made: Game, text: str) -> State:
        return np.concatenate([game.read_fen(text), made.initial()[of_rules:]])

    fen = game.forms.fen and Fen(read_fen, lambda _, state: game.write_fen(state[:of_rules]), game.forms.fen.name)
    return altered(
        game,
        forms=replace(game.forms, fen=fen),
        table=KernelTable(found),
        features=game.features._replace(kernel=None),
        params=np.array([*(addresses[name] for name in SIGNATURES), of_rules, own, *game.params], np.int64),
        state_size=of_rules + size,
        action_name=lambda state, action: game.action_name(state[:of_rules], action),
        text=lambda state: game.text(state[:of_rules]),
        turned=turned and turned_with_more,
        heuristics={},
        evaluations={},
        colour_symmetry=None,
        maker=None,
    )
