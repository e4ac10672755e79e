"""A program that speaks UCI, UGI, UAI or UCCI as a player. Before each turn it gets the whole match."""

from collections.abc import Sequence
from dataclasses import replace

from athenan.engines.program import STARTING, TransportConversation, TurnRequest, patience
from athenan.engines.transport import Transport, answer, answers
from athenan.engines.uci.dialect import Dialect
from athenan.engines.uci.options import ProgramOption, lines
from athenan.play.limit import Clock, Limit
from athenan.play.player import PlayerError
from athenan.rules.game import Game, GameError
from athenan.search.budget import Budget


class UciConversation(TransportConversation):
    """Speaks the program's dialect. If the program has the option UCI_Variant, one of its values must be the game."""

    starts_anywhere = True
    least_seconds = 0.001

    def __init__(
        self, name: str, transport: Transport, grace: float, dialect: Dialect, options: Sequence[str] = ()
    ) -> None:
        """`options` are the program's options, as NAME=VALUE, or NAME for a button."""
        super().__init__(name, transport, grace)
        self._dialect, self._wanted = dialect, options

    def begin(self, game: Game) -> None:
        if not self._introduced:
            self._introduce(game)
        if self._dialect.name != "ucci":
            self._transport.send(f"{self._dialect.name}newgame")
        self._transport.send("isready")
        self._until("readyok", STARTING)

    def _introduce(self, game: Game) -> None:
        """Sets options. Raises PlayerError for an option that the program lacks, or if its variants lack the game."""
        name = self._dialect.name
        self._transport.send(name)
        options = list[ProgramOption]()
        for line in answers(self._transport, STARTING):
            if line == f"{name}ok":
                break
            if option := ProgramOption.of(line):
                options.append(option)
        self._introduced = True
        try:
            for line in lines(options, self._wanted, named=name != "ucci"):
                self._transport.send(line)
        except ValueError as error:
            raise PlayerError(f"{self._name}: {error}") from None
        if name == "ucci":
            self._transport.send("setoption usemillisec true")
        elif variants := [option for option in options if option.name == "UCI_Variant"]:
            self._select_variant(game, variants[0].values)

    def _select_variant(self, game: Game, values: Sequence[str]) -> None:
        variant = game.forms.uci
        if not variant:
            raise PlayerError(f"{self._name} plays variants (UCI_Variant), but {game.name} declares none that it is")
        if variant.name not in values:
            raise PlayerError(f"{self._name} does not play {game.name}: its UCI_Variant has no {variant.name}")
        self._transport.send(f"setoption name UCI_Variant value {variant.name}")
        self._dialect = replace(self._dialect, variant=variant)

    def choose(self, turn: TurnRequest) -> Sequence[str]:
        if turn.start is not None and self._dialect.variant and self._dialect.variant.drops:
            raise PlayerError(f"{self._name} is told only the moves of a match: it cannot start from a FEN")
        moves, state = "", turn.game.initial() if turn.start is None else turn.start
        for action, name in zip(turn.actions, turn.names, strict=True):
            moves += f" {self._dialect.written(turn.game, name, state)}"
            state = turn.game.play(state, action)
        start = "startpos" if turn.start is None else f"fen {turn.game.write_fen(turn.start)}"
        self._transport.send(f"position {start}{' moves' if moves else ''}{moves}")
        self._transport.send(f"go {self._limit(turn.limit)}")
        words = self._until("bestmove", patience(turn.limit, self._grace), "nobestmove").split()
        move = words[1] if len(words) > 1 and words[0] == "bestmove" else "none"
        try:
            action = self._dialect.read(turn.game, turn.state, move)
        except GameError:
            raise self._illegal(move) from None
        return [turn.game.action_name(turn.state, action)]

    def _limit(self, limit: Limit) -> str:
        """The words after `go`. Only the program's own clock is known, so both sides get it."""
        if isinstance(limit, Clock):
            times = f"{round(1000 * limit.left)}", f"{round(1000 * limit.increment)}"
            if self._dialect.name == "ucci":
                return "time {} increment {}".format(*times)
            return " ".join(f"{side}time {times[0]} {side}inc {times[1]}" for side in self._dialect.sides)
        return self._budget(limit)

    def _budget(self, limit: Budget) -> str:
        if limit.seconds is None:
            return f"nodes {limit.evaluations or limit.iterations}"
        milliseconds = max(1, round(1000 * limit.seconds))
        if self._dialect.name == "ucci":
            return f"time {milliseconds} movestogo 1"
        return f"movetime {milliseconds}"

    def _until(self, word: str, seconds: float, other: str = "") -> str:
        """The next line that begins with one of the words. Raises Forfeit if none comes in time."""
        return answer(self._transport, seconds, lambda line: line.split(maxsplit=1)[:1] in ([word], [other]))
