"""An engine that speaks the protocol of Gomocup, in which it is called a brain."""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from math import inf

from athenan.engines.engine import Engine
from athenan.engines.gomocup.cells import EXACT, check, read, written
from athenan.engines.numbers import whole
from athenan.engines.serving import EngineServer, Write
from athenan.games.catalogue import settings_of
from athenan.play.limit import LEAST_SECONDS, Clock, Limit
from athenan.rules.game import GameError
from athenan.search.budget import Budget
from athenan.settings import one_line

_OWN, _OTHER = "1", "2"
_TIMES = "timeout_turn", "timeout_match", "time_left"
_LEVEL = "athenan-level"
"""The key of INFO that chooses a level, an extension of the protocol."""
_NO_LIMIT = 2_147_483_647
"""The number of milliseconds that means no limit for a match."""


class GomocupServer(EngineServer):
    """Answers the lines of a manager. Raises GameError if the game is not Gomoku."""

    def __init__(self, engine: Engine, write: Write) -> None:
        check(engine.game)
        super().__init__(engine, write)
        self._times: dict[str, int] = {}
        """What a time limits -> milliseconds."""
        self._size: str | None = None
        """The size of the board as START gave it."""
        self._board: list[tuple[str, str]] | None = None
        """The cells of a BOARD that is being read, and the owners of their stones."""
        self._commands: dict[str, Callable[[str], None]] = {
            "START": self._start, "RESTART": lambda _: self._restart(), "BEGIN": lambda _: self._think(),
            "TURN": self._turn, "BOARD": self._begin_board, "INFO": self._info, "TAKEBACK": self._take_back,
            "ABOUT": lambda _: self._tell(f'name="athenan", version="{engine.options.version}"'), "END": lambda _: None,
        }  # fmt: skip

    def handle(self, line: str) -> bool:
        command, _, rest = line.strip().partition(" ")
        if not command:
            return True
        self.engine.stop()
        try:
            if self._board is not None:
                self._take_cell(line.strip())
            elif known := self._commands.get(command.upper()):
                known(rest)
            else:
                self._tell("UNKNOWN command")
        except ValueError as error:
            self._tell(f"ERROR {one_line(error)}")
        return command.upper() != "END" or self._board is not None

    def _start(self, rest: str) -> None:
        self._size = rest.strip()
        self._restart()

    def _restart(self) -> None:
        """Begins a match on a board of the last size that was asked for, and refuses a size that was refused."""
        with self._taking_position():
            if self._size is not None:
                self.engine.change(size=whole("the size of the board", self._size, most=inf, least=-inf))
            self.engine.session.new_match()
        self._tell("OK")

    def _info(self, rest: str) -> None:
        """Reads KEY VALUE; unknown keys are ignored, as the protocol demands. An error is a message for the user."""
        key, _, value = rest.strip().lower().partition(" ")
        try:
            if key in _TIMES:
                self._times[key] = whole(key, value.strip(), _NO_LIMIT)
            elif key == "rule":
                self._rule(whole(key, value.strip()))
            elif key == _LEVEL:
                self.engine.play_at(value.strip())
        except ValueError as error:
            self._tell(f"MESSAGE {one_line(error)}")

    def _rule(self, bits: int) -> None:
        """Raises ValueError for a rule that the player cannot play."""
        exact = bool(bits & EXACT)
        if exact != settings_of(self.engine.game)["exact"]:
            self.engine.change(exact=exact)

    def _turn(self, rest: str) -> None:
        self._require_position()
        session = self.engine.session
        session.play(read(session.game, session.state, rest))
        self._think()

    def _take_back(self, rest: str) -> None:
        self._require_position()
        session = self.engine.session
        if not session.actions:
            raise GameError("there is no stone to take back")
        last = session.game.moves(session.actions).split()[-1]
        if written(session.game, last) != rest.replace(" ", ""):
            raise GameError("only the last stone can be taken back")
        session.undo()
        self._tell("OK")

    def _begin_board(self, rest: str) -> None:
        self._board = []

    def _take_cell(self, line: str) -> None:
        """Reads a line of a BOARD; DONE ends it. After a board that is refused only another one or a match helps."""
        assert self._board is not None
        if line.upper() != "DONE":
            x, _, rest = line.partition(",")
            y, _, whose = rest.partition(",")
            self._board.append((f"{x},{y}", whose.strip()))
            return
        cells, self._board = self._board, None
        with self._taking_position():
            self._place(cells)
        self._think()

    def _place(self, cells: Sequence[tuple[str, str]]) -> None:
        """Plays the stones of a BOARD one by one, each side's in their order."""
        sides = [[cell for cell, whose in cells if whose == one] for one in (_OWN, _OTHER)]
        if len(sides[0]) + len(sides[1]) != len(cells):
            raise ValueError("a line of BOARD must be X,Y,1 for the brain's stone or X,Y,2 for the opponent's")
        if len(sides[0]) != len(sides[1]):  # the other side moved first
            sides.reverse()
        if not 0 <= len(sides[0]) - len(sides[1]) <= 1:
            raise ValueError("no match with the brain to move has the stones of this BOARD")
        session = self.engine.session
        session.position()
        for pair in zip_longest(*sides):
            for cell in filter(None, pair):
                session.play(read(session.game, session.state, cell))

    def _think(self) -> None:
        self._require_position()
        session = self.engine.session
        if session.over:
            raise GameError("the match is over")
        found = self.engine.think(self._limit())
        assert found.best
        session.play(found.best)
        self._tell(written(session.game, found.best))
        self.engine.ponder()

    def _limit(self) -> Limit:
        """The limit of an action: the time for a turn, and a share of the match's time."""
        turn, match = self._times.get("timeout_turn"), self._times.get("timeout_match", 0)
        left = self._times.get("time_left", match) / 1000
        seconds = [] if turn is None else [max(LEAST_SECONDS, turn / 1000)]
        if 0 < match < _NO_LIMIT:
            session = self.engine.session
            seconds.append(Clock(left).seconds(session.game, session.state))
        return self.engine.limit(Budget(seconds=min(seconds)) if seconds else None)
