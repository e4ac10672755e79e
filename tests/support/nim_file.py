"""The file nim.py that the page on games of your own shows."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "games" / "own_game.md"
FOUND = re.search(r"<!-- the file nim.py -->\n```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
NIM = FOUND[1] if FOUND else ""
