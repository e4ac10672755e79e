"""A web page with tables and figures that needs no other file and follows the reader's light or dark mode."""

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path

from athenan.replacing import replacing
from athenan.report.tables import Table
from athenan.settings import readable

_STYLE = """
:root { color-scheme: light dark; --line: #8884; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
p.note, dd { max-width: 60rem; } p.note { opacity: .75; font-size: .9em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { opacity: .75; } dd { margin: 0; }
svg { display: block; height: auto; }
"""


def page(title: str, subtitle: str, facts: Mapping[str, str], parts: Iterable[str]) -> str:
    """The page. `title`, `subtitle` and `facts` are text; `parts` are HTML from `drawn` and `tabled`."""
    body = "\n".join(parts)
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items())
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n"
        f"<h1>{escape(title)}</h1>\n<p>{escape(subtitle)}</p>\n<dl>{listed}</dl>\n{body}\n</html>\n"
    )


def drawn(title: str, svg: str) -> str:
    """A figure with its title."""
    return f"<h2>{escape(title)}</h2>\n{svg}"


def tabled(table: Table) -> str:
    """A table with its title and its note."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.header)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n" for row in table.rows)
    return (
        f'<h2>{escape(table.title)}</h2>\n<div class="scroll"><table><tr>{head}</tr>\n{rows}</table></div>\n'
        f'<p class="note">{escape(table.note)}</p>'
    )


def write(path: str | Path, text: str) -> None:
    """Writes a file atomically, in UTF-8: a reader sees the old file or the new one. Raises OSError, which names it."""
    with replacing(path) as half:
        half.write_text(readable(text), encoding="utf-8")
