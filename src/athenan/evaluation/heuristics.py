"""Reinforcement heuristics f_t: what a finished match is worth while learning (003, section 6).

A reinforcement heuristic preserves the order of the gain (Definition 21): every win is worth more than every draw,
and every draw more than every loss, from the first player's point of view. With P the longest match, P' a typical
one, and p the number of actions played in the match:

| name | value of a win; a loss is the negative, a draw 0 | 003 |
| --- | --- | --- |
| classic | 1 | section 3.3 |
| score | the score of the match, of whoever won | section 6.2.1 |
| additive_depth | max(1, P - p + 1) | section 6.2.2 |
| multiplicative_depth | P' / p | section 6.2.2 |
| presence | max(1, own pieces - opposing pieces) | section 6.2.4 |

    >>> from athenan import make
    >>> heuristic = make_heuristic("additive_depth", make("hex:7"))
    >>> heuristic.scale, heuristic.bounded
    (25.5, False)
"""

from dataclasses import dataclass
from functools import reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

from athenan.games import kernels as k
from athenan.games.conformance import random_match
from athenan.games.game import Game
from athenan.games.terminal import TERMINAL_VALUE, gain

HEURISTICS = ("classic", "score", "additive_depth", "multiplicative_depth", "presence")
"""The names that `make_heuristic` knows."""

_EXACT_UP_TO = 3  # times the typical length: a maximum beyond it says nothing of real matches
_APPROXIMATE = 2  # times the typical length: about as long as real matches get


@dataclass(frozen=True, eq=False)
class Heuristic:
    """A terminal evaluation for one game."""

    name: str
    address: int
    """Of its `TERMINAL_VALUE` kernel."""
    constants: NDArray[np.float64]
    """What that kernel is given besides the match."""
    scale: float
    """Networks learn value / scale, which is of order 1: 1 for classic and multiplicative depth, half of the largest
    value for score and additive depth (half of the longest match: a typical match ends about there) and presence."""
    bounded: bool
    """Whether every value is within [-scale, scale], so that the network's output ends in tanh; classic only."""


def make_heuristic(name: str, game: Game) -> Heuristic:
    """The reinforcement heuristic of this name for a game.

    Raises ValueError if there is no such heuristic, or if it is `score` or `presence` and the game has no score or no
    pieces that it counts.
    """
    if name == "classic":
        return _heuristic(name, gain, [], scale=1.0, bounded=True)
    known = heuristics_of(game)
    if name == "score" and game.max_score is not None:
        return _heuristic(name, _score, [], scale=max(1.0, game.max_score / 2))
    if name == "additive_depth":
        longest = _longest(game)
        return _heuristic(name, _additive_depth, [longest], scale=max(1.0, longest / 2))
    if name == "multiplicative_depth":
        return _heuristic(name, _multiplicative_depth, [float(game.typical_length)], scale=1.0)
    if name == "presence" and name in known:
        return _heuristic(name, _presence, [], scale=max(1.0, _most_pieces(game) / 2))
    missing = {"score": f"{game.name} has no score", "presence": f"{game.name} counts no pieces"}
    what = missing.get(name, f"there is no heuristic {name!r}")
    raise ValueError(f"{what}; the heuristics of {game.name} are {', '.join(known)}")


def heuristics_of(game: Game) -> tuple[str, ...]:
    """The names of the heuristics that a game has."""
    missing = {"score"} if game.max_score is None else set()
    if not game.kernels[list(k.SLOTS).index("pieces")]:
        missing.add("presence")
    return tuple(name for name in HEURISTICS if name not in missing)


def default_heuristic(game: Game) -> str:
    """`score` where the game has a score, otherwise `additive_depth` (003, Remark 24)."""
    return "additive_depth" if game.max_score is None else "score"


def _heuristic(name: str, kernel: k.Kernel, constants: list[float], scale: float, bounded: bool = False) -> Heuristic:
    return Heuristic(name, k.address(kernel), np.array(constants, np.float64), float(scale), bounded)


def _longest(game: Game) -> float:
    """P + 1, so that a win is worth max(1, this - p): exact, or approximate where the exact one is far from real.

    Up to three typical lengths the game's maximum is taken as it is, l = P - p + 1. Beyond that, the difference
    between a short and a long match would vanish beside P, and l = max(1, P~ - p) with P~ two typical lengths.
    """
    if game.max_length <= _EXACT_UP_TO * game.typical_length:
        return float(game.max_length + 1)
    return float(_APPROXIMATE * game.typical_length)


def _most_pieces(game: Game) -> int:
    """The most pieces of one side at the start and at the end of some random matches."""
    most = 0
    for seed in range(8):
        start = game.initial()
        end = reduce(game.play, random_match(game, seed), start)
        for state, player in product((start, end), range(2)):
            most = max(most, k.pieces(game.kernels, game.params, state, player))
    return most


@k.kernel(TERMINAL_VALUE)
def _score(kernels, params, state, outcome, constants):  # type: ignore[no-untyped-def]
    return float(k.score(kernels, params, state))


@k.kernel(TERMINAL_VALUE)
def _additive_depth(kernels, params, state, outcome, constants):  # type: ignore[no-untyped-def]
    return outcome * max(1.0, constants[0] - k.length(state))


@k.kernel(TERMINAL_VALUE)
def _multiplicative_depth(kernels, params, state, outcome, constants):  # type: ignore[no-untyped-def]
    return outcome * constants[0] / max(1, k.length(state))


@k.kernel(TERMINAL_VALUE)
def _presence(kernels, params, state, outcome, constants):  # type: ignore[no-untyped-def]
    lead = k.pieces(kernels, params, state, 0) - k.pieces(kernels, params, state, 1)
    return outcome * max(1.0, float(outcome * lead))
