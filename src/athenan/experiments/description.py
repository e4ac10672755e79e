"""Descriptions of experiments as data: what is trained, how often and for how long, and how it is compared.

They follow the procedure of 003, section 3.3: every *combination* of settings learns every game several times, and its
networks play matches, during training and at its end.

    >>> experiment = Experiment(
    ...     name="mine",
    ...     title="two searches",
    ...     combinations={"Descent": Combination(), "UBFM": Combination({"algorithm": "ubfm"})},
    ...     procedure=Procedure(games=("hex:3",), repetitions=2, minutes=0.1),
    ... )
    >>> [one.name for one in experiment.contestants("hex:3")]
    ['Descent', 'UBFM']
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from athenan.rules.game import family_of
from athenan.search.budget import Budget
from athenan.settings import Between, Count, Seconds, Seed, check, check_value

DEPTH_1 = "search=(alphabeta:depth=1,completion=false)"
"""The papers' evaluation player: minimax of depth 1 with the network, without completion (003, section 3.3)."""
ALL = "all"
NOBODY = ""
"""Stands for opponents that the user of an experiment must name."""

Settings = Mapping[str, Any]
"""Settings of a training: the settings in `SELECTING`, and by component the changes to the defaults that these select,
as in {"algorithm": "uct", "learning": {"target": "root"}}. Changes to the search are also a table, or the text of
another search."""
SELECTING = ("algorithm", "evaluate", "torch")
"""Settings that select the defaults of a training, as arguments of `recommended` do. `evaluate` is by default children,
and `torch` true: convolutions, unless there is another `run.network`."""
Printed = Mapping[str, Mapping[str, float]]
"""Numbers that a paper prints: game, family of games or "mean" -> column -> number."""


class ExperimentError(ValueError):
    """An experiment that does not exist, or cannot be run as described."""


@dataclass(frozen=True)
class Combination:
    """One kind of training, and the player of its networks."""

    train: Settings = field(default_factory=dict)
    """Its settings, in addition to those that all combinations share."""
    player: str | None = None
    """The settings of its player, such as "search=puct"; None for the players of the experiment."""
    games: tuple[str, ...] = ()
    """The games that it learns, by the first part of their names; empty for all."""
    apart: bool = False
    """Whether it leaves out the settings that the others share."""
    longer: float = 1.0
    """The factor by which its trainings are longer than the procedure says. For experiments with one point."""
    repetitions: int | None = None
    """The most trainings, if there are fewer of it than of others."""
    shipped: bool = False
    """Whether it plays with the package's network of the game, and trains none."""

    def __post_init__(self) -> None:
        check_value("repetitions", Annotated[int, Between(1, 10_000)] | None, self.repetitions)
        check_value("longer", Annotated[float, Between(1e-3, 1000)], self.longer)
        check_value("shipped", bool, self.shipped)
        if self.shipped and self.train:
            raise ValueError("a combination that plays with the package's network has no settings of a training")


@dataclass(frozen=True)
class Procedure:
    """The numbers of an experiment; each can be given on the command line."""

    games: tuple[str, ...] = ("hex:5",)
    """Games to learn, such as hex:5."""
    repetitions: Annotated[int, Between(1, 10_000)] = 4
    """Trainings of each combination in each game."""
    minutes: Annotated[float, Between(1e-4, 10**7)] = 3.0
    """Minutes of each training."""
    clock: Literal["wall", "processor"] = "wall"
    """The clock for the minutes of trainings and their search times: wall-clock time or processor time."""
    cores: Annotated[int, Between(1, 1024)] = 1
    """Cores of each training; as many trainings run at once as the cores allow."""
    points: Annotated[int, Between(1, 10_000)] = 1
    """Evaluations during each training, at equal intervals; the last is at its end."""
    opponents: str = ALL
    """The opponents of the networks: all (each other), a combination, group or player of the experiment, or any other
    player, such as mcts:160 or "gtp:gnugo --mode gtp". In a one-player game: all."""
    pairs: Annotated[int, Between(1, 10**6)] = 1
    """Pairs of matches (one opening, both colours) between two networks, or between a network and another opponent."""
    random_opening: Annotated[int, Between(0, 1000)] = 0
    """Random actions that begin each match."""
    seconds: Seconds | None = None
    """Seconds for each action of a match."""
    iterations: Count | None = None
    """Search iterations for each action of a match."""
    evaluations: Count | None = None
    """Evaluated states for each action of a match."""
    positions: Annotated[int, Between(0, 10**6)] = 0
    """Solved positions of each game on which networks are graded: the package's (`athenan grade`), or, for small boards
    of other games, positions made for it."""
    solving: Seconds = 60.0
    """Seconds for the proofs of each position made; a position that takes longer is replaced."""
    seed: Seed = 0
    """The seed of the first repetition; each further one has the next seed."""

    def __post_init__(self) -> None:
        check(self)
        if not self.games or not all(isinstance(game, str) for game in self.games):
            raise ValueError("games must be names of games, at least one")

    @property
    def limit(self) -> Budget:
        """The limit for each action of a match; one iteration if none is given."""
        if (self.seconds, self.iterations, self.evaluations) == (None, None, None):
            return Budget(iterations=1)
        return Budget(self.seconds, self.iterations, self.evaluations)

    @property
    def times(self) -> tuple[float, ...]:
        """The minutes of training after which networks are evaluated, the end last."""
        return tuple(self.minutes * (number + 1) / self.points for number in range(self.points))


@dataclass(frozen=True)
class Round:
    """Final matches with one limit, for experiments with several. Either seconds or evaluations are given."""

    seconds: Annotated[float, Between(1e-6, 10**6)] | None
    """Seconds for each action."""
    pairs: Annotated[int, Between(1, 10**6)]
    """Pairs of matches between two players."""
    evaluations: Count | None = None
    """Evaluated states for each action."""

    def __post_init__(self) -> None:
        check(self)
        if (self.seconds is None) == (self.evaluations is None):
            raise ValueError("a round of matches is limited either by seconds or by evaluations")


@dataclass(frozen=True)
class Contestant:
    """A combination with one of its players."""

    name: str
    combination: str
    player: str
    """The name of one of the experiment's players; "" if the combination has its own player."""
    settings: str
    """The settings of the player."""
    shipped: bool = False
    """Whether it plays with the package's network."""


@dataclass(frozen=True)
class Experiment:
    """An experiment. Raises ValueError for a bad setting."""

    name: str
    combinations: Mapping[str, Combination]
    procedure: Procedure
    title: str = ""
    source: str = ""
    """The place in the papers."""
    notes: str = ""
    """What differs from the source."""
    family: str = ""
    """Experiments of one family share their trainings; by default each has its own."""
    common: Settings = field(default_factory=dict)
    """Settings of all trainings."""
    players: Mapping[str, str] = field(default_factory=lambda: {"": DEPTH_1})
    """Settings of the networks' players, by name."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Means over contestants that the report shows: name -> combinations, players or contestants."""
    baseline: str | None = None
    """The combination with which others are compared in gain, learning speed and data."""
    differences: bool = False
    """Whether results are shown as wins minus losses (004), not as shares of points (003)."""
    average: Annotated[int, Between(1, 1000)] = 1
    """The number of points in the moving average of a curve (003: 6)."""
    by_game: Mapping[str, Settings] = field(default_factory=dict)
    """Settings of the trainings of one game, by its name."""
    published: Mapping[str, Printed] = field(default_factory=dict)
    """What the paper prints: `levels` and `gains` in percent, `speeds` and `data` as ratios to the baseline. The keys
    of `tables.matches_key` have columns of the table of matches."""
    rounds: tuple[Round, ...] = ()
    """The search times and numbers of the final matches, instead of the procedure's. During training the procedure's
    apply."""
    rival: str = ""
    """The opponent in the paper, and how to name such an opponent, if the user must name it."""

    def __post_init__(self) -> None:
        check_names(self)

    @property
    def final_procedures(self) -> tuple[Procedure, ...]:
        """The procedure, once for each round of final matches."""
        if not self.rounds:
            return (self.procedure,)
        return tuple(
            replace(self.procedure, seconds=one.seconds, pairs=one.pairs, iterations=None, evaluations=one.evaluations)
            for one in self.rounds
        )

    def times(self, combination: str) -> tuple[float, ...]:
        """The minutes of training after which a combination's networks are evaluated, the end last."""
        if self.combinations[combination].shipped:
            return (0.0,)
        return tuple(minutes * self.combinations[combination].longer for minutes in self.procedure.times)

    def repetitions(self, combination: str) -> int:
        """The trainings of a combination in each game."""
        return min(self.procedure.repetitions, self.combinations[combination].repetitions or 10_000)

    @property
    def single(self) -> bool:
        """Whether networks have one player each."""
        return len(self.players) == 1

    def contestants(self, game: str) -> Iterator[Contestant]:
        """The contestants of a game."""
        for name, combination in self.combinations.items():
            if combination.games and family_of(game) not in combination.games:
                continue
            if combination.player is not None:
                yield Contestant(name, name, "", combination.player, combination.shipped)
                continue
            for player, settings in self.players.items():
                whole = f"{name}, {player}" if player else name
                yield Contestant(whole, name, player, settings, combination.shipped)

    def trained(self, game: str) -> list[str]:
        """The combinations whose networks are trained in a game, by name; others play with the package's network."""
        return list(dict.fromkeys(one.combination for one in self.contestants(game) if not one.shipped))

    def printed(self, kind: str, game: str, column: str) -> float | None:
        """The number that the paper prints for a game or for "mean", or None."""
        rows = self.published.get(kind, {})
        row = rows.get(game, rows.get(family_of(game), {}))
        return row.get(column)

    def group(self, name: str, game: str) -> list[Contestant]:
        """The contestants of a group in a game, or the contestant of that name."""
        members = self.groups.get(name, (name,))
        return [one for one in self.contestants(game) if {one.name, one.combination, one.player} & set(members)]


def check_names(experiment: Experiment) -> None:
    """Raises ExperimentError for unknown names."""
    if not experiment.combinations:
        raise ExperimentError(f"{experiment.name} has no combinations")
    if not experiment.players:
        raise ExperimentError(f"{experiment.name} has no players")
    if any(one.shipped for one in experiment.combinations.values()) and (
        experiment.procedure.points > 1 or experiment.procedure.repetitions > 1
    ):
        raise ExperimentError(
            f"points and repetitions must be 1 in {experiment.name}, which plays with the package's networks"
        )
    if experiment.procedure.points > 1 and any(one.longer != 1 for one in experiment.combinations.values()):
        raise ExperimentError(f"points must be 1 in {experiment.name}, some of whose trainings are longer")
    known = {*experiment.combinations, *experiment.players}
    known |= {one.name for game in experiment.procedure.games for one in experiment.contestants(game)}
    for group, members in experiment.groups.items():
        for member in members:
            if member not in known:
                raise ExperimentError(f"the group {group} names {member}, which is neither a combination nor a player")
    if experiment.baseline is not None and experiment.baseline not in experiment.combinations:
        raise ExperimentError(
            f"the baseline must be one of {', '.join(experiment.combinations)}, not {experiment.baseline!r}"
        )
