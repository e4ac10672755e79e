"""The report of an experiment: text for the terminal, and one self-contained web page with figures."""

import os
from html import escape
from pathlib import Path

from athenan.experiments.contests import conditions
from athenan.experiments.figures import Figure, figures
from athenan.experiments.outcome import Outcome
from athenan.experiments.tables import PAPER, Table, as_text, tables

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --faint: #8888; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } tr.paper td { opacity: .65; font-style: italic; }
p.note, dd { max-width: 60rem; } p.note { opacity: .75; font-size: .9em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { opacity: .75; } dd { margin: 0; }
svg { display: block; height: auto; }
"""


def text(outcome: Outcome) -> str:
    """The report as plain text."""
    experiment = outcome.experiment
    head = [f"{experiment.name}: {experiment.title}".rstrip(": ")]
    head += [f"{name}: {value}" for name, value in _facts(outcome)]
    return "\n\n".join(["\n".join(head), *(as_text(table) for table in tables(outcome))]) + "\n"


def _facts(outcome: Outcome) -> list[tuple[str, str]]:
    """What was done, in words."""
    experiment, protocol = outcome.experiment, outcome.experiment.protocol
    count = sum(len(costs) for of in outcome.costs.values() for costs in of.values())
    wanted = sum(len(of) for of in outcome.costs.values()) * protocol.repetitions
    clock = " of processor time" if protocol.clock == "processor" else ""
    cores = "one core" if protocol.cores == 1 else f"{protocol.cores} cores"
    facts = [
        ("source", experiment.source),
        ("trainings", f"{count:,} of {wanted:,}, of {protocol.minutes:g} minutes{clock} on {cores} each"),
        ("matches", f"{2 * outcome.played:,} of {2 * outcome.wanted:,}; {conditions(experiment)}"),
        ("notes", experiment.notes),
    ]  # fmt: skip
    return [(name, value) for name, value in facts if value]


def page(outcome: Outcome) -> str:
    """The report as one web page that needs no other file."""
    experiment = outcome.experiment
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in _facts(outcome))
    parts = [_drawn(one) for one in figures(outcome)]
    shown = [_table(one) for one in tables(outcome)]
    body = "\n".join([*shown[:1], *parts, *shown[1:]]) or "<p>There is nothing to report yet.</p>"
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(experiment.name)}</title>\n<style>{_STYLE}</style>\n"
        f"<h1>{escape(experiment.name)}</h1>\n<p>{escape(experiment.title)}</p>\n<dl>{facts}</dl>\n{body}\n</html>\n"
    )


def _drawn(figure: Figure) -> str:
    return f"<h2>{escape(figure.title)}</h2>\n{figure.svg}"


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.header)
    rows = "".join(
        f"<tr{' class=paper' if row[0] == PAPER else ''}>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n"
        for row in table.rows
    )
    return (
        f'<h2>{escape(table.title)}</h2>\n<div class="scroll"><table><tr>{head}</tr>\n{rows}</table></div>\n'
        f'<p class="note">{escape(table.note)}</p>'
    )


def write(outcome: Outcome, file: Path) -> list[Path]:
    """Writes the page, and beside it its text and its figures as files; returns what was written."""
    written = {file: page(outcome), file.with_suffix(".txt"): text(outcome)}
    for figure in figures(outcome):
        drawn = figure.svg.replace("<svg ", '<svg color="#222" ', 1)
        written[file.with_name(f"{file.stem}-{figure.name}.svg")] = drawn
    for path, content in written.items():
        temporary = path.with_name(path.name + ".tmp")
        temporary.write_text(content, encoding="utf-8")
        os.replace(temporary, path)
    return list(written)
