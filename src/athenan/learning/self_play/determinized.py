"""Learning a stochastic game from matches of its deterministic games (001, sections 3.1.1 and 3.1.2)."""

from collections.abc import Callable
from dataclasses import replace

from athenan.learning.examples.examples import Examples
from athenan.learning.self_play.by_policy import ExpertIteration
from athenan.learning.self_play.by_search import FinishedMatch, SelfPlay
from athenan.learning.self_play.resolved import ResolvedMemory
from athenan.rules.determinization import Determinization
from athenan.search.forest_search import ForestSearch


class DeterminizedPlay:
    """Self-play of deterministic games, whose matches are handed on as matches of the stochastic game."""

    def __init__(self, self_play: SelfPlay | ExpertIteration, determinization: Determinization) -> None:
        """`self_play` begins its matches with `determinization.begin`."""
        self._self_play = self_play
        self._determinization = determinization

    @property
    def search(self) -> ForestSearch:
        """The search of the deterministic games."""
        return self._self_play.search

    @property
    def resolved(self) -> ResolvedMemory:
        """What is remembered as resolved, which is nothing: no match has the dice of another."""
        return self._self_play.resolved

    def restart(self) -> None:
        """Begins all matches anew."""
        self._self_play.restart()

    def next_match(self, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        """Plays until a match ends; None if `interrupted`. The next call continues."""
        match = self._self_play.next_match(interrupted)
        return match and restored(match, self._determinization)


def restored(match: FinishedMatch, determinization: Determinization) -> FinishedMatch:
    """A match of a deterministic game as one of the stochastic game, which chance has drawn so."""
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
