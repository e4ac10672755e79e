"""Expert iteration (ExIt): the network's policy plays matches, and a search labels one state of each.

The apprentice is the network, the expert a search that follows its policy (003, Algorithm 15; Anthony, Tian and Barber,
"Thinking fast and slow with deep learning and tree search", 2017). One state of a match is learnt, drawn uniformly, so
that examples are not correlated: its policy becomes the shares of its actions in the expert's visits, its value the
result of the match. In the warm start a search that knows nothing plays the matches and labels them: UCT with
RAVE in 000 (sections 8.1 and 8.2), base MCTS in 003 (8.2.1 and 8.4.2), which never mentions RAVE.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from athenan.learning.config import ExitSettings
from athenan.learning.examples.examples import Examples
from athenan.learning.examples.targets import policy_numbers
from athenan.learning.progress import POLICY, POLICY_AND_VALUE, WARM_START, Progress
from athenan.learning.self_play.protocol import Begin, FinishedMatch, SelfPlay, Spent
from athenan.rules.game import Game, State
from athenan.rules.state import CHANCE
from athenan.rules.terminal import value_of_end
from athenan.search.algorithms.visits import by_visits, visit_shares
from athenan.search.budget import Budget
from athenan.search.clock import CLOCKS, Deadlines, ReadClock
from athenan.search.monte_carlo.mcts import Mcts, MctsSettings
from athenan.search.monte_carlo.rave import Rave, RaveSettings
from athenan.search.searcher import advance
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.node import Node

WARM_STARTS: dict[str, Callable[[Game], Mcts]] = {
    "rave": Rave,
    "mcts": lambda game: Mcts(game, MctsSettings(RaveSettings.exploration)),
}
"""The searches of the warm start by their names; c is 0.25 in both (003, section 8.4.2)."""
_PLAYING = 10  # times fewer rollouts in the warm start to choose an action than to label a state, as in ExIt


@dataclass
class _Match:
    """A match in play."""

    states: list[State]
    actions: list[int] = field(default_factory=list)

    def play(self, game: Game, action: int) -> None:
        self.states.append(game.play(self.states[-1], action))
        self.actions.append(action)

    def roll(self, game: Game, random: np.random.Generator) -> None:
        """Draws and plays an outcome if chance is to move."""
        if game.outcome(self.states[-1]) is None and game.player(self.states[-1]) == CHANCE:
            self.play(game, game.draw(self.states[-1], random))

    def draw(self, game: Game, random: np.random.Generator) -> int:
        """The number of a state in which a player has moved, each equally likely."""
        decisions = [number for number in range(len(self.actions)) if game.player(self.states[number]) != CHANCE]
        return decisions[random.integers(len(decisions))]


class ExpertIteration(SelfPlay):
    """Plays matches of the policy without end, one in each slot of the search, then labels them.

    With K slots a label takes K times the seconds of the budget.
    """

    def __init__(
        self,
        game: Game,
        search: ForestSearch,
        budget: Budget,
        seed: Callable[[], int],
        stage: Callable[[], int],
        rollouts: int,
        begin: Begin | None = None,
        beginner: Callable[[Game], Mcts] = Rave,
        clock: ReadClock = CLOCKS["wall"],
    ) -> None:
        """`search` is the expert; its evaluator, which must give policies, is the apprentice.

        `seed` gives the random numbers of the next matches, `stage` the stage of the training (`progress.stage`).
        A state of the warm start is labelled by `rollouts` rollouts of the search that `beginner` makes.
        `begin` gives the initial states, and `clock` counts the seconds of labels, as in `SearchPlay`.
        Raises ValueError for a one-player game.
        """
        if game.players != 2:
            raise ValueError(f"expert iteration is for two players, and {game.name} has one")
        assert search.evaluate is not None
        self.game = game
        self.search = search
        self._evaluate = search.evaluate  # which also counts the states of matches
        self._budget = budget
        self._seed = seed
        self._stage = stage
        self._rollouts = rollouts
        self._begin = begin
        self._beginner = beginner
        self._warm: Mcts | None = None
        self._deadlines = Deadlines(len(search.forest.slots), clock)
        self._deadlines.pause()
        self.restart()

    def restart(self) -> None:
        """Begins all matches anew."""
        self._work = self._matches()

    @property
    def random(self) -> NDArray[np.uint64]:
        """The random states of the search; the random numbers of matches follow from `seed`."""
        return self.search.forest.random

    @property
    def spent(self) -> Spent:
        """What the policy and the search have spent; the warm start's rollouts evaluate nothing."""
        return Spent.by(self.search)

    def next_match(self, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        """Plays and labels until a match is finished; None if `interrupted`. The next call continues."""
        self._deadlines.resume()
        match = None
        while match is None and not interrupted():
            match = next(self._work)
        self._deadlines.pause()
        return match

    def _matches(self) -> Iterator[FinishedMatch | None]:
        """Finished matches; None where the work may pause."""
        while True:
            random = np.random.default_rng(self._seed())
            yield from self._warm_start(random) if self._stage() == WARM_START else self._iteration(random)

    def _iteration(self, random: np.random.Generator) -> Iterator[FinishedMatch | None]:
        """A match for each slot."""
        slots = range(len(self.search.forest.slots))
        matches = [self._begun(random) for _ in slots]
        while unfinished := [match for match in matches if self.game.outcome(match.states[-1]) is None]:
            for match, logits in zip(unfinished, self._policies(unfinished), strict=True):
                match.play(self.game, drawn(logits, self.game.actions(match.states[-1]), random))
                match.roll(self.game, random)
            yield None
        chosen = [match.draw(self.game, random) for match in matches]
        for slot in slots:
            self.search.reset(matches[slot].states[chosen[slot]], slot)
            self.search.start(self._budget, slot)
        for slot in slots:
            self._deadlines.start(slot, (self._budget.seconds or np.inf) * len(slots))
        while advance(self.search, self._deadlines):
            yield None
        for slot in slots:
            yield self._finished(matches[slot], chosen[slot], self.search.root(slot))

    def _begun(self, random: np.random.Generator) -> _Match:
        """A match before the first action of a player."""
        match = _Match([self._begin(int(random.integers(2**63))) if self._begin else self.game.initial()])
        match.roll(self.game, random)
        return match

    def _policies(self, matches: list[_Match]) -> NDArray[np.float32]:
        """The logits of the states that the matches have come to."""
        planes = np.stack([self.game.encode(match.states[-1]).reshape(-1) for match in matches])
        return self._evaluate(planes).policies

    def _warm_start(self, random: np.random.Generator) -> Iterator[FinishedMatch | None]:
        """One match by a search without a network, which draws actions by their visits."""
        game = self.game
        self._warm = warm = self._warm or self._beginner(game)
        warm.seed(int(random.integers(2**63)))
        match, select = self._begun(random), by_visits(1.0)
        while game.outcome(match.states[-1]) is None:
            yield from self._roll_out(warm, match.states[-1], -(-self._rollouts // _PLAYING))
            root = warm.root()
            match.play(game, int(root.actions[select(root, np.arange(len(root.actions)), random)]))
            match.roll(game, random)
        chosen = match.draw(game, random)
        yield from self._roll_out(warm, match.states[chosen], self._rollouts)
        yield self._finished(match, chosen, warm.root())

    def _roll_out(self, search: Mcts, state: State, rollouts: int) -> Iterator[None]:
        search.reset(state)
        search.start(Budget(iterations=rollouts))
        while search.round() or not search.done().size:
            yield None

    def _finished(self, match: _Match, chosen: int, root: Node) -> FinishedMatch:
        """A match and its example: the chosen state, whose root the expert has searched."""
        end = match.states[-1]
        value = np.array([value_of_end(self.game, self.search.terminal, end)], np.float32)
        examples = Examples(match.states[chosen][None], value, policy_numbers(root, visit_shares(root)))
        outcome = self.game.outcome(end)
        assert outcome is not None
        return FinishedMatch(match.actions, outcome, examples, match.actions)


def enter_stage(progress: Progress, settings: ExitSettings) -> bool:
    """Enters the stage for the share of the training that is over; returns whether it is later than before."""
    done, before = progress.done or 0.0, progress.stage
    stage = WARM_START if done < settings.warm_start else POLICY if done < settings.value_start else POLICY_AND_VALUE
    progress.stage = max(before, stage)
    return progress.stage > before


def drawn(logits: NDArray[np.float32], actions: NDArray[np.int32], random: np.random.Generator) -> int:
    """One of the legal actions, drawn by the softmax of their logits."""
    weights = np.exp(logits[actions].astype(np.float64) - logits[actions].max())
    return int(random.choice(actions, p=weights / weights.sum()))
