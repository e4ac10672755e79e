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

`lz-analyze` and `kata-analyze` search until the next line comes. In Go, a side may play several times in succession, so
that servers can set handicap stones; a second `genmove` of one side then places a stone. After two passes `genmove`
answers a pass, and a stone resumes the match. A network plays the board and the komi that it was trained on, and
refuses others.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from time import perf_counter

from athenan.engines.engine import ENDLESS, Engine
from athenan.engines.gtp import analysis
from athenan.engines.gtp.clock import KINDS, GtpClock, of_kind, standard
from athenan.engines.gtp.match import GtpMatch, Place
from athenan.engines.gtp.notation import COLOURS, side_of, written
from athenan.engines.numbers import number, whole
from athenan.engines.serving import EngineServer, Write
from athenan.games.catalogue import points, settings_of
from athenan.games.go.handicap import fixed_points
from athenan.play.analysis import Analysis
from athenan.play.levels import LEVELS
from athenan.play.limit import Limit
from athenan.play.words import proof
from athenan.rules.game import GameError
from athenan.rules.state import CHANCE, FIRST, PASS_NAME
from athenan.settings import one_line

_LINE = re.compile(r"\s*(?:([0-9]{1,18})(?!\S))?\s*(\S*)\s*(.*)")
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
        self._match = GtpMatch(engine)
        self._going = True
        self._analysed: Place | None = None
        """During an analysis, the place of the match before it."""
        self._commands: dict[str, Callable[[Sequence[str]], str]] = {
            "protocol_version": lambda _: "2", "name": lambda _: "athenan", "version": lambda _: engine.options.version,
            "known_command": self._known_command, "list_commands": lambda _: "\n".join(self._names()),
            "quit": self._quit, "boardsize": self._boardsize, "clear_board": self._clear_board, "komi": self._komi,
            "play": self._play, "genmove": self._genmove, "reg_genmove": self._reg_genmove, "undo": self._undo,
            "showboard": self._showboard, "final_score": self._final_score, "all_legal": self._all_legal,
            "fixed_handicap": self._fixed_handicap, "place_free_handicap": self._fixed_handicap,
            "set_free_handicap": self._set_free_handicap,
            "time_settings": self._time_settings, "kgs-time_settings": self._time_settings_of_kind,
            "kata-time_settings": self._time_settings_of_kind, "time_left": self._time_left,
            "kata-list_time_settings": lambda _: " ".join(KINDS),
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
        name = name.lower()
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
        return str(" ".join(arguments).lower() in self._names()).lower()

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
        sizes = [whole("boardsize", text, most=inf, least=-inf) for text in arguments]
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
        self._match.clear()
        return ""

    def _clear_board(self, arguments: Sequence[str]) -> str:
        self.engine.session.new_match()
        self._match.clear()
        self._clocks = [clock and clock.restarted() for clock in self._clocks]
        return ""

    def _komi(self, arguments: Sequence[str]) -> str:
        if len(arguments) != 1:
            raise ValueError("komi needs a number")
        komi, game = number("komi", arguments[0], most=inf, least=-inf), self.engine.game
        if "komi" not in settings_of(game) or komi == settings_of(game)["komi"]:
            return ""
        place = self._match.place
        self.engine.change(komi=komi)
        self._match.go_to(place)
        return ""

    # Moves.

    def _play(self, arguments: Sequence[str]) -> str:
        if len(arguments) != 2:
            raise ValueError("play needs a color and a move")
        try:
            self._match.play([(side_of(arguments[0]), arguments[1])])
        except GameError as error:
            raise ValueError(f"illegal move: {error}") from None
        return ""

    def _fixed_handicap(self, arguments: Sequence[str]) -> str:
        """Sets the stones of fixed handicap, which also serve as free handicap; returns their points."""
        self._require_empty_board()
        if len(arguments) != 1:
            raise ValueError("the number of stones is missing")
        count = whole("the number of stones", arguments[0], most=inf, least=-inf)
        points = fixed_points(settings_of(self.engine.game)["size"], count)
        self._match.play([(FIRST, point) for point in points])
        return " ".join(written(self.engine.game, point) for point in points)

    def _set_free_handicap(self, arguments: Sequence[str]) -> str:
        self._require_empty_board()
        if len(arguments) < 2 or PASS_NAME in (point.lower() for point in arguments):
            raise ValueError("bad vertex list: expected at least two points")
        try:
            self._match.play([(FIRST, point) for point in arguments])
        except GameError as error:
            raise ValueError(f"bad vertex list: {error}") from None
        return ""

    def _require_empty_board(self) -> None:
        """Raises ValueError unless handicap stones may be set."""
        if not self._match.free_turns or "size" not in settings_of(self.engine.game):
            raise ValueError(f"{self.engine.game.name} has no handicap stones: only Go has")
        if self.engine.game.length(self.engine.session.state):
            raise ValueError("board not empty")

    def _undo(self, arguments: Sequence[str]) -> str:
        self._match.undo()
        return ""

    def _genmove(self, arguments: Sequence[str]) -> str:
        before, side = self._match.place, self._side(arguments)
        return written(self.engine.game, self._played(before, side))

    def _reg_genmove(self, arguments: Sequence[str]) -> str:
        before, side = self._match.place, self._side(arguments)
        try:
            return written(self.engine.game, self._chosen(side))
        finally:
            self._match.go_to(before)

    def _side(self, arguments: Sequence[str]) -> int:
        """The side that is asked for a move, which becomes the one to move unless two passes have ended the match.

        Raises ValueError if no side is named or if it cannot be to move.
        """
        side = side_of(arguments[0]) if arguments else CHANCE
        if side == CHANCE:
            raise ValueError("only black or white can be asked for a move")
        if not self._match.passed_out:
            self._match.give(side)
        return side

    def _chosen(self, side: int, report: Callable[[Analysis], None] | None = None, every: float = 1) -> str:
        """The action that the side to move chooses within its clock."""
        if self._match.passed_out:
            return PASS_NAME
        found = self.engine.think(self._limit(side), report, every)
        if report:
            report(found)
        assert found.best
        stones = [one.action for one in found.actions if one.action != PASS_NAME]
        return stones[0] if self._match.wants_stone and found.best == PASS_NAME and stones else found.best

    def _played(
        self, before: Place, side: int, report: Callable[[Analysis], None] | None = None, every: float = 1
    ) -> str:
        """Thinks, plays, and returns the name of the action."""
        began, passed_out = perf_counter(), self._match.passed_out
        name = self._chosen(side, report, every)
        if not passed_out:
            self.engine.session.play(name)
        self._match.played(before)
        if clock := self._clocks[side]:
            self._clocks[side] = clock.after(perf_counter() - began)
        return name

    def _all_legal(self, arguments: Sequence[str]) -> str:
        game, state = self.engine.game, self.engine.session.state
        return " ".join(written(game, name) for name in game.named_actions(state))

    # Time.

    def _time_settings(self, arguments: Sequence[str]) -> str:
        self._clocks = [standard(arguments)] * 2
        return ""

    def _time_settings_of_kind(self, arguments: Sequence[str]) -> str:
        self._clocks = [of_kind(arguments)] * 2
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
        asked, before = analysis.request(arguments), self._match.place
        if self.engine.session.over:
            raise ValueError("the match is over")
        if asked.side is not None:
            self._side([COLOURS[asked.side]])
        self._write(f"={number}\n")
        self._analysed = before
        report = self._reporter(line, asked)
        self.engine.start(ENDLESS, report, asked.interval, report)

    def _genmove_analyze(self, line: analysis.WriteLine, number: str, arguments: Sequence[str]) -> None:
        asked, before = analysis.request(arguments), self._match.place
        side = self._side(arguments)
        self._write(f"={number}\n")
        name = self._played(before, side, self._reporter(line, asked), asked.interval)
        self._write(f"play {written(self.engine.game, name)}\n\n")

    def _reporter(self, line: analysis.WriteLine, asked: analysis.Request) -> Callable[[Analysis], None]:
        scale = self.engine.session.searcher.scale
        return lambda found: self._write(f"{line(found, scale, asked.most)}\n")

    def _end_analysis(self) -> None:
        """Ends an analysis and its answer; the side to move is then the one before it."""
        if self._analysed is not None:
            self.engine.stop()
            self._match.go_to(self._analysed)
            self._analysed = None
            self._write("\n")
