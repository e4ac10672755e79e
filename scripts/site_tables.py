"""The tables of the laboratory's pages as CSV files of the site, with a link below each table.

A hook of MkDocs, which `mkdocs.yml` names.
"""

import csv
import io
import re
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PAGES = (
    "strength", "results", "grading", "performance", "networks_measured", "algorithms/patterns_measured",
)  # fmt: skip
"""The pages whose tables are figures."""
_TABLE = re.compile(r"^\|.*\|\n\|[-:| ]+\|\n(?:\|.*\|\n)+", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the files."""
    for page in PAGES:
        source = files.get_file_from_path(f"{page}.md")
        assert source, page
        for number, table in enumerate(tables(source.content_string), 1):
            files.append(File.generated(config, f"{page}-{number}.csv", content=as_csv(table)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:
    """Adds the links."""
    name = page.file.src_uri.removesuffix(".md")
    return linked(markdown, name.rpartition("/")[2]) if name in PAGES else markdown


def tables(markdown: str) -> list[str]:
    """The tables of a page, as they are written."""
    return [found[0] for found in _TABLE.finditer(markdown)]


def linked(markdown: str, name: str) -> str:
    """The page with a link to `NAME-NUMBER.csv` below each table."""
    parts = _TABLE.split(markdown)
    below = [f"{table}\n[CSV]({name}-{number}.csv)\n" for number, table in enumerate(tables(markdown), 1)]
    return "".join(text for both in zip(parts, [*below, ""], strict=True) for text in both)


def as_csv(table: str) -> str:
    """A table's cells as CSV, as they are read: without marks of links, code and emphasis."""
    header, _, *rows = table.splitlines()
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(map(_cells, [header, *rows]))
    return file.getvalue()


def _cells(row: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", row.strip().strip("|"))
    return [re.sub(r"[`*]", "", _LINK.sub(r"\1", cell)).replace(r"\|", "|").strip() for cell in cells]
