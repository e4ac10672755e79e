"""The matches of an experiment, during training and at its end, as pairings of a store of results.

- At the end every network plays every other network of its game, including networks of other repetitions and of its own
  combination (003, section 3.3); or all play the opponents that the procedure names.
- During training, the network of a repetition plays the final networks of that repetition.
- In a one-player game each network plays alone.

A player's name is the one that the command would use in the directory of the experiment.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from athenan.arena.pairs import Conditions, Pair, played
from athenan.arena.roster import make_player
from athenan.arena.store import Pairing
from athenan.experiments.description import ALL, NOBODY, Contestant, Experiment, ExperimentError, Procedure
from athenan.experiments.trainings import TRAININGS, network_path
from athenan.games.catalogue import known
from athenan.networks.catalogue import network_of
from athenan.play.openings import OpeningChoice
from athenan.play.records import MatchRecord


@dataclass(frozen=True)
class Entrant:
    """A contestant with the network of one repetition, at one time."""

    contestant: Contestant
    repetition: int
    player: str
    """Its name as a player, relative to the directory of the experiment."""
    minutes: float
    """Minutes of training."""


@dataclass(frozen=True)
class Contest:
    """A pairing, as the report reads it: entrant or opponent against entrant or opponent."""

    one: Entrant
    other: Entrant | None
    """None if the opponent is not a network of the experiment, or if there is no opponent in a one-player game."""
    pairing: Pairing
    procedure: Procedure
    """How it is played."""
    final: bool
    """Whether it is played at the end of training, among all repetitions."""


def entrant(game: str, contestant: Contestant, repetition: int, minutes: float) -> Entrant:
    """A contestant after this many minutes. Raises NoNetworkError if the package lacks the network that it needs."""
    if contestant.shipped:
        network, minutes = network_of(known(game)).name, 0.0
    else:
        network = network_path(Path(), game, contestant.combination, repetition, minutes)
    player = f"{network},{contestant.settings}" if contestant.settings else network
    return Entrant(contestant, repetition, player, minutes)


def contests(experiment: Experiment, game: str) -> Iterator[Contest]:
    """All contests of a game: the final ones, then the contests during training.

    Raises ExperimentError if the opponents are not named.
    """
    procedure = experiment.procedure
    if procedure.opponents == NOBODY:
        raise ExperimentError(
            f"{experiment.name} is played against {experiment.rival or 'an opponent of yours'}: name it, or any other "
            "player, by --opponents"
        )
    own, theirs = _sides(experiment, game)
    repetitions, alone = range(1, procedure.repetitions + 1), known(game).players == 1

    def contest(one: Entrant, other: Entrant | None, how: Procedure, text: str, final: bool) -> Contest:
        rival = () if alone else (how.opponents if other is None else other.player,)
        return Contest(one, other, Pairing(game, (one.player, *rival), text), how, final)

    def entered(contestants: Sequence[Contestant], number: int, point: int = -1) -> list[Entrant]:
        return [
            entrant(game, one, number, experiment.times(one.combination)[point])
            for one in contestants
            if number <= experiment.repetitions(one.combination)
        ]

    ours = [one for number in repetitions for one in entered(own, number)]
    against = [one for number in repetitions for one in entered(theirs, number)]
    for how in experiment.final_procedures:
        text = conditions(how).text  # once: there may be many thousands of contests
        for position, one in enumerate(ours):
            networks = ours[position + 1 :] if procedure.opponents == ALL else against
            yield from (contest(one, rival, how, text, True) for rival in _rivals(networks, bool(theirs) and not alone))
    text = conditions(procedure).text
    rivals = {number: _rivals(entered(theirs, number), bool(theirs) and not alone) for number in repetitions}
    for point in range(procedure.points - 1):
        for number in repetitions:
            for young in entered(own, number, point):
                yield from (contest(young, rival, procedure, text, False) for rival in rivals[number])


def _rivals(networks: Sequence[Entrant], meets_networks: bool) -> Sequence[Entrant | None]:
    """The networks, or None for the one opponent that is not a network."""
    return networks if meets_networks else (None,)


def _sides(experiment: Experiment, game: str) -> tuple[list[Contestant], list[Contestant]]:
    """The contestants to evaluate, and the contestants among their opponents."""
    every, name = list(experiment.contestants(game)), experiment.procedure.opponents
    if name == ALL:
        return every, every
    named = experiment.group(name, game)
    return [one for one in every if one not in named], named


def check_opponents(experiment: Experiment, game: str) -> None:
    """Raises ExperimentError or PlayerError without an opponent. A program is started to find out."""
    next(contests(experiment, game), None)
    own, theirs = _sides(experiment, game)
    if known(game).players == 1:
        if experiment.procedure.opponents != ALL:
            raise ExperimentError(f"{game} is for one player: --opponents must be {ALL}")
        return
    if not own:
        raise ExperimentError(f"at {game} no network is left to play against {experiment.procedure.opponents}")
    if not theirs:
        make_player(experiment.procedure.opponents, known(game), people=False, named=False).close()


def conditions(procedure: Procedure) -> Conditions:
    """How the matches are played."""
    openings = OpeningChoice("random", procedure.random_opening, procedure.seed)
    return Conditions(procedure.limit, openings, procedure.seed, clock=procedure.clock)


@dataclass(frozen=True)
class PairJob:
    """A pair of matches to play, for `athenan.jobs`."""

    pair: Pair
    """The pair, with the players' names relative to the directory of the experiment."""
    directory: str


def play_pair(job: PairJob) -> list[MatchRecord]:
    """Plays a pair: the function of a job."""
    names = job.pair.players
    records = played(replace(job.pair, players=tuple(located(name, job.directory) for name in names)))
    return [replace(record, players=order) for record, order in zip(records, (names, names[::-1]), strict=False)]


def located(name: str, directory: str) -> str:
    """The absolute name of a player, from its name relative to the directory of the experiment."""
    return f"{directory}/{name}" if name.startswith(f"{TRAININGS}/") else name
