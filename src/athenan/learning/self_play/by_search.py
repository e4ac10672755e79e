"""Self-play: one match, or several in parallel in the slots of a forest.

If chance is to move, an outcome is drawn by the random numbers of the slot, without a search: the tree of the previous
search goes on from the state after it.

If a kernel evaluates one tree, and nothing but the tree is noted, compiled code plays action after action, and returns
here when a match ends or the tree needs room (`search.walking.acting`). The matches are the same.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.learning.examples.targets import Target, TreeTarget, finished_examples
from athenan.learning.self_play.protocol import Begin, FinishedMatch, SelfPlay, Spent
from athenan.learning.self_play.resolved import ResolvedMemory
from athenan.rules.game import Game, State
from athenan.rules.playouts import drawn_action
from athenan.rules.randomness import seed_from
from athenan.rules.state import CHANCE
from athenan.runs.checkpoint import Tensors
from athenan.search.budget import Budget
from athenan.search.clock import CLOCKS, Deadlines, ReadClock
from athenan.search.searcher import advance
from athenan.search.settings import Preparation
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.node import Node
from athenan.search.trees.selection import Selection
from athenan.search.walking.acting import CROWDED, ENDED, UNKNOWN, Acting

Choose = Callable[[Node, int], int]
"""choose(node, played): the position in `node.actions` of the action to play, after `played` actions of the match."""


class SearchPlay(SelfPlay):
    """Plays matches without end; each slot of the search holds one.

    With K parallel matches an action takes K times the seconds of the budget, so that each tree gets its time. With
    `borrowing`, the actions after a search that took too long repay the time: they are chosen from what the tree knows,
    and a new state is only expanded.
    """

    def __init__(
        self,
        game: Game,
        search: ForestSearch,
        budget: Budget,
        choose: Choose,
        borrowing: bool = False,
        target: Callable[[], Target] = TreeTarget,
        resolved_period: int = 0,
        preparation: Preparation | None = None,
        begin: Begin | None = None,
        clock: ReadClock = CLOCKS["wall"],
        selection: Callable[[], Selection] | None = None,
    ) -> None:
        """`resolved_period` -- matches for which resolved states are kept; 0 forgets them with each match.

        `preparation` -- what is done at the roots of searches (`SearchSettings.preparation`).

        `begin` -- gives the initial states, if they differ from the game's.

        `clock` -- counts the seconds of searches.

        `selection` -- gives the equivalent of `choose` for compiled code. Without it, actions are played one by one.
        """
        self.game = game
        self.search = search
        self.budget = budget
        self.choose = choose
        self.borrowing = borrowing
        self.resolved = ResolvedMemory(game, resolved_period)
        slots = len(search.forest.slots)
        self.preparation = preparation
        self._begin_match = begin
        self._ended = np.ones(slots, bool)
        """Whether the match of a slot is over and the next one has not begun. The next one begins when play goes on,
        with the random numbers that a checkpoint has saved meanwhile."""
        self._expanding = np.zeros(slots, bool)
        """Whether a slot is only expanding its root, before preparing it."""
        self._shared_seconds = (budget.seconds or np.inf) * slots
        self._deadlines = Deadlines(slots, clock)
        self._deadlines.pause()
        self._actions: list[list[int]] = [[] for _ in range(slots)]
        self._new_target = target
        self._targets: list[Target] = [target() for _ in range(slots)]
        self._acting = self._compiled(selection) if selection else None
        self.restart()

    def _compiled(self, selection: Callable[[], Selection]) -> Acting | None:
        """The compiled code that plays actions; None if they are to be played one by one."""
        timing = self._deadlines.timing
        asked = self.preparation or self.borrowing or self.resolved.period or self._targets[0].notes_actions
        return None if asked or timing is None else Acting.by(self.search, self.budget, timing, selection)

    def hurry(self, hurried: bool) -> None:
        """Tells compiled code that plays on to return soon, or later."""
        if self._acting:
            self._acting.hurry(hurried)

    def restart(self) -> None:
        """Begins all matches anew."""
        self._ended[:] = True

    @property
    def random(self) -> NDArray[np.uint64]:
        """The random states of the search."""
        return self.search.forest.random

    @property
    def spent(self) -> Spent:
        """What the search has spent."""
        return Spent.by(self.search)

    def as_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The states that are remembered as resolved."""
        return self.resolved.as_arrays(prefix)

    def restore(self, tensors: Tensors, prefix: str) -> None:
        """Remembers resolved states. Raises CheckpointError if they are damaged."""
        self.resolved.restore(tensors, prefix)

    def next_match(self, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        """Plays until a match ends; None if `interrupted`, which may happen in the middle of matches."""
        self._deadlines.resume()
        for slot in np.flatnonzero(self._ended):
            self._new_match(int(slot))
        match = self._advance(interrupted)
        self._deadlines.pause()
        return match

    def _advance(self, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        while not interrupted():
            if self._acting:
                if match := self._act(self._acting):
                    return match
                continue
            for slot in self.search.done():
                if not self._goes_on(int(slot)) and (match := self._play_action(int(slot))):
                    return match
            advance(self.search, self._deadlines)
        return None

    def _act(self, acting: Acting) -> FinishedMatch | None:
        """Lets compiled code play on; returns the match if that ends it."""
        stop, actions = acting.go_on()
        self._actions[0] += actions
        if stop == ENDED:
            return self._end(0, self.search.after(actions[-1]))
        if stop == CROWDED:
            self._go_on(0)
        return self._play_action(0) if stop == UNKNOWN else None

    def _new_match(self, slot: int) -> None:
        self._ended[slot], self._actions[slot], self._targets[slot] = False, [], self._new_target()
        random = self.search.forest.random[slot : slot + 1]
        state = self._begin_match(seed_from(random)) if self._begin_match else self.game.initial()
        if self.game.player(state) == CHANCE:
            self._targets[slot].at_chance(state, None)
            state = self._drawn(slot, state)
        self._plant(state, slot)
        self._deadlines.start(slot)  # a new match has not borrowed time
        self._start(slot)

    def _drawn(self, slot: int, state: State) -> State:
        """The state after what chance draws, which the match notes."""
        self._actions[slot].append(drawn_action(self.game, state, self.search.forest.random[slot : slot + 1]))
        return self.game.play(state, self._actions[slot][-1])

    def _plant(self, state: State, slot: int) -> None:
        """Plants a new tree: this state, and what is remembered as resolved."""
        self.search.reset(state, slot)
        self.resolved.plant(self.search, slot)

    def _replant(self, slot: int, state: State) -> None:
        """Plants a new tree instead of the tree of the match so far."""
        self._leave(slot, np.ones(self.search.forest.slots[slot]["nodes"], bool))
        self._plant(state, slot)

    def _entered_earlier(self, slot: int) -> bool:
        """Whether the root is a state that an earlier match has resolved, so that its actions are not known."""
        return bool(self.search.root(slot).resolution) and not self.search.expanded(slot)

    def _leave(self, slot: int, nodes: NDArray[np.bool_]) -> None:
        """Called when a tree is about to forget some of its nodes."""
        self._targets[slot].leaving(self.search, slot, nodes)
        self.resolved.note(self.search, slot, nodes)

    def _start(self, slot: int) -> None:
        """Starts the search for the next action; if its time is already used, the root is only expanded."""
        borrowed = max(0.0, -self._deadlines.left(slot)) if self.borrowing else 0.0
        seconds = self._shared_seconds - borrowed
        self._deadlines.start(slot, seconds)
        if seconds > 0:
            self._begin(slot)
        elif not self.search.can_choose(slot):
            self.search.start(Budget(iterations=1), slot, shallow=True)

    def _begin(self, slot: int) -> None:
        """Begins a search; a root that is to be prepared is expanded first."""
        self._expanding[slot] = self.preparation is not None and not self.search.expanded(slot)
        if self._expanding[slot]:
            self.search.start(Budget(iterations=1), slot, shallow=True)
        else:
            self._search(slot)

    def _goes_on(self, slot: int) -> bool:
        """Starts the search of a slot that has only expanded its root; returns whether it needs a search."""
        if not self._expanding[slot]:
            return False
        self._expanding[slot] = False
        return self._search(slot)

    def _search(self, slot: int) -> bool:
        if self.preparation and not self.preparation.prepare(self.search, slot):
            return False
        self.search.start(self.budget, slot)
        return True

    def _play_action(self, slot: int) -> FinishedMatch | None:
        """Plays the action after a finished search and what chance then draws; returns the match if it ends."""
        played = len(self._actions[slot])
        following = self._chosen(slot)
        if self.game.outcome(following) is not None:
            return self._end(slot, following)
        if self.preparation and not self.preparation.keeps_tree:
            self._replant(slot, following)
        else:
            for action in self._actions[slot][played:]:
                self.search.play(action, slot)
        if self.resolved.period and self._entered_earlier(slot):
            self._replant(slot, following)
        self._go_on(slot)
        return None

    def _go_on(self, slot: int) -> None:
        """Starts the search for the action at a new root, with room for it."""
        self.search.make_room(slot, lambda nodes: self._leave(slot, nodes))
        self._start(slot)

    def _chosen(self, slot: int) -> State:
        """The state after the action that is chosen, and what chance then draws, which the match notes."""
        search, root, target = self.search, self.search.root(slot), self._targets[slot]
        target.before_action(search, slot)
        position = self.choose(root, len(self._actions[slot]))
        self._actions[slot].append(int(root.actions[position]))
        following = search.after(self._actions[slot][-1], slot)
        if self.game.player(following) != CHANCE or self.game.outcome(following) is not None:
            return following
        target.at_chance(following, _expectation(search, slot, int(root.children[position])))
        return self._drawn(slot, following)

    def _end(self, slot: int, end: State) -> FinishedMatch:
        """The match that has ended with this state."""
        actions, outcome = self._actions[slot], self.game.outcome(end)
        assert outcome is not None
        match = FinishedMatch(
            actions=actions,
            outcome=outcome,
            examples=finished_examples(self._targets[slot], self.search, slot, end),
            line=actions if self.game.players == 2 or self.game.stochastic else self._best_line(slot),
        )
        self.resolved.end_match(self.search, slot)
        self._ended[slot] = True
        return match

    def _best_line(self, slot: int) -> list[int]:
        """The best finished match in the tree, after the actions played, which the tree has forgotten."""
        found = best_end(self.search, slot)
        assert found  # the last search has seen the end of the match
        state, actions = found
        return [*self._actions[slot][: self.game.length(state)], *actions]


def _expectation(search: ForestSearch, slot: int, node: int) -> float | None:
    """v of a chance node (-1 for no node) if the search has expanded it and v is its value; else None."""
    if node < 0 or not search.forest.nodes[slot, node]["edges"] or not search.valued(slot)[node]:
        return None
    return float(search.forest.nodes[slot, node]["value"])


def best_end(search: ForestSearch, slot: int = 0) -> tuple[State, list[int]] | None:
    """The path to the finished match of the largest value in the tree: a state and the actions from there.

    The state is the earliest one of the path that the tree still knows, a root of an earlier search. None if the tree
    holds no finished match.
    """
    record = search.forest.slots[slot]
    nodes, edges = search.forest.nodes[slot, : record["nodes"]], search.forest.edges[slot, : record["edges"]]
    ends = np.flatnonzero(nodes["terminal"])
    if not ends.size:
        return None
    node, actions = int(ends[np.argmax(nodes["value"][ends])]), list[int]()
    expanded = np.flatnonzero(nodes["edges"])
    expanded = expanded[np.argsort(nodes["first_edge"][expanded])]
    while (into := np.flatnonzero(edges["child"] == node)).size:
        actions.append(int(edges["action"][into[0]]))
        node = int(expanded[np.searchsorted(nodes["first_edge"][expanded], into[0], side="right") - 1])
    return np.array(search.forest.states[slot, node]), actions[::-1]
