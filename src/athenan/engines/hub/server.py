"""An engine that speaks Hub: international draughts."""

from collections.abc import Callable
from threading import Lock

from athenan.engines.engine import ENDLESS, Engine
from athenan.engines.gtp.analysis import utility
from athenan.engines.hub import lines
from athenan.engines.hub.moves import check, read_move, read_position, write_move
from athenan.engines.numbers import number, whole
from athenan.engines.resuming import resumed
from athenan.engines.serving import EngineServer, Write
from athenan.play.analysis import Analysis
from athenan.play.levels import LEVELS
from athenan.play.limit import LEAST_SECONDS, Clock, Limit, before_more_time
from athenan.play.session import REPORT_SECONDS
from athenan.search.budget import Budget
from athenan.settings import one_line

_TIMES, _COUNTS = ("move-time", "time", "inc"), ("moves", "depth")
"""The arguments of `level`: in seconds, and whole numbers."""
_SCORE = 10
"""The score, in men, of a value as large as a finished match's."""


class HubServer(EngineServer):
    """Answers the lines of a board. It searches in a separate thread, so that it can obey `stop` and `ping`.

    A search that ends by itself answers at once, as Hub allows, even when analysing or pondering. Raises GameError if
    the game is not international draughts.
    """

    def __init__(self, engine: Engine, write: Write) -> None:
        check(engine.game)
        super().__init__(engine, write)
        self._given: Limit | None = None
        """The limit that `level` gave."""
        self._hit: Limit | None = None
        """The limit of the search that `ponder-hit` starts."""
        self._silent = False
        """Whether the ending search will be continued, and so reports nothing."""
        self._lock = Lock()
        """Held to decide which search answers."""
        self._while_thinking: dict[str, Callable[[dict[str, str]], None]] = {
            "hub": lambda _: self._introduce(), "init": lambda _: self._tell("ready"),
            "ping": lambda _: self._tell("pong"), "stop": lambda _: engine.stop(),
            "ponder-hit": lambda _: self._ponder_hit(), "set-param": self._set_param,
        }  # fmt: skip
        self._others: dict[str, Callable[[dict[str, str]], None]] = {
            "pos": self._position, "level": self._level, "go": self._go,
            "new-game": lambda _: self._new_match(),
        }  # fmt: skip

    def handle(self, line: str) -> bool:
        command, arguments = lines.read(line)
        try:
            if known := self._while_thinking.get(command):
                known(arguments)
            elif known := self._others.get(command):
                self.engine.stop()
                known(arguments)
        except ValueError as error:
            self._tell(lines.write("error", message=one_line(error).replace('"', "'")))
        return command != "quit"

    def _introduce(self) -> None:
        version = self.engine.options.version
        self._tell(lines.write("id", name="athenan", version=version, author="the athenan project", country=""))
        self._tell(lines.write("param", name="variant", value="normal", type="enum", values="normal"))
        if level := self.engine.level:
            self._tell(lines.write("param", name="level", value=level, type="enum", values=" ".join(LEVELS)))
        self._tell("wait")

    def _set_param(self, arguments: dict[str, str]) -> None:
        """Reads a parameter; unknown ones are ignored. Raises ValueError for a level that does not exist."""
        if arguments.get("name") == "level":
            self.engine.play_at(arguments.get("value", ""))

    def _position(self, arguments: dict[str, str]) -> None:
        """Takes a position and its moves. After an invalid one only another position or `new-game` helps."""
        with self._taking_position():
            self._take_position(arguments)

    def _take_position(self, arguments: dict[str, str]) -> None:
        session, actions = self.engine.session, list[int]()
        state = start = read_position(self.engine.game, arguments.get("pos", ""))
        for text in arguments.get("moves", "").split():
            if (fresh := resumed(self.engine.game, state)) is not None:  # the board's rules go on here
                start, state, actions = fresh, fresh, []
            for action in read_move(self.engine.game, state, text):
                actions.append(action)
                state = self.engine.game.play(state, action)
        session.position(start)
        for action in actions:
            session.play(action)

    def _level(self, arguments: dict[str, str]) -> None:
        """Reads a time or a depth. Raises ValueError for a depth if the search has no depths.

        A level that is refused leaves the engine without one, so that no earlier one is taken for it.
        """
        self._given = None
        times = {name: number(name, arguments[name]) for name in _TIMES if name in arguments}
        counts = {name: whole(name, arguments[name]) for name in _COUNTS if name in arguments}
        if "infinite" in arguments:
            self._given = ENDLESS
        elif "move-time" in times:
            self._given = Budget(seconds=max(LEAST_SECONDS, times["move-time"]))
        elif "time" in times and counts.get("moves"):
            self._given = before_more_time(times["time"], counts["moves"], times.get("inc", 0.0))
        elif "time" in times:
            self._given = Clock(times["time"], times.get("inc", 0.0))
        elif "depth" in counts:
            self._given = self.engine.to_depth(counts["depth"])

    def _go(self, arguments: dict[str, str]) -> None:
        self._hit = None
        self._require_position()
        session = self.engine.session
        if (fresh := resumed(session.game, session.state)) is not None:
            session.position(fresh)
        if session.over:
            raise ValueError("the match is over")
        limit = self.engine.limit(self._given)
        if "ponder" in arguments:
            self._hit, limit = limit, ENDLESS
        elif "analyze" in arguments and self._given is None:
            limit = ENDLESS
        self._think(limit)

    def _think(self, limit: Limit) -> None:
        self._silent = False
        self.engine.start(limit, self._report, REPORT_SECONDS, self._answer)

    def _ponder_hit(self) -> None:
        with self._lock:
            limit, self._hit = self._hit, None
            self._silent = limit is not None
        if limit:  # else the search has answered
            self.engine.stop()
            self._think(limit)

    def _report(self, found: Analysis) -> None:
        score = _SCORE * utility(found, found, self.engine.session.searcher.scale)
        moves = self._moves(found)
        speed = found.evaluations / max(1e-3, found.seconds) / 1e6
        self._tell(
            lines.write(
                "info", score=f"{score:.2f}", nodes=found.evaluations, time=f"{found.seconds:.2f}",
                nps=f"{speed:.3f}", pv=" ".join(moves),
            )
        )  # fmt: skip

    def _answer(self, found: Analysis) -> None:
        with self._lock:
            if self._silent:
                return
            self._hit = None
        self._report(found)
        moves = self._moves(found)
        if moves:
            self._tell(lines.write("done", move=moves[0], **({"ponder": moves[1]} if len(moves) > 1 else {})))

    def _moves(self, found: Analysis) -> list[str]:
        """The best line in whole moves; a move that the line leaves unfinished is completed with the first choices."""
        game, state, names, written = found.game, found.state, list(found.line), list[str]()
        while names and game.outcome(state) is None:
            start, side, actions = state, game.player(state), list[int]()
            while game.outcome(state) is None and game.player(state) == side:
                action = game.parse_action(state, names.pop(0)) if names else int(game.actions(state)[0])
                actions.append(action)
                state = game.play(state, action)
            written.append(write_move(game, start, actions))
        return written
