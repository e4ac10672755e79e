"""How well win chances agree with matches that they were not learnt from: numbers, and a figure with a panel a run.

    python benchmarks/win_chances.py runs/connect_four runs/othello-6 --output win_chances.svg

For each run, chances are learnt from matches of the network against itself, and compared with other such matches, from
other openings. Nothing is saved in the runs. Actions have a number of iterations, so that the results repeat.
"""

import argparse
from itertools import islice
from pathlib import Path

from athenan.arena.calibrating import own_matches, samples_of
from athenan.arena.roster import make_player
from athenan.cli.calibrate import draw
from athenan.evaluation.calibration import Reliability, Samples, learnt_chances, reliability
from athenan.evaluation.chances import Chances
from athenan.games.catalogue import make
from athenan.report.figures import save
from athenan.runs.description import game_name
from athenan.search.budget import Budget


def samples(run: str, iterations: int, games: int, seed: int) -> Samples:
    """The values and results of some matches of a run against itself."""
    game = make(game_name(run))
    matches = own_matches(game, make_player(run, game), Budget(iterations=iterations), seed)
    return samples_of(islice(matches, games))


def main() -> None:
    parser = argparse.ArgumentParser(description="Compares win chances with matches that they were not learnt from.")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--games", type=int, default=300, help="matches to learn from, and as many to compare with")
    parser.add_argument("--iterations", type=int, default=20, help="iterations of the search for an action")
    parser.add_argument("--output", type=Path, help="the figure, .svg or .png")
    options = parser.parse_args()
    found = dict[str, Reliability]()
    print("| game | values | Brier score | of one chance for all | calibration error |")
    print("| --- | --- | --- | --- | --- |")
    for run in options.runs:
        seen, other = (samples(run, options.iterations, options.games, seed) for seed in (0, 1))
        chances = learnt_chances(seen)
        if chances is None:
            print(f"{run}: too few matches have unproven values")
            continue
        name = game_name(run)
        found[name] = one = reliability(chances, other)
        same = reliability(Chances((0.0,), (float(seen.points.mean()),), 0), other)
        print(f"| {name} | {len(other):,} | {one.brier:.3f} | {same.brier:.3f} | {one.error:.1%} |", flush=True)
    if options.output:
        rows = -(-len(found) // 3)
        save(lambda figure: draw(figure, found, 3), 9, 3.2 * rows, options.output)


if __name__ == "__main__":
    main()
