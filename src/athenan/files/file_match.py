"""A match as a file of any format gives it: finished or not, with comments and variations.

A `FileMatch` is not a `play.records.MatchRecord`: its outcome is what the file says, and may be missing. A record is
the match that counts, in series, tournaments and experiments: it has ended, and the rules have confirmed its result.

    >>> from athenan import make
    >>> from athenan.play.match import play_match
    >>> from athenan.play.player import RandomPlayer
    >>> game = make("tictactoe")
    >>> record = play_match(game, (RandomPlayer(), RandomPlayer()), seed=1)
    >>> told = FileMatch.of_record(record)
    >>> told.actions == record.actions, told.as_record(game).outcome == record.outcome
    (True, True)

Values are from the first player's point of view. All actions of a match read from a file are legal, including its
variations.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from athenan.play.cube import CubeRecord
from athenan.play.records import MatchRecord, Plies, Ply, RecordError
from athenan.rules.game import Game, State
from athenan.rules.state import CHANCE

Ending = Literal["", "resigned", "time", "forfeit", "adjudicated"]
"""What ended a match before the rules did: nothing known, the loser's resignation, its clock, another failure, or a
proof."""


@dataclass(frozen=True)
class FileMatch:
    """A match, or the part of it that a file gives. Its players, result and end are claims of the file."""

    game: str
    """The name of the game."""
    players: tuple[str, ...]
    """The names of the first and the second player, or of the only one; "" if they are not known."""
    plies: Plies
    """What was played, from the first state on, with comments and variations."""
    outcome: int | None = None
    """The gain of the first player according to the file; None if the file does not give it."""
    ending: Ending = ""
    comment: str = ""
    """The comment on the whole match."""
    about: Mapping[str, str] = field(default_factory=dict)
    """Known facts: event, place, date, round. In backgammon also the number of a game in its match, the length of this
    match in points, and its score before the game, as in 2-0: game, length, score."""
    cube: CubeRecord | None = None
    """The actions of the doubling cube in backgammon; None without a cube."""
    notices: tuple[str, ...] = field(default=(), compare=False)
    """What the reader of a file has to say about the match, such as moves after its end that were left out."""

    fen: str = field(default="", kw_only=True)
    """The first position, as the game writes positions (`Game.write_fen`); "" for the initial one."""

    @property
    def actions(self) -> tuple[int, ...]:
        """All actions, from the first state on."""
        return tuple(ply.action for ply in self.plies)

    def start(self, game: Game) -> State | None:
        """The first state if it is not the initial one; else None."""
        return game.read_fen(self.fen) if self.fen else None

    @classmethod
    def of_record(cls, record: MatchRecord) -> "FileMatch":
        """The match of a record. Its comment says why it was forfeited."""
        ending: Ending = "resigned" if record.resigned else "adjudicated" if record.adjudicated else ""
        return cls(
            record.game, record.players, record.plies, record.outcome, "forfeit" if record.forfeit else ending,
            record.forfeit or "", cube=record.cube,
        )  # fmt: skip

    def as_record(self, game: Game) -> MatchRecord:
        """The record of a match that has ended by the rules or by `ending`, without comments and variations.

        Raises RecordError if the match has not ended, if it begins from another position than the initial one, or if
        the rules contradict the file.
        """
        if self.fen:
            raise RecordError("a record begins from the initial position, and this match from another one")
        plies, state = tuple(map(_recorded, self.plies)), game.replay(self.actions)
        outcome, dropped = game.outcome(state), self.cube is not None and self.cube.dropped
        if outcome is None and not self.ending and not dropped:
            raise RecordError("the match is not over by the rules and nobody has resigned")
        score = None
        if game.max_score is not None and not self.ending:
            score = self.cube.points(game, state) if self.cube else game.score(state)
        told = outcome if self.outcome is None else self.outcome
        forfeit = self.comment or f"it lost by {self.ending}" if self.ending in ("time", "forfeit") else None
        record = MatchRecord(
            game.name, self.players, plies, 0 if told is None else told, score, self.ending == "resigned",
            forfeit, self.ending == "adjudicated", self.cube,
        )  # fmt: skip
        return MatchRecord.from_json(record.as_json(), game)


def _recorded(ply: Ply) -> Ply:
    """A ply as a record has it."""
    seconds, proven = (None, None) if ply.side == CHANCE else (ply.seconds, ply.proven)
    return Ply(ply.action, ply.side, seconds, ply.value, proven)
