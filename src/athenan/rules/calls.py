"""Calls of a game's kernels, from generic compiled code and from Python: `calls.play(rules, state, ...)`.

Each takes the game's `Rules`, then the arguments that its signature in `kernels` has after `params`.
"""

from typing import Any

from athenan.rules.compiler import helper, kernel
from athenan.rules.kernels import (
    ACTIONS,
    ENCODE,
    FEATURES,
    INITIAL,
    OUTCOME,
    PIECES,
    PLAY,
    PROBABILITIES,
    ROLLOUT,
    RULES,
    SAMPLE,
    SCORE,
    by_address,
)

_initial, _actions, _play, _outcome = map(by_address, (INITIAL, ACTIONS, PLAY, OUTCOME))
_encode, _score, _pieces, _sample = map(by_address, (ENCODE, SCORE, PIECES, SAMPLE))
_probabilities, _features, _rollout = map(by_address, (PROBABILITIES, FEATURES, ROLLOUT))


def _called(signature: Any) -> Any:
    """The signature of a call: `Rules` takes the place of `params`."""
    return signature.return_type(RULES, *signature.args[1:])


@kernel(_called(INITIAL))
def initial(rules, state):
    _initial(rules.initial, (rules.params, state))


@kernel(_called(ACTIONS))
def actions(rules, state, actions):
    return _actions(rules.actions, (rules.params, state, actions))


@kernel(_called(PLAY))
def play(rules, state, action, following):
    _play(rules.play, (rules.params, state, action, following))


@kernel(_called(OUTCOME))
def outcome(rules, state):
    return _outcome(rules.outcome, (rules.params, state))


@kernel(_called(ENCODE))
def encode(rules, state, planes):
    _encode(rules.encode, (rules.params, state, planes))


@kernel(_called(SCORE))
def score(rules, state):
    return _score(rules.score, (rules.params, state))


@kernel(_called(PIECES))
def pieces(rules, state, player):
    return _pieces(rules.pieces, (rules.params, state, player))


@helper
def has_sample(rules):
    """Whether the game has the kernel `SAMPLE`."""
    return rules.sample != 0


@kernel(_called(SAMPLE))
def sample(rules, state, random):
    return _sample(rules.sample, (rules.params, state, random))


@kernel(_called(PROBABILITIES))
def probabilities(rules, state, probabilities):
    _probabilities(rules.probabilities, (rules.params, state, probabilities))


@kernel(_called(FEATURES))
def features(rules, planes, features):
    _features(rules.features, (rules.params, planes, features))


@kernel(_called(ROLLOUT))
def rollout(rules, state, last, random):
    return _rollout(rules.rollout, (rules.params, state, last, random))
