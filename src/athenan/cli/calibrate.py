"""`athenan calibrate`: what the values of a run's searches mean as win chances."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from athenan.arena.calibrating import own_matches, samples_of
from athenan.arena.learnt_players import handicap_of
from athenan.arena.roster import make_player, run_of
from athenan.cli.arguments import Argument
from athenan.cli.options import Limits, OwnRules, RunName, allow_rules, parse, print_json, require_path
from athenan.cli.progress import showing
from athenan.evaluation.calibration import LEAST_MATCHES, Reliability, Samples, learnt_chances, reliability
from athenan.evaluation.chances import Chances, restored_chances
from athenan.extras import require
from athenan.files.file_match import FileMatch
from athenan.files.formats import read_matches
from athenan.games.catalogue import make
from athenan.replacing import require_writable
from athenan.report.figures import COLOURS, save
from athenan.rules.game import GameError
from athenan.runs.checkpoint import amend, load_network, load_progress, require_unlocked
from athenan.runs.description import game_name
from athenan.settings import Between, Seed, counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SECONDS = 0.02
_FIGURES = ".svg", ".png"


@dataclass(frozen=True)
class Calibrate:
    """Learns what the values of a run's searches mean as win chances, and saves it with the network.

    The network plays matches against itself, without exploration, from random openings. With --records the matches come
    from files. Win chances are the first player's expected points: a win counts 1, a draw 1/2. A training of more than
    half a minute learns them by itself, from few matches. Ctrl-C ends the matches: at least 50 teach win chances.
    """

    run: RunName
    """The run directory, RUN@MINUTES or checkpoint; the settings of the player may follow: RUN,search=FILE."""
    limits: Limits = field(default_factory=Limits)
    games: Annotated[int, Between(1, 10**6), Argument(short="-g", metavar="N")] = 300
    """Matches to play."""
    records: Annotated[tuple[Path, ...], Argument(repeated=True, metavar="FILE")] = ()
    """Instead of playing: use the matches of the run in this file, which match --records has written. Can be given
    several times. If RUN has settings, only the matches of a player with just these settings count."""
    check: bool = False
    """Save nothing: compare the win chances that the run has with these matches."""
    plot: Annotated[Path | None, Argument(metavar="FILE")] = None
    """Write a figure of predicted and observed points, as .svg or .png."""
    seed: Seed = 0
    """Seed of openings and players. For --check, take a different one from before."""
    rules: OwnRules = ""
    json: bool = False
    """Print JSON: the table of values and points, and how well it agrees with the matches."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Calibrate, "calibrate", arguments)
    allow_rules(options.rules)
    if options.plot:
        require("matplotlib", "a figure")
    require_path(options.run)
    run = run_of(options.run) or options.run
    _require_possible(options, run)
    progress = load_progress(run)
    had = restored_chances(load_network(run).chances)
    if options.check and had is None:
        raise ValueError(f"{run} has no win chances yet: leave out --check, and they are learnt")
    samples, interrupted = _samples(options, run)
    if interrupted and samples.count < (1 if options.check else LEAST_MATCHES):
        raise KeyboardInterrupt
    if not len(samples):
        raise ValueError("no player has given a value to a position that was not proven: there is nothing to compare")
    chances = had if options.check else learnt_chances(samples)
    if chances is None:
        raise ValueError(f"at least {LEAST_MATCHES} matches with values are needed, not {samples.count}: more --games")
    if not options.check:
        amend(run, partial(_with_chances, run, progress, chances))
    found = reliability(chances, samples)
    if options.plot:
        save(lambda figure: draw(figure, {options.run: found}), 4, 3.6, options.plot)
    _tell(options, chances, samples, found, partial=interrupted)
    if interrupted:
        raise KeyboardInterrupt


def _require_possible(options: Calibrate, run: str) -> None:
    """Raises ValueError if the matches could not teach win chances, or the win chances not be saved after them."""
    if handicap := handicap_of(options.run):
        raise ValueError(
            f"{options.run}: it draws some actions at random, and win chances are learnt from play without "
            f"chance: leave out {handicap}"
        )
    if options.plot and options.plot.suffix not in _FIGURES:
        raise ValueError(f"--plot: the name of a figure ends with {' or '.join(_FIGURES)}, not {options.plot.name!r}")
    if options.plot:
        require_writable(options.plot)
    if options.check:
        return
    if not options.records and options.games < LEAST_MATCHES:
        raise ValueError(f"--games must be at least {LEAST_MATCHES} to learn win chances, not {options.games}")
    require_unlocked(run)


def _samples(options: Calibrate, run: str) -> tuple[Samples, bool]:
    """What the matches teach, and whether Ctrl-C came before all were played."""
    matches, meant = _matches(options, run)
    parts, interrupted = list[Samples](), False
    try:
        for number, match in enumerate(matches):
            parts.append(samples_of([match], meant, number))
    except KeyboardInterrupt:
        if options.records:  # nothing is lost
            raise
        interrupted = True
    return Samples.joined(parts), interrupted


def _with_chances(
    run: str, played: Mapping[str, Any], chances: Chances, document: Mapping[str, Any]
) -> dict[str, Mapping[str, Any]]:
    """The progress with the win chances. Raises ValueError if the run has learnt since its matches were played."""
    progress = document.get("progress")
    if progress != played:
        raise ValueError(f"{run} has learnt since these matches were begun: calibrate it again")
    return {"progress": {**played, "chances": chances.as_json()}}


def _matches(options: Calibrate, run: str) -> tuple[Iterator[FileMatch], "Meant"]:
    """The matches, and which of their players are the run's."""
    game = make(game_name(run))
    if game.players == 1:
        raise GameError(f"{game.name} has one player: its values are final scores, and nobody wins")
    if options.records:
        return (match for file in options.records for match in read_matches(file, game)), Meant(options.run, run)
    player = make_player(options.run, game)
    matches = own_matches(game, player, options.limits.or_seconds(_SECONDS), options.seed)
    return _watched(islice(matches, options.games), options.games), Meant(player.name, run)


@dataclass(frozen=True)
class Meant:
    """Tells which names of players are a run's."""

    player: str
    """The run, perhaps with settings."""
    run: str

    def __call__(self, name: str) -> bool:
        """Whether the name is the player's, or the run's with any settings if the player has none."""
        return name == self.player or (self.player == self.run and name.startswith(f"{self.run},"))


def _watched(matches: Iterator[FileMatch], count: int) -> Iterator[FileMatch]:
    """The matches, while it shows how many were played."""
    played = 0
    with showing(lambda: f"{played:,} of {counted(count, 'match')}"):
        for match in matches:
            played += 1
            yield match


def _tell(options: Calibrate, chances: Chances, samples: Samples, found: Reliability, *, partial: bool) -> None:
    if options.json:
        print_json({
            "run": options.run, "chances": chances.as_json(), "saved": not options.check, "partial": partial,
            "matches": samples.count, "values": len(samples), "brier": found.brier, "calibration_error": found.error,
            "bins": [
                {"predicted": one, "observed": two, "values": int(three)}
                for one, two, three in zip(found.predicted, found.observed, found.counts, strict=True)
            ],
        })  # fmt: skip
        return
    print(f"{options.run}: win chances of the first player, from {chances.matches:,} matches; a draw counts half")
    print("  value  " + " ".join(f"{value:>7.3g}" for value in chances.values[:: max(1, len(chances.values) // 8)]))
    print("  chance " + " ".join(f"{point:>7.1%}" for point in chances.points[:: max(1, len(chances.points) // 8)]))
    same = "" if options.check else ", the same"
    rest = f"; partial, not all of {counted(options.games, 'match')}" if partial else ""
    print(f"compared with {counted(len(samples), 'value')} of {counted(samples.count, 'match')}{same}{rest}")
    print(f"  calibration error {found.error:.1%}, Brier score {found.brier:.3f}")
    for one, two, count in zip(found.predicted, found.observed, found.counts, strict=True):
        print(f"  predicted {one:>6.1%}  observed {two:>6.1%}  of {counted(count, 'value')}")


def draw(figure: "Figure", found: dict[str, Reliability], columns: int = 1) -> None:
    """Draws predicted and observed points, a panel for each name; the area of a dot is its share of the values."""
    for number, (name, one) in enumerate(found.items(), 1):
        axes = figure.add_subplot(-(-len(found) // columns), columns, number)
        axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--")
        sizes = 20 + 180 * one.counts / one.counts.sum()
        axes.plot(one.predicted, one.observed, color=COLOURS[0], linewidth=1)
        axes.scatter(one.predicted, one.observed, sizes, color=COLOURS[0])
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="predicted", ylabel="observed")
        axes.set_title(f"{name}\nerror {one.error:.1%}, Brier {one.brier:.3f}", fontsize=9)
