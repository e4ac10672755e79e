"""The chance of a network of Pig to win against perfect play, exactly.

    python benchmarks/pig.py runs/pig athenan

A player with one iteration an action takes the action whose state the network likes better. So its whole policy is
known, and its chance to win follows from Pig's equations with that policy for one player and the best one for the
other. Prints for each network the chance to win as first player, as second, their mean, and the share of situations
(own total, other total, points of the turn) in which it chooses the best action. The network sees each situation at the
beginning of a match, and the match has no end but a win.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from athenan import Game, make
from athenan.grading.equations import choices, unknown_chances, win_chances
from athenan.networks.catalogue import path_of
from athenan.rules import HEADER
from athenan.runs.learnt import learnt_network

TARGET, SIDES = 100, 6
BATCH = 4096
PRECISION = 1e-12
ROLL, HOLD = 0, 1

Policy = NDArray[np.bool_]
"""Whether the player rolls: own total, the other's, points of this turn."""
Chances = NDArray[np.float64]


def perfect_policy() -> Policy:
    """Where the best player rolls."""
    wins, best = win_chances(TARGET, SIDES), np.zeros((TARGET, TARGET, TARGET), np.bool_)
    for points in range(TARGET):
        by_rolling, by_holding = choices(wins, wins, points)
        best[: TARGET - points, :, points] = by_rolling >= by_holding
    return best


def open_situations() -> NDArray[np.bool_]:
    """The situations in which holding does not win."""
    own, _, points = np.indices((TARGET, TARGET, TARGET))
    return own + points < TARGET


def policy_of(game: Game, name: str) -> Policy:
    """Where a network rolls."""
    network = learnt_network(path_of(name, game), game=game)
    places = np.argwhere(open_situations())
    values = []
    for action in (ROLL, HOLD):
        states = np.repeat(game.play(game.initial(), action)[None], len(places), axis=0)
        states[:, HEADER], states[:, HEADER + 1], states[:, HEADER + 2] = places.T
        if action == HOLD:
            states[:, HEADER], states[:, HEADER + 2] = places[:, 0] + places[:, 2], 0
        encoded = np.stack([game.encode(state) for state in states])
        parts = [network.evaluate(encoded[begin : begin + BATCH])[0] for begin in range(0, len(encoded), BATCH)]
        values.append(np.concatenate(parts))
    policy = np.zeros((TARGET, TARGET, TARGET), np.bool_)
    policy[tuple(places.T)] = values[ROLL] >= values[HOLD]
    return policy


def chances(policy: Policy, other: Policy) -> tuple[Chances, Chances]:
    """The chances to win of the players of two policies, each where it is to choose."""
    wins = [unknown_chances(TARGET, SIDES) for _ in range(2)]
    change = 1.0
    while change > PRECISION:
        before = [some[:, :, 0].copy() for some in wins]
        for mover, rolls in enumerate((policy, other)):
            for points in reversed(range(TARGET)):
                here = np.s_[: TARGET - points, :, points]
                wins[mover][here] = np.where(rolls[here], *choices(wins[mover], wins[1 - mover], points))
        change = max(float(np.abs(some[:, :, 0] - old).max()) for some, old in zip(wins, before, strict=True))
    return wins[0], wins[1]


def main() -> None:
    """Prints a line for each network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+", help="runs, checkpoints, or athenan for the package's network")
    game, best = make("pig"), perfect_policy()
    for name in parser.parse_args().networks:
        policy = policy_of(game, name)
        own, perfect = chances(policy, best)
        first, second = own[0, 0, 0], 1 - perfect[0, 0, 0]
        agreed = (policy == best)[open_situations()].mean()
        print(f"{name}: first {first:.2%}, second {second:.2%}, mean {(first + second) / 2:.2%}, best {agreed:.1%}")


if __name__ == "__main__":
    main()
