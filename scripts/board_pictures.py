"""Draws the positions of the pages in docs/games, each after its <!-- picture: ... --> comment, and shows them there.

Usage, after `scripts/test` has made the environment: .venv/bin/python scripts/board_pictures.py
"""

import re
from pathlib import Path

from athenan import draw, make

PAGES = Path(__file__).parent.parent / "docs" / "games"
PICTURES = PAGES.parent / "images" / "boards"
_PICTURE = re.compile(r'<!-- picture: (\S+)(?: after "(.*?)")? -->\n')


def pictures() -> dict[Path, str]:
    """What the pictures should be, by their files."""
    made = {}
    for page in sorted(PAGES.glob("*.md")):
        if found := _PICTURE.search(page.read_text()):
            made[PICTURES / f"{page.stem}.svg"] = draw(make(found[1]), found[2] or "").svg + "\n"
    return made


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for file, text in pictures().items():
        file.write_text(text)
        page = PAGES / f"{file.stem}.md"
        shown = f"![the board](../images/boards/{file.name})\n"
        if shown not in page.read_text():
            page.write_text(_PICTURE.sub(lambda found, shown=shown: f"{shown}\n{found[0]}", page.read_text(), count=1))
