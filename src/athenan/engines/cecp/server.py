"""An engine that speaks CECP, the protocol of XBoard and WinBoard: Breakthrough and Xiangqi.

>>> from athenan import make
>>> from athenan.arena.roster import make_player
>>> told = []
>>> engine = Engine(make("breakthrough"), lambda game: make_player("mcts:100", game))
>>> server = CecpServer(engine, told.append)
>>> for line in ("xboard", "new", "force", "usermove a2a3", "usermove a7a9", "ping 1"):
...     going = server.handle(line)
>>> [line.strip() for line in told]
['Illegal move: a7a9', 'pong 1']

The engine keeps the position, plays its side of it, and says when the match is over. Scores are from -1000 to 1000 on
the scale of the search's values, and 100000 or more for a proven win, for the side to move; `nodes` counts evaluated
states. It never asks for a draw, resigns or ponders.
"""

from collections.abc import Callable

from athenan.engines.cecp.timing import GivenTime
from athenan.engines.cecp.variants import MOVES, SETUPS, variant
from athenan.engines.engine import ENDLESS, Engine
from athenan.engines.gtp.analysis import utility
from athenan.engines.numbers import threads, whole
from athenan.engines.serving import EngineServer, Write
from athenan.play.analysis import Analysis
from athenan.play.levels import LEVELS
from athenan.play.session import REPORT_SECONDS
from athenan.rules.game import GameError
from athenan.settings import one_line, shown

_PROVEN = 100_000
_LEVEL = "Level"
"""The option that chooses a level."""
_IGNORED = (
    "accepted", "rejected", "random", "variant", "hard", "easy", "computer", "name", "rating", "ics", "draw", "otim",
    "bk",
)  # fmt: skip
"""Commands that change nothing here."""
_RESULTS = {1: "1-0 {the first player wins}", 0: "1/2-1/2 {drawn}", -1: "0-1 {the second player wins}"}


class CecpServer(EngineServer):
    """Answers the lines of XBoard. It searches in a separate thread, so that it can obey `?` and `force`.

    Raises GameError if CECP does not have the game.
    """

    def __init__(self, engine: Engine, write: Write) -> None:
        self._variant = variant(engine.game)
        super().__init__(engine, write)
        self._timing = GivenTime()
        self._side: int | None = None
        """The side that the engine plays; None: neither."""
        self._analyzing = self._posting = self._silent = False
        """`_silent`: the result of the search that ends now is not sent."""
        self._while_thinking: dict[str, Callable[[str], None]] = {
            "ping": lambda number: self._tell(f"pong {number}"), "?": lambda _: engine.stop(),
            "time": self._timing.told, "post": lambda _: self._post(True), "nopost": lambda _: self._post(False),
            "protover": lambda _: self._introduce(), "option": self._option,
            "xboard": lambda _: None, ".": lambda _: None,
            **dict.fromkeys(_IGNORED, lambda _: None),
        }  # fmt: skip
        self._others: dict[str, Callable[[str], None]] = {
            "new": lambda _: self._new(), "force": lambda _: self._play_for(None),
            "result": lambda _: self._play_for(None), "go": lambda _: self._go(),
            "playother": lambda _: self._play_for(1 - self._turn), "usermove": self._user_move,
            "setboard": self._set_board, "undo": lambda _: self._undo(1), "remove": lambda _: self._undo(2),
            "level": self._timing.level, "st": self._timing.seconds, "sd": self._depth,
            "analyze": lambda _: self._analyze(True), "exit": lambda _: self._analyze(False), "quit": lambda _: None,
            "hint": lambda _: self._hint(), "cores": lambda number: engine.use_threads(threads(number)),
        }  # fmt: skip

    def handle(self, line: str) -> bool:
        command, _, rest = line.strip().partition(" ")
        try:
            if known := self._while_thinking.get(command):
                known(rest.strip())
            elif other := self._others.get(command):
                self._interrupted(other, rest.strip(), goes_on=command != "quit")
            elif command:
                self._tell(f"Error (unknown command): {command[:40]}")
        except ValueError as error:
            self._tell(f"Error ({one_line(error)}): {command}")
        return command != "quit"

    def _interrupted(self, command: Callable[[str], None], rest: str, goes_on: bool) -> None:
        """Ends the search without its move, obeys a command, and thinks again, even if the command is refused."""
        self._silent = True
        self.engine.stop()
        try:
            command(rest)
        finally:
            if goes_on:
                self._think()

    def _introduce(self) -> None:
        name = f"athenan {self.engine.options.version}"
        self._tell(
            "feature done=0 ping=1 setboard=1 usermove=1 san=0 colors=0 sigint=0 sigterm=0 analyze=1 draw=0 playother=1"
        )
        if self.engine.player.searcher.shares_work:
            self._tell("feature smp=1")
        if level := self.engine.level:
            choices = " /// ".join(f"*{one}" if one == level else one for one in LEVELS)
            self._tell(f'feature option="{_LEVEL} -combo {choices}"')
        self._tell(f'feature variants="{self._variant}" myname="{name}" done=1')
        for setup in SETUPS.get(self._variant, ()):
            self._tell(setup)

    def _option(self, text: str) -> None:
        """Reads NAME=VALUE."""
        name, _, value = text.partition("=")
        if name != _LEVEL:
            raise ValueError(f"unknown option {shown(name)}")
        self.engine.play_at(value)

    def _post(self, posting: bool) -> None:
        self._posting = posting

    @property
    def _turn(self) -> int:
        """The side to move. Raises ValueError if the position is unknown."""
        self._require_position()
        return self.engine.game.player(self.engine.session.state)

    # The position.

    def _new(self) -> None:
        """Begins a match, in which the engine is the second player."""
        self._new_match()
        self._side, self._analyzing, self._timing.depth = 1, False, None

    def _play_for(self, side: int | None) -> None:
        self._side = side

    def _go(self) -> None:
        self._side = self._turn

    def _user_move(self, text: str) -> None:
        """Plays the user's move; XBoard takes one back that is not legal."""
        game, session = self.engine.game, self.engine.session
        try:
            self._require_position()
            session.play(MOVES.read(game, session.state, text))
        except ValueError:
            self._tell(f"Illegal move: {text[:40]}")
            return
        self._announce_end()

    def _set_board(self, fen: str) -> None:
        """Takes a position. After an illegal one all moves are illegal, until another position or match begins."""
        try:
            with self._taking_position():
                self.engine.session.position(self.engine.game.read_fen(fen))
        except GameError as error:
            self._tell(f"tellusererror Illegal position: {one_line(error)}")

    def _undo(self, moves: int) -> None:
        """Takes back moves. Raises GameError, and takes none back, if there are fewer."""
        self._require_position()
        session = self.engine.session
        if 0 < len(session.actions) < moves:
            raise GameError(f"there is only one move to take back, not {moves}")
        for _ in range(moves):
            session.undo()

    def _announce_end(self) -> None:
        outcome = self.engine.game.outcome(self.engine.session.state)
        if outcome is not None and not self._analyzing:
            self._tell(_RESULTS[outcome])

    # Thinking.

    def _depth(self, text: str) -> None:
        """Raises ValueError if the search has no depths."""
        depth = whole("sd", text)
        self.engine.to_depth(depth)
        self._timing.depth = depth

    def _analyze(self, analyzing: bool) -> None:
        self._analyzing = analyzing
        if analyzing:
            self._side = None

    def _hint(self) -> None:
        """The move that a short search would play."""
        self._require_position()
        if not self.engine.session.over:
            self._tell(f"Hint: {self._moves(self.engine.think(self.engine.limit(None)))[0]}")

    def _think(self) -> None:
        """Starts to analyse, or to think if it is the engine's turn."""
        self._silent, engine = False, self.engine
        if self._refused is not None or engine.session.over:
            return
        if self._analyzing:
            engine.start(ENDLESS, self._report, REPORT_SECONDS)
        elif self._side == self._turn:
            depth, moves = self._timing.depth, len(engine.session.actions) // 2
            bound = None if depth is None else engine.to_depth(depth)
            engine.start(engine.limit(self._timing.limit(moves), bound), self._report, REPORT_SECONDS, self._answer)

    def _report(self, found: Analysis) -> None:
        if not found.actions or not (self._posting or self._analyzing):
            return
        score = round(1000 * utility(found, found, self.engine.session.searcher.scale))
        if found.proven is not None:
            score *= _PROVEN // 1000
        moves = self._moves(found)
        self._tell(f"{len(moves)} {score} {round(100 * found.seconds)} {found.evaluations} {' '.join(moves)}")

    def _moves(self, found: Analysis) -> list[str]:
        return [MOVES.written(found.game, name) for name in found.line]

    def _answer(self, found: Analysis) -> None:
        """Plays the move that was found; called in the thread of the search."""
        if self._silent:
            return
        self._report(found)
        self.engine.session.play(found.line[0])
        self._tell(f"move {self._moves(found)[0]}")
        self._announce_end()
