"""The match of a GTP server: whose turn it is, and what `undo` takes back.

In Go a side may play several times in succession, as servers set handicap stones, and the players may play on after two
passes. Then the position becomes the start of the session (`Forms.turn_given`), because no action leads to it.
"""

from collections.abc import Sequence

from athenan.engines.engine import Engine
from athenan.engines.gtp.notation import COLOURS, read
from athenan.engines.resuming import resumed
from athenan.rules.game import GameError, State
from athenan.rules.state import PASS_NAME

Place = tuple[State, tuple[int, ...]]
"""A state and the actions since then."""


class GtpMatch:
    """Changes the match of an engine's session, command by command."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._before = list[Place]()
        """The place before each command that played."""
        self.wants_stone = False
        """Whether the side to move was given its turn in Go: a program that asks for its move wants a stone."""

    def clear(self) -> None:
        """Forgets all commands: a match begins."""
        self._before = []

    @property
    def free_turns(self) -> bool:
        """Whether a side may play several times in succession, and play may go on after two passes."""
        return self._engine.game.forms.free_passes

    @property
    def place(self) -> Place:
        """Where the match is."""
        return self._engine.session.start, self._engine.session.actions

    def go_to(self, place: Place) -> None:
        """Goes to a place of the present game."""
        session, (start, actions) = self._engine.session, place
        if session.start is start and session.actions[: len(actions)] == actions:
            while len(session.actions) > len(actions):
                session.undo()
            return
        session.position(start)
        for action in actions:
            session.play(action)

    def undo(self) -> None:
        """Takes back the last command that played. Raises GameError before the first one."""
        if not self._before:
            raise GameError("cannot undo")
        self.go_to(self._before.pop())

    def played(self, before: Place) -> None:
        """Notes that a command has played; `before` is the place before it."""
        self._before.append(before)

    def play(self, moves: Sequence[tuple[int, str]]) -> None:
        """Plays the moves of a command, each a side and its move as GTP writes it. Raises GameError, and plays none."""
        before, session = self.place, self._engine.session
        try:
            for side, text in moves:
                if self.passed_out and text.lower() == PASS_NAME:
                    continue
                self.give(side)
                session.play(read(self._engine.game, session.state, text))
        except GameError:
            self.go_to(before)
            raise
        self.played(before)

    @property
    def passed_out(self) -> bool:
        """Whether a match of Go is over, so that passes change nothing."""
        return self.free_turns and self._engine.session.over

    def give(self, side: int) -> None:
        """Makes a side the one to move. Raises GameError, and changes nothing, if it cannot be."""
        session, game, self.wants_stone = self._engine.session, self._engine.game, False
        if not session.over and game.player(session.state) == side:
            return
        if turn_given := game.forms.turn_given:
            last = session.previous if session.over else session.state
            session.position(turn_given(game, last, side))
            self.wants_stone = True
            return
        start = resumed(game, session.state) if session.over else session.state
        if start is None:
            raise GameError("the match is over")
        if game.player(start) != side:
            raise GameError(f"{COLOURS[game.player(start)]} is to move: only in Go may a side play out of turn")
        session.position(start)
