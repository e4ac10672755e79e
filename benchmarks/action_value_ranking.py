"""How well action values rank children: where the child that the network values most is among them.

    python benchmarks/action_value_ranking.py RUN [RUN ...]

On 150 positions of random length, half of whose actions were the best by the action values, the other half random, it
prints in how many the child of the best v(s') was among the first 4, and 8, by v(s, a) of the same network.
"""

import sys

import numpy as np

from athenan.rules.game import Game, State
from athenan.rules.state import sign
from athenan.runs.learnt import LearntNetwork, learnt_network

POSITIONS = 150


def by_action(learnt: LearntNetwork, state: State) -> np.ndarray:
    """v(s, a) of the legal actions, for the side to move."""
    found: np.ndarray = learnt.evaluate(learnt.game.encode(state)[None]).action_values[0]
    return found[learnt.game.actions(state)] * np.float32(sign(learnt.game.player(state)))


def position(learnt: LearntNetwork, random: np.random.Generator) -> State:
    """A state of a match that is not over."""
    game: Game = learnt.game
    while True:
        state = game.initial()
        for _ in range(random.integers(4, int(0.7 * game.typical_length))):
            actions = game.actions(state)
            best = random.random() < 0.5
            state = game.play(
                state, int(actions[by_action(learnt, state).argmax()] if best else random.choice(actions))
            )
            if game.outcome(state) is not None:
                break
        else:
            return state


def rank(learnt: LearntNetwork, state: State) -> tuple[int, int]:
    """The place of the best child in the order of the action values, from 0, and the number of unfinished children."""
    game = learnt.game
    children = [game.play(state, int(action)) for action in game.actions(state)]
    open_ = np.array([game.outcome(child) is None for child in children])
    if not open_.any():
        return 0, 0
    planes = np.stack([game.encode(child) for child, keep in zip(children, open_, strict=True) if keep])
    values = sign(game.player(state)) * learnt.evaluate(planes).values
    guesses = by_action(learnt, state)[open_]
    return int((guesses > guesses[values.argmax()]).sum()), len(values)


def main() -> None:
    """Prints a line for each run."""
    for run in sys.argv[1:]:
        learnt, random = learnt_network(run, heads=("values", "action_values")), np.random.default_rng(1)
        found = np.array([rank(learnt, position(learnt, random)) for _ in range(POSITIONS)])
        ranks, counts = found[found[:, 1] > 0].T
        shares = ", ".join(f"among the first {first} in {(ranks < first).mean():.0%}" for first in (4, 8))
        print(f"{run}: {shares} of {len(ranks)} positions, of {counts.mean():.0f} children")


if __name__ == "__main__":
    main()
