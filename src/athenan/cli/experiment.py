"""`athenan experiment`: the experiments of the papers, and experiments of your own."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from rich.console import Console

from athenan.arena.roster import allow_player
from athenan.cli.arguments import Argument
from athenan.cli.data import DataOptions, FormatName
from athenan.cli.options import allow_rules, asks_for_help, parse_given
from athenan.cli.parser import filled, help_of
from athenan.cli.progress import SECONDS_BETWEEN_LINES
from athenan.experiments.catalogue import EXPERIMENTS, Scale, listing
from athenan.experiments.data import TABLES
from athenan.experiments.description import Experiment, ExperimentError, Procedure
from athenan.experiments.files import read_file, read_settings
from athenan.experiments.trainings import combinations_named, with_settings
from athenan.extras import require
from athenan.games.catalogue import make
from athenan.replacing import require_writable
from athenan.report.data import as_json
from athenan.search.named import parse_search
from athenan.settings import Threads, counted
from athenan.system.cores import available_cores

_LIMITS = ("seconds", "iterations", "evaluations")


@dataclass(frozen=True)
class ExperimentOptions(Procedure):
    """Runs an experiment of the papers, or one that a TOML file describes, and reports the results.

    It trains networks, plays matches and grades the results. After an interruption the same command continues where it
    stopped. `athenan experiment --list` lists the experiments. `athenan experiment NAME report` only reports the
    results so far.
    """

    experiment: Annotated[str, Argument(positional=True, metavar="NAME|FILE")] = ""
    """The experiment, such as 003-table-3, or a TOML file."""
    action: Annotated[Literal["run", "report"], Argument(positional=True)] = "run"
    """Run it, or only report the results so far."""
    scale: Scale = "laptop"
    """The paper's numbers, or small ones for one machine. Sets the defaults of the options above."""
    combinations: Annotated[tuple[str, ...], Argument(metavar="NAME")] = ()
    """Run only these of its combinations."""
    set: Annotated[tuple[str, ...], Argument(metavar="SETTING=VALUE")] = ()
    """Settings for all trainings, such as replay.batch_size=256 run.network=r1."""
    rules: Annotated[tuple[str, ...], Argument(metavar="FILE|MODULE")] = ()
    """Games and searches of your own that the TOML file names: their files or modules, whose code runs only if the
    command line names them, here or in other options."""
    directory: Annotated[Path | None, Argument(metavar="DIR", default="experiments/NAME-SCALE")] = None
    """The folder for trainings and results. Experiments can share one."""
    report: Annotated[Path | None, Argument(metavar="FILE", default="report.html in the folder")] = None
    """The file for the report, a web page. Its text and figures are written next to it."""
    workers: Annotated[Threads, Argument(metavar="N")] = field(default_factory=available_cores)
    """Processes, each for one match or one training. The cores limit how many trainings run at once."""
    ray: Annotated[str | None, Argument(metavar="ADDRESS", default="this machine")] = None
    """Run on the machines of this Ray cluster. All need the package, and the folder at the same path."""
    list: bool = False
    """List the experiments."""
    json: bool = False
    """Print JSON: the tables pairs, trainings, grades and environments, or the one of --table."""
    data: DataOptions = field(default_factory=DataOptions)


def run(arguments: Sequence[str]) -> None:
    """Runs the command: reads the options, then finds the experiment, whose numbers are the defaults."""
    others = [text for text in arguments if text not in ("-h", "--help")]
    given, values = parse_given(ExperimentOptions, "experiment", others, ExperimentOptions())
    if given.list:
        print(listing(), end="")
        return
    if not given.experiment:
        if asks_for_help(arguments):
            _show_help()
        raise ExperimentError("which experiment? `athenan experiment --list` lists them; a TOML file describes another")
    _allow_code(given)
    experiment = _described(given)
    numbers = {item.name: getattr(experiment.procedure, item.name) for item in fields(Procedure)}
    if any(getattr(given, name) is not None for name in _LIMITS):  # they replace the limits of the description
        numbers |= dict.fromkeys(_LIMITS)
    default = replace(ExperimentOptions(**numbers), scale=given.scale)
    if asks_for_help(arguments):
        _show_help(default)
    options = filled(ExperimentOptions, values, default)
    form = options.data.format(options.json, TABLES)
    experiment = _chosen(_of_rounds(experiment, given, options), options)
    if not form:
        require("matplotlib", "the report of an experiment")
    if options.report:
        require_writable(options.report)
    directory = options.directory or _directory(experiment, options)
    if options.action == "run":
        _perform(experiment, directory, options)
    elif not directory.is_dir():
        raise ExperimentError(f"there is nothing to report: {directory} does not exist; give its --directory")
    if form:
        _print_data(experiment, directory, options.data, form)
    else:
        _report(experiment, directory, options.report)


def _show_help(default: ExperimentOptions | None = None) -> None:
    print(help_of(ExperimentOptions, "experiment", default), end="")
    raise SystemExit(0)


def _allow_code(given: ExperimentOptions) -> None:
    """Allows the code and the command that the options name. What the TOML file names is only looked up among them."""
    allow_rules(*given.rules)
    for game in given.games:
        make(game)
    allow_player(given.opponents)
    for text in given.set:
        name, _, value = text.partition("=")
        if name == "search":
            parse_search(value)


def _described(options: ExperimentOptions) -> Experiment:
    """The experiment that the options name. Raises ExperimentError if there is no such experiment."""
    if options.experiment in EXPERIMENTS:
        return EXPERIMENTS[options.experiment](options.scale)
    if options.experiment.lower().endswith(".toml"):
        return read_file(Path(options.experiment))
    known = ", ".join(EXPERIMENTS)
    raise ExperimentError(f"there is no experiment {options.experiment!r}; there are {known}, and TOML files")


def _of_rounds(experiment: Experiment, given: ExperimentOptions, options: ExperimentOptions) -> Experiment:
    """The experiment with its rounds of final matches adjusted: a limit removes them, --pairs applies to each."""
    if any(getattr(given, name) is not None for name in _LIMITS):
        return replace(experiment, rounds=())
    if options.pairs == experiment.procedure.pairs and given.pairs == Procedure.pairs:
        return experiment
    return replace(experiment, rounds=tuple(replace(one, pairs=options.pairs) for one in experiment.rounds))


def _chosen(experiment: Experiment, options: ExperimentOptions) -> Experiment:
    """The experiment with the options of the command."""
    procedure = Procedure(**{item.name: getattr(options, item.name) for item in fields(Procedure)})
    experiment = with_settings(experiment, read_settings(options.set)) if options.set else experiment
    if not options.combinations:
        return replace(experiment, procedure=procedure)
    chosen = combinations_named(experiment, options.combinations)
    baseline = experiment.baseline if experiment.baseline in chosen else None
    return replace(  # the paper's levels and the means of groups hold for all combinations only
        experiment, procedure=procedure, combinations=chosen, baseline=baseline, groups={}, published={}
    )


def _directory(experiment: Experiment, options: ExperimentOptions) -> Path:
    own = options.experiment not in EXPERIMENTS
    return Path("experiments", experiment.name if own else f"{experiment.family or experiment.name}-{options.scale}")


def _perform(experiment: Experiment, directory: Path, options: ExperimentOptions) -> None:
    """Does the remaining work. A terminal shows one line; other output gets a line now and then."""
    from athenan.experiments.plan import Stage, perform
    from athenan.jobs import Machines

    console = Console(stderr=True)
    lines = _Lines()
    with console.status(f"{experiment.name} in {directory}") as status:

        def report(stage: Stage) -> None:
            text = f"{stage.what}: {stage.done:,} of {stage.whole:,}{_left(stage.seconds_left)}"
            if console.is_terminal:
                status.update(text)
            else:
                lines.show(text, stage.what, stage.done == stage.whole)

        perform(experiment, directory, Machines(options.workers, options.ray), report)


class _Lines:
    """Progress outside a terminal: the first and the last line of each part, and one a minute."""

    def __init__(self) -> None:
        self._what, self._last = "", float("-inf")

    def show(self, text: str, what: str, ends: bool) -> None:
        """Prints the text on standard error if a line is due."""
        from time import monotonic

        if ends or what != self._what or monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            print(text, file=sys.stderr, flush=True)
            self._what, self._last = what, monotonic()


def _left(seconds: float | None) -> str:
    if not seconds:
        return ""
    if seconds < 90:
        return f", about {counted(round(seconds), 'second')} left"
    return f", about {seconds / 60:.0f} minutes left" if seconds < 5400 else f", about {seconds / 3600:.1f} hours left"


def _print_data(experiment: Experiment, directory: Path, options: DataOptions, form: FormatName) -> None:
    """Prints the results as data; no page is written."""
    from athenan.experiments.data import data
    from athenan.experiments.outcome import gather
    from athenan.experiments.tables import tables

    rows = partial(data, experiment, directory)
    whole = lambda: {"experiment": experiment.name, **{one.name: as_json(one) for one in rows()}}
    options.print(form, rows, lambda: tables(gather(experiment, directory)), whole)


def _report(experiment: Experiment, directory: Path, file: Path | None) -> None:
    """Prints the report, and writes its page."""
    from athenan.experiments.outcome import gather
    from athenan.experiments.report import text, write

    outcome = gather(experiment, directory)
    print(text(outcome))
    written = write(outcome, file or directory / "report.html")
    print("written: " + ", ".join(map(str, written)))
