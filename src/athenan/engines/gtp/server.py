r"""An engine that speaks GTP.

    >>> from athenan import make
    >>> from athenan.engines.engine import Engine
    >>> from athenan.arena.roster import make_player
    >>> told = []
    >>> server = GtpServer(Engine(make("hex:3"), lambda game: make_player("mcts:100", game)), told.append)
    >>> for line in ("1 name", "2 play black b2", "3 play white z9", "# a comment", "quit"):
    ...     going = server.handle(line)
    >>> told[:2], told[2][:22], going
    (['=1 athenan\n\n', '=2\n\n'], "?3 illegal move: 'z9' ", False)

`lz-analyze` and `kata-analyze` search until the next line comes. In Go, a play out of turn implies a pass of the other
side, so that handicap stones can be played one after the other. A network plays the board and the komi that it was
trained on, and refuses others.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter

from athenan.engines.engine import ENDLESS, Engine
from athenan.engines.gtp import analysis
from athenan.engines.gtp.clock import GtpClock
from athenan.engines.gtp.notation import COLOURS, read, side_of, written
from athenan.engines.numbers import number, whole
from athenan.engines.serving import EngineServer, Write
from athenan.games.catalogue import points, settings_of
from athenan.play.analysis import Analysis
from athenan.play.levels import LEVELS
from athenan.play.limit import Limit
from athenan.play.words import proof
from athenan.rules.game import GameError
from athenan.rules.state import CHANCE, PASS_NAME
from athenan.settings import one_line

_LINE = re.compile(r"\s*(?:([0-9]{1,18})(?!\S))?\s*(\S*)\s*(.*)")
_MOST_KOMI = 10**6  # more than any board has cells
_CONTROL = {number: None for number in [*range(32), 127] if number != 9}

ANALYZE_COMMANDS = "\n".join(
    ["string/Analysis/athenan-analysis", "plist/Legal Moves/all_legal %c", "string/Final Score/final_score"]
)
"""The commands that the menus of GoGui and HexGui offer in addition to the protocol's own."""


class GtpServer(EngineServer):
    """Answers the commands of a controller, each with one text as the protocol frames it."""

    def __init__(self, engine: Engine, write: Write) -> None:
        super().__init__(engine, write)
        self._clocks: list[GtpClock | None] = [None, None]
        self._counts: list[int] = []
        """The number of actions that each `play` and `genmove` played."""
        self._going = True
        self._analysed: int | None = None
        """During an analysis, the number of actions of the match before it."""
        self._commands: dict[str, Callable[[Sequence[str]], str]] = {
            "protocol_version": lambda _: "2", "name": lambda _: "athenan", "version": lambda _: engine.options.version,
            "known_command": self._known_command, "list_commands": lambda _: "\n".join(self._names()),
            "quit": self._quit, "boardsize": self._boardsize, "clear_board": self._clear_board, "komi": self._komi,
            "play": self._play, "genmove": self._genmove, "reg_genmove": self._reg_genmove, "undo": self._undo,
            "showboard": self._showboard, "final_score": self._final_score, "all_legal": self._all_legal,
            "time_settings": self._time_settings, "time_left": self._time_left,
            "athenan-level": self._level, "athenan-analysis": self._analysis,
            "gogui-analyze_commands": lambda _: ANALYZE_COMMANDS,
            "hexgui-analyze_commands": lambda _: ANALYZE_COMMANDS,
        }  # fmt: skip
        self._streams: dict[str, Callable[[str, Sequence[str]], None]] = {}
        """Commands that answer in several lines over time; they are given the number of the command."""
        for program, line in (("lz", analysis.leela_line), ("kata", analysis.kata_line)):
            self._streams[f"{program}-analyze"] = partial(self._analyze, line)
            self._streams[f"{program}-genmove_analyze"] = partial(self._genmove_analyze, line)

    def handle(self, line: str) -> bool:
        self._end_analysis()
        found = _LINE.match(line.translate(_CONTROL).partition("#")[0])
        number, name, rest = found.groups("") if found else ("", "", "")
        if not name:
            return True
        self.engine.stop()
        try:
            if stream := self._streams.get(name):
                stream(number, rest.split())
            elif command := self._commands.get(name):
                self._answer("=", number, command(rest.split()))
            else:
                self._answer("?", number, "unknown command")
        except ValueError as error:
            self._answer("?", number, one_line(error))
        if self._going and name in ("genmove", "lz-genmove_analyze", "kata-genmove_analyze"):
            self.engine.ponder()
        return self._going

    def close(self) -> None:
        self._end_analysis()
        super().close()

    def _answer(self, sign: str, number: str, text: str) -> None:
        self._write(f"{sign}{number}{' ' if text else ''}{text}\n\n")

    # The engine and its board.

    def _names(self) -> list[str]:
        return [*self._commands, *self._streams]

    def _known_command(self, arguments: Sequence[str]) -> str:
        return str(" ".join(arguments) in self._names()).lower()

    def _level(self, arguments: Sequence[str]) -> str:
        """Plays at a level from now on; without arguments, names the levels."""
        if arguments:
            self.engine.play_at(" ".join(arguments))
            return ""
        return " ".join(LEVELS) if self.engine.level else ""

    def _quit(self, arguments: Sequence[str]) -> str:
        self._going = False
        return ""

    def _boardsize(self, arguments: Sequence[str]) -> str:
        sizes = [whole("boardsize", text) for text in arguments]
        if not sizes or len(sizes) > 2 or len(set(sizes)) > 1:
            raise ValueError("boardsize needs the size of a square board")
        if "size" not in settings_of(self.engine.game):
            raise ValueError(f"unacceptable size: {self.engine.game.name} has only one board")
        size: object = sizes[0]
        if isinstance(settings_of(self.engine.game)["size"], tuple):
            size = (size, size)
        try:
            self.engine.change(size=size)
        except ValueError as error:
            raise ValueError(f"unacceptable size: {error}") from None
        self._counts = []
        return ""

    def _clear_board(self, arguments: Sequence[str]) -> str:
        self.engine.session.new_match()
        self._counts = []
        self._clocks = [clock and GtpClock.of(clock.main, clock.period, clock.stones) for clock in self._clocks]
        return ""

    def _komi(self, arguments: Sequence[str]) -> str:
        if len(arguments) != 1:
            raise ValueError("komi needs a number")
        komi, game = number("komi", arguments[0], least=-_MOST_KOMI, most=_MOST_KOMI), self.engine.game
        if "komi" not in settings_of(game) or komi == settings_of(game)["komi"]:
            return ""
        played = self.engine.session.actions
        self.engine.change(komi=komi)
        for action in played:
            self.engine.session.play(action)
        return ""

    # Moves.

    def _play(self, arguments: Sequence[str]) -> str:
        if len(arguments) != 2:
            raise ValueError("play needs a color and a move")
        before = len(self.engine.session.actions)
        try:
            self._take_turn(side_of(arguments[0]))
            self.engine.session.play(read(self.engine.game, self.engine.session.state, arguments[1]))
        except GameError as error:
            self._take_back(before)
            raise ValueError(f"illegal move: {error}") from None
        self._counts.append(len(self.engine.session.actions) - before)
        return ""

    def _take_turn(self, side: int) -> None:
        """Makes the other side pass if the game allows it. Raises GameError if the side is not to move."""
        session = self.engine.session
        if session.over:
            raise GameError("the match is over")
        if session.game.player(session.state) == side:
            return
        if not session.game.forms.free_passes:
            raise GameError(f"{COLOURS[session.game.player(session.state)]} is to move")
        session.play(PASS_NAME)
        if session.over:
            raise GameError(f"the match is over: {COLOURS[1 - side]} and {COLOURS[side]} have passed")

    def _take_back(self, count: int) -> None:
        """Takes back all actions but the first `count`."""
        while len(self.engine.session.actions) > count:
            self.engine.session.undo()

    def _undo(self, arguments: Sequence[str]) -> str:
        if not self._counts:
            raise ValueError("cannot undo")
        self._take_back(len(self.engine.session.actions) - self._counts.pop())
        return ""

    def _genmove(self, arguments: Sequence[str]) -> str:
        before, side = self._to_move(arguments)
        return written(self.engine.game, self._played(before, side))

    def _reg_genmove(self, arguments: Sequence[str]) -> str:
        before, side = self._to_move(arguments)
        try:
            return written(self.engine.game, self.engine.think(self._limit(side)).best or "")
        finally:
            self._take_back(before)

    def _to_move(self, arguments: Sequence[str]) -> tuple[int, int]:
        """Gives the move to the side that is to think; returns the number of actions before that, and the side."""
        side, session = side_of(arguments[0]) if arguments else CHANCE, self.engine.session
        if side == CHANCE:
            raise ValueError("only black or white can be asked for a move")
        before = len(session.actions)
        try:
            self._take_turn(side)
        except GameError:
            self._take_back(before)
            raise
        return before, side

    def _played(
        self, before: int, side: int, report: Callable[[Analysis], None] | None = None, every: float = 1
    ) -> str:
        """Thinks within the clock, plays, and returns the name of the action."""
        began, session = perf_counter(), self.engine.session
        found = self.engine.think(self._limit(side), report, every)
        if report:
            report(found)
        assert found.best
        session.play(found.best)
        self._counts.append(len(session.actions) - before)
        if clock := self._clocks[side]:
            self._clocks[side] = clock.after(perf_counter() - began)
        return found.best

    def _all_legal(self, arguments: Sequence[str]) -> str:
        game, state = self.engine.game, self.engine.session.state
        names = [game.action_name(state, int(action)) for action in game.actions(state)]
        return " ".join(written(game, name) for name in names)

    # Time.

    def _time_settings(self, arguments: Sequence[str]) -> str:
        if len(arguments) != 3:
            raise ValueError("time_settings needs a main time, the time of a period, and its stones")
        main, period = (number("time_settings", text) for text in arguments[:2])
        self._clocks = [GtpClock.of(main, period, whole("time_settings", arguments[2]))] * 2
        return ""

    def _time_left(self, arguments: Sequence[str]) -> str:
        side = side_of(arguments[0]) if len(arguments) == 3 else CHANCE
        if side == CHANCE:
            raise ValueError("time_left needs a color, a time and a number of stones")
        clock = self._clocks[side] or GtpClock(0.0)
        self._clocks[side] = clock.set(number("time_left", arguments[1]), whole("time_left", arguments[2]))
        return ""

    def _limit(self, side: int) -> Limit:
        clock = self._clocks[side]
        return self.engine.limit(clock.limit() if clock else None)

    # What is known about the position.

    def _showboard(self, arguments: Sequence[str]) -> str:
        game, state = self.engine.game, self.engine.session.state
        lines = [line for line in game.text(state).split("\n") if line.strip()]
        mover = "over" if self.engine.session.over else f"{COLOURS[game.player(state)]} to move"
        return "\n".join(["", *lines, f"{game.name}, {mover}"])

    def _final_score(self, arguments: Sequence[str]) -> str:
        game, state = self.engine.game, self.engine.session.state
        if (outcome := game.outcome(state)) is None:
            raise ValueError("cannot score: the match is not over")
        score = abs(points(game, state)) if game.max_score is not None else 0
        return f"{'BW'[outcome < 0]}+{f'{score:g}' if score else ''}" if outcome else "0"

    def _analysis(self, arguments: Sequence[str]) -> str:
        found = self.engine.think(self.engine.limit(None))
        what = f"value {found.value:+.4g}{', exact' if found.exact else ''}"
        if found.proven is not None and found.game.players == 2:
            what += f"; {proof(found.proven, found.game.stochastic)}"
        return f"{what}; best line {' '.join(written(found.game, name) for name in found.line) or 'none'}"

    def _analyze(self, line: analysis.WriteLine, number: str, arguments: Sequence[str]) -> None:
        asked = analysis.request(arguments)
        if self.engine.session.over:
            raise ValueError("the match is over")
        before = len(self.engine.session.actions) if asked.side is None else self._to_move([COLOURS[asked.side]])[0]
        self._write(f"={number}\n")
        self._analysed = before
        report = self._reporter(line, asked)
        self.engine.start(ENDLESS, report, asked.interval, report)

    def _genmove_analyze(self, line: analysis.WriteLine, number: str, arguments: Sequence[str]) -> None:
        asked = analysis.request(arguments)
        before, side = self._to_move(arguments)
        self._write(f"={number}\n")
        name = self._played(before, side, self._reporter(line, asked), asked.interval)
        self._write(f"play {written(self.engine.game, name)}\n\n")

    def _reporter(self, line: analysis.WriteLine, asked: analysis.Request) -> Callable[[Analysis], None]:
        scale = self.engine.session.searcher.scale
        return lambda found: self._write(f"{line(found, scale, asked.most)}\n")

    def _end_analysis(self) -> None:
        """Ends an analysis and its answer; takes back a pass that was made for it."""
        if self._analysed is not None:
            self.engine.stop()
            self._take_back(self._analysed)
            self._analysed = None
            self._write("\n")
