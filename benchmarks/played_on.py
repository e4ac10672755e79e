"""Where a player loses matches: others play them on from the state after some actions, and what its side then scores.

    athenan match clobber athenan mcts:0.1s --seconds 0.1 --games 40 --records matches.jsonl
    python benchmarks/played_on.py matches.jsonl athenan --after 32 40 48 --by athenan mcts:0.1s

If two equal players score much with the side that the player had, the player was ahead there; where the points fall
from one state to the next, it has lost them. Seconds are wall-clock time.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from athenan.arena.roster import make_player
from athenan.files.file_match import FileMatch
from athenan.files.formats import read_matches
from athenan.games.catalogue import make
from athenan.play.match import play_match
from athenan.rules.game import Game
from athenan.rules.state import sign
from athenan.search.budget import Budget


def points(game: Game, matches: Sequence[FileMatch], named: str, after: int, by: str, seconds: float) -> float:
    """The mean points of the side that the player `named` had, if two players `by` play on after some actions."""
    players, scored = (make_player(by, game), make_player(by, game)), list[float]()
    for number, match in enumerate(matches):
        side = next(side for side, name in enumerate(match.players) if name.startswith(named))
        played = play_match(game, players, match.actions[:after], number, Budget(seconds=seconds))
        scored.append((1 + played.outcome * sign(side)) / 2)
    return float(np.mean(scored))


def main() -> None:
    parser = argparse.ArgumentParser(description="Plays matches on from the states after some of their actions.")
    parser.add_argument("files", nargs="+", type=Path, help="matches of `athenan match --records`, of one game")
    parser.add_argument("named", help="how the name of the player begins")
    parser.add_argument("--after", nargs="+", type=int, required=True, help="numbers of actions")
    parser.add_argument("--by", nargs="+", required=True, help="the players, each against itself")
    parser.add_argument("--seconds", type=float, default=0.1, help="for an action")
    options = parser.parse_args()
    matches = [match for file in options.files for match in read_matches(file)]
    game = make(matches[0].game)
    print(f"| after | {' | '.join(options.by)} |\n|{' --- |' * (1 + len(options.by))}")
    for after in options.after:
        found = [points(game, matches, options.named, after, by, options.seconds) for by in options.by]
        print(f"| {after} | {' | '.join(f'{one:.1%}' for one in found)} |", flush=True)


if __name__ == "__main__":
    main()
