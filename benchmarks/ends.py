"""How fast ends are solved exactly, and what that is worth in play.

    python benchmarks/ends.py othello:8 --remaining 16 18 20 --positions 20
    python benchmarks/ends.py othello:8 --remaining 20 --positions 20 --decide 0.1 --players athenan ...

Positions come from self-play of the package's network, 3,000 evaluations an action, after random openings. For each
number of remaining actions the table has the processor seconds and states in which the exact solver solves them alone.
With `--decide S` players play each position in S seconds of processor time: in how many positions do they lose a
result, and how many points do they lose?
"""

import argparse
from collections.abc import Iterator
from time import process_time

import numpy as np

from athenan import Budget, Game, make
from athenan.arena.roster import make_player
from athenan.networks.catalogue import network_of
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import State
from athenan.rules.leaf import Leaf
from athenan.runs.learnt import learnt_network
from athenan.search.finishing.ends import Ends, actions_left

_MEMORY = 1 << 28
_EVALUATIONS = 3000


def positions(game: Game, remaining: int, random: int) -> Iterator[State]:
    """Positions with this number of remaining actions in which there is a choice, one of each match."""
    number = 0
    player = make_player(f"athenan,evaluations={_EVALUATIONS}", game)
    while True:
        number += 1
        draws, state, played = np.random.default_rng([number, random]), game.initial(), 0
        player.new_match(game, number)
        while game.outcome(state) is None and actions_left(game, state) > remaining:
            limit = Budget(evaluations=_EVALUATIONS)
            action = int(draws.choice(game.actions(state))) if played < random else player.select(state, limit).action
            state, played = game.play(state, action), played + 1
            player.observe(action, state)
        if game.outcome(state) is None and actions_left(game, state) == remaining and len(game.actions(state)) > 1:
            yield state


def solver(game: Game) -> Ends:
    """An exact solver that asks the package's network for its order."""
    network = learnt_network(network_of(game).file, game=game)
    return Ends(game, network.heuristic, Leaf.of(game, network.evaluate.leaf), 1_000_000, _MEMORY)


def solved(ends: Ends, state: State) -> int:
    """The value of a state under perfect play."""
    ends.forget()
    ends.start(state, 0.0, Budget(seconds=1.0))
    while not ends.knowledge.solved:
        ends.go_on(0)
    return ends.knowledge.lower


def value_of(ends: Ends, game: Game, state: State) -> float:
    """The value of a state under perfect play, also of a finished match."""
    if game.outcome(state) is None:
        return solved(ends, state)
    return game.score(state) if game.max_score is not None else float(game.outcome(state) or 0)


def lost(worth: dict[bytes, float], ends: Ends, game: Game, found: list[State], name: str, seconds: float) -> None:
    """Prints what a player loses in positions; `worth` remembers the values of states."""
    player = make_player(name, game)
    assert isinstance(player, SearchPlayer)

    def value(state: State) -> float:
        if state.tobytes() not in worth:
            worth[state.tobytes()] = value_of(ends, game, state)
        return worth[state.tobytes()]

    player.count_by("processor")
    results, points = 0, 0.0
    for state in found:
        side = 1 - 2 * int(state[0])
        best = side * value(state)
        player.new_match(game, 1)
        action = player.select(state, Budget(seconds=seconds)).action
        reached = side * value(game.play(state, action))
        results += bool(np.sign(reached) < np.sign(best))
        points += best - reached
    print(
        f"  {player.name}: {results} results lost in {len(found)}, {points / len(found):.2f} points a position",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--remaining", type=int, nargs="+", default=[16, 18, 20])
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--random-opening", type=int, default=8)
    parser.add_argument("--decide", type=float, help="seconds of an action")
    parser.add_argument("--players", nargs="+", default=["athenan", "athenan,search=ubfm:exploration=0.02"])
    options = parser.parse_args()
    game = make(options.game)
    ends = solver(game)
    for remaining in options.remaining:
        source = positions(game, remaining, options.random_opening)
        found = [next(source) for _ in range(options.positions)]
        taken = []
        for state in found:
            before, began = ends.states, process_time()
            solved(ends, state)
            taken.append((process_time() - began, ends.states - before))
        seconds, states = (np.array(of) for of in zip(*taken, strict=True))
        print(
            f"{game.name}, {remaining} remaining: seconds mean {seconds.mean():.3f}, median {np.median(seconds):.3f}, "
            f"largest {seconds.max():.3f}; states mean {states.mean():,.0f}, median {np.median(states):,.0f}",
            flush=True,
        )
        if options.decide:
            worth: dict[bytes, float] = {}
            for name in options.players:
                lost(worth, ends, game, found, name, options.decide)


if __name__ == "__main__":
    main()
