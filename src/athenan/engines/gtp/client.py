"""A program that speaks GTP as a player.

The program is told the board size and the komi, which it must accept, every action, and its time. GTP counts time in
whole seconds: a shorter time is sent as one second, which the program may use up.
"""

from collections.abc import Sequence
from math import ceil

from athenan.engines.gtp.notation import COLOURS, read, written
from athenan.engines.program import STARTING, TransportConversation, TurnRequest, patience
from athenan.engines.transport import Transport, answers
from athenan.games.catalogue import settings_of
from athenan.play.limit import Clock
from athenan.play.player import Forfeit, PlayerError, Resign
from athenan.rules.game import Game, GameError
from athenan.rules.state import PASS_NAME
from athenan.settings import shown

_LONGEST_ANSWER = 100_000
"""Characters, including line ends."""


class Refused(Exception):
    """The program answered that a command failed."""


class GtpConversation(TransportConversation):
    """Keeps the program's board in step with the match."""

    starts_anywhere = False
    least_seconds = 1.0

    def __init__(
        self, name: str, transport: Transport, grace: float, setup: Sequence[str] = (), passes: bool = True
    ) -> None:
        """`setup`: commands before the first match. Without `passes`, forced passes are neither sent nor asked for."""
        super().__init__(name, transport, grace, setup)
        self._passes = passes
        self._known: tuple[int, ...] = ()
        """The actions that the program has been told."""
        self._timed = True
        """Whether the program accepts time controls, as far as we know."""

    def begin(self, game: Game) -> None:
        settings = settings_of(game)
        commands = ["clear_board"]
        if "size" in settings:
            size = settings["size"]
            commands.insert(0, f"boardsize {size if isinstance(size, int) else ' '.join(map(str, size))}")
        if "komi" in settings:
            commands.append(f"komi {settings['komi']:g}")
        self._set_up()
        for command in commands:
            try:
                self._ask(command, STARTING)
            except Refused as error:
                raise PlayerError(
                    f"{self._name} does not play {game.name}: to {command!r} it answers {error}"
                ) from None
        self._known = ()

    def _set_up(self) -> None:
        """Sends the user's setup commands, once. Raises PlayerError if the program refuses one."""
        while self._setup:
            command = self._setup.pop(0)
            try:
                self._ask(command, STARTING)
            except Refused as error:
                raise PlayerError(f"{self._name}: to {command!r} of its setup it answers {error}") from None

    def choose(self, turn: TurnRequest) -> Sequence[str]:
        if not self._passes and turn.game.must_pass(turn.state):
            return [PASS_NAME]
        colour = COLOURS[turn.game.player(turn.state)]
        self._follow(turn)
        self._tell_time(colour, turn)
        try:
            answer = self._ask(f"genmove {colour}", patience(turn.limit, self._grace))
        except Refused as error:
            raise Forfeit(f"{self._name} does not move: {error}") from None
        if answer.lower() == "resign":
            raise Resign
        try:
            action = read(turn.game, turn.state, answer)
        except GameError:
            raise self._illegal(answer) from None
        self._known = (*turn.actions, action)
        return [turn.game.action_name(turn.state, action)]

    def _follow(self, turn: TurnRequest) -> None:
        """Tells the program the actions that it does not know, from the start if some were taken back."""
        if turn.actions[: len(self._known)] != self._known:
            self._ask("clear_board", self._grace)
            self._known = ()
        state = turn.game.initial()
        for number, (action, name) in enumerate(zip(turn.actions, turn.names, strict=True)):
            told = self._passes or not turn.game.must_pass(state)
            if number >= len(self._known) and told:
                command = f"play {COLOURS[turn.game.player(state)]} {written(turn.game, name)}"
                try:
                    self._ask(command, self._grace)
                except Refused as error:
                    raise Forfeit(f"{self._name} refuses the legal {command!r}: {error}") from None
            state = turn.game.play(state, action)
        self._known = turn.actions

    def _tell_time(self, colour: str, turn: TurnRequest) -> None:
        """Tells the program how long it may think, unless it refused time commands before."""
        limit = turn.limit
        if isinstance(limit, Clock):
            commands = clock_commands(colour, limit)
        elif limit.seconds is not None:
            commands = [f"time_settings 0 {ceil(limit.seconds)} 1", f"time_left {colour} {ceil(limit.seconds)} 1"]
        else:
            return
        for command in commands * self._timed:
            try:
                self._ask(command, self._grace)
            except Refused as error:
                if self._timed:
                    turn.remark(f"{self._name} is not told its time: to {command!r} it answers {error}")
                self._timed = False

    def _ask(self, command: str, seconds: float) -> str:
        """The answer to a command. Raises Refused if the command failed, and Forfeit if no answer comes."""
        self._transport.send(command)
        answer = list[str]()
        for line in answers(self._transport, seconds):
            if answer and not line:
                break
            if answer or line.startswith(("=", "?")):  # earlier lines are not part of an answer
                answer.append(line)
            if sum(map(len, answer)) + len(answer) > _LONGEST_ANSWER:
                raise Forfeit(f"{self._name} sends an answer without an end")
        text = " ".join([answer[0][1:].strip(), *answer[1:]]).strip()
        if answer[0].startswith("?"):
            raise Refused(shown(text))
        return text


def clock_commands(colour: str, clock: Clock) -> list[str]:
    """The commands that tell a clock. GTP has no increments: what is added after each action is told as overtime.

    The time left has the increment for the present action, which is told as a period of overtime of its own.
    """
    main, period = int(max(0.0, clock.left - clock.increment)), int(clock.increment + clock.overtime)
    if not period:
        return [f"time_settings {int(clock.left)} 0 0", f"time_left {colour} {int(clock.left)} 0"]
    left = f"{main} 0" if main else f"{min(period, int(clock.left + clock.overtime))} 1"
    return [f"time_settings {main} {period} 1", f"time_left {colour} {left}"]
