"""Learning a stochastic game from matches of its deterministic games (001, sections 3.1.1 and 3.1.2)."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from athenan.learning.examples.examples import Examples
from athenan.learning.self_play.protocol import FinishedMatch, SelfPlay, Spent
from athenan.rules.determinization import Determinization


class DeterminizedPlay(SelfPlay):
    """Self-play of deterministic games. It returns their matches as matches of the stochastic game."""

    def __init__(self, self_play: SelfPlay, determinization: Determinization) -> None:
        """`self_play` begins its matches with `determinization.begin` and remembers nothing from match to match."""
        self._self_play = self_play
        self._determinization = determinization

    @property
    def random(self) -> NDArray[np.uint64]:
        """The random states of the matches of deterministic games."""
        return self._self_play.random

    @property
    def spent(self) -> Spent:
        """What these matches have spent."""
        return self._self_play.spent

    def hurry(self, hurried: bool) -> None:
        """Passes this on to the deterministic games."""
        self._self_play.hurry(hurried)

    def restart(self) -> None:
        """Begins all matches anew."""
        self._self_play.restart()

    def next_match(self, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        """Plays until a match ends; None if `interrupted`. The next call continues."""
        match = self._self_play.next_match(interrupted)
        return match and restored(match, self._determinization)


def restored(match: FinishedMatch, determinization: Determinization) -> FinishedMatch:
    """A match of a deterministic game as a match of the stochastic game with the same outcomes of chance."""
    seed = determinization.seed(match.examples.states[0])
    actions = determinization.replayed(seed, match.actions)
    return replace(match, actions=actions, line=actions, examples=completed(match.examples, determinization))


def completed(examples: Examples, determinization: Determinization) -> Examples:
    """D_d: what was learnt from a match of a deterministic game, with the chance states c that were jumped.

    These have the value of d(c): learnt from many matches, it is the expectation on average.
    """
    chances, children = determinization.jumped(examples.states)
    jumped = replace(examples.take(children), states=chances, policies=None, action_values=None)
    return Examples.joined([replace(examples, states=determinization.strip(examples.states)), jumped])
