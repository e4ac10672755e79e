"""Which network wins after the same processor time: two trainings for each game, and matches between them.

python benchmarks/networks.py othello:8 breakthrough:8 --networks patterns:phases=5 c --minutes 5 --games 40

Each training has one thread and counts processor time, so the games can be measured on a busy machine. All else is the
recipe. What is complete is not done again: trainings and matches are kept below --directory, one table row a game.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from athenan import make


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--networks", nargs=2, default=["patterns", "c"], metavar=("FIRST", "SECOND"))
    parser.add_argument("--minutes", type=float, default=1.5)
    parser.add_argument("--games-played", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=0.03, help="search time an action in the matches")
    parser.add_argument("--directory", type=Path, default=Path("runs/networks"))
    options = parser.parse_args()
    print("| game | first against second | points | trainings: matches, states evaluated, items learnt |")
    print("| --- | --- | --- | --- |")
    for game in options.games:
        runs = [trained(game, network, options.minutes, options.directory) for network in options.networks]
        print(row(game, runs, options.games_played, options.seconds), flush=True)


def trained(game: str, network: str, minutes: float, directory: Path) -> Path:
    """The run of a training, which is begun, continued or complete."""
    run = directory / f"{make(game).name}-{network}-{minutes:g}".replace(":", "_").replace("/", "_")
    if not run.exists():
        athenan(
            "train", game, "--minutes", f"{minutes:g}", "--clock", "processor", "--threads", "1", "--network", network,
            "--run", str(run),
        )  # fmt: skip
    elif progress(run)["seconds"] < 60 * minutes:
        athenan("train", "--resume", str(run))
    return run


def row(game: str, runs: list[Path], games: int, seconds: float) -> str:
    """A line of the table."""
    records = runs[0].parent / f"{runs[0].name}-against-{runs[1].name}.jsonl"
    found = json.loads(athenan(
        "match", game, *map(str, runs), "--games", str(games), "--seconds", str(seconds), "--records", str(records),
        "--json",
    ))  # fmt: skip
    low, high = found["interval"]
    counts = "; ".join(
        f"{one['matches']:,}, {one['evaluations'] / 1e6:.3g} M, {one['learnt'] / 1e6:.3g} M"
        for one in map(progress, runs)
    )
    points = f"{100 * found['score']:.0f}% [{100 * low:.0f}%, {100 * high:.0f}%]"
    return f"| {game} | {found['wins']}-{found['draws']}-{found['losses']} | {points} | {counts} |"


def progress(run: Path) -> dict[str, float]:
    """What a run has done: seconds, matches, evaluations, learnt."""
    found: dict[str, float] = json.loads(athenan("info", str(run), "--json"))["runs"][0]
    return found


def athenan(*arguments: str) -> str:
    """The output of a command, which must succeed."""
    return subprocess.run(
        [sys.executable, "-m", "athenan", *arguments], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


if __name__ == "__main__":
    main()
