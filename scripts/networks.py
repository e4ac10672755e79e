"""Trains, adds and rates the networks in the package (src/athenan/networks/shipped), for its maintainers.

Usage, after `scripts/test` has made the environment:

    .venv/bin/python scripts/networks.py train othello:8 --minutes 60
    .venv/bin/python scripts/networks.py add runs/othello-8 --command "athenan train othello:8 --minutes 60 ..."
    .venv/bin/python scripts/networks.py rate othello:8 --games 40 --store runs/levels.sqlite

`train` takes all options of athenan train, saves the run in runs/, and adds its network in place of the game's former
one. `add` adds the network of a run that is there. `rate` measures the levels of a game's network in a tournament with
MCTS players, and writes the ratings into its card; the store lets it go on after an interruption.
"""

import argparse
import shlex
import subprocess
import sys
from pathlib import Path

from athenan.arena.pairs import Conditions, close_players, kept_player
from athenan.arena.store import Store
from athenan.arena.tournaments import ladder, report
from athenan.bench import processor
from athenan.cli import train
from athenan.games.catalogue import make
from athenan.learning.training import free_directory
from athenan.networks.card import Rated
from athenan.networks.catalogue import NAME, network_of
from athenan.networks.shipping import MOST_BYTES, change_card, ship
from athenan.play.levels import LEVELS
from athenan.play.openings import OpeningChoice
from athenan.search.budget import Budget

ROOT = Path(__file__).parent.parent
RIVALS = "random", "mcts:100", "mcts:1000"


def main(arguments: list[str] | None = None) -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train", help="train a network and add it")
    training.add_argument("game")
    adding = commands.add_parser("add", help="add the network of a run")
    adding.add_argument("run")
    adding.add_argument("--command", dest="line", required=True, help="the command that trained it")
    for one in (training, adding):
        one.add_argument("--weaknesses", default="", help="known weaknesses, in sentences")
        one.add_argument("--bytes", type=int, default=MOST_BYTES, help=f"that it may take ({MOST_BYTES:,})")
    rating = commands.add_parser("rate", help="measure the levels of a game's network")
    rating.add_argument("game")
    rating.add_argument("--games", type=int, default=20, help="of every two players (20)")
    rating.add_argument("--evaluations", type=int, default=30_000, help="of the strongest level an action (30,000)")
    rating.add_argument("--store", type=Path, default=Path("runs/levels.sqlite"), help="the file of the results")
    given, rest = parser.parse_known_args(arguments)
    if rest and given.command != "train":
        parser.error(f"unexpected arguments {shlex.join(rest)}")
    try:
        {"train": trained, "add": add, "rate": rate}[given.command](given, rest)
    except (ValueError, OSError) as error:
        sys.exit(f"networks: error: {error}")
    finally:
        close_players()


def trained(given: argparse.Namespace, rest: list[str]) -> None:
    """Trains a network and adds it."""
    given.run = str(free_directory(make(given.game).name))
    given.line = shlex.join(["athenan", "train", given.game, *rest])
    train.run([given.game, *rest, "--run", given.run])
    add(given, [])


def add(given: argparse.Namespace, rest: list[str]) -> None:
    """Adds the network of a run."""
    file = ship(given.run, given.line, commit(), processor(), given.weaknesses, given.bytes)
    print(f"{file}: {file.stat().st_size:,} bytes")


def rate(given: argparse.Namespace, rest: list[str]) -> None:
    """Measures the levels of a game's network, and writes the ratings into its card."""
    game = make(given.game)
    network = network_of(game)
    conditions = Conditions(Budget(evaluations=given.evaluations), OpeningChoice("random", 1))
    levels = {kept_player(f"{NAME}:{level}", game).name: level for level in LEVELS}
    players = [*levels, *RIVALS]
    given.store.parent.mkdir(parents=True, exist_ok=True)
    with Store(given.store) as store:
        for step in ladder.play(store, game, players, conditions, given.games // 2):
            print(f"\r{step.unfinished} pairs to play ", end="", file=sys.stderr)
        found = ladder.ratings(store, game, players, conditions)
    print(f"\n{report.text(found)}")
    ratings = {} if found.ratings is None else dict(zip(found.players, found.ratings, strict=True))
    rated = [
        Rated(level, round(one.elo), *(round(end) for end in one.interval), sum(found.counts(players.index(name))))
        for name, level in levels.items() for one in [ratings[name]]
    ]  # fmt: skip
    how = f"{given.games} games of every two of its levels and {', '.join(RIVALS)}"
    strongest = f"the strongest level evaluates {given.evaluations:,} states an action"
    change_card(network.file, ratings=tuple(rated), measured=f"{how}; {strongest}")


def commit() -> str:
    """The commit of this tree, with a + if files have changed since."""
    asked = ("rev-parse", "--short=12", "HEAD"), ("status", "--porcelain", "--untracked-files=no", "src")
    head, changes = (
        subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout for words in asked
    )
    return head.strip() + "+" * bool(changes.strip())


if __name__ == "__main__":
    main()
