"""The recipe of the papers: what the page says of it, and what 003 says of the settings."""

import re
from pathlib import Path

import pytest

from athenan.experiments.catalogue.stated_long import HEX_11
from athenan.experiments.paper import paper_recipe, recipes_side_by_side
from athenan.learning import training

PAGE = Path(__file__).parents[2] / "docs" / "algorithms" / "recipes.md"


def test_the_page_shows_both_recipes_as_they_are():
    rows = re.findall(r"^\| `([a-z0-9_.]+)` \| (.*?) \| (.*?) \|$", PAGE.read_text(), re.MULTILINE)
    assert rows == recipes_side_by_side("hex:11", 60)


def test_hex_11_is_trained_as_in_the_paper():
    config, stated = paper_recipe("hex:11", minutes=60), HEX_11.told
    for component in ("action", "playing", "learning", "replay"):
        for name, value in stated[component].items():
            expected = 0 if name == "random_ends" else value
            assert getattr(getattr(config, component), name) == expected, name
    assert (config.run.network, config.run.heuristic) == ("hex_11", "additive_depth")


@pytest.mark.parametrize("game", ["hex:13", "othello", "tictactoe", "einstein"])
def test_every_game_has_the_recipe_with_and_without_an_end(game):
    assert paper_recipe(game).playing.exploitation == "uniform"
    assert not paper_recipe(game, 5).learning.overlap
    assert paper_recipe(game, 5, timed=False).action.seconds is None


def test_the_command_searches_for_its_time_in_games_of_chance(monkeypatch, command):
    found = []
    monkeypatch.setattr(training, "train", lambda config, *rest, **more: found.append(config))
    command("train", "einstein", "--recipe", "paper", "--matches", "1", "--threads", "1")
    assert found == [paper_recipe("einstein", matches=1, threads=1)]


def test_the_command_refuses_another_algorithm_beside_it(command):
    status, _, errors = command("train", "hex:3", "--recipe", "paper", "--algorithm", "uct", "--matches", "1")
    assert (status, errors.count("\n")) == (2, 1)
    assert errors.startswith("athenan: error: --recipe paper has the algorithm of 003, descent")
