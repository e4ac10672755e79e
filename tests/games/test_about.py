"""Every game says what people who do not know it need: its name, its goal, how it is played, who plays."""

import re
from pathlib import Path

import pytest

from athenan import GAMES, make
from athenan.games.about import about
from athenan.rules.board import PIECE_COLOURS

COLOURS = {colour.capitalize() for colour in PIECE_COLOURS}


@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_explained(name: str) -> None:
    game, words = make(name), about(name)
    assert words.title == game.title != ""
    assert words.goal[0].islower() and words.goal.endswith(".")
    assert 50 < len(words.play) < 600
    assert words.rules.startswith(words.summary[:20]) and words.encoding
    named = set(re.findall(r"[A-Z]\w+", words.play)) & COLOURS
    assert named <= set(game.sides) and len(set(game.sides)) == 2  # the texts name the pieces that the board shows


def test_a_game_without_words_has_a_name_at_least(tmp_path: Path) -> None:
    file = tmp_path / "two_heaps.py"
    file.write_text("from athenan.games.tictactoe import make as other\n\n\ndef make():\n    return other()\n")
    make(str(file))  # names it, so that its code may be loaded
    words = about(str(file))
    assert (words.title, words.summary, words.goal, words.play) == ("Tic-tac-toe", "", "", "")
