"""How fast the page of `athenan web` is: `python benchmarks/web_page.py [GAME|RUN] [REPEATS]`.

Prints three tables: the time from the command to the first answer of an opponent; how long the page waits for an answer
while a search runs at full speed; and how much slower that search is than without a server. The client is no browser,
so that it takes next to nothing of the processor. A run is played and analysed with its network, a game with rollouts.
Everything is started twice before it is measured, so that it is compiled. On a busy machine only the processor times
and the ratio say something.
"""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urljoin

from websockets.sync.client import ClientConnection, connect

from athenan import Budget
from athenan.web.choices import RUN, Choices
from athenan.web.position import Position

SECONDS = 4.0
"""Of the processor, of a search that is measured."""
QUESTIONS = 150


class Page:
    """What a page of the server sends and receives."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket, self.request = socket, 0

    def ask(self, kind: str, **content: Any) -> None:
        self.request += 1
        self.socket.send(json.dumps({"type": kind, "request": self.request, **content}))

    def answer(self, kind: str) -> dict[str, Any]:
        """The next answer of a kind to the last message. Raises RuntimeError for an error."""
        while True:
            found: dict[str, Any] = json.loads(self.socket.recv())
            if found["type"] == "error":
                raise RuntimeError(found["text"])
            if (found["type"], found["request"]) == (kind, self.request):
                return found


class Server:
    """A running `athenan web`."""

    def __init__(self, subject: str) -> None:
        self.began = time.perf_counter()
        command = [sys.executable, "-m", "athenan", "web", subject, "--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout
        self.board = self.process.stdout.readline().split()[1]
        self.address = urljoin(self.board, "/")

    def processor(self) -> float:
        """Processor seconds of the server so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def now(self) -> tuple[float, float]:
        """Seconds since the command, and the processor's."""
        return time.perf_counter() - self.began, self.processor()

    @contextmanager
    def page(self) -> Iterator[Page]:
        with connect(f"{self.address.replace('http', 'ws')}socket", max_size=None) as socket:
            yield Page(socket)


@contextmanager
def server(subject: str) -> Iterator[Server]:
    running = Server(subject)
    try:
        yield running
    finally:
        running.process.terminate()
        running.process.wait()


def start(subject: str, game: str, player: str) -> dict[str, tuple[float, float]]:
    """What is reached after how many seconds, and processor seconds, from the command on."""
    found = {}
    with server(subject) as running:
        found["the address is printed"] = running.now()
        read(running.board)
        found["the page is loaded"] = running.now()
        with running.page() as page:
            page.ask("open", game=game, moves="", fen="")
            action = page.answer("position")["actions"][0]["id"]
            found["the board can be clicked"] = running.now()
            page.ask("play", action=action)
            page.answer("position")
            found["the first move is played"] = running.now()
            limit = {"seconds": 0, "evaluations": 100} if player == "mcts" else {"seconds": 0.01, "evaluations": 0}
            page.ask("think", player=player, **limit)
            page.answer("position")
            found["the opponent has answered"] = running.now()
    return found


def waiting(subject: str, game: str, search: str) -> dict[str, list[float]]:
    """Milliseconds of each answer while a search of the same server runs."""
    found: dict[str, list[float]] = {"the page that searches": [], "another page": [], "the words of the game": []}
    with server(subject) as running, running.page() as page, running.page() as other:
        for one in (page, other):
            one.ask("open", game=game, moves="", fen="")
            one.answer("position")
        page.ask("analyse", search=search, on=True, chances=True)
        page.answer("analysis")
        for _ in range(QUESTIONS):
            found["the page that searches"].append(timed(lambda: chosen(page)))
            found["another page"].append(timed(lambda: shown(other)))
            found["the words of the game"].append(timed(lambda: read(f"{running.address}about")))
            time.sleep(0.02)
    return found


def read(address: str) -> bytes:
    with urllib.request.urlopen(address) as answer:
        found: bytes = answer.read()
    return found


def chosen(page: Page) -> None:
    page.request -= 1  # a click on the board keeps the search
    page.ask("choose", places=[])
    page.answer("overlay")


def shown(page: Page) -> None:
    page.ask("position", moves="")
    page.answer("position")


def timed(act: Callable[[], Any]) -> float:
    began = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - began)


def with_page(subject: str, game: str, search: str) -> float:
    """Evaluations in a processor second of the server while it searches and reports."""
    with server(subject) as running, running.page() as page:
        page.ask("open", game=game, moves="", fen="")
        page.answer("position")
        page.ask("analyse", search=search, on=True, chances=True)
        first = page.answer("analysis")
        began = running.processor()
        while running.processor() < began + SECONDS:
            last = page.answer("analysis")
            ended = running.processor()
            if last["exact"] or last["full"]:
                raise RuntimeError("the search has ended: name a larger game")
        return float(last["evaluations"] - first["evaluations"]) / (ended - began)


def without_page(subject: str, game: str, search: str) -> float:
    """The same in a process that does nothing else."""
    command = [sys.executable, __file__, "--alone", subject, game, search]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def alone(subject: str, game: str, search: str) -> float:
    choices = choices_of(subject, game)
    session = choices.make_session(search, choices.make_game(game))
    Position(session.game).take(session)
    counts = list[tuple[float, int]]()

    def watch(seconds: float) -> None:
        if (not counts and seconds > 0.1) or (counts and time.process_time() > counts[0][0] + SECONDS):
            counts.append((time.process_time(), session.searcher.effort().evaluations))
        if len(counts) == 2:
            session.stop()

    session.search(Budget(seconds=1e6), watch)
    (began, first), (ended, last) = counts[0], counts[-1]
    return (last - first) / (ended - began)


def choices_of(subject: str, game: str) -> Choices:
    named = {} if subject == game else {Path(subject).resolve().name: Path(subject).resolve()}
    return Choices(game, named)


def main(subject: str, repeats: int) -> None:
    """Prints the tables."""
    from athenan.arena.roster import known_game
    from athenan.cli.options import is_game
    from athenan.games.catalogue import make

    if is_game(subject):
        game, player, search = make(subject).name, "mcts", "rollouts"
        subject = game
    else:
        game = known_game(subject) or ""
        player = search = f"{RUN}{Path(subject).resolve().name}"
    for _ in range(2):
        start(subject, game, player)
    starts = [start(subject, game, player) for _ in range(repeats)]
    print("| from the command until | seconds | worst | processor seconds |\n| --- | --- | --- | --- |")
    for what in starts[0]:
        seconds, processor = zip(*(one[what] for one in starts), strict=True)
        print(f"| {what} | {median(seconds):.2f} | {max(seconds):.2f} | {median(processor):.2f} |")
    print("\n| while a search runs, an answer to | milliseconds | 99% within | worst |\n| --- | --- | --- | --- |")
    for what, times in waiting(subject, game, search).items():
        ordered = sorted(times)
        print(f"| {what} | {median(times):.1f} | {ordered[int(0.99 * len(ordered))]:.1f} | {ordered[-1]:.1f} |")
    ratios = [with_page(subject, game, search) / without_page(subject, game, search) for _ in range(repeats)]
    print("\n| speed of the search with the page, of that without | median | least | most |\n| --- | --- | --- | --- |")
    print(f"| evaluations in a processor second | {median(ratios):.3f} | {min(ratios):.3f} | {max(ratios):.3f} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--alone"]:
        print(alone(*sys.argv[2:5]))
    else:
        main(sys.argv[1] if len(sys.argv) > 1 else "hex:11", int(sys.argv[2]) if len(sys.argv) > 2 else 5)
