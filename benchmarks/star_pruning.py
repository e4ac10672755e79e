"""What Ballard's Star1 and Star2 would save in Expectiminimax: evaluations and time with and without them.

    python benchmarks/star_pruning.py backgammon runs/b --depth 4 --positions 10

Expectiminimax to a depth in plain Python, with alpha-beta between decisions, move ordering by the network and child
batching as in `search.deepening`: the children of a state are evaluated together when it is expanded. With `star1`
outcomes are searched within the window that what is known of the others leaves; with `star2` the best child of each
outcome is searched first, for a bound (B. W. Ballard, "The *-minimax search procedure for trees containing chance
nodes", 1983). Values are clamped to the bounds of the heuristic, without which no outcome could be bounded. All three
must find the same value.
"""

import argparse
import time

import numpy as np

from athenan.games.catalogue import make
from athenan.rules.game import Game, State
from athenan.rules.playouts import random_match
from athenan.rules.state import CHANCE, sign
from athenan.rules.terminal import value_of_end
from athenan.runs.learnt import LearntNetwork, learnt_network


class Expectiminimax:
    """One search, by one of the three ways."""

    def __init__(self, game: Game, learnt: LearntNetwork, bound: float, pruning: str) -> None:
        self.game, self.learnt, self.bound, self.pruning = game, learnt, bound, pruning
        self.evaluations = 0
        self._expanded: dict[bytes, tuple[list[State], np.ndarray]] = {}

    def children(self, state: State) -> tuple[list[State], np.ndarray]:
        """The children and their values, evaluated once; those of a decision are ordered for the side to move."""
        key = state.tobytes()
        if key not in self._expanded:
            following = [self.game.play(state, int(action)) for action in self.game.actions(state)]
            ends = np.array([self.game.outcome(one) is not None for one in following])
            values = np.empty(len(following))
            open_ = np.flatnonzero(~ends)
            if len(open_):
                planes = np.stack([self.game.encode(following[number]).reshape(-1) for number in open_])
                values[open_] = np.clip(self.learnt.evaluate(planes).values, -self.bound, self.bound)
                self.evaluations += len(open_)
            for number in np.flatnonzero(ends):
                values[number] = value_of_end(self.game, self.learnt.heuristic, following[number])
            side = sign(self.game.player(state))
            order = np.argsort(-side * values, kind="stable") if side else np.arange(len(values))
            self._expanded[key] = [following[number] for number in order], values[order]
        return self._expanded[key]

    def value(self, state: State, depth: int, alpha: float, beta: float) -> float:
        """The value to a depth if it is within the window, else a bound of it."""
        following, values = self.children(state)
        side = sign(self.game.player(state))
        if self.game.player(state) == CHANCE:
            return self.expectation(state, following, values, depth, alpha, beta)
        if depth == 1:
            return float(side * (side * values).max())
        best = -side * np.inf
        for one, known in zip(following, values, strict=True):
            over = self.game.outcome(one) is not None
            low, high = (max(alpha, best), beta) if side > 0 else (alpha, min(beta, best))
            found = known if over else self.value(one, depth - 1, low, high)
            best = max(best, found) if side > 0 else min(best, found)
            if best >= beta if side > 0 else best <= alpha:
                break
        return float(best)

    def expectation(
        self, state: State, following: list[State], values: np.ndarray, depth: int, alpha: float, beta: float
    ) -> float:
        """The value of a chance node, or a bound outside of the window."""
        shares = self.game.probabilities(state)
        if depth == 1:
            return float(shares @ values)
        if self.pruning == "none":
            alpha, beta = -np.inf, np.inf
        lows, highs = np.full(len(values), -self.bound), np.full(len(values), self.bound)
        over = np.array([self.game.outcome(one) is not None for one in following])
        lows[over] = highs[over] = values[over]
        if self.pruning == "star2" and depth > 2:
            for number in np.flatnonzero(~over):
                self.probe(following[number], depth - 2, number, lows, highs)
                if shares @ lows >= beta or shares @ highs <= alpha:
                    break
        for number in np.flatnonzero(~over):
            least, most = shares @ lows, shares @ highs
            if least >= beta:
                return float(least)
            if most <= alpha:
                return float(most)
            low = (alpha - (most - shares[number] * highs[number])) / shares[number]
            high = (beta - (least - shares[number] * lows[number])) / shares[number]
            lows[number] = highs[number] = self.value(following[number], depth - 1, low, high)
        return float(shares @ lows)

    def probe(self, state: State, depth: int, number: int, lows: np.ndarray, highs: np.ndarray) -> None:
        """Bounds an outcome by the best of its children."""
        following, values = self.children(state)
        side = sign(self.game.player(state))
        if side == 0:
            return
        over = self.game.outcome(following[0]) is not None
        found = values[0] if over else self.value(following[0], depth, -np.inf, np.inf)
        (lows if side > 0 else highs)[number] = found


def positions(game: Game, count: int) -> list[State]:
    """States of random matches in which a player chooses among several actions."""
    found: list[State] = []
    for seed in range(count):
        state, states = game.initial(), []
        for action in random_match(game, seed):
            if game.player(state) != CHANCE and len(game.actions(state)) > 1:
                states.append(state)
            state = game.play(state, action)
        found.append(states[len(states) * (seed + 1) // (count + 2)])
    return found


def main() -> None:
    """Prints the numbers of the three ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("run")
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--positions", type=int, default=10)
    options = parser.parse_args()
    game = make(options.game)
    learnt = learnt_network(options.run)
    bound = {"score": game.max_score, "classic": 1}.get(learnt.heuristic.name)
    if bound is None:
        parser.error(f"values of {learnt.heuristic.name} have no bound: train with the heuristic score or classic")
    wanted: list[float] = []
    for pruning in ("none", "star1", "star2"):
        evaluations, began, found = 0, time.process_time(), []
        for state in positions(game, options.positions):
            search = Expectiminimax(game, learnt, bound, pruning)
            found.append(search.value(state, options.depth, -np.inf, np.inf))
            evaluations += search.evaluations
        wanted = wanted or found
        assert np.allclose(found, wanted, atol=1e-6), "a pruned search has found another value"
        print(f"{pruning:6} {evaluations:10,} evaluations {time.process_time() - began:8.1f} s", flush=True)


if __name__ == "__main__":
    main()
