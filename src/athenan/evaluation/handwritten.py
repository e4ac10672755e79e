"""Evaluators made of the evaluations that a game declares (`Game.evaluations`), by name.

>>> from athenan import Budget, make, make_search
>>> game = make("breakthrough:6x6")
>>> search = make_search(game, evaluation(game, "material"))
>>> search.reset(game.initial())
>>> search.run(Budget(iterations=100))
>>> abs(search.root().value) < 1
True
"""

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import isfunction
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.heuristics import make_heuristic
from athenan.loading import telling
from athenan.rules.game import Game
from athenan.rules.heads import VALUES
from athenan.rules.leaf import LeafKernel, by_state, require_finite
from athenan.rules.leaves import Evaluate, Leaves, answered
from athenan.rules.terminal import Gain, TerminalValue
from athenan.settings import Kind, did_you_mean, shown


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A hand-written evaluation of states, which searches call in compiled code (`rules.leaf.Native`).

    Its values estimate the gain, or the score in a one-player game. A search that uses it evaluates finished matches by
    the same.
    """

    name: str
    leaf: LeafKernel

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        """Raises ValueError: planes are for networks."""
        raise ValueError(
            f"the evaluation {self.name} gives nothing but values of states: choose a search that asks for no "
            "policies or action values, such as alphabeta, ubfm or uct"
        )


def evaluation(game: Game, name: str = "") -> Evaluation:
    """The game's evaluation of this name; without a name, its first.

    Raises ValueError if the game declares no such evaluation, or if its value of some random state is not finite.
    """
    if not game.evaluations:
        raise ValueError(f"{game.name} has no evaluation: its file can declare one (docs/algorithms/evaluations.md)")
    name = name or next(iter(game.evaluations))
    if name not in game.evaluations:
        known = ", ".join(game.evaluations)
        similar = did_you_mean(name, game.evaluations, f"its evaluations are {known}")
        raise ValueError(f"{game.name} has no evaluation {name!r}{similar}")
    made = Evaluation(name, by_state(game.evaluations[name]))
    require_finite(game, made.leaf, name)
    return made


def _in_module(module: ModuleType) -> list[Any]:
    found = getattr(module, "evaluation", None)
    return [found] if isfunction(found) and found.__module__ == module.__name__ else []


KIND = Kind(
    "evaluation", "evaluation:", {}, _in_module, "a function evaluation(game), which returns a function of planes",
    given=frozenset({"game"}),
)  # fmt: skip
"""Evaluations among the parts that a user's file may bring. A game alone names its own evaluations."""


def own_evaluation(game: Game, text: str) -> Evaluate:
    """The evaluation of a user's file, which was named before: any function of planes, such as one of JAX or ONNX.

    The function gets int8[n, planes, rows, columns] and returns what `rules.leaves.answered` takes. Raises ValueError
    if the file may not be loaded, or the function does not evaluate the game's first state.
    """
    part = KIND.known(text)
    evaluate = part.make(game=game)
    if not callable(evaluate):
        raise ValueError(f"evaluation {text}: it must return a function of planes, not {shown(evaluate)}")

    def evaluated(planes: NDArray[np.int8]) -> Leaves:
        states = np.ascontiguousarray(planes).reshape(-1, *game.planes)
        with telling(f"evaluation {text}: it"):
            answer = evaluate(states)
        try:
            leaves = answered(answer, len(states))
            if len(leaves.values) != len(states):
                raise ValueError(f"it must return {len(states)} values for as many states, not {len(leaves.values)}")
        except ValueError as error:
            raise ValueError(f"evaluation {text}: {error}") from None
        return leaves

    evaluated(game.encode(game.initial())[None])
    return evaluated


def terminal_of(game: Game) -> TerminalValue:
    """The value of finished matches that evaluations estimate: the gain, or the score of a single player."""
    return Gain() if game.players == 2 else make_heuristic("score", game)


def require_values(heads: Sequence[str], search: str) -> None:
    """Raises ValueError, with the name of the search, if it asks for more than the values of states."""
    if tuple(heads) != VALUES:
        what = " and ".join(one for one in heads if one != "values").replace("_", " ")
        raise ValueError(
            f"search {search} asks for {what}, which a hand-written evaluation does not give: choose one such as "
            "alphabeta, ubfm or uct"
        )


def described(game: Game) -> dict[str, str]:
    """What each evaluation of a game counts, by name: the first line of its docstring."""
    return {name: (kernel.__doc__ or "").strip().partition("\n")[0] for name, kernel in game.evaluations.items()}
