"""The pages of the site that are not files of docs: the reference of the public names, changes and contributing.

A hook of MkDocs, which `mkdocs.yml` names.
"""

import re
from itertools import groupby
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import athenan

ROOT = Path(__file__).parent.parent
OUTSIDE = {f"{name.lower()}.md": ROOT / f"{name}.md" for name in ("CHANGELOG", "CONTRIBUTING")}
"""Page -> the file of the repository that it shows."""
_DATA = {"GAMES", "PLAYERS", "SEARCHES", "__version__"}
"""Public names that are tables, without a page of their own."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages."""
    pages = {name: _moved(file.read_text()) for name, file in OUTSIDE.items()}
    for name, text in {**pages, "reference.md": reference()}.items():
        files.append(File.generated(config, name, content=text))
    return files


def _moved(text: str) -> str:
    """A file of the root, with its links as they are from docs."""
    text = text.replace("](docs/", "](")
    for page, file in OUTSIDE.items():
        text = text.replace(f"]({file.name}", f"]({page}")
    return text


def on_page_markdown(markdown: str, **_: object) -> str:
    """Leads links to files of the repository to their pages."""
    for page, file in OUTSIDE.items():
        markdown = markdown.replace(f"](../{file.name}", f"]({page}")
    return markdown


def reference() -> str:
    """The public names by the modules that define them, for mkdocstrings."""
    homes = {name: getattr(athenan, name).__module__ for name in athenan.__all__ if name not in _DATA}
    text = ["# Reference", "What `import athenan` offers, from the docstrings. [From Python](python.md) has examples."]
    for home, names in groupby(sorted(homes, key=lambda name: (homes[name], name)), key=homes.__getitem__):
        text += [f"## `{home}`", *(f"::: {home}.{name}" for name in names)]
    return re.sub(r"\n{3,}", "\n\n", "\n\n".join(text)) + "\n"
