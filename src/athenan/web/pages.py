"""The pages: they share a frame; each has its own script and a file with its head and its middle."""

from html import escape
from pathlib import Path
from string import Template

STATIC = Path(__file__).parent / "static"
PAGES = {"board": ("/", "Board", "athenan"), "trainings": ("/trainings", "Trainings", "athenan: trainings")}
"""Name of the page and of its files -> address, text of links to it, title."""
_BETWEEN = "<!-- below: the middle of the page -->\n"


def page(name: str) -> str:
    """The HTML of a page."""
    header, _, content = (STATIC / f"{name}.html").read_text(encoding="utf-8").partition(_BETWEEN)
    links = [
        f'<a href="{address}"{" aria-current=page" if one == name else ""}>{escape(text)}</a>'
        for one, (address, text, _) in PAGES.items()
    ]
    frame = Template((STATIC / "frame.html").read_text(encoding="utf-8"))
    title = escape(PAGES[name][2])
    return frame.substitute(title=title, script=name, pages="".join(links), header=header, content=content)
