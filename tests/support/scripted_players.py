"""Players that do what a test has written down."""

from collections.abc import Iterator

from athenan.arena.human import HumanPlayer
from athenan.play.limit import Limit
from athenan.play.player import Move
from athenan.rules.game import Game, State


class Scripted:
    """Plays the lowest (or highest) legal action and notes what it is told."""

    def __init__(self, highest: bool = False) -> None:
        self.name = "scripted"
        self.highest = highest
        self.seen: list[tuple[int, bytes]] = []
        self.limits: list[Limit] = []

    def new_match(self, game: Game, seed: int) -> None:
        self.game, self.seed, self.seen = game, seed, []

    def select(self, state: State, limit: Limit) -> Move:
        if self.seen:  # it was told of every action that led here
            assert self.seen[-1][1] == state.tobytes()
        self.limits.append(limit)
        return Move(int(self.game.actions(state)[-1 if self.highest else 0]), value=0.25, proven=0)

    def observe(self, action: int, following: State) -> None:
        self.seen.append((action, following.tobytes()))

    def close(self) -> None:
        pass


def typist(*lines: str) -> tuple[HumanPlayer, list[str]]:
    """A human player who types these lines and then ends the input, and what is shown."""
    shown: list[str] = []
    typed: Iterator[str] = iter(lines)

    def ask(prompt: str) -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    return HumanPlayer(ask, shown.append), shown
