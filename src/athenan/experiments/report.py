"""The report of an experiment: text for the terminal, and a self-contained web page with figures."""

from pathlib import Path

from athenan.experiments.figures import figures
from athenan.experiments.outcome import Outcome
from athenan.experiments.tables import tables
from athenan.report import page as pages
from athenan.report.tables import as_text
from athenan.settings import counted


def text(outcome: Outcome) -> str:
    """The report as plain text."""
    experiment = outcome.experiment
    head = [f"{experiment.name}: {experiment.title}".rstrip(": ")]
    head += [f"{name}: {value}" for name, value in _facts(outcome).items()]
    return "\n\n".join(["\n".join(head), *(as_text(table) for table in tables(outcome))]) + "\n"


def _facts(outcome: Outcome) -> dict[str, str]:
    """What was done, in words."""
    experiment, procedure = outcome.experiment, outcome.experiment.procedure
    count = sum(len(costs) for of in outcome.costs.values() for costs in of.values())
    wanted = sum(experiment.repetitions(name) for of in outcome.costs.values() for name in of)
    clock = " of processor time" if procedure.clock == "processor" else ""
    cores = "one core" if procedure.cores == 1 else f"{procedure.cores} cores"
    action = procedure.limit.in_words
    if experiment.rounds:
        action = " and ".join(one.limit.in_words for one in experiment.final_procedures)
    trainings = f"{count:,} of {wanted:,}, of {counted(procedure.minutes, 'minute')}{clock} on {cores} each"
    of_pair = 1 if outcome.alone else 2
    facts = {
        "source": experiment.source,
        "trainings": trainings if wanted else "none: the networks are the package's",
        "matches": f"{of_pair * outcome.played:,} of {of_pair * outcome.wanted:,}",
        "limit for each action": action,
        "openings": f"random, of {counted(procedure.random_opening, 'action')}" if procedure.random_opening else "",
        "notes": experiment.notes,
    }
    return {name: value for name, value in facts.items() if value}


def page(outcome: Outcome) -> str:
    """The report as one self-contained web page."""
    experiment = outcome.experiment
    first, *others = [*(pages.tabled(one) for one in tables(outcome))] or ["<p>There is nothing to report yet.</p>"]
    drawn = [pages.drawn(one.title, one.svg) for one in figures(outcome)]
    return pages.page(experiment.name, experiment.title, _facts(outcome), [first, *drawn, *others])


def write(outcome: Outcome, file: Path) -> list[Path]:
    """Writes the page and, next to it, its text and its figures as files; returns the files written."""
    written = {file: page(outcome), file.with_suffix(".txt"): text(outcome)}
    for figure in figures(outcome):
        svg = figure.svg.replace("<svg ", '<svg color="#222" ', 1)
        written[file.with_name(f"{file.stem}-{figure.name}.svg")] = svg
    for path, content in written.items():
        pages.write(path, content)
    return list(written)
