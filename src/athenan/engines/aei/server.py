"""An engine that speaks AEI: Arimaa, turn by turn. The steps of a turn share its time."""

from collections.abc import Callable
from time import perf_counter

from athenan.engines.aei.turns import read_turn, write_turn
from athenan.engines.engine import ENDLESS, Engine
from athenan.engines.numbers import number, threads
from athenan.engines.serving import EngineServer, Write
from athenan.games.arimaa.positions import position
from athenan.play.limit import LEAST_SECONDS, Limit
from athenan.rules.game import GameError
from athenan.search.budget import Budget
from athenan.settings import one_line

_STEPS, _PIECES = 4, 16
_SHARE = 0.05
"""The share of the reserve that a turn may use."""
_TIMES = ("tcmove", "tcturntime", "greserve", "sreserve", "tcreserve")


class AeiServer(EngineServer):
    """Answers the lines of a controller. It thinks in a separate thread, so that it can obey `stop`.

    Raises GameError if the game is not Arimaa.
    """

    def __init__(self, engine: Engine, write: Write) -> None:
        if "aei" not in engine.game.forms.programs:
            raise GameError(f"AEI is for arimaa, not for {engine.game.name}")
        super().__init__(engine, write)
        self._times: dict[str, float] = {}
        """The given options of the time control, in seconds."""
        self._hurried = False
        """Whether the present turn is to end at once."""
        self._commands: dict[str, Callable[[str], None]] = {
            "aei": lambda _: self._introduce(), "isready": lambda _: self._tell("readyok"),
            "newgame": lambda _: self._new_game(), "setoption": self._set_option, "makemove": self._make_move,
            "go": self._go, "stop": lambda _: self._stop(), "quit": lambda _: self._stop(),
            "setposition": self._set_position,
        }  # fmt: skip

    def handle(self, line: str) -> bool:
        command, _, rest = line.strip().partition(" ")
        try:
            if known := self._commands.get(command):
                known(rest)
        except ValueError as error:
            self._tell(f"log Error: {one_line(error)}")
        return command != "quit"

    def _introduce(self) -> None:
        for line in ("protocol-version 1", "id name athenan", f"id version {self.engine.options.version}", "aeiok"):
            self._tell(line)

    def _new_game(self) -> None:
        self._stop()
        self._new_match()

    def _set_option(self, rest: str) -> None:
        """Reads `name NAME value VALUE`, ignoring other names. Raises ValueError for a bad value."""
        words = rest.split()
        if words[:1] != ["name"] or words[2:3] != ["value"]:
            return
        name, value = words[1], " ".join(words[3:])
        if name == "level":
            self.engine.play_at(value)
        elif name == "threads":
            self._stop()
            self.engine.use_threads(threads(value))
        elif name in _TIMES:
            self._times[name] = number(name, value)

    def _make_move(self, rest: str) -> None:
        """Plays a turn. After an illegal one only `setposition` or `newgame` helps: the controller is elsewhere."""
        self._stop()
        self._require_position()
        session = self.engine.session
        with self._taking_position():
            for action in read_turn(self.engine.game, session.state, rest):
                session.play(action)

    def _set_position(self, rest: str) -> None:
        self._stop()
        with self._taking_position():
            self.engine.session.position(position(self.engine.game, rest))

    def _go(self, rest: str) -> None:
        self._stop()
        self._require_position()
        if self.engine.session.over:
            raise GameError("the match is over")
        if rest.strip() == "ponder":
            self.engine.start(ENDLESS)
        else:
            self._hurried = False
            self.engine.run(self._think)

    def _think(self) -> None:
        """Thinks about a turn and answers it, without changing the position."""
        session, game = self.engine.session, self.engine.game
        state, began, count, actions = session.state, perf_counter(), len(session.actions), list[int]()
        seconds = self._seconds(game.player(state))
        left = _PIECES if game.length(state) < 2 * _PIECES else _STEPS
        while not session.over and game.player(session.state) == game.player(state):
            found = self.engine.think(self._limit(seconds, perf_counter() - began, left))
            assert found.best
            session.play(found.best)
            actions.append(session.actions[-1])
            left = max(1, left - 1)
        while len(session.actions) > count:
            session.undo()
        self._tell(f"info time {round(perf_counter() - began)}")
        self._tell(f"bestmove {write_turn(game, state, actions)}")

    def _seconds(self, side: int) -> float | None:
        """The time for a turn: a move's time and a share of the reserve, below the maximum; None if none is given."""
        if "tcmove" not in self._times:
            return None
        reserve = self._times.get(("greserve", "sreserve")[side], self._times.get("tcreserve", 0.0))
        seconds = self._times["tcmove"] + _SHARE * reserve
        if most := self._times.get("tcturntime"):
            seconds = min(seconds, most)
        return max(LEAST_SECONDS, min(seconds, self._times["tcmove"] + reserve) - self.engine.options.margin)

    def _limit(self, seconds: float | None, spent: float, left: int) -> Limit:
        """The limit of an action: an equal share of the time left."""
        if self._hurried:
            return Budget(iterations=1)
        if seconds is None:
            return self.engine.limit(None)
        return self.engine.player.limit or Budget(seconds=max(LEAST_SECONDS, (seconds - spent) / left))

    def _stop(self) -> None:
        """Ends the present turn, which is then answered."""
        self._hurried = True
        self.engine.stop()
