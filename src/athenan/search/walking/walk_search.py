"""Searches of one game by the walk through a forest, from Python.

>>> from athenan import Budget, Search, make
>>> game = make("tictactoe")
>>> search = Search(game)
>>> search.reset(game.initial())
>>> search.run(Budget(iterations=10_000))
>>> root = search.root()
>>> root.resolution, root.completion  # proven: a draw
(1, 0)
"""

from dataclasses import replace

import numpy as np

from athenan.rules.compiler import prepare
from athenan.rules.fitting import require_whole
from athenan.rules.game import Game, require_game
from athenan.rules.leaves import Evaluate
from athenan.rules.state import CHANCE
from athenan.rules.terminal import Gain, TerminalValue, gain
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.budget import Budget
from athenan.search.settings import SearchSettings, WalkSettings
from athenan.search.trees.algorithm import Algorithm, Asks, Choose
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.planting import DEFAULT_MEMORY, plant
from athenan.search.trees.selection import SELECTIONS, safest, safest_or_exact, safest_securing_draw
from athenan.search.trees.subject import Subject
from athenan.search.walking.leaf_batches import advance_leaves, receive_leaves
from athenan.search.walking.refinement import advance_refining, receive_refining
from athenan.search.walking.sharing import Sharing, can_share, leaves_for
from athenan.search.walking.waiting_leaves import WaitingLeaves
from athenan.search.walking.walk import advance, receive
from athenan.settings import require_type


def room_for_ends(algorithm: Algorithm) -> int:
    """The number of finished matches with their own room per expanded state.

    Searches that evaluate the states themselves are given iterations, each of which expands a state. So the number of
    iterations determines the memory, if the finished matches among the children are counted. Near the end of matches
    there were up to 1.2 of these per expanded state.
    """
    return 2 if algorithm.asks & Asks.STATE else 0


class Search(ForestSearch):
    """Searches by the walk that advance together, one tree per slot, with the kernels of their settings.

    `evaluate` receives the states of all trees as one batch; None searches without a network: every unproven state has
    the value 0. `terminal` is the value of finished matches (default: the gain 1, 0, -1). `threads` search one tree if
    they can (`sharing.can_share`) and the budget has a limit in seconds or the settings have several leaves. Otherwise
    the tree is the same for any number of threads.
    """

    finishes = False
    """Whether it solves ends and goes on for the margin, as a `finishing.FinishingSearch` does."""

    def __init__(
        self,
        game: Game,
        evaluate: Evaluate | None = None,
        terminal: TerminalValue = Gain(),
        settings: WalkSettings = Ubfm(),
        slots: int = 1,
        memory: int = DEFAULT_MEMORY,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        require_game(game)
        require_type("settings", settings, SearchSettings, "Ubfm()")
        require_whole("threads", threads)
        if not isinstance(settings, WalkSettings):
            raise ValueError(f"{type(settings).__name__} has its own walk: make it with named.make_search")
        if settings.finishes and not self.finishes:
            raise ValueError("ends and margin need a search that is made with named.make_search")
        self.settings = settings
        terminal = settings.terminal_value(game, evaluate, terminal)
        by_values = game.stochastic and terminal.address != gain.address
        self.exact = settings.completion and (settings.exact or game.players == 1 or by_values)
        default = safest_or_exact if self.exact or game.stochastic else safest
        algorithm = replace(settings, exact=self.exact).algorithm(default)
        if evaluate is None and (needed := algorithm.asks & (Asks.POLICY | Asks.ACTION_VALUES)):
            heads = "policies" if Asks.POLICY in needed else "action values"
            raise ValueError(f"{type(settings).__name__} needs a network with {heads}, and there is no network")
        algorithm = replace(algorithm, transpositions=settings.transpositions)
        forest = plant(game, slots, memory, seed, ends=room_for_ends(algorithm))
        super().__init__(game, evaluate, terminal, forest, algorithm)
        self.steps = algorithm.steps(evaluate is not None, terminal.scale)
        """The algorithm, for compiled code."""
        self._in_batches = evaluate is not None and not self._leaf.address and not game.stochastic
        if self._in_batches and algorithm.leaves > 1:
            self.planes = np.empty((algorithm.leaves * len(self.planes), self.planes.shape[1]), np.int8)
        self._bind(self._subject(forced=True))
        self.shares_work = can_share(game, algorithm, self.subject, slots)
        self.use_threads(threads)

    def _subject(self, forced: bool) -> Subject:
        """The game and its evaluation, with or without the game's forced actions if the settings want them."""
        return Subject.of(self.game, self.terminal, self._leaf, forced and self.settings.forced and not self.exact)

    def _bind(self, subject: Subject) -> None:
        """Binds the kernels to the game and its evaluation."""
        self.subject = subject
        """The game and its evaluation, for compiled code."""
        algorithm, steps = self.algorithm, self.steps
        if self._in_batches and algorithm.leaves > 1:
            prepare(advance_leaves, receive_leaves)
            waiting = WaitingLeaves.of(self.game, len(self.forest.slots), algorithm.leaves)
            self._advance = advance_leaves.bound(self.forest, subject, steps, self.planes, waiting)
            self._receive = receive_leaves.bound(self.forest, steps, waiting)
        else:
            kernels = (advance_refining, receive_refining) if algorithm.refines else (advance, receive)
            asks = self.evaluate is not None and not self._leaf.address  # otherwise there are no batches to receive
            prepare(*kernels[: 1 + asks])
            self._advance = kernels[0].bound(self.forest, subject, steps, self.planes)
            if asks:
                self._receive = kernels[1].bound(self.forest, steps)
        self._alone = self._advance

    def use_forced(self, forced: bool) -> None:
        subject = self._subject(forced)
        if subject.forced != self.subject.forced:
            self._bind(subject)
            self.use_threads(self.threads)

    def use_threads(self, threads: int) -> None:
        self.threads = threads if self.shares_work else 1
        self._sharing: Sharing | None = None
        if self.threads > 1:
            leaves = leaves_for(self.threads, self.algorithm)
            self._sharing = Sharing(self.game, self.forest, self.subject, self.steps, self.threads, leaves)

    def threads_within(self, budget: Budget) -> int:
        return self.threads if self.algorithm.leaves > 1 else super().threads_within(budget)

    def start(self, budget: Budget, slot: int = 0, shallow: bool = False) -> None:
        shared = self._sharing if self.threads_within(budget) > 1 else None
        self._advance = shared.advance if shared else self._alone
        super().start(budget, slot, shallow)

    def _evaluated(self) -> int:
        return super()._evaluated() + (self._sharing.evaluated() if self._sharing else 0)

    def prepare(self, budget: Budget, slot: int = 0) -> None:
        """Prepares a tree as the settings say, without noise; if chance is to move, there is nothing to prepare."""
        state = self.state(slot)
        self.forest.nodes["halving"][slot, self.forest.slots[slot]["root"]] = 0  # set by an earlier search
        preparation = self.settings.preparation(budget)
        if preparation is None or self.game.player(state) == CHANCE:
            return
        if not preparation.keeps_tree:
            self.reset(state, slot)
        if not self.expanded(slot):
            self.expand(slot)
        preparation.prepare(self, slot)

    @property
    def proves_values(self) -> bool:
        """Whether the value of a resolved state is proven, not only who wins."""
        return self.exact or self.terminal.address == gain.address

    @property
    def choice(self) -> Choose:
        """What `play` says or, by default, what the algorithm does. In games of chance no draw can be secured."""
        chosen = SELECTIONS.get(self.settings.play, self.algorithm.choose)
        return safest_or_exact if chosen is safest_securing_draw and self.game.stochastic else chosen
