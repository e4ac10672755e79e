"""The pages: they share a frame; each has its own script and a file with its head and its middle."""

import json
from html import escape
from pathlib import Path
from string import Template

from athenan.web import texts

STATIC = Path(__file__).parent / "static"
PAGES = {"games": "/", "board": "/play", "trainings": "/trainings"}
"""Name of the page, of its files and of its texts -> address."""
_BETWEEN = "<!-- below: the middle of the page -->\n"


def page(name: str, language: str, shared: str = "", **content: str) -> str:
    """The HTML of a page; `content` replaces the names with a $ in its middle.

    `shared` is the address of the board for other machines, if the server answers them.
    """
    words = texts.table(language)
    file = texts.filled((STATIC / f"{name}.html").read_text(encoding="utf-8"), language)
    header, _, middle = file.partition(_BETWEEN)
    links = [
        f'<a href="{address}"{" aria-current=page" if one == name else ""}>{escape(words[f"page.{one}"])}</a>'
        for one, address in PAGES.items()
    ]
    languages = [
        f'<a href="?lang={code}" lang="{code}" hreflang="{code}">{escape(own)}</a>'
        for code, own in texts.LANGUAGES.items()
        if code != language
    ]
    frame = Template(texts.filled((STATIC / "frame.html").read_text(encoding="utf-8"), language))
    return frame.substitute(
        shared=escape(shared), title=escape(words[f"title.{name}"]), script=name, pages="".join(links), header=header,
        language=language,
        languages="".join(languages), texts=json.dumps(words, ensure_ascii=False).replace("<", "\\u003c"),
        content=Template(middle).substitute(content) if content else middle,
    )  # fmt: skip
