"""Draws the positions of the pages in docs/games, each after its <!-- picture: ... --> comment, and shows them there.

The start page of the browser shows the same pictures.

Also draws the picture of README: a position of Othello that is solved, with what its moves lead to.

Usage, after `scripts/test` has made the environment: .venv/bin/python scripts/board_pictures.py
"""

import re
from pathlib import Path

from athenan import Value, draw, make
from athenan.grading.positions import packaged, read_positions

PAGES = Path(__file__).parent.parent / "docs" / "games"
PICTURES = PAGES.parent / "images" / "boards"
GALLERY = PAGES.parents[1] / "src" / "athenan" / "web" / "static" / "boards"
"""The same pictures in the package, for the start page of the browser."""
README_PICTURE, README_POSITION = PICTURES.parent / "analysis.svg", 20
_PICTURE = re.compile(r'<!-- picture: (\S+)(?: after "(.*?)")? -->\n')


def pictures() -> dict[Path, str]:
    """What the pictures should be, by their files."""
    made = {README_PICTURE: solved_position()}
    for page in sorted(PAGES.glob("*.md")):
        if found := _PICTURE.search(page.read_text()):
            picture = draw(make(found[1]), found[2] or "").svg + "\n"
            made |= {folder / f"{page.stem}.svg": picture for folder in (PICTURES, GALLERY)}
    return made


def solved_position() -> str:
    """A position of the package's solved ones in Othello, with the game values of all moves."""
    game = make("othello")
    position = read_positions(packaged(game.name)).positions[README_POSITION]
    values = [Value(action, gain, gain) for action, gain in position.gains.items()]
    return draw(game, position.moves, values=values).svg + "\n"


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    GALLERY.mkdir(exist_ok=True)
    for file, text in pictures().items():
        file.write_text(text)
        if file.parent != PICTURES:
            continue
        page = PAGES / f"{file.stem}.md"
        shown = f"![the board](../images/boards/{file.name})\n"
        if shown not in page.read_text():
            page.write_text(_PICTURE.sub(lambda found, shown=shown: f"{shown}\n{found[0]}", page.read_text(), count=1))
