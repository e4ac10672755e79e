"""What is compiled for a page: by other processes if it takes long, and what a person reads meanwhile."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE
from threading import Lock, Thread
from time import sleep
from typing import Literal, NamedTuple, TypeVar

from athenan.arena.preparing import answer, first_states
from athenan.networks.catalogue import NAME
from athenan.rules.compilation import Compilation, Watch
from athenan.rules.compiler import NotCompiledError, only_compiled
from athenan.rules.game import Game
from athenan.search.budget import Budget
from athenan.system.processes import Group
from athenan.web.choices import EVALUATION, LEVEL, RUN, Choices

_SEARCHED, _ROLLED_OUT = 18, 2
"""About how many functions a search compiles until its first answer: with a network or for a proof; by random play."""
_BY_RANDOM_PLAY = ("mcts", "rave", "random", "rollouts")
ONE = Budget(evaluations=1)
"""The limit of a search that only prepares."""
_LOOK = 0.1
"""Seconds between looks at what another process does."""
_MOST = 3
"""Processes at once: two opponents and an analysis."""

Purpose = Literal["game", "opponent", "analysis"]
Made = TypeVar("Made")


class Prepared(NamedTuple):
    """What is compiled."""

    what: Purpose
    functions: int | None = None
    """About how many functions, if that is known."""


GAME = Prepared("game")


def prepared_search(what: Purpose, name: str) -> Prepared:
    """The preparation of a player or of a search, by its name."""
    plain = name.partition(LEVEL)[0]
    return Prepared(what, _ROLLED_OUT if plain in _BY_RANDOM_PLAY else _SEARCHED)


def smaller(name: str) -> str:
    """The name of the player that replies until another process has prepared a player: rollouts at its level."""
    return f"mcts{LEVEL}{name.partition(LEVEL)[2] or 'strongest'}"


class Preparations:
    """Other processes that compile what the opponents and the analysis of one page need. Any thread may call this."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._begun = dict[tuple[Purpose, str, str], _Process]()
        self._lock = Lock()
        self._closed = False

    def made(self, make: Callable[[], Made], what: Purpose, name: str, game: Game) -> Made | None:
        """What `make` makes, if its code is compiled. Otherwise None, while another process compiles that.

        If that process has failed, `make` compiles, and raises what there is to raise.
        """
        if game.before_use or not _searches(name):
            return make()
        process = self._begun.get((what, name, game.name))
        if process and process.runs:
            return None
        try:
            with only_compiled():
                return make()
        except NotCompiledError:
            if process:
                return make()
            self._begin(what, name, game)
            return None

    def _begin(self, what: Purpose, name: str, game: Game) -> None:
        """Lets another process compile, unless enough do so already."""
        with self._lock:
            key, running = (what, name, game.name), sum(one.runs for one in self._begun.values())
            if key not in self._begun and running < _MOST and not self._closed:
                self._begun[key] = self._elsewhere(what, name, game)

    def steps(self, what: Purpose, name: str, game: Game, left: Callable[[], bool] = lambda: False) -> Iterator[int]:
        """The number of each function that the process begins to compile, until it ends, or nobody waits any more."""
        process, seen = self._begun.get((what, name, game.name)), 0
        sleep(_LOOK)
        while process and process.runs and not left():
            if process.number > seen:
                seen = process.number
                yield seen
            sleep(_LOOK)

    def end(self) -> None:
        """Ends all processes; what they have compiled is kept."""
        with self._lock:
            for process in self._begun.values():
                process.group.end()
            self._begun.clear()

    def close(self) -> None:
        """Ends all processes for good: a thread that still prepares something starts no more."""
        self._closed = True
        self.end()

    def _elsewhere(self, what: Purpose, name: str, game: Game) -> "_Process":
        runs = {run: str(path) for run, path in self._choices.runs.items()} if name.startswith(RUN) else {}
        command = [sys.executable, "-m", __name__, what, name, game.name, json.dumps([runs, self._choices.threads])]
        return _Process(command)


class _Process:
    """Another process that compiles."""

    def __init__(self, command: list[str]) -> None:
        self.group = Group(command, os.environ, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
        self.number = 0
        """How many functions it has begun to compile."""
        Thread(target=self._count, daemon=True).start()

    @property
    def runs(self) -> bool:
        return self.group.popen.poll() is None

    def _count(self) -> None:
        assert self.group.popen.stdout
        with self.group.popen.stdout as numbers:
            for number in numbers:
                with suppress(ValueError):  # a library may print as well
                    self.number = int(number)


def _searches(name: str) -> bool:
    """Whether what has this name searches in a tree, which takes long to compile."""
    return name == "proof" or name.startswith((NAME, RUN, EVALUATION))


def compile_all(what: str, name: str, choices: Choices) -> None:
    """Compiles what an opponent or an analysis needs for its first answers."""
    game = choices.make_game(choices.game)
    if what == "opponent":
        return answer(choices.make_player(name, game), game, ONE)
    session = choices.make_session(name, game)
    for state in first_states(session.game):
        session.position(state)
        session.think(ONE)


def _print_number(now: Compilation | None) -> None:
    if now:
        print(now.number, flush=True)


if __name__ == "__main__":
    purpose, name, game, others = sys.argv[1:]
    runs, threads = json.loads(others)
    with Watch(_print_number):
        compile_all(purpose, name, Choices(game, {run: Path(path) for run, path in runs.items()}, threads=threads))
