"""How much memory `athenan web` takes: `python benchmarks/page_memory.py [SECONDS]`.

Opens pages of backgammon, Xiangqi and Go 9 one after the other, which stay open. On each the package's network plays
one action and then analyses for some seconds, 20 by default. Prints the resident memory of the server after each page,
and the most that it has taken (Linux: VmRSS and VmHWM).
"""

import re
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from web_page import Page, server

from athenan.networks.catalogue import NAME

GAMES = ("backgammon", "xiangqi", "go:9")
CHANCE = 2


def resident(process: int) -> tuple[int, int]:
    """MiB that a process takes now, and the most that it has taken."""
    status = Path(f"/proc/{process}/status").read_text()
    now, most = (int(re.findall(rf"{name}:\s+(\d+) kB", status)[0]) >> 10 for name in ("VmRSS", "VmHWM"))
    return now, most


def think(page: Page, game: str, seconds: float) -> None:
    """Lets the network play an action and analyse."""
    page.ask("open", game=game, moves="", fen="")
    view = page.answer("position")
    if view["side"] == CHANCE:
        page.ask("roll")
        page.answer("position")
    page.ask("think", player=NAME, seconds=2, evaluations=0)
    page.answer("position")
    page.ask("analyse", search=NAME, on=True, chances=True)
    ends = time.monotonic() + seconds
    page.answer("analysis")
    while time.monotonic() < ends:
        page.answer("analysis")
    page.ask("stop")  # the tree stays


def main(seconds: float) -> None:
    print("| pages open | MiB | most MiB |\n| --- | --- | --- |")
    with server(GAMES[0]) as running, ExitStack() as pages:
        time.sleep(5)
        now, most = resident(running.process.pid)
        print(f"| none | {now:,} | {most:,} |", flush=True)
        for number, game in enumerate(GAMES, 1):
            think(pages.enter_context(running.page()), game, seconds)
            now, most = resident(running.process.pid)
            print(f"| {', '.join(GAMES[:number])} | {now:,} | {most:,} |", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 20.0)
