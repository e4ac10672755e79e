"""The card of a network: where it comes from, how strong it is, what it is weak at."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

from athenan.play.levels import LEVELS, Level, LevelName, Levels, Sight, Temperature
from athenan.settings import Between, Checked, Count, counted, from_json

CARD = "card"
"""The name of the card in the document of a file."""


@dataclass(frozen=True)
class Rated:
    """A level and its measured strength, in Elo points on a scale on which `mcts:1000` has 1,000."""

    level: LevelName
    evaluations: Count | None
    """See `Level`."""
    temperature: Temperature
    """See `Level`."""
    sight: Sight
    """See `Level`."""
    elo: float
    low: float
    """The lower end of the 95% interval of the difference from mcts:1000, plus 1,000."""
    high: float
    """Its upper end."""
    games: int

    @property
    def plays(self) -> Level:
        """What the level is."""
        return Level(self.evaluations, self.temperature, self.sight)

    def __str__(self) -> str:
        return f"{self.elo:.0f} ({self.low:.0f} to {self.high:.0f}, {counted(self.games, 'game')})"


@dataclass(frozen=True)
class Card(Checked):
    """What a network says of itself."""

    game: str
    """The game that it has learnt."""
    rules: str
    """The fingerprint of the rules (`networks.fingerprint`)."""
    command: str
    """The command that trained it."""
    commit: str
    """The commit of athenan that trained it."""
    minutes: float
    """Minutes of training."""
    clock: str
    """What counted the minutes: wall or processor."""
    matches: int
    """Matches of self-play."""
    processor: str
    """The processor that trained it."""
    error: Annotated[float, Between(0, 1e9)]
    """The root mean square change of the network's values by storing, over states that the run's last matches have
    learnt (or of random play, without such states), in shares of the heuristic's scale."""
    weaknesses: str = ""
    """Known weaknesses, in sentences."""
    ratings: tuple[Rated, ...] = ()
    """The strength of its levels, the weakest first; empty until it is measured."""
    measured: str = ""
    """How the ratings were measured."""
    earlier_minutes: Annotated[float, Between(0, 1e9)] = 0.0
    """Minutes of training of the package's networks that this training went on with, one after the other."""

    def as_json(self) -> dict[str, Any]:
        """The card as JSON data; `read_card` restores it."""
        return asdict(self)

    @property
    def total_minutes(self) -> float:
        """Minutes of training, the earlier ones included."""
        return round(self.minutes + self.earlier_minutes, 2)

    @property
    def levels(self) -> Levels:
        """The levels of a player with this network."""
        ratings = {one.level: round(one.elo) for one in self.ratings}
        return Levels(LEVELS | {one.level: one.plays for one in self.ratings}, ratings)

    @property
    def strength(self) -> str:
        """The rating of the last level, which plays without handicap, in words.

        The highest rating of several would be high by chance.
        """
        return str(self.ratings[-1]) if self.ratings else "not measured"


def read_card(data: Any) -> Card:
    """The card of `as_json`. Raises ValueError for anything else."""
    if not isinstance(data, Mapping) or not isinstance(ratings := data.get("ratings"), list):
        raise ValueError("it has no card")
    card: Card = from_json(Card, {name: value for name, value in data.items() if name != "ratings"})
    return replace(card, ratings=tuple(from_json(Rated, one) for one in ratings))
