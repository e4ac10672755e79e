"""Value kept: the share of solved positions in which a player's action keeps the game value, and the value lost.

>>> from athenan import Budget, make
>>> from athenan.arena.roster import make_player
>>> from athenan.grading.positions import Solved
>>> game = make("tictactoe")
>>> corner = Solved(0, "a1", {action: 0 if action == 4 else -1 for action in range(1, 9)})
>>> [answer.kept for answer in answers(make_player("mcts:5000", game), game, [corner], Budget(seconds=1))]
[True]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from time import perf_counter, process_time
from typing import Any

from athenan.arena.pairs import close_players, kept_player
from athenan.games.catalogue import known
from athenan.grading.positions import Solved
from athenan.play.limit import Limit
from athenan.play.player import Forfeit, Player
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game
from athenan.search.clock import ClockName
from athenan.statistics import Interval, mean_interval, wilson_interval


@dataclass(frozen=True)
class Answer:
    """What a player did in a position."""

    number: int
    """The position's."""
    value: float
    """The game value of the position for the player: 1 a win, 0 a draw; in games of chance an expectation."""
    loss: float
    """How much of the value the player's action loses."""
    seconds: float
    processor_seconds: float
    """The processor time of this process, all threads; work of other programs or a GPU does not count."""
    forfeit: str | None = None
    """Why a program failed to answer; the loss is then the greatest that an action has."""

    @property
    def kept(self) -> bool:
        """Whether the player's action keeps the value."""
        return self.loss == 0


def answers(
    player: Player, game: Game, positions: Sequence[Solved], limit: Limit, seed: int = 0, clock: ClockName = "wall"
) -> list[Answer]:
    """Asks a player about positions, each a match of its own. A program that fails (`Forfeit`) loses the value.

    `clock` counts the seconds of a search here, as `Conditions.clock` does.
    """
    if isinstance(player, SearchPlayer):
        player.count_by(clock)
    return [_answer(player, game, position, limit, seed) for position in positions]


def _answer(player: Player, game: Game, position: Solved, limit: Limit, seed: int) -> Answer:
    began, used, forfeit = perf_counter(), process_time(), None
    gain = min(position.gains.values())
    try:
        player.new_match(game, seed + position.number)
        state = game.initial()
        for text in position.moves.split():
            action = game.parse_action(state, text)
            state = game.play(state, action)
            player.observe(action, state)
        began, used = perf_counter(), process_time()
        gain = position.gains[player.select(state, limit).action]
    except Forfeit as error:
        forfeit = str(error)
    seconds, processor = perf_counter() - began, process_time() - used
    return Answer(position.number, position.value, position.value - gain, seconds, processor, forfeit)


@dataclass(frozen=True)
class GradeJob:
    """Positions for a player, for `athenan.jobs`."""

    game: str
    player: str
    positions: Sequence[Solved]
    limit: Limit
    seed: int = 0
    threads: int = 1
    clock: ClockName = "wall"


def do_grade(job: GradeJob) -> list[Answer]:
    """Asks a player that this process keeps. The job of `athenan.jobs`. Raises PlayerError without such a player."""
    game = known(job.game)
    found = answers(kept_player(job.player, game, job.threads), game, job.positions, job.limit, job.seed, job.clock)
    if any(answer.forfeit for answer in found):
        close_players()  # a program that has failed is started again
    return found


@dataclass(frozen=True)
class Grade:
    """The summary of a player's answers, of which there is at least one."""

    player: str
    answers: Sequence[Answer]

    @property
    def kept(self) -> int:
        """The number of positions in which the value was kept."""
        return sum(answer.kept for answer in self.answers)

    @property
    def share(self) -> float:
        """Value kept: the share of positions."""
        return self.kept / len(self.answers)

    @property
    def interval(self) -> Interval:
        """The 95% interval of the share (Wilson's), for other positions made in the same way."""
        return wilson_interval(self.share, len(self.answers))

    @property
    def loss(self) -> float:
        """The mean loss of a position."""
        return fmean(answer.loss for answer in self.answers)

    @property
    def loss_interval(self) -> Interval | None:
        """The 95% interval of the mean loss (Student's t), for other positions made in the same way; None for one."""
        if len(self.answers) < 2:
            return None
        low, high = mean_interval([answer.loss for answer in self.answers])
        return max(0.0, low), high

    @property
    def seconds_per_action(self) -> float:
        """The mean time of an answer."""
        return fmean(answer.seconds for answer in self.answers)

    @property
    def processor_seconds_per_action(self) -> float:
        """The mean processor time of an answer; on a busy machine less than the wall-clock time."""
        return fmean(answer.processor_seconds for answer in self.answers)

    def of_value(self, value: int) -> "Grade":
        """The grade in the positions of one value, which may have no answers: 1 won positions, 0 drawn ones."""
        return Grade(self.player, [answer for answer in self.answers if answer.value == value])

    def as_json(self) -> dict[str, Any]:
        """The numbers of a report."""
        parts = {"won": self.of_value(1), "drawn": self.of_value(0)}
        return {
            "player": self.player, "kept": self.kept, "positions": len(self.answers), "value_kept": self.share,
            "interval": self.interval, "loss": round(self.loss, 6),
            "loss_interval": self.loss_interval,
            **{name: {"kept": part.kept, "positions": len(part.answers)} for name, part in parts.items()},
            "seconds_per_action": round(self.seconds_per_action, 6),
            "processor_seconds_per_action": round(self.processor_seconds_per_action, 6),
            "lost": [answer.number for answer in self.answers if not answer.kept],
            "forfeits": [answer.forfeit for answer in self.answers if answer.forfeit],
        }  # fmt: skip
