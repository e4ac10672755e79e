"""The lists of docs/command.md are whole: commands, what a person types in `play`, players, settings of searches."""

import re
from dataclasses import fields
from functools import partial
from pathlib import Path

import pytest
from documented_commands import command_lines

from athenan import settings
from athenan.arena.human import HELP
from athenan.arena.learnt_players import LearntSettings
from athenan.arena.roster import PLAYERS
from athenan.cli import COMMANDS
from athenan.games.catalogue import make
from athenan.search.named import ALIASES, SEARCHES
from athenan.search.settings import WalkSettings

PAGE = Path(__file__).parent.parent / "docs" / "command.md"
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL))


def in_code(text: str) -> set[str]:
    """The words of the text that are written as code."""
    return {word for code in re.findall(r"`([^`]*)`", text) for word in re.findall(r"[\w?-]+", code)}


def table(section: str) -> list[str]:
    """The rows of the tables of a section."""
    return [line for line in SECTIONS[section].splitlines() if line.startswith("| ")]


def test_every_command_is_shown() -> None:
    block = PAGE.read_text().split("```")[1].splitlines()
    shown = {line.split()[1] for line in block if line.startswith("athenan ")}
    assert shown == set(COMMANDS) == {words[0] for words in command_lines(PAGE)}


def test_the_table_of_play_has_what_its_help_lists() -> None:
    typed = re.findall(r"^  (\S+)", HELP, re.MULTILINE)
    assert len(typed) > 10
    assert set(typed) <= in_code("\n".join(table("play")))


@pytest.mark.parametrize("name", PLAYERS)
def test_every_player_has_its_settings(name: str) -> None:
    rows = "\n".join(row for row in table("Players") if name in in_code(row.split("|")[1]))
    inherited = "\n".join(row for row in table("Players") if name == "rave" and "`mcts" in row)
    known = set(settings.annotations(partial(PLAYERS[name], make("backgammon")))) - {"command", "evaluation"}
    assert rows and known <= in_code(rows + inherited)


def test_runs_have_their_settings() -> None:
    (row,) = (row for row in table("Players") if row.startswith("| `PATH`"))
    assert {item.name for item in fields(LearntSettings)} <= in_code(row)


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_has_its_settings(name: str) -> None:
    rows = [row for row in table("Searches") if name in in_code(row.split("|")[1])]
    shared = {item.name for item in fields(WalkSettings)}
    others = in_code("\n".join(row for row in table("Searches") if row.startswith("| all")))
    known = {item.name for item in fields(SEARCHES[name])}
    assert shared <= others
    assert known <= in_code("\n".join(rows)) | others
    assert set(ALIASES) <= in_code("\n".join(table("Searches")))
