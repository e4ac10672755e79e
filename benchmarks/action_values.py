"""Action values, and other forms of a training, beside the evaluation of children: equal time to learn and to play.

    python benchmarks/action_values.py FOLDER --games hex:7 gomoku:15 --minutes 5 --matches 100 --forms values padded

For each game and length of training it trains with children evaluated and the chosen forms, one after the other, each
with all cores, and then each form plays against the first, in one thread with equal seconds an action: pairs of matches
of one opening, with both colours. It prints a table of the points of each form with 95% intervals.

Everything is kept in FOLDER as it comes (the runs, and `results.json`): the same command goes on where it was stopped.
The machine should have nothing else to do; the processor time of each training is in `results.json`, so that it can be
seen whether it had.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

from athenan import Budget, make
from athenan.arena.roster import make_player
from athenan.arena.series import play_series
from athenan.runs.checkpoint import load
from athenan.statistics import score_interval

GAMES = (
    "connect_four", "othello:8", "hex:7", "hex:9", "hex:11", "gomoku:15", "amazons:10", "havannah:6",
)  # fmt: skip
"""From few to many actions."""
CHILDREN = "children"
_VALUES = ("--evaluate", "action_values")
FORMS: dict[str, tuple[tuple[str, ...], str]] = {
    CHILDREN: (("--evaluate", "children"), ""),
    "values": (_VALUES, ""),
    "padded": (("--evaluate", "children", "--network", "c:filters=32,convolutions=4,padded=true"), ""),
    "children_in_play": (_VALUES, "evaluate=children"),
    "unrefined": ((*_VALUES, "--search", "descent:evaluate=action_values"), ""),
    "refining_8": ((*_VALUES, "--search", "descent:evaluate=action_values,refining=8,refining_random=4"), ""),
    "colours": (("--evaluate", "children", "--replay", "stratified:colours=true"), ""),
}
"""Name -> the options of `train`, and the settings of its player, if it searches otherwise. Add your own."""


class Results:
    """What has been measured, kept in a file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.data: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {"trainings": {}, "pairs": {}}

    def pairs(self, key: str) -> list[float]:
        """The scores of the pairs of matches of a form so far."""
        found: list[float] = self.data["pairs"].setdefault(key, [])
        return found

    def save(self) -> None:
        """Replaces the file."""
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(self.data, indent=1))
        new.replace(self.file)


def trained(folder: Path, results: Results, game: str, minutes: float, form: str) -> Path:
    """The run of a form; trains it, or the rest of it, if it is not there."""
    key = f"{game} {minutes:g} {form}"
    run = folder / key.replace(" ", "-").replace(":", "-").replace(",", "-")
    if results.data["trainings"].get(key, {}).get("done"):
        return run
    begun = (run / "checkpoint.safetensors").exists()
    how = ["--resume", str(run)] if begun else [game, "--run", str(run), "--strength.seconds", "0", *FORMS[form][0]]
    print(f"training {key}", file=sys.stderr, flush=True)
    process = subprocess.Popen([sys.executable, "-m", "athenan", "train", *how, "--minutes", f"{minutes:g}"])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the training {key} has failed")
    progress = load(run).document["progress"]
    earlier = results.data["trainings"].get(key, {}).get("processor_seconds", 0.0)
    results.data["trainings"][key] = {
        "done": True, "processor_seconds": earlier + usage.ru_utime + usage.ru_stime,
        **{name: progress[name] for name in ("matches", "evaluations", "learnt", "seconds", "learning_seconds")},
    }  # fmt: skip
    results.save()
    return run


def measure(folder: Path, results: Results, game: str, minutes: float, form: str, wanted: argparse.Namespace) -> None:
    """Plays the matches of a form that are missing."""
    runs = [trained(folder, results, game, minutes, name) for name in (form, CHILDREN)]
    made, pairs = make(game), results.pairs(f"{game} {minutes:g} {form}")
    if len(pairs) >= wanted.matches // 2:
        return
    names = [
        ",".join(filter(None, (str(run), FORMS[name][1]))) for run, name in zip(runs, (form, CHILDREN), strict=True)
    ]
    players = [make_player(name, made) for name in names]
    for player in players:  # compiles, and maps the memory of the trees
        player.new_match(made, 0)
        player.select(made.initial(), Budget(seconds=wanted.seconds))
    while len(pairs) < wanted.matches // 2:
        pair = play_series(
            made, players, 2, Budget(seconds=wanted.seconds), random_opening=wanted.random_opening, seed=len(pairs)
        )
        pairs.append(pair.score)
        results.save()
        print(f"{game} {minutes:g} {form}: {fmean(pairs):.1%} of {2 * len(pairs)}", file=sys.stderr, flush=True)


def table(results: Results) -> str:
    """What has been measured so far."""
    lines = ["| game | minutes | form | games | points | 95% interval |", "| --- | --- | --- | --- | --- | --- |"]
    for key, pairs in results.data["pairs"].items():
        if pairs:
            game, minutes, form = key.split(" ")
            low, high = score_interval(pairs, 2)
            lines.append(
                f"| {game} | {minutes} | {form} | {2 * len(pairs)} | {fmean(pairs):.0%} | {low:.0%} to {high:.0%} |"
            )
    return "\n".join(lines)


def main() -> None:
    """Measures what is asked for, and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", nargs="+", default=GAMES)
    parser.add_argument("--minutes", nargs="+", type=float, default=(5.0, 20.0))
    parser.add_argument("--forms", nargs="+", choices=[name for name in FORMS if name != CHILDREN], default=["values"])
    parser.add_argument("--matches", type=int, default=100, help="of each form and game, an even number")
    parser.add_argument("--random-opening", type=int, default=1, help="actions; more where few differ, as in Othello")
    parser.add_argument("--seconds", type=float, default=0.1, help="to play an action")
    wanted = parser.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    results = Results(wanted.folder / "results.json")
    for minutes in wanted.minutes:
        for game in wanted.games:
            for form in wanted.forms:
                measure(wanted.folder, results, game, minutes, form, wanted)
    print(table(results))


if __name__ == "__main__":
    main()
