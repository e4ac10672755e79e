"""Reinforcement heuristics f_t: the values of finished matches in learning (003, section 6).

A reinforcement heuristic preserves the order of the gain (Definition 21): every win is worth more than every draw,
and every draw more than every loss, from the first player's point of view. P is the length of the longest match, P' a
typical length, and p the number of actions played in the match:

| name | value of a win; a loss is the negative, a draw 0 | 003 |
| --- | --- | --- |
| classic | 1 | section 3.3 |
| score | the score of the match, of whoever won | section 6.2.1 |
| additive_depth | max(1, P - p + 1), or max(1, P~ - p) if P is far above real lengths | section 6.2.2 |
| multiplicative_depth | P' / p | section 6.2.2 |
| cumulative_mobility | the winner's mean number of legal actions / the loser's | section 6.2.3 |
| presence | max(1, own pieces - opposing pieces) | section 6.2.4 |

A game may have its own heuristics (`Game.heuristics`), such as Arimaa's of section 11.3. A heuristic of your own is a
`Definition`, or a function of its settings that returns one, in a file: `./mine.py:power=2`.

    >>> from athenan import make
    >>> heuristic = make_heuristic("additive_depth", make("hex:7"))
    >>> heuristic.scale, heuristic.bounded
    (25.5, False)
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, reduce
from inspect import isfunction
from itertools import product
from math import inf
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from athenan.loading import telling
from athenan.reading import WRONG_SHAPE
from athenan.rules import calls
from athenan.rules.compiler import Kernel, kernel
from athenan.rules.game import Game
from athenan.rules.kernels import LARGEST_VALUE, TERMINAL_VALUE
from athenan.rules.mobility import MOST_ACTIONS, cumulative_mobility, with_mobility
from athenan.rules.numba_messages import compiled
from athenan.rules.playouts import random_ends, random_match
from athenan.rules.state import length
from athenan.rules.terminal import gain, score, value_of_end
from athenan.settings import Kind, shown

_FAR = 2  # times the longest random match: a larger maximum says nothing about real lengths
_RANDOM_MATCHES, _TRIED_MATCHES = 500, 100


@dataclass(frozen=True, eq=False)
class Heuristic:
    """A terminal evaluation for one game."""

    name: str
    kernel: Kernel
    """A kernel of the signature `TERMINAL_VALUE`."""
    constants: NDArray[np.float64]
    """The kernel's last argument."""
    scale: float
    """Networks learn value / scale, which is of order 1. The scale is 1 for classic, multiplicative depth and
    cumulative mobility. It is half of the largest value for score, additive depth (half of the longest match, about
    where a typical match ends), presence and a game's own heuristic."""
    bounded: bool
    """Whether every value is within [-scale, scale], so that the network's output ends in tanh; only for classic."""

    @property
    def address(self) -> int:
        """The address of its kernel. Raises ValueError if it cannot be compiled."""
        with compiled(f"heuristic {self.name}: its kernel"):
            return self.kernel.address

    def tracked(self, game: Game) -> Game:
        """The game with states that hold all that the heuristic needs; only cumulative mobility changes the game."""
        return with_mobility(game) if self.kernel is cumulative_mobility else game

    def as_json(self) -> dict[str, Any]:
        """The numbers with which a network was trained, as plain data; `restored_heuristic` reads them."""
        return {"constants": self.constants.tolist(), "scale": self.scale}


@kernel(TERMINAL_VALUE)
def _additive_depth(rules, state, outcome, constants):
    return outcome * max(1.0, constants[0] - length(state))


@kernel(TERMINAL_VALUE)
def _multiplicative_depth(rules, state, outcome, constants):
    return outcome * constants[0] / max(1, length(state))


@kernel(TERMINAL_VALUE)
def _presence(rules, state, outcome, constants):
    lead = calls.pieces(rules, state, 0) - calls.pieces(rules, state, 1)
    return outcome * max(1.0, float(outcome * lead))


class Numbers(NamedTuple):
    """The numbers that a heuristic takes from a game."""

    constants: tuple[float, ...]
    """The kernel's last argument."""
    scale: float
    """See `Heuristic.scale`; at least 1 is used."""


@dataclass(frozen=True)
class Definition:
    """An entry of `HEURISTICS`: a heuristic for every game that has what it counts."""

    kernel: Kernel
    """A kernel of the signature `TERMINAL_VALUE`."""
    numbers: Callable[[Game], Numbers] = lambda game: Numbers((), 1)
    """Gives the numbers of a game; the number of constants is the same for every game."""
    lacking: Callable[[Game], str | None] = lambda game: None
    """Tells what a game lacks for it, such as `hex:7 has no score`; None if it lacks nothing."""
    bounded: bool = False
    """Whether its values are within [-1, 1]."""
    count: int = 0
    """Number of constants."""


def _additive(game: Game) -> Numbers:
    longest = _longest(game)
    return Numbers((longest,), longest / 2)


def _without_mobility(game: Game) -> str | None:
    if game.players == 1 or game.max_actions > MOST_ACTIONS:
        return f"{game.name} has one player, or more than {MOST_ACTIONS:,} actions in a state"
    return None


HEURISTICS: dict[str, Definition] = {
    "classic": Definition(gain, bounded=True),
    "score": Definition(
        score, lambda game: Numbers((), (game.max_score or 0) / 2),
        lambda game: f"{game.name} has no score" if game.max_score is None else None,
    ),
    "additive_depth": Definition(_additive_depth, _additive, count=1),
    "multiplicative_depth": Definition(
        _multiplicative_depth, lambda game: Numbers((game.typical_length,), 1), count=1
    ),
    "cumulative_mobility": Definition(
        cumulative_mobility, lambda game: Numbers((game.state_size,), 1), _without_mobility, count=1
    ),
    "presence": Definition(
        _presence, lambda game: Numbers((), _most_pieces(game) / 2),
        lambda game: None if "pieces" in game.table else f"{game.name} does not count pieces",
    ),
}  # fmt: skip
"""The papers' heuristics by the names that runs and commands use, and yours."""


def _in_module(module: ModuleType) -> list[Any]:
    """The definitions in a user's module, and its functions that say that they return one."""
    functions = (
        one for one in vars(module).values() if isfunction(one) and one.__module__ == module.__name__
        and one.__annotations__.get("return") in (Definition, Definition.__name__)
    )  # fmt: skip
    return [*(partial(_itself, one) for one in vars(module).values() if isinstance(one, Definition)), *functions]


def _itself(definition: Definition) -> Definition:
    return definition


KIND = Kind(
    "heuristic", "--heuristic", HEURISTICS, _in_module,
    "one Definition of a heuristic, or one function that returns it",
)  # fmt: skip
"""Heuristics among the parts that a user's file may bring."""


def make_heuristic(name: str, game: Game) -> Heuristic:
    """The reinforcement heuristic of this name for a game. Raises ValueError like `check_heuristic`."""
    defined = definition(name, game)
    if KIND.own_code(name) is None:
        return _made(name, defined, defined.numbers(game))
    return _tried(name, defined, game)


def _tried(name: str, defined: Definition, game: Game) -> Heuristic:
    """A user's heuristic, tried on the ends of random matches. Raises ValueError if it is not what it claims."""
    with telling(f"heuristic {name}: its numbers"):
        made = _made(name, defined, Numbers(*defined.numbers(game)))
        constants = made.constants.tolist()
    if len(constants) != defined.count or not all(0 < number < inf for number in (*constants, made.scale)):
        raise ValueError(f"heuristic {name} must have count={len(constants)}, and positive constants and scale")
    ends = random_ends(game, _TRIED_MATCHES)
    gains, values = np.array([game.outcome(end) for end in ends]), [value_of_end(game, made, end) for end in ends]
    if not (np.abs(values) <= LARGEST_VALUE).all():
        must = f"a finite number, from {-LARGEST_VALUE:g} to {LARGEST_VALUE:g}"
        raise ValueError(f"heuristic {name} must give every finished match {must}")
    if defined.bounded and max(map(abs, values)) > made.scale:
        raise ValueError(f"heuristic {name} must be within [-1, 1], as it says that it is bounded")
    lost, drawn, won = (np.array(values)[gains == one] for one in (-1, 0, 1))
    for lower, higher in ((lost, drawn), (drawn, won), (lost, won)):
        if game.players == 2 and max(lower, default=-inf) >= min(higher, default=inf):
            raise ValueError(f"heuristic {name} must keep the order of the gain: a loss, a draw, a win")
    return made


def restored_heuristic(name: str, game: Game, saved: Any) -> Heuristic:
    """The heuristic of a saved run, with the numbers from `as_json` with which its network was trained.

    Raises ValueError like `check_heuristic`, and if `saved` is damaged.
    """
    defined = definition(name, game)
    try:
        constants, scale = tuple(float(number) for number in saved["constants"]), float(saved["scale"])
    except WRONG_SHAPE:
        constants, scale = (), 0.0
    if len(constants) != defined.count or not all(0 < number < inf for number in (*constants, scale)):
        raise ValueError("the numbers of its heuristic are damaged")
    return _made(name, defined, Numbers(constants, scale))


def definition(name: str, game: Game) -> Definition:
    """The heuristic of this name, the game's own first. Raises ValueError like `check_heuristic`."""
    check_heuristic(name, game)
    if (own := game.heuristics.get(name)) is not None:
        return Definition(own.kernel, lambda game: Numbers((), own.largest / 2))
    return _defined(name)


def _defined(name: str) -> Definition:
    """The definition that a name of the table or the text of a user's heuristic names."""
    part = KIND.known(name)
    made = part.make() if callable(part.definition) else part.definition
    if not isinstance(made, Definition):
        raise ValueError(f"heuristic {name} must be a Definition, not {shown(made)}")
    if getattr(made.kernel, "signature", None) != TERMINAL_VALUE:
        raise ValueError(f"heuristic {name} must have a kernel that is decorated with @kernel(TERMINAL_VALUE)")
    return made


def carried_heuristic(heuristic: Heuristic, trained: Game, played: Game) -> Heuristic:
    """The heuristic of a network for another game to which the network carries over.

    The heuristic keeps its numbers, but its scores are in the units of the other game, such as half points.
    """
    check_heuristic(heuristic.name, played)
    if heuristic.kernel is cumulative_mobility:
        return replace(heuristic, constants=np.array([played.state_size], np.float64))
    if heuristic.kernel is score and trained.max_score and played.max_score:
        return replace(heuristic, scale=heuristic.scale * played.max_score / trained.max_score)
    return heuristic


def check_heuristic(name: str, game: Game) -> None:
    """Raises ValueError if the heuristic does not exist or the game lacks what it counts."""
    known = heuristics_of(game)
    if name not in known and KIND.own_code(name):
        if lacking := _lacking(name, game):
            raise ValueError(lacking)
    elif name not in known:
        lacking = HEURISTICS[name].lacking(game) if name in HEURISTICS else f"there is no heuristic {name!r}"
        raise ValueError(f"{lacking}; the heuristics of {game.name} are {', '.join(known)}")


def _lacking(name: str, game: Game) -> str | None:
    """What a game lacks for a user's heuristic. Raises ValueError if its definition cannot say this."""
    with telling(f"heuristic {name}: its lacking", passing=ValueError):
        lacking = _defined(name).lacking(game)
    if not isinstance(lacking, str | None):
        raise ValueError(f"heuristic {name}: its lacking must return a text or None, not {shown(lacking)}")
    return lacking


def heuristics_of(game: Game) -> tuple[str, ...]:
    """The names of a game's heuristics, its own last; its own replace others of the same name."""
    general = (name for name, one in HEURISTICS.items() if name not in game.heuristics and one.lacking(game) is None)
    return (*general, *game.heuristics)


def default_heuristic(game: Game) -> str:
    """`score` if the game has a score, else the game's own heuristic, else `additive_depth` (003, Remark 24)."""
    return next(iter(game.heuristics), "additive_depth") if game.max_score is None else "score"


def _made(name: str, defined: Definition, numbers: Numbers) -> Heuristic:
    constants = np.array(numbers.constants, np.float64)
    return Heuristic(name, defined.kernel, constants, max(1.0, numbers.scale), defined.bounded)


def _longest(game: Game) -> int:
    """P + 1, or P~ if P would dwarf the difference between a short and a long match.

    P~ is the empirical maximum (003, section 6.2.2): the length of the longest of some random matches with a fixed
    seed.
    """
    real = max(map(game.length, random_ends(game, _RANDOM_MATCHES)))
    return real if game.max_length > _FAR * real else game.max_length + 1


def _most_pieces(game: Game) -> int:
    """The most pieces of one side at the start and at the end of some random matches."""
    most = 0
    for seed in range(8):
        start = game.initial()
        end = reduce(game.play, random_match(game, seed), start)
        for state, player in product((start, end), range(2)):
            most = max(most, calls.pieces(game.rules, state, player))
    return most
