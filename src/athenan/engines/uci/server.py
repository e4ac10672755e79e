"""An engine that speaks UCI, UGI, UAI or UCCI.

    >>> from athenan import make
    >>> from athenan.engines.engine import Engine
    >>> from athenan.engines.uci.dialect import DIALECTS
    >>> from athenan.arena.roster import make_player
    >>> told = []
    >>> engine = Engine(make("breakthrough:5x5"), lambda game: make_player("mcts:100", game))
    >>> server = UciServer(engine, told.append, DIALECTS["ugi"])
    >>> for line in ("position startpos moves a2a3", "query p1turn", "isready"):
    ...     going = server.handle(line)
    >>> [line.strip() for line in told]
    ['response false', 'readyok']

Unknown words are ignored, as UCI demands; an error is an `info string`. A bad number after `go` counts as left out.
`go` always gets its `bestmove`, which is `(none)` if the last `position` was refused or is final, as after checkmate.
If repetitions or the length of a match have ended it here, the other program may go on: the position then counts as
the start of a match.

The score is from -1000 to 1000 on the scale of the search's values, for the side to move, and 10000 or -10000 for a
proven win or loss. With the option UCI_ShowWDL a network that has learnt win chances also gives wins, draws and losses
of the side to move in a thousand matches. `nodes` counts evaluated states. Only alpha-beta takes a depth limit; other
searches refuse it, and all refuse a search for mates.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock

from athenan.engines.engine import ENDLESS, Engine
from athenan.engines.gtp.analysis import utility
from athenan.engines.numbers import threads, whole
from athenan.engines.resuming import resumed
from athenan.engines.serving import EngineServer, Write
from athenan.engines.uci import strength
from athenan.engines.uci.dialect import Dialect
from athenan.play.analysis import Analysis
from athenan.play.limit import LEAST_SECONDS, Clock, Limit, before_more_time
from athenan.play.session import REPORT_SECONDS
from athenan.rules.game import Game, GameError, State
from athenan.rules.state import CHANCE
from athenan.search.budget import Budget
from athenan.settings import MOST_THREADS, one_line

_PROVEN = 10_000
_LONGEST = 10**12  # milliseconds, nodes


class UciServer(EngineServer):
    """Answers the lines of a board or referee. It searches in a separate thread, so that it can obey `stop`."""

    def __init__(self, engine: Engine, write: Write, dialect: Dialect) -> None:
        super().__init__(engine, write)
        self._dialect, self._lock = dialect, Lock()
        self._waiting = False
        """Whether the answer must wait for `stop` or `ponderhit`, even after the search has ended."""
        self._found: Analysis | None = None
        """What a search has found but not yet reported."""
        self._after_hit: Limit | None = None
        """The limit of the search that `ponderhit` starts."""
        self._strength = strength.present(engine)
        self._shows_wdl = False
        self._in_seconds = dialect.name == "ucci"
        """Whether times are in seconds (the default of UCCI) rather than milliseconds."""
        self._while_thinking: dict[str, Callable[[Sequence[str]], None]] = {
            dialect.name: lambda _: self._introduce(), "isready": lambda _: self._tell("readyok"),
            "stop": lambda _: self._stop(), "ponderhit": lambda _: self._ponderhit(), "setoption": self._set_option,
        }  # fmt: skip
        self._others: dict[str, Callable[[Sequence[str]], None]] = {
            f"{dialect.name}newgame": lambda _: self._new_match(), "position": self._position,
            "go": self._go, "query": self._query, "d": lambda _: self._show(),
        }  # fmt: skip

    def handle(self, line: str) -> bool:
        words = line.split()
        try:
            return self._command(words[0], words[1:]) if words else True
        except ValueError as error:
            self._tell_error(error)
            return True

    def _command(self, command: str, arguments: Sequence[str]) -> bool:
        if command == "quit":
            self._quit()
        elif while_thinking := self._while_thinking.get(command):
            while_thinking(arguments)
        elif other := self._others.get(command):
            self._stop()
            other(arguments)
        return command != "quit"

    def _tell_error(self, error: ValueError) -> None:
        self._tell(f"info string error: {one_line(error)}")

    def _quit(self) -> None:
        self._stop()
        if self._dialect.name == "ucci":
            self._tell("bye")

    def _introduce(self) -> None:
        self._tell(
            f"id name athenan {self.engine.options.version} ({self.engine.game.name}, {self.engine.player.name})"
        )
        self._tell("id author the athenan project")
        if self._dialect.name == "ucci":
            self._tell("option usemillisec type check default false")
        else:
            self._tell("option name Ponder type check default false")
            margin = round(1000 * self.engine.options.margin)
            self._tell(f"option name Move Overhead type spin default {margin} min 0 max 60000")
            searcher = self.engine.player.searcher
            if searcher.shares_work:
                self._tell(f"option name Threads type spin default {searcher.threads} min 1 max {MOST_THREADS}")
            for line in strength.options(self.engine):
                self._tell(line)
            if self.engine.session.chances:
                self._tell("option name UCI_ShowWDL type check default false")
            variant = self.engine.game.forms.uci
            if variant and not variant.drops:  # positions of other variants come as a FEN that is not read here
                self._tell(f"option name UCI_Variant type combo default {variant.name} var {variant.name}")
        self._tell(f"{self._dialect.name}ok")

    def _set_option(self, arguments: Sequence[str]) -> None:
        """Reads `name NAME value VALUE`, in UCCI `NAME VALUE`; unknown options are ignored."""
        words = [word for word in arguments if word not in ("name", "value")]
        name, value = " ".join(words[:-1]).lower(), words[-1] if words else ""
        if name == "move overhead":
            self.engine.options = replace(self.engine.options, margin=whole(name, value, 60_000) / 1000)
        elif name == "threads":
            self._stop()
            self.engine.use_threads(threads(value))
        elif name in strength.NAMES:
            self._strength = strength.changed(self.engine, self._strength, name, value)
        elif name == "usemillisec":
            self._in_seconds = value.lower() != "true"
        elif name == "uci_showwdl":
            self._shows_wdl = value.lower() == "true"
        elif name == "uci_variant":
            variant = self.engine.game.forms.uci
            if not variant or variant.drops or value != variant.name:
                raise ValueError(f"this engine plays {self.engine.game.name}, not the variant {value!r}")
            self._dialect = replace(self._dialect, variant=variant)

    # The position.

    def _position(self, arguments: Sequence[str]) -> None:
        """Reads `startpos` or `fen FEN`, and `moves`. After an invalid position only another one helps."""
        with self._taking_position():
            self._take_position(list(arguments))

    def _take_position(self, words: Sequence[str]) -> None:
        at = words.index("moves") if "moves" in words else len(words)
        game, moves, actions = self.engine.game, words[at + 1 :], list[int]()
        start = self._start(game, words[:at])
        state = start
        for number, text in enumerate(moves, 1):
            if (fresh := resumed(game, state)) is not None:  # the other program's rules go on here
                start, state, actions = fresh, fresh, []
            try:
                actions.append(self._dialect.read(game, state, text))
            except GameError as error:
                raise ValueError(f"move {number}: {error}") from None
            state = game.play(state, actions[-1])
        self.engine.session.position(start)
        for action in actions:
            self.engine.session.play(action)

    def _start(self, game: Game, words: Sequence[str]) -> State:
        if list(words) == ["startpos"]:
            return game.initial()
        if not words or words[0] != "fen":
            raise ValueError("position needs startpos or fen")
        return game.read_fen(" ".join(words[1:]))

    def _show(self) -> None:
        self._require_position()
        self._tell(self.engine.game.text(self.engine.session.state))

    def _query(self, arguments: Sequence[str]) -> None:
        self._require_position()
        question, session = " ".join(arguments), self.engine.session
        outcome = session.game.outcome(session.state)
        answers = {
            "gameover": str(outcome is not None).lower(),
            "p1turn": str(session.game.player(session.state) == 0).lower(),
            "result": {None: "none", 1: "p1win", 0: "draw", -1: "p2win"}[outcome],
        }
        if question in answers:
            self._tell(f"response {answers[question]}")

    # Thinking.

    def _go(self, arguments: Sequence[str]) -> None:
        self._after_hit = None
        asked, session = self._asked(arguments), self.engine.session
        try:
            self._require_position()
            if (fresh := resumed(session.game, session.state)) is not None:
                session.position(fresh)
            if session.over or session.game.player(session.state) == CHANCE:
                self._tell(f"info string {'the match is over' if session.over else 'chance is to move'}")
                self._tell_no_move()
                return
            limit = self.engine.limit(self._limit(asked), self._bound(asked))
        except ValueError as error:
            self._tell_error(error)
            self._tell_no_move()
            return
        if "searchmoves" in asked:
            self._tell("info string searchmoves is not supported: all moves are searched")
        self._after_hit = limit if "ponder" in asked else None
        self._waiting, self._found = bool({"ponder", "infinite"} & set(asked)), None
        self._think(ENDLESS if self._waiting else limit)

    def _tell_no_move(self) -> None:
        self._tell("nobestmove" if self._dialect.name == "ucci" else "bestmove (none)")

    def _think(self, limit: Limit) -> None:
        self.engine.start(limit, self._report, REPORT_SECONDS, self._end)

    def _asked(self, arguments: Sequence[str]) -> dict[str, float]:
        """The numbers after the words of `go`, 0 for words without one. A bad number is told, and left out."""
        asked, words = dict[str, float](), list(arguments)
        timed = {*(f"{side}{what}" for side in self._dialect.sides for what in ("time", "inc", "increment"))}
        while words:
            word = words.pop(0)
            if word not in timed and word not in ("movetime", "movestogo", "nodes", "depth", "mate"):
                asked[word] = 0
                continue
            try:
                asked[word] = whole(word, words[0] if words else "", _LONGEST)
            except ValueError as error:
                self._tell_error(error)  # what follows may be a word of its own, such as infinite
            else:
                words.pop(0)
        return asked

    def _bound(self, asked: dict[str, float]) -> Budget | None:
        """What ends the search besides a time: nodes and, if the search has depths, a depth."""
        nodes = max(1, int(asked["nodes"])) if "nodes" in asked else None
        has_depth = "depth" in asked and self.engine.has_depths
        depth = self.engine.to_depth(int(asked["depth"])).iterations if has_depth else None
        return Budget(iterations=depth, evaluations=nodes) if depth or nodes else None

    def _limit(self, asked: dict[str, float]) -> Limit | None:
        """The limit asked for. Raises ValueError if it is only a depth or a mate, and the search cannot do that."""
        unit = 1.0 if self._in_seconds else 1000.0
        session = self.engine.session
        side = self._dialect.sides[session.game.player(session.state) if self._dialect.sides[0] else 0]
        if "movetime" in asked:
            return Budget(seconds=max(LEAST_SECONDS, asked["movetime"] / unit))
        if f"{side}time" not in asked:
            if "nodes" in asked:
                return self._bound(asked)
            if "mate" in asked:
                raise ValueError("this engine cannot search for mates")
            return self.engine.to_depth(int(asked["depth"])) if "depth" in asked else None
        left = min(1e9, max(0.0, asked[f"{side}time"] / unit))
        increment = min(1e9, max(asked.get(f"{side}inc", 0.0), asked.get(f"{side}increment", 0.0)) / unit)
        if moves := asked.get("movestogo"):
            return before_more_time(left, int(moves), increment)
        return Clock(left, increment)

    def _report(self, found: Analysis) -> None:
        if not found.actions:
            return
        milliseconds = round(1000 * found.seconds)
        speed = round(found.evaluations / max(1e-3, found.seconds))
        line = " ".join(self._dialect.written(found.game, name) for name in found.line)
        score = round(1000 * utility(found, found, self.engine.session.searcher.scale))
        cp = score * (_PROVEN // 1000) if found.proven is not None else score
        kind = "score" if self._dialect.name == "ucci" else "score cp"
        wdl = self._wdl(found) if self._shows_wdl else ""
        self._tell(f"info time {milliseconds} nodes {found.evaluations} nps {speed} {kind} {cp}{wdl} pv {line}")

    def _wdl(self, found: Analysis) -> str:
        """Wins, draws and losses of the side to move in a thousand matches; empty if win chances were not learnt."""
        chances, side = self.engine.session.chances, found.game.player(found.state)
        if chances is None or found.win_chance is None:
            return ""
        shares = chances.results(found.win_chance, found.proven)
        wins, draws, _ = (round(1000 * share) for share in (shares if side == 0 else shares[::-1]))
        draws = min(draws, 1000 - wins)
        return f" wdl {wins} {draws} {1000 - wins - draws}"

    def _end(self, found: Analysis) -> None:
        """Called when a search has ended, in its thread."""
        with self._lock:
            self._found = found
            if not self._waiting:
                self._answer()

    def _answer(self) -> None:
        """Sends the action to play, once."""
        found, self._found = self._found, None
        if not found:
            return
        self._report(found)
        names = [self._dialect.written(found.game, name) for name in found.line[:2]]
        after = found.game.play(found.state, found.game.parse_action(found.state, found.line[0]))
        answers = len(names) == 2 and found.game.player(after) != found.game.player(found.state)
        self._tell(f"bestmove {names[0]}{f' ponder {names[1]}' if answers else ''}")

    def _stop(self) -> None:
        """Ends the search, which then answers; no `ponderhit` is expected any more."""
        self._after_hit = None
        with self._lock:
            self._waiting = False
            self._answer()
        self.engine.stop()

    def _ponderhit(self) -> None:
        """The opponent played the expected move: the clock now runs, and the search goes on within it."""
        if self._after_hit is None:
            return
        limit, self._after_hit = self._after_hit, None
        self.engine.stop()
        with self._lock:
            self._waiting, self._found = False, None  # the search goes on, and will find more
        self._think(limit)
