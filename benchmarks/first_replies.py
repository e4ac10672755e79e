"""How long the computer's first reply takes in the terminal: `python benchmarks/first_replies.py`.

Starts `athenan play GAME --second athenan`, types a first action at once and waits for the answer, first with an empty
cache of compiled code and then with a full one. Prints the seconds from the start of the command to the board, to the
reply and to the end of all preparation, the processor seconds of the command itself until the reply and of all
processes in the end, and who replied: the package's network, which thinks for a second of these, or the smaller
opponent that plays until the network is prepared.
`--program` measures another installation, such as a wheel with compiled code; `--train` also measures a training of one
match of Hex 7x7.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import psutil

from athenan import Game, make
from athenan.rules.state import FIRST

GAMES = ("connect_four", "othello:8", "hex:7", "breakthrough:8x8", "go:7", "xiangqi")
ASKS = "your action"


class Reply(NamedTuple):
    """The seconds until each event, processor seconds of the command until its reply and of all, and who replied."""

    board: float
    reply: float
    prepared: float
    own: float
    processor: float
    player: str


def replied(program: list[str], game: str, turn: list[str], cache: str) -> Reply:
    """Plays the actions of a turn."""
    before, began = processor(), time.perf_counter()
    command = [*program, "play", game, "--second", "athenan"]
    with subprocess.Popen(
        command, env={**os.environ, "NUMBA_CACHE_DIR": cache}, text=True, bufsize=1,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin and process.stdout and process.stderr
        after(process, ASKS)
        board = time.perf_counter() - began
        for action in turn:
            process.stdin.write(f"{action}\n")
            seen = after(process, ASKS)
        reply = time.perf_counter() - began
        own = sum(psutil.Process(process.pid).cpu_times()[:2])
        while any(child.status() != psutil.STATUS_ZOMBIE for child in psutil.Process(process.pid).children()):
            time.sleep(0.05)
        prepared = time.perf_counter() - began
        process.communicate("quit\n")
    player = re.findall(r"^(\S+) \(.*\) plays", seen, re.MULTILINE)[0]
    return Reply(board, reply, prepared, own, processor() - before, player)


def after(process: subprocess.Popen[str], text: str) -> str:
    """What a process prints until a text, which may be the beginning of a line."""
    assert process.stdout
    seen = ""
    while not seen.endswith(text):
        one = process.stdout.read(1)
        if not one:
            raise SystemExit(f"{process.args} ended: {process.communicate()[1]}")
        seen += one
    return seen


def first_turn(game: Game) -> list[str]:
    """The actions of a first turn by their names. The game must have no chance before."""
    state, names = game.initial(), list[str]()
    while game.player(state) == FIRST:
        action = int(game.actions(state)[0])
        names.append(game.action_name(state, action))
        state = game.play(state, action)
    return names


def processor() -> float:
    """The processor seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def train(program: list[str], cache: str, folder: str) -> None:
    """Measures a training of one match."""
    before, began = processor(), time.perf_counter()
    line = f"train hex:7 --matches 1 --strength.seconds 0 --run {folder}/run"
    subprocess.run(
        [*program, *line.split()], env={**os.environ, "NUMBA_CACHE_DIR": cache}, capture_output=True, check=True
    )
    print(f"train hex:7, a match          {time.perf_counter() - began:6.1f} {processor() - before:9.1f}", flush=True)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--program", type=Path, help="the athenan of another installation")
    parser.add_argument("--train", action="store_true", help="measure a training as well")
    options = parser.parse_args()
    program = [str(options.program)] if options.program else [sys.executable, "-m", "athenan"]
    print("game              cache       board  reply  prepared  own processor  all processor  replied")
    for name in options.games:
        game = make(name)
        turn = first_turn(game)
        with TemporaryDirectory() as cache:
            for what in ("empty", "full"):
                one = replied(program, name, turn, cache)
                print(
                    f"{name:17} {what:8} {one.board:8.1f} {one.reply:6.1f} {one.prepared:9.1f} {one.own:14.1f}"
                    f" {one.processor:14.1f}  {one.player}",
                    flush=True,
                )
    if options.train:
        with TemporaryDirectory() as cache, TemporaryDirectory() as folder:
            train(program, cache, folder)


if __name__ == "__main__":
    main()
