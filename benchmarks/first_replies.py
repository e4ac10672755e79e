"""How long the computer's first reply takes in the terminal: `python benchmarks/first_replies.py`.

Starts `athenan play GAME`, types a first action at once and waits for the answer, first with an empty cache of compiled
code and then with what that has left. Prints the seconds from the start of the command to the board and to the reply,
the processor seconds of both, and whether something was compiled. The computer thinks for a second of these.
`--program` measures another installation, such as a wheel with compiled code; `--train` also measures a training of one
match of Hex 7x7.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from athenan import make

GAMES = ("connect_four", "othello:8", "hex:7", "breakthrough:8x8", "go:7", "xiangqi")
ASKS = "your action"


def replied(program: list[str], game: str, action: str, cache: str) -> tuple[float, float, float, bool]:
    """The seconds to the board and to the reply, the processor seconds, and whether something was compiled."""
    before, began = processor(), time.perf_counter()
    command = [*program, "play", game]
    with subprocess.Popen(
        command, env={**os.environ, "NUMBA_CACHE_DIR": cache}, text=True, bufsize=1,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin and process.stdout and process.stderr
        board = after(process, ASKS) - began
        process.stdin.write(f"{action}\n")
        reply = after(process, ASKS) - began
        _, errors = process.communicate("quit\n")
    return board, reply, processor() - before, "compiling" in errors


def after(process: subprocess.Popen[str], text: str) -> float:
    """The time when a process has printed a text, which may be the beginning of a line."""
    assert process.stdout
    seen = ""
    while not seen.endswith(text):
        one = process.stdout.read(1)
        if not one:
            raise SystemExit(f"{process.args} ended: {process.communicate()[1]}")
        seen += one
    return time.perf_counter()


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
    print("game              cache       board  reply  processor  compiled")
    for name in options.games:
        game = make(name)
        state = game.initial()
        action = game.action_name(state, int(game.actions(state)[0]))
        with TemporaryDirectory() as cache:
            for what in ("empty", "full"):
                board, reply, used, compiled = replied(program, name, action, cache)
                print(
                    f"{name:17} {what:8} {board:8.1f} {reply:6.1f} {used:10.1f}  {'yes' if compiled else 'no'}",
                    flush=True,
                )
    if options.train:
        with TemporaryDirectory() as cache, TemporaryDirectory() as folder:
            train(program, cache, folder)


if __name__ == "__main__":
    main()
