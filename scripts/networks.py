"""Trains and adds the networks in the package (src/athenan/networks/shipped), for its maintainers.

Usage, after `scripts/test` has made the environment:

    .venv/bin/python scripts/networks.py train othello:8 --minutes 60
    .venv/bin/python scripts/networks.py add runs/othello-8 --command "athenan train othello:8 --minutes 60 ..."
    .venv/bin/python scripts/networks.py weaknesses othello:8 "mcts:1s took 12 of 20 games from it at 1 s an action."

`train` takes all options of athenan train, saves the run in runs/, and adds its network in place of the game's former
one. `add` adds the network of a run that is there. `weaknesses` writes known weaknesses into the card of the game's
network, for example what a later match has shown. `scripts/ladder.py` measures how strong the network is, and writes
that into its card.
"""

import argparse
import shlex
import subprocess
import sys
from pathlib import Path

from athenan.cli import train
from athenan.games.catalogue import make
from athenan.learning.training import free_directory
from athenan.networks.catalogue import network_of
from athenan.networks.shipping import MOST_BYTES, change_card, ship
from athenan.runs.checkpoint import load_progress
from athenan.version import processor

ROOT = Path(__file__).parent.parent


def main(arguments: list[str] | None = None) -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train", help="train a network and add it")
    training.add_argument("game")
    training.set_defaults(commit=None)
    adding = commands.add_parser("add", help="add the network of a run")
    adding.add_argument("run")
    adding.add_argument("--command", dest="line", required=True, help="the command that trained it")
    adding.add_argument("--commit", help="the commit that trained it (default: what the run says)")
    noting = commands.add_parser("weaknesses", help="write what a network is weak at into its card")
    noting.add_argument("game")
    noting.add_argument("weaknesses", help="in sentences; an empty text says that none are known")
    for one in (training, adding):
        one.add_argument("--weaknesses", default="", help="known weaknesses, in sentences")
        one.add_argument("--bytes", type=int, default=MOST_BYTES, help=f"that it may take ({MOST_BYTES:,})")
    given, rest = parser.parse_known_args(arguments)
    if rest and given.command != "train":
        parser.error(f"unexpected arguments {shlex.join(rest)}")
    try:
        if given.command == "train":
            train_and_add(given, rest)
        elif given.command == "add":
            add(given)
        else:
            change_card(network_of(make(given.game)).file, weaknesses=given.weaknesses)
    except (ValueError, OSError) as error:
        sys.exit(f"networks: error: {error}")


def train_and_add(given: argparse.Namespace, options: list[str]) -> None:
    """Trains a network and adds it."""
    given.run = str(free_directory(make(given.game).name))
    given.line = shlex.join(["athenan", "train", given.game, *options])
    train.run([given.game, *options, "--run", given.run])
    add(given)


def add(given: argparse.Namespace) -> None:
    """Adds the network of a run."""
    commit = named_commit(given.commit) if given.commit else commit_of(given.run)
    file = ship(given.run, given.line, commit, processor(), given.weaknesses, given.bytes, report=print)
    print(f"{file}: {file.stat().st_size:,} bytes")


def commit_of(run: str) -> str:
    """The commit that trained a run last, with a + if files had changed since. Raises ValueError if it is not known."""
    versions = load_progress(run).get("versions") or [""]
    commit = versions[-1].partition("+")[2]
    if not commit:
        raise ValueError(f"{run} does not say which commit trained it: name it with --commit")
    return commit.replace(".changed", "+")


def named_commit(name: str) -> str:
    """The first twelve digits of a commit. Raises ValueError if this repository has no such commit."""
    try:
        return git("rev-parse", "--verify", "--quiet", "--short=12", "--end-of-options", f"{name}^{{commit}}")
    except subprocess.CalledProcessError as error:
        raise ValueError(f"this repository has no commit {name!r}") from error


def git(*words: str) -> str:
    """What git prints. Raises CalledProcessError if it fails."""
    found = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return found.stdout.strip()


if __name__ == "__main__":
    main()
