"""Whether players of Connect6 block four stones in a window of six: positions in which they can, and have no six.

    python benchmarks/four_in_six.py athenan "athenan,search=(ubfm:exploration=0.02,forced=false)" --evaluations 1000

A position is made by random play near other stones. Its mover has both stones of the turn, cannot complete six with
them, and faces windows of six with four or five of the opponent's stones and no own one, which two stones can block. A
player blocks if its two stones leave no such window. All of this is found in plain Python, without the package's
windows.
"""

import argparse
import itertools
from collections.abc import Iterator
from functools import cache

import numpy as np

from athenan.arena.roster import make_player
from athenan.games.catalogue import make
from athenan.play.limit import Limit
from athenan.play.player import Player
from athenan.rules.game import Game, State
from athenan.search.budget import Budget

SIX, LACKING, NEAR = 6, 2, 2
EARLIEST, LATEST = 12, 70
"""Stones on the board."""


@cache
def windows(size: int) -> list[tuple[int, ...]]:
    """The cells of all windows of six."""
    found = []
    for row, column in itertools.product(range(size), repeat=2):
        for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if row + 5 * up < size and 0 <= column + 5 * right < size:
                found.append(tuple((row + step * up) * size + column + step * right for step in range(SIX)))
    return found


def gaps(own: set[int], other: set[int], size: int) -> list[set[int]]:
    """The empty cells of each window that `own` stones complete in one turn."""
    return [
        set(cells) - own
        for cells in windows(size)
        if other.isdisjoint(cells) and SIX - LACKING <= len(own.intersection(cells)) < SIX
    ]


def stones(game: Game, state: State) -> list[set[int]]:
    """The cells of each player."""
    planes = game.encode(state).reshape(game.planes[0], -1)
    return [set(np.flatnonzero(planes[player]).tolist()) for player in range(2)]


def threats(game: Game, state: State, mover: int) -> list[set[int]] | None:
    """The windows that the mover must block with two stones; None if there is nothing to block, or something better."""
    both, size = stones(game, state), game.planes[1]
    found = gaps(both[1 - mover], both[mover], size)
    if not found or gaps(both[mover], both[1 - mover], size):
        return None
    pairs = itertools.combinations(set().union(*found), 2)
    single = any(all(cell in gap for gap in found) for cell in found[0])
    return found if single or any(all(gap & set(pair) for gap in found) for pair in pairs) else None


def positions(game: Game, count: int, seed: int = 1) -> Iterator[State]:
    """Positions whose mover can and must block."""
    random, size, made = np.random.default_rng(seed), game.planes[1], 0
    while made < count:
        state = game.initial()
        wanted = random.integers(EARLIEST, LATEST)
        while game.outcome(state) is None and game.length(state) <= LATEST:
            begins = game.length(state) % 2 == 1
            if begins and game.length(state) >= wanted and threats(game, state, game.player(state)):
                made += 1
                yield state
                break
            state = game.play(state, _near(game, state, random, size))


def _near(game: Game, state: State, random: np.random.Generator, size: int) -> int:
    """A random legal action, near the stones."""
    legal, taken = game.actions(state), sorted(set().union(*stones(game, state)))
    if not taken:
        return int(size * size // 2)
    apart = np.abs(np.array(np.divmod(legal, size))[:, :, None] - np.array(np.divmod(taken, size))[:, None])
    near = legal[(apart.max(axis=0) <= NEAR).any(axis=1)]
    return int(random.choice(near if len(near) else legal))


def blocks(game: Game, player: Player, state: State, limit: Limit) -> bool:
    """Whether the player's two stones block everything."""
    mover = game.player(state)
    player.new_match(game, 1)
    for _ in range(2):
        state = game.play(state, player.select(state, limit).action)
    both = stones(game, state)
    return not gaps(both[1 - mover], both[mover], game.planes[1])


def main() -> None:
    parser = argparse.ArgumentParser(description="Counts how often players of Connect6 block four in six.")
    parser.add_argument("players", nargs="+", help="players, as in athenan match")
    parser.add_argument("--size", type=int, default=19)
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--evaluations", type=int, default=1000, help="for each stone")
    options = parser.parse_args()
    game = make(f"connect6:{options.size}")
    some = list(positions(game, options.positions))
    for name in options.players:
        player = make_player(name, game)
        found = sum(blocks(game, player, state, Budget(evaluations=options.evaluations)) for state in some)
        print(f"| `{name}` | {found} of {len(some)} |", flush=True)


if __name__ == "__main__":
    main()
