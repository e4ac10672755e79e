"""Games of OpenSpiel: two players in turn, perfect information, with or without dice; slow, as they are not compiled.

Goal: depends on the game; OpenSpiel's documents have its rules.

`openspiel:hex(board_size=5)` is the game that OpenSpiel loads by the name `hex(board_size=5)`, by OpenSpiel's rules,
names of actions and pictures. OpenSpiel is asked through callbacks for each state, which takes some microseconds. It
must be installed: `pip install 'athenan[openspiel]'`. Option: `max_actions` is the largest number of legal actions of a
state, which takes memory; by default it is estimated from random matches, and a state with more is an error that says
so. Source: M. Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games" (2019).

The player with the greater return wins; the difference does not count. Chance never moves twice in succession here: an
action `go_on` is put between.

Actions: OpenSpiel's own numbers; after the players' actions follow the outcomes of chance, then `go_on`.

State: header byte 1 is 0 while the match goes on, else 2 plus the first player's gain; bytes 4 and 5 are the number of
events in the history, byte 6 is 1 before `go_on`. Then the history: OpenSpiel's actions and outcomes plus 1, in one,
two or four bytes each. Equal positions of different histories are different states.

Planes: OpenSpiel's observation tensor for player 0, of three dimensions, or a number a plane; then 1 everywhere if the
first player is to move, and in games of chance 1 if chance is. Observations that are not whole numbers are multiplied
by a constant and rounded, so that the largest in random matches is near 127.

Symmetries, places of actions and the board are not declared.
"""

from typing import Annotated

import numpy as np

from athenan import rules
from athenan.games.openspiel.bridge import OUTCOME, Bridge
from athenan.games.openspiel.specification import load
from athenan.rules import Game, GameError, Layout, Ruleset
from athenan.rules.callbacks import call_python
from athenan.rules.randomness import MOST_OUTCOMES
from athenan.settings import Between

_INITIAL, _ACTIONS, _PLAY, _ENCODE, _PROBABILITIES = range(5)
"""The indices in `params` of the addresses of functions."""
_LONGEST = 65_535
"""Most actions that a state can count."""
_LARGEST = 1 << 20
"""Most bytes of a state."""


@rules.kernel(rules.INITIAL)
def initial(params, state):
    call_python(params[_INITIAL], 0, state, state)


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    return call_python(params[_ACTIONS], 0, state, actions)


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    call_python(params[_PLAY], action, state, following)


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    return np.int64(state[OUTCOME]) - 2 if state[OUTCOME] else np.int64(rules.ONGOING)


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    call_python(params[_ENCODE], 0, state, planes)


@rules.kernel(rules.PROBABILITIES)
def probabilities(params, state, probabilities):
    call_python(params[_PROBABILITIES], 0, state, probabilities)


KERNELS = {"initial": initial, "actions": actions, "play": play, "outcome": outcome, "encode": encode}

_bridges: dict[tuple[str, int | None], Bridge] = {}
"""The bridges live as long as the process, because games hold the addresses of their functions."""


def bridge(game: str, max_actions: int | None = None) -> tuple[Bridge, float]:
    """The bridge to a game of OpenSpiel, and the mean length of random matches. Raises GameError."""
    loaded, trial = load(game)
    if (game, max_actions) not in _bridges:
        if loaded.max_chance_outcomes() > MOST_OUTCOMES:
            raise GameError(f"{game} has {loaded.max_chance_outcomes()} outcomes of chance, more than {MOST_OUTCOMES}")
        estimated = 4 * trial.most_actions + 64
        most = min(max_actions or estimated, loaded.num_distinct_actions())
        multiplier = 1.0 if trial.whole and trial.largest <= 127 else 127 / trial.largest
        _bridges[game, max_actions] = Bridge(loaded, most, multiplier)
    return _bridges[game, max_actions], trial.length


def make(game: str = "tic_tac_toe", *, max_actions: Annotated[int, Between(1, 10**6)] | None = None) -> Game:
    """A game of OpenSpiel, by OpenSpiel's name and parameters."""
    connected, length = bridge(game, max_actions)
    if connected.max_length > _LONGEST or connected.state_size > _LARGEST:
        raise GameError(f"matches of {game} may have {connected.max_length:,} actions, more than {_LONGEST:,}")
    cells = int(np.prod(connected.planes))
    table = KERNELS | ({"probabilities": probabilities} if connected.stochastic else {})
    return Game(
        Ruleset(
            rules.table(**table),
            connected.addresses,
            state_size=connected.state_size,
            max_actions=connected.most_actions,
            max_length=connected.max_length,
            typical_length=max(1, min(round(length), connected.max_length)),
        ),
        Layout(
            action_count=connected.action_count,
            planes=connected.planes,
            action_name=connected.action_name,
            text=connected.text,
            plane_symmetries=np.arange(cells, dtype=np.int32)[None],
            action_symmetries=np.arange(connected.action_count, dtype=np.int32)[None],
            marks=("", ""),
        ),
    )
